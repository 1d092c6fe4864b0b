"""REST of how busy the installation is and what was used: the queue, usage by day and by whom, what is stored."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from backend.runs.reports import queue, usage_reading
from backend.web.rest import ApiView


class PlaceSerializer(serializers.Serializer[Any]):
    """Where a run of the team stands in the queue."""

    run = serializers.CharField()
    position = serializers.IntegerField(
        allow_null=True, help_text="1 = next; null for one that waits for another run of its workflow."
    )
    server = serializers.CharField(
        allow_null=True,
        allow_blank=True,
        help_text="The server at which it waits for a place; empty where that is private to somebody else.",
    )
    busy = serializers.CharField(
        allow_null=True, help_text="The run that has the place of the workflow's concurrency key that it waits for."
    )


class WorkerSerializer(serializers.Serializer[Any]):
    """A process that runs take place in."""

    name = serializers.CharField(help_text="Machine and process number.")
    running = serializers.IntegerField()
    capacity = serializers.IntegerField()
    age_s = serializers.FloatField(help_text="Seconds since its start.")
    seen_s = serializers.FloatField(help_text="Seconds since it last said that it is there.")


class QueueSerializer(serializers.Serializer[Any]):
    """The installation's queue. `runs` names the team's own, the next first."""

    limit = serializers.IntegerField(help_text="Runs that may go on at the same time.")
    running = serializers.IntegerField()
    queued = serializers.IntegerField()
    oldest_s = serializers.FloatField(allow_null=True, help_text="How long the next one has waited, seconds.")
    runs = PlaceSerializer(many=True)
    workers = WorkerSerializer(many=True)


class AmountsSerializer(serializers.Serializer[Any]):
    """What was used. `runs` = those that people or triggers started, counted on the day they ended."""

    runs = serializers.IntegerField()
    failed = serializers.IntegerField()
    cancelled = serializers.IntegerField()
    rounds = serializers.IntegerField(help_text="Answers of models.")
    input_tokens = serializers.IntegerField()
    output_tokens = serializers.IntegerField()
    cost = serializers.FloatField()
    tool_calls = serializers.IntegerField()


class UsageRowSerializer(AmountsSerializer):
    """One day, workflow, member, model or server."""

    key = serializers.CharField(allow_blank=True, help_text="Day, id, `provider/model` or slug.")
    name = serializers.CharField(allow_null=True, help_text="null = it is gone")


class UsageReportSerializer(serializers.Serializer[Any]):
    """What a team used in a span of days, in sums by one of its sides."""

    to = serializers.DateField()
    by = serializers.ChoiceField(choices=usage_reading.BY)
    total = AmountsSerializer()
    results = UsageRowSerializer(many=True)

    def get_fields(self) -> dict[str, Any]:
        """With `from`, which is no name in Python."""
        return {"from": serializers.DateField(), **super().get_fields()}


class StoredSerializer(serializers.Serializer[Any]):
    """How many, and how large together."""

    count = serializers.IntegerField()
    bytes = serializers.IntegerField()


class StorageSerializer(serializers.Serializer[Any]):
    """How much is stored: of the installation the database, of the team the rest."""

    database_bytes = serializers.IntegerField()
    runs = serializers.IntegerField()
    events = serializers.IntegerField()
    oldest_run = serializers.DateTimeField(allow_null=True)
    blobs = StoredSerializer()
    files = StoredSerializer()
    retention_days = serializers.IntegerField(help_text="Ended runs go after so many days; 0 = never.")


class QueueView(ApiView):
    """The queue."""

    @extend_schema(operation_id="queue", responses=QueueSerializer)
    def get(self, request: Request) -> Response:
        """How long the queue is, where the team's runs stand in it, and which workers are there."""
        return Response(queue.queue_of(self.actor.team.id, self.actor.user.id))


class UsageView(ApiView):
    """What was used."""

    @extend_schema(
        operation_id="usage",
        responses=UsageReportSerializer,
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

    @extend_schema(operation_id="usage_storage", responses=StorageSerializer)
    def get(self, request: Request) -> Response:
        """Sizes and counts; at most half a minute old."""
        return Response(usage_reading.storage(self.actor))
