"""Writes on one's own account: a password, the second factor, the end of the account.

What would let a stranger at an open screen take the account over asks for the password again, unless the session began
with a link from the terminal just now.
"""

from __future__ import annotations

from allauth.account.adapter import get_adapter
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest

from backend.accounts.actor import Actor
from backend.accounts.audit.erasing import erase_person
from backend.accounts.audit.trail import audit, audit_of_person
from backend.accounts.auth.factor_demands import provider_only
from backend.accounts.auth.passwords import verify_password
from backend.accounts.auth.sessions import keep_session, session_end, sessions_end
from backend.accounts.models import ApiToken, Invitation, Membership, Role, Team, User
from backend.accounts.teams import deletion_hooks
from backend.accounts.teams.members import membership_end
from backend.accounts.teams.teams import team_erase
from backend.errors import Conflict, ValidationFailed
from backend.notifications.clients import notify_team


def password_set(request: HttpRequest, user: User, current: str, new: str, *, keep_tokens: bool = False) -> None:
    """Change the password, or set the first one; every other session of the user ends, and with a change their tokens.

    Raises Forbidden (the present one is wrong), Conflict (who comes in through the identity provider gets no
    second way in), ValidationFailed (the new one is too weak), RateLimited.
    """
    had = user.has_usable_password()
    if provider_only(user):
        raise Conflict(params={"reason": "sso_password"})
    if had:
        verify_password(request, user, current)
    try:
        validate_password(new, user)
    except ValidationError as error:
        raise ValidationFailed(fields={"new_password": list(error.messages)}) from None
    with transaction.atomic():
        get_adapter(request).set_password(user, new)
        keep_session(request, user)
        ended = 0 if keep_tokens or not had else ApiToken.objects.filter(user=user).delete()[0]
        audit_of_person(user, "password.changed" if had else "password.set", by=user, tokens=ended)


def sign_out_elsewhere(request: HttpRequest, user: User) -> int:
    """End all sessions of `user` but this one; gives how many."""
    with transaction.atomic():
        ended = sessions_end(user, but=request.session.session_key)
        audit_of_person(user, "session.ended_others", by=user, sessions=ended)
    return ended


def sign_out_one(user: User, key: str) -> None:
    """End one of the user's sessions. Raises NotFound."""
    with transaction.atomic():
        session_end(user, key)
        audit_of_person(user, "session.ended", by=user)


def deletion_consequences(user: User) -> list[dict[str, str]]:
    """What becomes of the user's teams when the account goes: each is "left", "deleted", or "blocked" (no owner)."""
    rows = Membership.objects.select_related("team").filter(user=user).order_by("created_at", "id")
    return [{"id": row.team.id, "name": row.team.name, "role": row.role, "fate": _consequence(row)} for row in rows]


def _consequence(row: Membership) -> str:
    others = Membership.objects.filter(team=row.team_id).exclude(pk=row.pk)
    if not others.exists():
        return "deleted"
    return "blocked" if row.role == Role.OWNER and not others.filter(role=Role.OWNER).exists() else "left"


def account_delete(request: HttpRequest, user: User, password: str, email: str) -> None:
    """Delete the user's account: memberships, tokens, sessions, and teams in which nobody else is.

    `email` must be the user's. Raises ValidationFailed, Conflict (a team would be without an owner), and as
    `verify_password`.
    """
    if email.strip().lower() != user.email:
        raise ValidationFailed(fields={"email": ["is not your e-mail"]})
    verify_password(request, user, password)
    with transaction.atomic():
        _account_erase(user)


def _account_erase(user: User) -> None:
    teams = Team.objects.filter(memberships__user=user).order_by("pk").values_list("pk", flat=True)
    list(Team.objects.select_for_update().filter(pk__in=list(teams)).order_by("pk"))
    rows = list(Membership.objects.select_related("team", "user").filter(user=user))
    consequences = {row.pk: _consequence(row) for row in rows}
    blocked = [row.team.name for row in rows if consequences[row.pk] == "blocked"]
    if blocked:
        raise Conflict(params={"reason": "only_owner", "teams": ", ".join(blocked)})
    for row in rows:
        if consequences[row.pk] == "deleted":
            team_erase(Actor(user, row.team, row.role))
            continue
        audit(Actor(user, row.team, row.role), "member.left", "member", row.pk, email=user.email, private="delete")
        notify_team(row.team_id, "member", row.pk, "deleted")
        membership_end(row, "delete")
    deletion_hooks.run_before_user_delete(user)
    Invitation.objects.filter(email=user.email).delete()
    erase_person(user.pk, user.email, user.name)
    sessions_end(user)
    user.delete()
