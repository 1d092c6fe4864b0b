"""REST of a workflow as an agent."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from backend.a2a.responses import OfferedAgentJson, agent_json
from backend.web.rest import ApiView
from backend.workflows.selectors import workflow_for


class AgentView(ApiView):
    """A workflow as an agent of A2A."""

    @extend_schema(operation_id="workflow_agent", responses=OfferedAgentJson)
    def get(self, request: Request, workflow: str) -> Response:
        """How the workflow stands as an agent that speaks A2A, and the latest tasks that it was given."""
        return Response(agent_json(self.actor, workflow_for(self.actor, workflow)))
