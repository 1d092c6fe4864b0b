"""What becomes of a person's own providers when they leave a team."""

from __future__ import annotations

from backend.accounts.models import Team, User
from backend.accounts.teams.deletion_hooks import Private
from backend.providers.connections import drop_endpoint
from backend.providers.models import Provider
from backend.providers.user_credentials import PROVIDERS
from backend.secrets.shared_items import Leaving

_LEAVING = Leaving[Provider](disconnect=drop_endpoint)


def released(team: Team, user: User, private: Private) -> dict[str, list[str]]:
    """Delete a person's private providers, or hand them to the team; delete what the person entered for themself.

    Gives `{"deleted": [slug], "handed_over": [slug]}`.
    """
    return PROVIDERS.release(team, user, private, _LEAVING)


def close_all(team: Team) -> None:
    """End this process's connections to the providers of a team that is being deleted, once it is."""
    for provider in team.providers.all():
        PROVIDERS.tell(provider, "deleted", _LEAVING)
