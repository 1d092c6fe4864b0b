"""Deny by default: every API view needs a member, and the role that it names for the method."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from backend.accounts.actor import Actor
from backend.accounts.models import User
from backend.accounts.teams.operators import is_operator
from backend.errors import Forbidden, Unauthenticated

if TYPE_CHECKING:
    from rest_framework.views import APIView


class IsMember(BasePermission):
    """Signed in, in a team, with the role that the view's `roles` names for the method; a token with its scope too.

    Without one a viewer may read and an editor may write. A token needs "read" for what only reads, else what the
    view's `scopes` names for the method, else "admin" where an admin is asked for and "edit" where not. A token that is
    bound to workflows comes in only where the view's `bound` names the method, which says: what is found is checked.
    """

    def has_permission(self, request: Request, view: APIView) -> bool:
        """True, or raises Unauthenticated / Forbidden."""
        if not isinstance(request.auth, Actor):
            raise Unauthenticated
        method = request.method or ""
        reads = method in {"GET", "HEAD", "OPTIONS"}
        roles: dict[str, str] = getattr(view, "roles", {})
        role = roles.get(method, "viewer" if reads else "editor")
        request.auth.require_role(role)
        if request.auth.token is not None and request.auth.token.scopes:
            scopes: dict[str, str] = getattr(view, "scopes", {})
            change = "admin" if role in {"admin", "owner"} else "edit"
            request.auth.require_scope(scopes.get(method, "read" if reads else change))
        if request.auth.workflows is not None and method not in getattr(view, "bound", ()):
            raise Forbidden(params={"reason": "token_workflow"})
        return True


class IsOperator(BasePermission):
    """Signed in, and an operator of the installation."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """True, or raises Unauthenticated / Forbidden."""
        if not isinstance(request.user, User):
            raise Unauthenticated
        if not is_operator(request.user):
            raise Forbidden(params={"reason": "operator"})
        return True


class IsPerson(BasePermission):
    """Signed in, in whatever team or in none."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """True, or raises Unauthenticated."""
        if not isinstance(request.user, User):
            raise Unauthenticated
        return True
