"""Writes on memberships: change a role, hand the team over, leave, remove. One at a time per team."""

from __future__ import annotations

from django.db import transaction

from backend.accounts.actor import Actor
from backend.accounts.audit.trail import audit
from backend.accounts.models import ApiToken, Invitation, Membership, Role, Team
from backend.accounts.roles import may_become, may_decide_on
from backend.accounts.teams import deletion_hooks
from backend.errors import Conflict, Forbidden, NotFound
from backend.notifications.clients import notify_team


def own_membership(actor: Actor) -> Membership:
    """The actor's membership as it is now. Raises NotFound when it ended meanwhile."""
    membership = Membership.objects.select_related("user").filter(team=actor.team, user=actor.user).first()
    if membership is None:
        raise NotFound
    return membership


def member_for(actor: Actor, key: str) -> Membership:
    """A membership of the actor's team. Raises NotFound."""
    membership = Membership.objects.select_related("user").filter(team=actor.team, pk=key).first()
    if membership is None:
        raise NotFound
    return membership


def lock(actor: Actor) -> str:
    """Keep every other change of the team's members waiting; gives the actor's role as it is now."""
    Team.objects.select_for_update().get(pk=actor.team.pk)
    return own_membership(actor).role


def _keep_an_owner(row: Membership) -> None:
    others = Membership.objects.filter(team=row.team_id, role=Role.OWNER).exclude(pk=row.pk)
    if row.role == Role.OWNER and not others.exists():
        raise Conflict(params={"reason": "last_owner"})


def _tell(actor: Actor, row: Membership, change: str) -> None:
    notify_team(actor.team.pk, "member", row.pk, change)


def _withdraw_invitations(row: Membership) -> None:
    """What somebody may no longer give is not given by a link that they made before."""
    Invitation.objects.filter(team=row.team_id, created_by=row.user_id, used_at=None).delete()


@transaction.atomic
def member_change(actor: Actor, key: str, role: str) -> Membership:
    """Give a member another role. Raises NotFound, Forbidden, Conflict (the last owner)."""
    own = lock(actor)
    row = member_for(actor, key)
    before = row.role
    if row.user_id == actor.user.pk:
        allowed = may_become(own, role)
    else:
        allowed = may_decide_on(own, before) and may_decide_on(own, role)
    if not allowed:
        raise Forbidden(params={"reason": "rank"})
    if role == before:
        return row
    if role != Role.OWNER:
        _keep_an_owner(row)
    row.role = role
    row.save(update_fields=["role"])
    if not may_decide_on(role, Role.VIEWER):
        _withdraw_invitations(row)
    audit(actor, "member.changed", "member", row.pk, email=row.user.email, changes={"role": [before, role]})
    _tell(actor, row, "updated")
    return row


@transaction.atomic
def team_transfer(actor: Actor, key: str) -> Membership:
    """Make another member the owner and oneself an admin. Raises NotFound, Forbidden, Conflict (oneself)."""
    if lock(actor) != Role.OWNER:
        raise Forbidden(params={"reason": "rank"})
    row, own = member_for(actor, key), own_membership(actor)
    if row.pk == own.pk:
        raise Conflict(params={"reason": "last_owner"})
    row.role, own.role = Role.OWNER, Role.ADMIN
    row.save(update_fields=["role"])
    own.save(update_fields=["role"])
    audit(actor, "team.transferred", "member", row.pk, email=row.user.email, by=actor.user.email)
    _tell(actor, row, "updated")
    return row


@transaction.atomic
def member_remove(actor: Actor, key: str, private: deletion_hooks.Private) -> None:
    """End a membership, one's own or another's; what was the member's alone is deleted or handed to the team.

    The member's tokens of this team end, running work goes on. Raises NotFound, Forbidden, Conflict (the last owner).
    """
    own = lock(actor)
    row = member_for(actor, key)
    left = row.user_id == actor.user.pk
    if not left and not may_decide_on(own, row.role):
        raise Forbidden(params={"reason": "rank"})
    _keep_an_owner(row)
    action = "member.left" if left else "member.removed"
    audit(actor, action, "member", key, email=row.user.email, private=private, had=deletion_consequences(row))
    membership_end(row, private)
    notify_team(actor.team.pk, "member", key, "deleted")


def membership_end(row: Membership, private: deletion_hooks.Private) -> None:
    """Take away a membership with all that hangs on it. The caller has locked the team and checked the rights."""
    deletion_hooks.release(row.team, row.user, private)
    _withdraw_invitations(row)
    ApiToken.objects.filter(team=row.team_id, user=row.user_id).delete()
    row.delete()


def deletion_consequences(row: Membership) -> dict[str, int]:
    """What a member has alone in the team, by kind: `{"tokens": 1, "servers": 2, "running": 0}`."""
    tokens = ApiToken.objects.filter(team=row.team_id, user=row.user_id).count()
    return {"tokens": tokens, **deletion_hooks.counted(row.team, row.user)}
