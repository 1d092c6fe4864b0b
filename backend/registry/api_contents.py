"""REST of what servers offer besides tools: `/api/mcp/servers/{server}/resources` and `/prompts`."""

from __future__ import annotations

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from backend.registry.contents.responses import PromptListJson, ResourceListJson, resources_json
from backend.registry.servers import trials
from backend.web.remote_requests import answer
from backend.web.rest import ApiView


class ServerResources(ApiView):
    """A server's resources."""

    roles = {"GET": "editor"}

    @extend_schema(operation_id="servers_resources", responses=ResourceListJson)
    def get(self, request: Request, server: str) -> HttpResponse:
        """List resources and templates. Connects."""
        return answer(request, self.actor, trials.resources(self.actor, server), resources_json)


class ServerPrompts(ApiView):
    """A server's prompts."""

    roles = {"GET": "editor"}

    @extend_schema(operation_id="servers_prompts", responses=PromptListJson)
    def get(self, request: Request, server: str) -> HttpResponse:
        """List prompts. Connects."""
        work = trials.prompts(self.actor, server)
        return answer(request, self.actor, work, lambda prompts: {"results": prompts, "next": None})
