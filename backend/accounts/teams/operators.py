"""Who runs the installation: the operator, a role beside the teams' own.

An operator says which programs may be started on the machine. It is no role in any team: what a team keeps stays the
team's. The first owner is one; `manage.py operator` names others. With a single team its owners are operators as well:
there is nobody whom they could reach past their own team.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.db import connection, transaction

from backend.accounts.actor import Actor
from backend.accounts.audit.trail import audit_of_person
from backend.accounts.models import Membership, Role, User


def several_teams() -> bool:
    """Whether more than one team shares the installation."""
    with connection.cursor() as cursor:  # asked with many pages: putting it together would take longer than asking
        cursor.execute("SELECT 1 FROM accounts_team LIMIT 2")
        return len(cursor.fetchall()) > 1


def is_operator(user: User, roles: Iterable[str] | None = None) -> bool:
    """Whether this person is an operator: named as one, or an owner of the only team. `roles` = theirs in all teams,
    where the caller has read them."""
    if user.is_operator:
        return True
    owns = Membership.objects.filter(user=user, role=Role.OWNER).exists() if roles is None else Role.OWNER in roles
    return owns and not several_teams()


def acts_as_operator(actor: Actor) -> bool:
    """Whether what the actor does counts as an operator's word. A token's never does, whoever made it."""
    return actor.token is None and is_operator(actor.user)


def operators() -> list[str]:
    """E-mail addresses of those who are named."""
    return list(User.objects.filter(is_operator=True).order_by("email").values_list("email", flat=True))


@transaction.atomic
def name_operator(user: User, is_one: bool) -> None:
    """Make a person an operator, or no longer one."""
    user.is_operator = is_one
    user.save(update_fields=["is_operator"])
    audit_of_person(user, "operator.named" if is_one else "operator.removed")
