"""REST of what MCP clients are offered."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from backend.mcp_server.responses import OfferJson, offer_json
from backend.web.rest import ApiView
from backend.workflows.selectors import workflow_for


class OfferView(ApiView):
    """A workflow as a tool of MCP clients."""

    @extend_schema(operation_id="workflow_offer", responses=OfferJson)
    def get(self, request: Request, workflow: str) -> Response:
        """How the workflow stands in the lists of MCP clients, and its latest calls."""
        return Response(offer_json(self.actor, workflow_for(self.actor, workflow)))
