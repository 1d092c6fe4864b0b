"""Deny by default: every API view needs a member, and the role that it names for the method."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from backend.accounts.actor import Actor
from backend.errors import Unauthenticated

if TYPE_CHECKING:
    from rest_framework.views import APIView


class IsMember(BasePermission):
    """Signed in, in a team, with the role that the view's `roles` names for the method.

    Without one a viewer may read and an editor may write.
    """

    def has_permission(self, request: Request, view: APIView) -> bool:
        """True, or raises Unauthenticated / Forbidden."""
        if not isinstance(request.auth, Actor):
            raise Unauthenticated
        roles: dict[str, str] = getattr(view, "roles", {})
        default = "viewer" if request.method in {"GET", "HEAD", "OPTIONS"} else "editor"
        request.auth.require(roles.get(request.method or "", default))
        return True
