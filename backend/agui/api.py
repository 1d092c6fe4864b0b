"""REST of what front ends are offered."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from backend.agui.responses import FrontEndOfferJson, offer_json
from backend.web.rest import ApiView
from backend.workflows.selectors import workflow_for


class AguiView(ApiView):
    """A workflow as an agent of front ends."""

    @extend_schema(operation_id="workflow_agui", responses=FrontEndOfferJson)
    def get(self, request: Request, workflow: str) -> Response:
        """Where front ends reach the workflow, and their latest calls."""
        return Response(offer_json(self.actor, workflow_for(self.actor, workflow)))
