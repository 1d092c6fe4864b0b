"""REST for operators of the installation: what programs all teams want started, and the word about each."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from backend.accounts.api.person import OperatorView
from backend.errors import ValidationFailed
from backend.registry.connecting.connections import end_program
from backend.registry.programs.approvals import program_counts, program_decide, programs
from backend.registry.programs.responses import ProgramJson, ProgramListJson, program_json
from backend.web.rest import page_of

_STATES = ["waiting", "approved", "rejected"]


class Programs(OperatorView):
    """Programs of all teams."""

    @extend_schema(
        operation_id="operator_programs",
        responses=ProgramListJson,
        parameters=[
            OpenApiParameter("state", str, enum=_STATES),
            OpenApiParameter("cursor", str),
            OpenApiParameter("limit", int),
            OpenApiParameter(
                "q", str, description="Only programs with this in their name, their team's or their command line."
            ),
        ],
    )
    def get(self, request: Request) -> Response:
        """List programs that an operator was asked about, newest first."""
        state = request.query_params.get("state") or None
        if state not in {None, *_STATES}:
            raise ValidationFailed(fields={"state": ["must be waiting, approved or rejected"]})
        rows, following = page_of(request, programs(state, request.query_params.get("q") or ""))
        counts = None if request.query_params.get("cursor") else program_counts()
        return Response({"results": [program_json(row) for row in rows], "next": following, "counts": counts})


class ProgramApprove(OperatorView):
    """An operator's yes."""

    @extend_schema(operation_id="operator_program_approve", request=None, responses=ProgramJson)
    def post(self, request: Request, key: str) -> Response:
        """Approve exactly this configuration, for this team."""
        return Response(program_json(program_decide(self.you, key, True)))


class ProgramReject(OperatorView):
    """An operator's no."""

    @extend_schema(operation_id="operator_program_reject", request=None, responses=ProgramJson)
    def post(self, request: Request, key: str) -> Response:
        """Reject this configuration, also one that was approved before; what runs of it is ended."""
        row = program_decide(self.you, key, False)
        end_program(row)
        return Response(program_json(row))
