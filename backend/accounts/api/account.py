"""REST of the accounts room: oneself, one-time links, API tokens. The rest: `api_teams`, `api_person`."""

from __future__ import annotations

from django.utils.decorators import method_decorator
from django.views.decorators.csrf import ensure_csrf_cookie
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from backend.accounts.actor import actor_for
from backend.accounts.api.serializers import (
    MeChangeSerializer,
    SetupUseSerializer,
    TokenNewSerializer,
    me_shape,
    token_shape,
)
from backend.accounts.auth.sessions import sign_in
from backend.accounts.responses import MeJson, SetupJson, TokenJson, TokenListJson
from backend.accounts.teams import services
from backend.errors import Unauthenticated, ValidationFailed
from backend.web.rest import ApiView, checked, page


@method_decorator(ensure_csrf_cookie, name="dispatch")
class MeView(ApiView):
    """Oneself."""

    roles = {"PATCH": "viewer"}
    bound = ("GET",)

    @extend_schema(operation_id="me", responses=MeJson)
    def get(self, request: Request) -> Response:
        """The person signed in, the team acted in, all teams."""
        return Response(me_shape(self.actor))

    @extend_schema(operation_id="me_update", request=MeChangeSerializer, responses=MeJson)
    def patch(self, request: Request) -> Response:
        """Change language, theme, name, auto_execute."""
        services.me_update(self.actor, checked(MeChangeSerializer(data=request.data)))
        return Response(me_shape(self.actor))


class LinkThrottle(SimpleRateThrottle):
    """Guessing a link is hopeless already; this keeps it cheap too."""

    rate = "30/min"

    def get_cache_key(self, request: Request, view: APIView) -> str:
        """One bucket per address."""
        return f"setup:{self.get_ident(request)}"


@method_decorator(ensure_csrf_cookie, name="dispatch")
class SetupView(APIView):
    """The one-time sign-in link that the terminal printed."""

    authentication_classes = ()
    permission_classes = (AllowAny,)
    throttle_classes = (LinkThrottle,)

    @extend_schema(
        operation_id="setup",
        auth=[],
        parameters=[OpenApiParameter("token", str, required=True)],
        responses=SetupJson,
    )
    def get(self, request: Request) -> Response:
        """What the link is for. Looking does not consume it."""
        row = services.link_find(request.query_params.get("token", ""))
        purpose = "sign_in" if row.user else "first_owner"
        return Response({"purpose": purpose, "email": row.user.email if row.user else ""})

    @extend_schema(operation_id="setup_use", auth=[], request=SetupUseSerializer, responses=MeJson)
    def post(self, request: Request) -> Response:
        """Consume the link and sign in; for the first owner it makes the account and the team."""
        data = checked(SetupUseSerializer(data=request.data))
        user = services.link_use(data.pop("token"), data)
        sign_in(request._request, user, by_link=True)
        actor = actor_for(user)
        if actor is None:
            raise Unauthenticated(params={"reason": "no_team"})
        return Response(me_shape(actor))


class TokensView(ApiView):
    """API tokens of the team acted in."""

    roles = {"POST": "viewer"}

    @extend_schema(
        operation_id="tokens",
        responses=TokenListJson,
        parameters=[
            OpenApiParameter("cursor", str),
            OpenApiParameter("limit", int),
            OpenApiParameter("of", str, enum=["me", "team"], description="One's own, or for admins all of the team's."),
        ],
    )
    def get(self, request: Request) -> Response:
        """Tokens, newest first, without their text."""
        of = request.query_params.get("of", "me")
        if of not in {"me", "team"}:
            raise ValidationFailed(fields={"of": ["must be one of me, team"]})
        return page(request, services.tokens(self.actor, of == "team"), token_shape)

    @extend_schema(operation_id="token_create", request=TokenNewSerializer, responses={201: TokenJson})
    def post(self, request: Request) -> Response:
        """Make a token; its text is in this answer and never again."""
        data = checked(TokenNewSerializer(data=request.data))
        created = services.token_create(self.actor, {"expires_in_days": None, **data})
        return Response(token_shape(*created), status=201)


class TokenView(ApiView):
    """One API token."""

    roles = {"DELETE": "viewer"}

    @extend_schema(operation_id="token_delete", responses={204: None})
    def delete(self, request: Request, key: str) -> Response:
        """End the token at once."""
        services.token_delete(self.actor, key)
        return Response(status=204)
