"""REST of how busy the installation is and what was used: the queue, usage by day and by whom, what is stored."""

from __future__ import annotations

from typing import Annotated, TypedDict

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from backend.accounts.described import Choices, Day, Help, Timestamp
from backend.runs.reports import queue, usage_reading
from backend.web.rest import ApiView


class PlaceJson(TypedDict):
    """Where a run of the team stands in the queue."""

    run: str
    position: Annotated[int | None, Help("1 = next; null for one that waits for another run of its workflow.")]
    server: Annotated[
        str | None, Help("The server at which it waits for a place; empty where that is private to somebody else.")
    ]
    busy: Annotated[str | None, Help("The run that has the place of the workflow's concurrency key that it waits for.")]


class WorkerJson(TypedDict):
    """A process that runs take place in."""

    name: Annotated[str, Help("Machine and process number.")]
    running: int
    capacity: int
    age_s: Annotated[float, Help("Seconds since its start.")]
    seen_s: Annotated[float, Help("Seconds since it last said that it is there.")]


class QueueJson(TypedDict):
    """The installation's queue. `runs` names the team's own, the next first."""

    limit: Annotated[int, Help("Runs that may go on at the same time.")]
    running: int
    queued: int
    oldest_s: Annotated[float | None, Help("How long the next one has waited, seconds.")]
    runs: list[PlaceJson]
    workers: list[WorkerJson]


class AmountsJson(TypedDict):
    """What was used. `runs` = those that people or triggers started, counted on the day they ended."""

    runs: int
    failed: int
    cancelled: int
    rounds: Annotated[int, Help("Answers of models.")]
    input_tokens: int
    output_tokens: int
    cost: float
    tool_calls: int


class UsageRowJson(AmountsJson):
    """One day, workflow, member, model or server."""

    key: Annotated[str, Help("Day, id, `provider/model` or slug.")]
    name: Annotated[str | None, Help("null = it is gone")]


_UsageReportJson = TypedDict("_UsageReportJson", {"from": Day})


class UsageReportJson(_UsageReportJson):
    """What a team used in a span of days, in sums by one of its sides."""

    to: Day
    by: Annotated[str, Choices(usage_reading.BY)]
    total: AmountsJson
    results: list[UsageRowJson]


class StoredJson(TypedDict):
    """How many, and how large together."""

    count: int
    bytes: int


class StorageJson(TypedDict):
    """How much is stored: of the installation the database, of the team the rest."""

    database_bytes: int
    runs: int
    events: int
    oldest_run: Timestamp | None
    blobs: StoredJson
    files: StoredJson
    retention_days: Annotated[int, Help("Ended runs go after so many days; 0 = never.")]


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
            OpenApiParameter("by", str, enum=usage_reading.BY, description="day unless said."),
        ],
    )
    def get(self, request: Request) -> Response:
        """Sums by day, workflow, member, model or server: runs, tokens, cost, tool calls."""
        asked = request.query_params
        return Response(usage_reading.usage(self.actor, asked.get("from"), asked.get("to"), asked.get("by") or "day"))


class StorageView(ApiView):
    """What is stored."""

    @extend_schema(operation_id="usage_storage", responses=StorageJson)
    def get(self, request: Request) -> Response:
        """Sizes and counts; at most half a minute old."""
        return Response(usage_reading.storage(self.actor))
