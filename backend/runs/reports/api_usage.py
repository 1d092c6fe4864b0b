"""REST of how busy the installation is and what was used: the queue, usage by day and by whom, what is stored."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from backend.runs.reports import queue, server_calls, usage_reading
from backend.runs.reports.responses import BY, SPANS, QueueJson, ServerCallsJson, StorageJson, UsageReportJson
from backend.web.rest import ApiView, language_of


class QueueView(ApiView):
    """The queue."""

    @extend_schema(operation_id="queue", responses=QueueJson)
    def get(self, request: Request) -> Response:
        """How long the queue is, where the team's runs stand in it, and which workers are there."""
        return Response(queue.queue_of(self.actor.team.id, self.actor.user.id))


class UsageView(ApiView):
    """What was used."""

    @extend_schema(
        operation_id="usage",
        responses=UsageReportJson,
        parameters=[
            OpenApiParameter("from", str, description="First day, YYYY-MM-DD (UTC); 30 days unless said."),
            OpenApiParameter("to", str, description="Last day; today unless said."),
            OpenApiParameter("by", str, enum=BY, description="day unless said."),
        ],
    )
    def get(self, request: Request) -> Response:
        """Sums by day, workflow, member, model or server: runs, tokens, cost, tool calls."""
        query = request.query_params
        by, language = query.get("by") or "day", language_of(request)
        return Response(usage_reading.usage(self.actor, query.get("from"), query.get("to"), by, language))


class StorageView(ApiView):
    """What is stored."""

    @extend_schema(operation_id="usage_storage", responses=StorageJson)
    def get(self, request: Request) -> Response:
        """Sizes and counts; at most half a minute old."""
        return Response(usage_reading.storage(self.actor))


class ServerCallsView(ApiView):
    """How a server answers."""

    @extend_schema(
        operation_id="servers_calls",
        responses=ServerCallsJson,
        parameters=[
            OpenApiParameter("span", str, enum=SPANS, description="day: 24 hours, as without it; month: 30 days.")
        ],
    )
    def get(self, request: Request, server: str) -> Response:
        """Calls of the team's runs, errors and latency: of a day by the hour, or of a month by the day."""
        return Response(server_calls.server_calls(self.actor, server, request.query_params.get("span") or "day"))
