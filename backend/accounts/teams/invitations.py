"""Invitations: a link that makes its bearer a member once. Its text is shown once and kept as a hash."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from backend.accounts.actor import Actor
from backend.accounts.audit.trail import audit
from backend.accounts.auth.tokens import hashed
from backend.accounts.models import Invitation, Membership, Team, User
from backend.accounts.roles import may_decide_on
from backend.accounts.teams.members import lock
from backend.errors import Conflict, Forbidden, NotFound, ValidationFailed
from backend.notifications.clients import notify_team

_KEEP_EXPIRED = timedelta(days=7)


def invitations(actor: Actor) -> QuerySet[Invitation]:
    """The team's invitations that nobody used, also those that expired lately."""
    return Invitation.objects.select_related("created_by").filter(
        team=actor.team, used_at=None, expires_at__gt=timezone.now() - _KEEP_EXPIRED
    )


@transaction.atomic
def invitation_create(actor: Actor, role: str, email: str, days: int) -> tuple[Invitation, str]:
    """A new invitation and the text of its link. With `email` only that person may use it.

    Raises Forbidden for a role that the actor may not give, Conflict for somebody who is a member already.
    """
    if not may_decide_on(lock(actor), role):
        raise Forbidden(params={"reason": "rank"})
    email = email.strip().lower()
    if email and Membership.objects.filter(team=actor.team, user__email=email).exists():
        raise Conflict(params={"reason": "already_member", "email": email})
    Invitation.objects.filter(team=actor.team, expires_at__lt=timezone.now() - _KEEP_EXPIRED).delete()
    text = secrets.token_urlsafe(24)
    row = Invitation.objects.create(
        team=actor.team,
        role=role,
        email=email,
        token_hash=hashed(text),
        created_by=actor.user,
        expires_at=timezone.now() + timedelta(days=days),
    )
    audit(actor, "invitation.created", "invitation", row.pk, role=role, email=email, days=days)
    notify_team(actor.team.pk, "invitation", row.pk, "created")
    return row, text


@transaction.atomic
def invitation_delete(actor: Actor, key: str) -> None:
    """Withdraw an invitation that nobody used. Raises NotFound."""
    row = Invitation.objects.filter(team=actor.team, pk=key, used_at=None).first()
    if row is None:
        raise NotFound
    audit(actor, "invitation.deleted", "invitation", row.pk, role=row.role, email=row.email)
    notify_team(actor.team.pk, "invitation", row.pk, "deleted")
    row.delete()


def invitation_find(text: str) -> Invitation:
    """The unused, unexpired invitation of this text. Raises NotFound."""
    row = (
        Invitation.objects.select_related("team", "created_by")
        .filter(token_hash=hashed(text), used_at=None, expires_at__gt=timezone.now())
        .first()
    )
    if row is None:
        raise NotFound(params={"reason": "invitation"})
    return row


def has_account(email: str) -> bool:
    """Whether somebody signs in with this e-mail."""
    return User.objects.filter(email=email.strip().lower()).exists()


def _new_person(row: Invitation, data: dict[str, Any]) -> User:
    """The account of somebody who comes in by invitation. Raises ValidationFailed, Conflict (has an account)."""
    email = row.email or (data.get("email") or "").strip().lower()
    person = User(email=email, name=(data.get("name") or "").strip())
    fields: dict[str, list[str]] = {}
    try:
        validate_email(email)
    except ValidationError as error:
        fields["email"] = list(error.messages)
    if not person.name:
        fields["name"] = ["is required"]
    try:
        validate_password(data.get("password") or "", person)
    except ValidationError as error:
        fields["password"] = list(error.messages)
    if fields:
        raise ValidationFailed(fields=fields)
    if has_account(email):
        raise Conflict(params={"reason": "account_exists", "email": email}, detail={"reason": "account_exists"})
    language = data.get("language") or "en"
    return User.objects.create_user(email, data["password"], name=person.name, language=language)


@transaction.atomic
def invitation_accept(text: str, user: User | None, data: dict[str, Any]) -> Actor:
    """Make `user`, or the new person that `data` = {email, name, password, language} tells of, a member: once.

    Raises NotFound, ValidationFailed, Forbidden (for somebody else), Conflict (a member already, has an account).
    """
    invitation = invitation_find(text)
    Team.objects.select_for_update().get(pk=invitation.team_id)
    row = invitation_find(text)  # as it is now that nobody else is at it
    if user is not None and row.email and row.email != user.email:
        raise Forbidden(params={"reason": "invitation_email", "email": row.email})
    if user is not None and Membership.objects.filter(team=row.team, user=user).exists():
        raise Conflict(params={"reason": "already_member", "email": user.email}, detail={"reason": "already_member"})
    person = user or _new_person(row, data)
    row.used_at = timezone.now()
    row.save(update_fields=["used_at"])
    membership = Membership.objects.create(team=row.team, user=person, role=row.role)
    actor = Actor(person, row.team, row.role)
    audit(actor, "invitation.accepted", "member", membership.pk, email=person.email, role=row.role, invitation=row.pk)
    notify_team(row.team_id, "member", membership.pk, "created")
    return actor
