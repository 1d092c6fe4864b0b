"""How a request says who it is: the session cookie with CSRF, or `Authorization: Bearer <token>`.

Both leave `request.auth` = the `Actor`. The web names its team by the header `X-Patchbay-Team`.
"""

from __future__ import annotations

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework import authentication
from rest_framework.request import Request

from backend.accounts.actor import Actor, actor_for
from backend.accounts.auth.factor_demands import demanded, open_teams
from backend.accounts.auth.sessions import note_use
from backend.accounts.auth.tokens import actor_by_token
from backend.accounts.models import User
from backend.errors import Forbidden, NotFound, Unauthenticated


class TokenAuthentication(authentication.BaseAuthentication):
    """A program with a member's token."""

    def authenticate(self, request: Request) -> tuple[User, Actor] | None:
        """(user, actor) of a valid bearer token; Unauthenticated for a bad one or one whose time is over, Forbidden
        for one that does not work from here; None without one."""
        scheme, _, text = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        actor = actor_by_token(text.strip(), request.META.get("REMOTE_ADDR", ""))
        if actor is None:
            raise Unauthenticated(params={"reason": "token"})
        return actor.user, actor

    def authenticate_header(self, request: Request) -> str:
        """Makes an unauthenticated answer a 401."""
        return "Bearer"


class SessionAuthentication(authentication.SessionAuthentication):
    """A signed-in browser; CSRF is checked for every request that may write."""

    def authenticate(self, request: Request) -> tuple[User, Actor] | None:
        """(user, actor) of the session. Raises NotFound for a team the person is not in, Unauthenticated without one
        and where a second factor is to be set up first."""
        result = super().authenticate(request)
        if result is None:
            return None
        user = result[0]
        note_use(request._request)
        team_id = request.headers.get("X-Patchbay-Team")
        actor = actor_for(user, team_id)
        if actor is None and team_id:
            raise NotFound
        if actor is None:
            raise Unauthenticated(params={"reason": "no_team"}, detail={"reason": "no_team", "email": user.email})
        if demanded(actor.team) and actor.team.pk not in open_teams(user):
            detail = {"reason": "second_factor", "email": user.email}
            raise Unauthenticated(params={"reason": "second_factor"}, detail=detail)
        return user, actor


class PersonAuthentication(authentication.SessionAuthentication):
    """A signed-in browser, for what concerns the person alone: in no team, and never a token."""

    def authenticate(self, request: Request) -> tuple[User, None] | None:
        """(user, None) of the session. Raises Forbidden for a token, however good it is."""
        if request.headers.get("Authorization", "").lower().startswith("bearer "):
            raise Forbidden(params={"reason": "session_only"})
        result = super().authenticate(request)
        if result is None:
            return None
        note_use(request._request)
        return result[0], None

    def authenticate_header(self, request: Request) -> str:
        """Makes an unauthenticated answer a 401."""
        return "Bearer"


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """OpenAPI's description of the bearer token."""

    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        """The security scheme object."""
        return {"type": "http", "scheme": "bearer"}


class SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """OpenAPI's description of the session cookie."""

    target_class = SessionAuthentication
    name = "session"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        """The security scheme object."""
        return {"type": "apiKey", "in": "cookie", "name": "patchbay_session"}


class PersonScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """OpenAPI's description of the session cookie where no token is taken."""

    target_class = PersonAuthentication
    name = "person"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        """The security scheme object."""
        return {"type": "apiKey", "in": "cookie", "name": "patchbay_session"}
