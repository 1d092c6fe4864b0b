"""REST of restored runs: which are paused since a backup was restored, what each may have written since, going on."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from backend.accounts.described import Help, Timestamp
from backend.runs import responses, selectors
from backend.runs.lifecycle.possible_writes import PossibleWriteJson, possible_writes
from backend.runs.models import Run
from backend.runs.starting import restored, steering
from backend.web.rest import ApiView, checked, language_of, whole_number
from backend.workflows.example_words import workflow_text

MOST = 200


class RestoredJson(TypedDict):
    """A run that was going on when a backup was made: paused until it is resumed. At most 200 places are listed."""

    run: str
    workflow: str
    workflow_name: str
    started_by: str | None
    queued_at: Timestamp
    restored_from: Annotated[Timestamp | None, Help("When the backup was made; null = it goes on.")]
    was_paused: Annotated[bool, Help("Somebody had paused it before: it goes on only when it is named.")]
    writes: list[PossibleWriteJson]
    writes_total: int


class RestoredListJson(TypedDict):
    """The team's restored runs, oldest first, without those that others wait for; `total` = all of them."""

    results: list[RestoredJson]
    total: int


class ResumeRestoredSerializer(serializers.Serializer[Any]):
    """Which restored runs go on."""

    runs = serializers.ListField(
        child=serializers.CharField(max_length=40),
        required=False,
        allow_null=True,
        max_length=1000,
        help_text="Absent: all of the team's that nobody had paused before the backup.",
    )


class ResumedJson(TypedDict):
    """The runs that go on; each with those below it."""

    resumed: list[str]


def restored_shape(run: Run, language: str) -> RestoredJson:
    """A restored run with what it may have written since the backup."""
    created_at = restored.restored_from(run)
    writes = possible_writes(run) if created_at else None
    return {
        "run": run.pk,
        "workflow": run.workflow_id,
        "workflow_name": workflow_text(run.workflow.name, run.workflow.example, language),
        "started_by": run.started_by.email if run.started_by else None,
        "queued_at": responses.moment(run.queued_at),
        "restored_from": created_at,
        "was_paused": restored.was_paused(run),
        "writes": writes.listed if writes else [],
        "writes_total": writes.total if writes else 0,
    }


class RestoredRunView(ApiView):
    """One restored run."""

    bound = ("GET",)

    @extend_schema(operation_id="runs_restored", responses=RestoredJson)
    def get(self, request: Request, key: str) -> Response:
        """What a restored run may have written since the backup; `restored_from` null for a run that goes on."""
        return Response(restored_shape(selectors.run_for(self.actor, key), language_of(request)))


class RestoredRunsView(ApiView):
    """The restored runs of the team."""

    @extend_schema(
        operation_id="restored_runs_list",
        responses=RestoredListJson,
        parameters=[OpenApiParameter("limit", int, description="0 = only how many there are.")],
    )
    def get(self, request: Request) -> Response:
        """Runs that were restored from a backup and are paused, each with what it may have written since."""
        limit = whole_number(request, "limit", 50, 0, MOST)
        if not restored.marked().filter(team=self.actor.team).exists():  # so it is nearly always, and asked cheaply
            return Response({"results": [], "total": 0})
        rows, language = restored.of_team(self.actor), language_of(request)
        shown = list(rows[:limit]) if limit else []
        total = len(shown) if len(shown) < limit else rows.count()  # what is not full is all there is
        return Response({"results": [restored_shape(run, language) for run in shown], "total": total})


class ResumeRestoredView(ApiView):
    """Letting restored runs go on."""

    scopes = {"POST": "run"}

    @extend_schema(operation_id="restored_runs_resume", request=ResumeRestoredSerializer, responses={202: ResumedJson})
    def post(self, request: Request) -> Response:
        """Resume the named restored runs, or all; a run that goes on already is passed over."""
        data = checked(ResumeRestoredSerializer(data=request.data))
        return Response({"resumed": steering.resume_restored(self.actor, data.get("runs"))}, status=202)
