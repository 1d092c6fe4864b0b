"""Whether this installation takes work: `/api/health` for people and start scripts, `/api/ready` for balancers."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from backend.accounts.described import Help
from backend.project.operations.readiness import checks
from backend.runs.reports import queue
from backend.runs.starting import storage
from backend.version import VERSION


class HealthJson(TypedDict):
    """`status` is "ok" once web and worker take work, "starting" before, "error" without a database."""

    status: Literal["ok", "starting", "error"]
    version: str
    mode: Literal["embedded", "scaled"]


class ChecksJson(TypedDict):
    """Whether each is there. `redis` only in the scaled mode."""

    database: bool
    migrations: Annotated[bool, Help("The database has all tables of this version.")]
    workers: Annotated[bool, Help("At least one worker said lately that it is there.")]
    storage: Annotated[bool, Help("The database makes writes, and its disk has room and inodes.")]
    redis: NotRequired[bool]


class ReadyJson(HealthJson):
    """What a balancer wants to know, and what is missing where it is told no."""

    checks: ChecksJson
    free_mb: Annotated[int, Help("Of the data directory's disk.")]
    free_inodes: Annotated[int | None, Help("Null: no such limit.")]
    queue_lag_s: Annotated[
        float | None, Help("Age of the oldest run that waits for a place; null without a database. Told only.")
    ]


class HealthView(APIView):
    """No sign-in needed; says nothing but this."""

    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(operation_id="health", auth=[], responses={200: HealthJson, 503: HealthJson})
    def get(self, request: Request) -> Response:
        """200 `{status: "ok"}` once web and worker take work, else 503."""
        checked = checks()
        return _answer("ok" if checked["workers"] else "starting" if checked["database"] else "error")


class ReadyView(APIView):
    """The same for balancers, with all that is needed."""

    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(operation_id="ready", auth=[], responses={200: ReadyJson, 503: ReadyJson})
    def get(self, request: Request) -> Response:
        """200 when everything is there: database, its tables, room, a worker, in the scaled mode Redis; else 503."""
        checked = checks()
        status = "ok" if all(checked.values()) else "starting" if checked["database"] else "error"
        room = storage.room()
        lag = queue.lag_s() if checked["database"] and checked["migrations"] else None
        return _answer(status, checks=checked, free_mb=room.free_mb, free_inodes=room.free_inodes, queue_lag_s=lag)


def _answer(status: str, **more: object) -> Response:
    body = {"status": status, "version": VERSION, "mode": settings.PATCHBAY.mode, **more}
    return Response(body, status=200 if status == "ok" else 503)
