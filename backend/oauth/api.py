"""REST of the page on which a member allows a client, or does not. For people, never for tokens."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from backend.accounts.actor import Actor, actor_for
from backend.accounts.api.person import PersonView
from backend.accounts.auth.factor_demands import open_teams
from backend.accounts.auth.rate_limits import RATES
from backend.accounts.models import User
from backend.errors import Forbidden, NotFound, ValidationFailed
from backend.oauth.addresses import SCOPES
from backend.oauth.asking import Ask, by_ticket, read, ticket_of
from backend.oauth.granting import DAYS, allow
from backend.oauth.places import place_for
from backend.oauth.responses import ClientAnswerJson, ClientAskJson, answered, ask_json
from backend.web.lookup import storable
from backend.web.rest import checked

DOCUMENTS_PER_MINUTE = 20
"""Documents of clients that one person has fetched."""
ASK_FIELDS = (
    "client_id",
    "redirect_uri",
    "response_type",
    "code_challenge",
    "code_challenge_method",
    "resource",
    "scope",
    "state",
)


class DecisionSerializer(serializers.Serializer[None]):
    """What a member decides."""

    ticket = serializers.CharField(max_length=20_000)
    allow = serializers.BooleanField()
    team = serializers.CharField(max_length=40, required=False, default="")
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=SCOPES), required=False, default=list)
    days = serializers.ChoiceField(choices=DAYS, required=False, default=30)


class AskView(PersonView):
    """What a client asks for."""

    @extend_schema(
        operation_id="client_ask",
        responses=ClientAskJson,
        parameters=[OpenApiParameter(name, str) for name in ASK_FIELDS],
    )
    def get(self, request: Request) -> Response:
        """Check the address that the client opened, and say who asks for what."""
        if request.query_params.get("client_id", "").startswith("https://"):
            RATES.take("client_documents", self.you.pk, DOCUMENTS_PER_MINUTE)
        ask = read(request._request.GET, request.get_host())
        place = place_for(self.you, ask.audience)
        if place is None:
            raise ValidationFailed(fields={"resource": ["is no address here that you may use"]})
        return Response(ask_json(ask, ticket_of(ask, self.you, request._request.session.session_key), place))


class DecisionView(PersonView):
    """What the member decides."""

    @extend_schema(operation_id="client_decide", request=DecisionSerializer, responses=ClientAnswerJson)
    def post(self, request: Request) -> Response:
        """Allow the client in a team, for some of what it asked for, or send it away."""
        data = checked(DecisionSerializer(data=request.data))
        ask = by_ticket(data["ticket"], self.you, request._request.session.session_key)
        if not data["allow"]:
            return Response(answered(ask.back(error="access_denied")))
        return Response(answered(self._allowed(ask, data)))

    def _allowed(self, ask: Ask, decision: dict[str, object]) -> str:
        actor = _acting(self.you, str(decision["team"]))
        scopes = decision["scopes"]
        chosen = [str(scope) for scope in scopes] if isinstance(scopes, list) else []
        return ask.back(code=allow(actor, ask, chosen, int(str(decision["days"]))))


def _acting(you: User, team: str) -> Actor:
    """The person in the team for which the client is allowed. Raises NotFound, Forbidden (a second factor first)."""
    actor = actor_for(you, team) if team and storable(team) else None
    if actor is None:
        raise NotFound
    if actor.team.pk not in open_teams(you):
        raise Forbidden(params={"reason": "second_factor"})
    return actor
