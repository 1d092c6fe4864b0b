"""REST of what the team's models used today of its budget."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from backend.runs.reports.responses import SpendingJson
from backend.runs.reports.spending import spending
from backend.web.rest import ApiView


class SpendingView(ApiView):
    """Today's use of the team's budget."""

    @extend_schema(operation_id="spending", responses=SpendingJson)
    def get(self, request: Request) -> Response:
        """What is used of the team's budget today, and which models a cost budget cannot see."""
        return Response(spending(self.actor))
