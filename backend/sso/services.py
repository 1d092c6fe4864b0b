"""Writes of the room `sso`: somebody comes in through the provider, is asked about again, is no longer there.

What the provider gives it takes away again: memberships that it made (`managed`) follow its groups. Those that people
gave stay as they are, and no owner ever comes from or goes with the provider.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from backend.accounts.actor import Actor
from backend.accounts.audit.trail import audit, audit_in_team, audit_of_person
from backend.accounts.auth.sessions import sessions_end
from backend.accounts.models import ApiToken, Membership, Role, Team, User
from backend.accounts.teams.members import membership_end
from backend.errors import Forbidden
from backend.notifications.clients import notify_team
from backend.sso import mapping, provider
from backend.sso.models import Identity

log = logging.getLogger(__name__)


@transaction.atomic
def come_in(claims: Mapping[str, Any], refresh: str | None) -> User:
    """The person whom verified claims tell of, with the memberships that they give. Raises Forbidden."""
    env = settings.PATCHBAY
    identity = Identity.objects.select_related("user").filter(issuer=env.oidc_issuer, subject=claims["sub"]).first()
    user = identity.user if identity is not None else _person(claims)
    if not user.is_active:
        raise Forbidden(params={"reason": "sso_answer"})
    now = timezone.now()
    if identity is None:
        identity = Identity(user=user, issuer=env.oidc_issuer, subject=claims["sub"])
    identity.confirmed_at = identity.checked_at = now
    identity.refresh = refresh or identity.refresh
    new = identity._state.adding
    identity.save()
    follow(user, mapping.grants(claims))
    if not Membership.objects.filter(user=user).exists():
        raise Forbidden(params={"reason": "sso_no_team"})
    if new:
        audit_of_person(user, "identity.linked", by=user, issuer=env.oidc_issuer)
    return user


def _person(claims: Mapping[str, Any]) -> User:
    """Who has the e-mail that the provider vouches for, or a new person. Raises Forbidden."""
    email = mapping.verified_email(claims)
    if not email:
        raise Forbidden(params={"reason": "sso_email"})
    user = User.objects.filter(email=email).first()
    if user is None:
        name = claims.get("name")
        return User.objects.create_user(email, None, name=name[:200] if isinstance(name, str) else "")
    if user.is_operator or Membership.objects.filter(user=user, role=Role.OWNER).exists():
        raise Forbidden(params={"reason": "sso_local"})
    return user


@transaction.atomic
def follow(user: User, grants: Mapping[str, str]) -> bool:
    """Make the managed memberships what the provider gives; whether one was lost, which ends sessions and tokens."""
    ids = Membership.objects.filter(user=user).values_list("team_id", flat=True)
    concerned = Team.objects.filter(slug__in=list(grants)) | Team.objects.filter(pk__in=list(ids))
    teams = {
        team.pk: team for team in Team.objects.select_for_update().filter(pk__in=concerned.order_by()).order_by("pk")
    }
    rows = {row.team_id: row for row in Membership.objects.select_related("team", "user").filter(user=user)}
    lost = False
    for key, team in teams.items():
        row, role = rows.get(key), grants.get(team.slug)
        if row is None and role is not None:
            row = Membership.objects.create(team=team, user=user, role=role, managed=True)
            audit(Actor(user, team, role), "member.provisioned", "member", row.pk, email=user.email, role=role)
            notify_team(key, "member", row.pk, "created")
        elif row is not None and row.managed and role is None:
            audit_in_team(
                key, None, "member.removed", "member", row.pk, email=user.email, private="hand_over", by="sso"
            )
            membership_end(row, "hand_over")
            notify_team(key, "member", row.pk, "deleted")
            lost = True
        elif row is not None and row.managed and role is not None and row.role != role:
            before, row.role = row.role, role
            row.save(update_fields=["role"])
            audit_in_team(
                key, None, "member.changed", "member", row.pk, email=user.email, by="sso", before=before, role=role
            )
            notify_team(key, "member", row.pk, "updated")
    if lost:
        sessions_end(user)
    return lost


@transaction.atomic
def gone(identity: Identity) -> None:
    """The provider knows the person no more: managed memberships, every session and every token end."""
    user = identity.user
    audit_of_person(user, "identity.ended", issuer=identity.issuer)
    follow(user, {})
    ApiToken.objects.filter(user=user).delete()
    sessions_end(user)
    identity.refresh = None
    identity.checked_at = timezone.now()
    identity.save(update_fields=["refresh", "checked_at"])


def check_all(every_s: float, rest: Callable[[], None] = lambda: None) -> int:
    """Ask the provider again about everybody who was not asked about for so long; gives how many were lost."""
    return sum(_check(identity) for identity in _due(every_s, rest))


def _due(every_s: float, rest: Callable[[], None]) -> Iterator[Identity]:
    before = timezone.now() - timedelta(seconds=every_s)
    rows = Identity.objects.filter(issuer=settings.PATCHBAY.oidc_issuer, checked_at__lte=before)
    for key in list(rows.order_by("checked_at").values_list("pk", flat=True)[:2000]):
        rest()
        if identity := Identity.objects.select_related("user").filter(pk=key).first():
            yield identity


def _check(identity: Identity) -> bool:
    """Whether the person was lost in some team, or altogether."""
    now, env = timezone.now(), settings.PATCHBAY
    try:
        if identity.refresh is None:
            raise provider.Unreachable("there is nothing to ask with")
        claims, refresh = provider.renew(identity.refresh, identity.subject)
    except (provider.Declined, provider.Unreachable, Forbidden) as error:
        if isinstance(error, provider.Declined) and error.of_the_person:
            log.info("%s is no longer confirmed by the identity provider", identity.user_id)
            return _end(identity)
        # a wrong client secret or a token that does not hold says nothing of the person
        if identity.refresh is not None:
            log.warning("%s could not be asked about at the identity provider: %s", identity.user_id, error)
        if now - identity.confirmed_at > timedelta(hours=env.oidc_unconfirmed_h):
            return _end(identity)
        Identity.objects.filter(pk=identity.pk).update(checked_at=now)
        return False
    with transaction.atomic():
        identity.refresh, identity.checked_at, identity.confirmed_at = refresh, now, now
        identity.save(update_fields=["refresh", "checked_at", "confirmed_at"])
        return follow(identity.user, mapping.grants(claims))


def _end(identity: Identity) -> bool:
    """True, unless it ended before and nothing came since."""
    user = identity.user
    left = Membership.objects.filter(user=user, managed=True).exists() or ApiToken.objects.filter(user=user).exists()
    if not left and identity.refresh is None:
        Identity.objects.filter(pk=identity.pk).update(checked_at=timezone.now())
        sessions_end(user)
        return False
    gone(identity)
    return True
