"""REST of the audit trail: read by admins, in pages and as a file. Nothing here writes to it but the export's row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, TypedDict

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from backend.accounts.audit.reading import AuditFilter, Shapes, as_csv, as_lines, chain_state, entries, linked_lines
from backend.accounts.audit.trail import audit
from backend.accounts.described import Help, Timestamp
from backend.web.rest import ApiView, checked, page, whole_number
from backend.web.streams import file_of

_FILTERS = [
    OpenApiParameter("actor", str, description="Id of the person."),
    OpenApiParameter("action", str, description='"run.started", or "run" for all of its kind.'),
    OpenApiParameter("kind", str, description='Kind of what it was done to: "workflow", "server" …'),
    OpenApiParameter("target", str, description="Id of what it was done to."),
    OpenApiParameter("token", str, description="Id of the API token."),
    OpenApiParameter("from", OpenApiTypes.DATETIME, description="This moment and later."),
    OpenApiParameter("to", OpenApiTypes.DATETIME, description="Before this moment."),
    OpenApiParameter("q", str, description="Text that occurs in the row, or in name or e-mail of who did it."),
]


class WantedSerializer(serializers.Serializer[Any]):
    """The query of a list or an export."""

    actor = serializers.CharField(max_length=40, required=False, allow_blank=True, default="")
    action = serializers.CharField(max_length=80, required=False, allow_blank=True, default="")
    kind = serializers.CharField(max_length=40, required=False, allow_blank=True, default="")
    target = serializers.CharField(max_length=40, required=False, allow_blank=True, default="")
    token = serializers.CharField(max_length=40, required=False, allow_blank=True, default="")
    to = serializers.DateTimeField(required=False, allow_null=True, default=None)
    q = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")

    def get_fields(self) -> dict[str, Any]:
        """`from` is a word of the language, so it is added here."""
        return {**super().get_fields(), "from": serializers.DateTimeField(required=False, default=None)}


class AuditActorJson(TypedDict):
    """Who did it; without e-mail and name where the account is gone."""

    id: str
    email: str | None
    name: str | None


class AuditTokenJson(TypedDict):
    """The API token that it was done with; without a name where it is gone."""

    id: str
    name: str | None


class AuditLinkJson(TypedDict):
    """An action's place in the team's chain. `data` and `content` have digests of their own; no salt = erased."""

    position: int
    digest: Annotated[str, Help("SHA-256 of the link before, the position, the action and both digests.")]
    data_digest: Annotated[str, Help('HMAC-SHA-256; "" = there was nothing.')]
    data_salt: str | None
    content_digest: str
    content_salt: str | None


class AuditEntryJson(TypedDict):
    """One action. `changes` = {field: [before, after]}; `erased` = what people wrote went with what it belonged to.

    `link` is null until the action has its place in the chain, some minutes at most.
    """

    id: str
    at: Timestamp
    action: str
    actor: AuditActorJson | None
    token: AuditTokenJson | None
    kind: str
    target: str
    data: dict[str, Any]
    changes: dict[str, list[Any]]
    content: dict[str, Any]
    erased: bool
    link: AuditLinkJson | None


class AuditChainJson(TypedDict):
    """The team's chain: its end, how far it was verified and when, the first position that is not as it was."""

    start: Annotated[int, Help("The last position that went by age.")]
    head: Annotated[int, Help("The last position.")]
    digest: Annotated[str, Help("Of the last position; note it elsewhere.")]
    verified: int
    verified_at: Timestamp | None
    broken: int | None
    problem: str
    waiting: Annotated[int, Help("Deeds of the last hour that have no place yet.")]


class AuditListJson(TypedDict):
    """Deeds, newest first."""

    results: list[AuditEntryJson]
    next: str | None


def _filter_of(request: Request) -> AuditFilter:
    data = checked(WantedSerializer(data=request.query_params.dict()))
    return AuditFilter(
        actor=data["actor"],
        action=data["action"],
        kind=data["kind"],
        target=data["target"],
        token=data["token"],
        since=data["from"],
        until=data["to"],
        text=data["q"],
    )


def _following(team: str, after: int) -> Iterator[str]:
    return (line for _, line in linked_lines(team, after))


class AuditView(ApiView):
    """What was done in the team."""

    roles = {"GET": "admin"}

    @extend_schema(
        operation_id="audit",
        parameters=[*_FILTERS, OpenApiParameter("cursor", str), OpenApiParameter("limit", int)],
        responses=AuditListJson,
    )
    def get(self, request: Request) -> Response:
        """Deeds, newest first: who, what, on what, when, before and after."""
        listed = page(request, entries(self.actor, _filter_of(request)), lambda row: {"row": row}, by="at")
        rows = [result["row"] for result in listed.data["results"]]
        shapes = Shapes(rows)
        return Response({"results": [shapes.shape(row) for row in rows], "next": listed.data["next"]})


class AuditChainView(ApiView):
    """The chain that the actions stand in."""

    roles = {"GET": "admin"}

    @extend_schema(operation_id="audit_chain", responses=AuditChainJson)
    def get(self, request: Request) -> Response:
        """How far the chain of the team's actions was verified. `manage.py audit_verify` does it at once."""
        return Response(chain_state(self.actor))


class AuditExportView(ApiView):
    """What was done, as a file."""

    roles = {"GET": "admin"}

    def perform_content_negotiation(self, request: Request, force: bool = False) -> tuple[Any, str]:
        """`?format=` names the file's format, not a renderer's; errors are JSON."""
        return self.get_renderers()[0], "application/json"

    @extend_schema(
        operation_id="audit_export",
        parameters=[
            *_FILTERS,
            OpenApiParameter("format", str, enum=["csv", "jsonl"]),
            OpenApiParameter("after", int, description="Lines of JSON in the order of the chain, after this position."),
        ],
        responses={(200, "text/csv"): OpenApiTypes.STR, (200, "application/x-ndjson"): OpenApiTypes.STR},
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        """All rows that the filters leave, newest first, as CSV or as lines of JSON. The export is noted itself.

        With `after` and `format=jsonl` instead: all that have their place in the chain, in its order, unfiltered.
        """
        form, narrowed = request.query_params.get("format") or "csv", _filter_of(request)
        if form not in {"csv", "jsonl"}:
            raise serializers.ValidationError({"format": ["must be csv or jsonl"]})
        if "after" in request.query_params and form != "jsonl":
            raise serializers.ValidationError({"after": ["goes with format=jsonl"]})
        after = whole_number(request, "after", -1, 0, 2**62)
        rows = entries(self.actor, narrowed)
        audit(self.actor, "audit.exported", "team", self.actor.team.pk, format=form, filters=narrowed.stated())
        lines, mime = (as_csv(rows), "text/csv") if form == "csv" else (as_lines(rows), "application/x-ndjson")
        if after >= 0:
            lines = _following(self.actor.team.pk, after)
        return file_of(lines, f"audit-{self.actor.team.slug}.{form}", mime)
