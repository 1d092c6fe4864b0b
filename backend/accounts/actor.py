"""Who acts: a person in a team with a role, by session or by token. Every read and write takes one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.utils import timezone

from backend.accounts.models import ApiToken, Role, Team, User
from backend.errors import Forbidden

_RANK = {Role.VIEWER.value: 0, Role.EDITOR.value: 1, Role.ADMIN.value: 2, Role.OWNER.value: 3}

_ADMINS = frozenset({Role.ADMIN.value, Role.OWNER.value})

SCOPES = ("read", "run", "answer", "edit", "admin")
"""What a token may be made for: reading; starting and steering runs; what they ask; editors' and admins' changes."""


@dataclass(frozen=True, slots=True)
class Actor:
    """A signed-in member acting in one team."""

    user: User
    team: Team
    role: str
    token: ApiToken | None = None

    def may(self, role: str) -> bool:
        """Whether the actor's role is `role` or above; for admins' actions a token needs the scope "admin" too."""
        return _RANK[self.role] >= _RANK[role] and (role not in _ADMINS or self.in_scope("admin"))

    def require(self, role: str) -> None:
        """Raise Forbidden unless the actor may what `role` ("viewer", "editor", "admin", "owner") may."""
        self.require_role(role)
        if role in _ADMINS:
            self.require_scope("admin")

    def require_role(self, role: str) -> None:
        """Raise Forbidden unless the actor's role is `role` or above, whatever the token is for."""
        if _RANK[self.role] < _RANK[role]:
            raise Forbidden(params={"reason": "role", "role": role})

    def in_scope(self, scope: str) -> bool:
        """Whether the token acted with is for `scope`. A session is for all, as is a token made without scopes."""
        if self.token is None or not self.token.scopes or scope in self.token.scopes:
            return True
        return scope == "answer" and "run" in self.token.scopes and self.may_approve()

    def may_approve(self) -> bool:
        """Whether this is the person at the screen, or a token from before that still counts as one."""
        until = self.token.approves_until if self.token is not None else None
        return self.token is None or (until is not None and until > timezone.now())

    def require_person(self) -> None:
        """Raise Forbidden for a token: approving is for people who are signed in."""
        if not self.may_approve():
            raise Forbidden(params={"reason": "approval"})

    @property
    def workflows(self) -> frozenset[str] | None:
        """The ids of the workflows that the token acted with is bound to; None = of all."""
        return frozenset(self.token.workflows) or None if self.token is not None else None

    @property
    def collection(self) -> str:
        """The id of the collection that the token acted with opens and nothing else; "" = of none."""
        return self.token.collection if self.token is not None else ""

    def require_workflow(self, key: str) -> None:
        """Raise Forbidden where the token acted with is bound to other workflows than this one."""
        if self.workflows is not None and key not in self.workflows:
            raise Forbidden(params={"reason": "token_workflow"})

    def require_scope(self, scope: str) -> None:
        """Raise Forbidden, naming the scope, unless the token acted with has it."""
        if not self.in_scope(scope):
            raise Forbidden(params={"reason": "scope", "scope": scope}, detail={"scope": scope})


_TEAM = ("id", "name", "slug")
MEMBER = ", ".join(["m.role", "s.second_factor", *(f"s.{name}" for name in _TEAM)])
"""What is read of a membership `m` and its team `s` (`member`)."""
_ROLE = (
    f"SELECT {MEMBER} FROM accounts_membership m "  # noqa: S608 - our own columns
    "JOIN accounts_team s ON s.id = m.team_id WHERE m.user_id = %s {} ORDER BY m.created_at, m.id LIMIT 1"
)
"""As raw SQL, for every request of a browser and every call of a webhook asks, and putting it together costs the ORM
more than the database's work."""


def actor_for(user: User, team_id: str | None = None) -> Actor | None:
    """The actor of `user` in the team named, or in the one joined first; None without such a membership.

    Columns of the team that are not read here are fetched when they are asked for.
    """
    named = [team_id] if team_id else []
    with connection.cursor() as cursor:
        cursor.execute(_ROLE.format("AND m.team_id = %s" if named else ""), [user.pk, *named])
        row = cursor.fetchone()
    return None if row is None else member(user, row)


def member(user: User, row: Sequence[Any]) -> Actor:
    """The actor of a user whose membership was read: the values of the `MEMBER` columns."""
    role, demanding, *about = row
    team = Team.from_db(connection.alias, _TEAM, about)
    team.second_factor = bool(demanding)
    return Actor(user, team, role)
