"""REST for operators of the installation: what programs all teams want started, and the word about each."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from backend.accounts.api.person import OperatorView
from backend.errors import ValidationFailed
from backend.registry.approvals import program_decide, programs
from backend.registry.connections import end_program
from backend.registry.responses import program_json
from backend.registry.responses_operator import ProgramJson, ProgramListJson
from backend.web.rest import page

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
        ],
    )
    def get(self, request: Request) -> Response:
        """List programs that an operator was asked about, newest first."""
        state = request.query_params.get("state") or None
        if state not in {None, *_STATES}:
            raise ValidationFailed(fields={"state": ["must be waiting, approved or rejected"]})
        return page(request, programs(state), program_json)


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
