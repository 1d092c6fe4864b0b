"""REST of what servers offer besides tools: `/api/mcp/servers/{server}/resources`, `/prompts` and `/complete`."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from backend.errors import ValidationFailed
from backend.registry.contents import offers
from backend.registry.contents import serializers as shape
from backend.registry.contents.changes import Changes, accept
from backend.registry.contents.listing_cache import Kept, Kind
from backend.registry.contents.responses import (
    CompletedJson,
    ContentsAcceptedJson,
    PromptFilledJson,
    PromptListJson,
    ResourceListJson,
    ResourceReadJson,
    changes_json,
    kept_json,
    prompt_json,
    resource_json,
    template_json,
)
from backend.web.remote_requests import answer
from backend.web.rest import ApiView, checked, whole_number

MOST = 500
_PAGED = [
    OpenApiParameter("cursor", str),
    OpenApiParameter("limit", int, description="At most 500; absent = 50."),
    OpenApiParameter("refresh", OpenApiTypes.BOOL, description="Ask the server, whatever is kept."),
]


def _start(request: Request) -> int:
    """Where the page begins. Raises ValidationFailed."""
    cursor = request.query_params.get("cursor")
    if not cursor:
        return 0
    try:
        start = int(base64.urlsafe_b64decode(cursor.encode()).decode())
    except (ValueError, binascii.Error):
        start = -1
    if start < 0:
        raise ValidationFailed(fields={"cursor": ["is not a cursor of this list"]})
    return start


class _Offers(ApiView):
    """What a server lists of one kind."""

    roles = {"GET": "editor"}

    def page(self, request: Request, server: str, kind: Kind) -> HttpResponse:
        """A page of it; templates come with the first page."""
        start, limit = _start(request), whole_number(request, "limit", 50, 1, MOST)
        anew = request.query_params.get("refresh") in {"1", "true"}

        def shown(listed: tuple[Kept, Changes]) -> dict[str, Any]:
            kept, changes = listed
            items: list[Any] = kept.listing.items
            templates = [item for item in items if "uri_template" in item]
            plain = [item for item in items if "uri_template" not in item]
            end = start + limit
            of: Callable[[Any, Changes], Any] = resource_json if kind == "resources" else prompt_json
            following = base64.urlsafe_b64encode(str(end).encode()).decode() if end < len(plain) else None
            body: dict[str, Any] = {
                "results": [of(item, changes) for item in plain[start:end]],
                "next": following,
                "total": len(plain),
            }
            if kind == "resources":
                body["templates"] = [] if start else [template_json(item, changes) for item in templates]
            marked = changes_json(Changes() if start else changes)
            return {**body, **marked, "kept": kept_json(kept)}

        work = offers.listed(self.actor, server, kind, anew=anew, further=start > 0)
        return answer(request, self.actor, work, shown)


class ServerResources(_Offers):
    """A server's resources."""

    @extend_schema(operation_id="servers_resources", responses=ResourceListJson, parameters=_PAGED)
    def get(self, request: Request, server: str) -> HttpResponse:
        """List resources and templates. Connects, unless the server allowed what it said to be kept."""
        return self.page(request, server, "resources")


class ServerPrompts(_Offers):
    """A server's prompts."""

    @extend_schema(operation_id="servers_prompts", responses=PromptListJson, parameters=_PAGED)
    def get(self, request: Request, server: str) -> HttpResponse:
        """List prompts. Connects, unless the server allowed what it said to be kept."""
        return self.page(request, server, "prompts")


class ContentsAccept(ApiView):
    """What changed of resources, templates and prompts."""

    roles = {"POST": "editor"}

    @extend_schema(
        operation_id="servers_contents_accept", request=shape.ContentsAcceptSerializer, responses=ContentsAcceptedJson
    )
    def post(self, request: Request, server: str) -> Response:
        """Accept one as it was last listed, or all of a kind: for the team, or where members use their own
        credentials, for oneself.
        """
        data = checked(shape.ContentsAcceptSerializer(data=request.data))
        taken = accept(self.actor, server, data["kind"], data.get("name"))
        return Response({"accepted": len(taken)})


class ResourceRead(ApiView):
    """A resource of a server."""

    scopes = {"POST": "run"}

    @extend_schema(
        operation_id="servers_resource_read", request=shape.ResourceReadSerializer, responses=ResourceReadJson
    )
    def post(self, request: Request, server: str) -> HttpResponse:
        """Read it. The server is only asked for what it lists or a template of its makes."""
        data = checked(shape.ResourceReadSerializer(data=request.data))
        work = offers.resource_read(self.actor, server, data["uri"], data["arguments"])
        return answer(request, self.actor, work, lambda read: read)


class PromptGet(ApiView):
    """A prompt of a server."""

    scopes = {"POST": "run"}

    @extend_schema(operation_id="servers_prompt_get", request=shape.PromptGetSerializer, responses=PromptFilledJson)
    def post(self, request: Request, server: str) -> HttpResponse:
        """Fill it."""
        data = checked(shape.PromptGetSerializer(data=request.data))
        work = offers.prompt_get(self.actor, server, data["prompt"], data["arguments"])
        return answer(request, self.actor, work, lambda prompt: prompt)


class ArgumentComplete(ApiView):
    """An argument that is being written."""

    @extend_schema(operation_id="servers_complete", request=shape.CompleteSerializer, responses=CompletedJson)
    def post(self, request: Request, server: str) -> HttpResponse:
        """What the server would write there; nothing where it completes nothing."""
        work = offers.completed(self.actor, server, checked(shape.CompleteSerializer(data=request.data)))
        return answer(request, self.actor, work, lambda values: {"values": values})
