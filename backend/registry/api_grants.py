"""REST for permanent approvals of a server's tools."""

from __future__ import annotations

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from backend.registry.selectors import server_for
from backend.registry.servers.grants import GrantListJson, exported_grants, grant_shapes, grant_withdraw, grants_of
from backend.web.rest import ApiView, page_of
from backend.web.streams import LINES, file_of


class ServerGrants(ApiView):
    """The approvals that were given for good."""

    @extend_schema(
        operation_id="servers_grants",
        responses=GrantListJson,
        parameters=[OpenApiParameter("cursor", str), OpenApiParameter("limit", int)],
    )
    def get(self, request: Request, server: str) -> Response:
        """The permanent approvals for its tools, newest first: in which workflow, by whom, whether they still hold."""
        row = server_for(self.actor, server)
        rows, following = page_of(request, grants_of(row))
        return Response({"results": grant_shapes(row, rows), "next": following})


class ServerGrantsExport(ApiView):
    """The approvals as a file."""

    @extend_schema(operation_id="servers_grants_export", responses={(200, LINES): OpenApiTypes.STR})
    def get(self, request: Request, server: str) -> StreamingHttpResponse:
        """All permanent approvals for its tools as lines of JSON, newest first, as in the list."""
        row = server_for(self.actor, server)
        return file_of(exported_grants(row), f"approvals-{row.slug}.jsonl", LINES)


class ServerGrant(ApiView):
    """One of them."""

    roles = {"DELETE": "admin"}

    @extend_schema(operation_id="servers_grants_delete", responses={204: None})
    def delete(self, request: Request, server: str, grant: str) -> Response:
        """Take it back: the next call that it covered asks again."""
        grant_withdraw(self.actor, server, grant)
        return Response(status=204)
