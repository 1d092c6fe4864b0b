"""What an audience is to a member: the team's own address, or that of a collection of theirs."""

from __future__ import annotations

from dataclasses import dataclass

from backend.accounts.auth.audiences import INSTALLATION
from backend.accounts.models import User
from backend.oauth.addresses import place_of
from backend.tool_collections.models import Collection


@dataclass(frozen=True, slots=True)
class Place:
    """`collection` = its id and `name`, `team` = whose it is; all empty for `/mcp`, which is every team's."""

    collection: str = INSTALLATION
    name: str = ""
    team: str = ""


def collection_in(user: User, audience: str, team: str | None = None) -> Place | None:
    """The place that an audience is, for a member of its team; None where there is none, or it is of another `team`."""
    slugs = place_of(audience)
    if slugs is None:
        return Place()
    rows = Collection.objects.filter(team__slug=slugs[0], slug=slugs[1], team__memberships__user=user)
    row = (rows if team is None else rows.filter(team=team)).first()
    return None if row is None else Place(row.pk, row.name, row.team_id)
