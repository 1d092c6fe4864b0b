"""Who of a team may decide what its runs ask: members from editor on. Viewers look on."""

from __future__ import annotations

from backend.accounts.models import Membership, Role

DECIDING = (Role.EDITOR.value, Role.ADMIN.value, Role.OWNER.value)


def deciders(team_id: str) -> dict[str, str]:
    """The e-mail addresses of all members who may answer, by their public ids, in the order they joined."""
    rows = Membership.objects.filter(team_id=team_id, role__in=DECIDING).order_by("created_at", "id")
    return dict(rows.values_list("user_id", "user__email"))
