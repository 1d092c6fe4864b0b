"""REST for agents that documents declare: their cards, and the skills that changed."""

from __future__ import annotations

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from backend.registry.responses import DeclaredAgentJson
from backend.registry.serializers import CardVersionSerializer
from backend.registry.servers.declared_agents import agent_for, card_accept, card_read, declared_agent_json
from backend.web.remote_requests import answer
from backend.web.rest import ApiView, checked, language_of


class DeclaredCard(ApiView):
    """The card of an agent."""

    roles = {"POST": "admin"}

    @extend_schema(operation_id="declarations_card", responses=DeclaredAgentJson)
    def get(self, request: Request, digest: str) -> Response:
        """The card as it was read last, with the agent's skills. Connects to nothing."""
        return Response(declared_agent_json(agent_for(self.actor, digest), language_of(request)))

    @extend_schema(operation_id="declarations_card_read", request=None, responses=DeclaredAgentJson)
    def post(self, request: Request, digest: str) -> HttpResponse:
        """Read the card of an approved agent now. Skills that changed wait to be accepted."""
        language = language_of(request)
        work = card_read(self.actor, digest)
        return answer(request, self.actor, work, lambda row: declared_agent_json(row, language))


class DeclaredCardAccept(ApiView):
    """Skills that changed."""

    roles = {"POST": "admin"}

    @extend_schema(operation_id="declarations_card_accept", request=CardVersionSerializer, responses=DeclaredAgentJson)
    def post(self, request: Request, digest: str) -> Response:
        """Accept the skills as the card lists them now."""
        data = checked(CardVersionSerializer(data=request.data))
        row = card_accept(self.actor, digest, data["version"])
        return Response(declared_agent_json(row, language_of(request)))
