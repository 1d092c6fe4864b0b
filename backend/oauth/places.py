"""What an audience is to a member: the team's own address, or that of a collection or an agent of theirs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from backend.accounts.auth.audiences import INSTALLATION
from backend.accounts.models import User
from backend.oauth.addresses import place_of
from backend.tool_collections.models import Collection
from backend.workflows.models import Workflow

Kind = Literal["team", "collection", "agent"]


@dataclass(frozen=True, slots=True)
class Place:
    """`collection` = its id, `workflow` = the id of the one that the agent is, `name` of either, `team` = whose it is;
    all empty for `/mcp`, which is every team's."""

    kind: Kind = "team"
    collection: str = INSTALLATION
    workflow: str = ""
    name: str = ""
    team: str = ""


def place_for(user: User, audience: str, team: str | None = None) -> Place | None:
    """The place that an audience is, for a member of its team; None where there is none, or it is of another `team`."""
    slugs = place_of(audience)
    if slugs is None:
        return Place()
    door, of_team, slug = slugs
    bounds = {"team__slug": of_team, "slug": slug, "team__memberships__user": user}
    bounds |= {} if team is None else {"team": team}
    if door == "mcp":
        row = Collection.objects.filter(**bounds).first()
        return None if row is None else Place("collection", row.pk, name=row.name, team=row.team_id)
    agents = Workflow.objects.filter(expose_as_agent=True, hidden=False, published_version__isnull=False)
    agent = agents.filter(**bounds).defer("draft").first()
    return None if agent is None else Place("agent", workflow=agent.pk, name=agent.name, team=agent.team_id)
