"""Whether this installation takes work: `/api/health` for people and start scripts, `/api/ready` for balancers."""

from __future__ import annotations

from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from backend.project.readiness import checks
from backend.runs.reports import queue
from backend.runs.starting import storage
from backend.version import VERSION


class HealthSerializer(serializers.Serializer[object]):
    """`status` is "ok" once web and worker take work, "starting" before, "error" without a database."""

    status = serializers.ChoiceField(choices=["ok", "starting", "error"])
    version = serializers.CharField()
    mode = serializers.ChoiceField(choices=["embedded", "scaled"])


class ChecksSerializer(serializers.Serializer[object]):
    """Whether each is there. `redis` only in the scaled mode."""

    database = serializers.BooleanField()
    migrations = serializers.BooleanField(help_text="The database has all tables of this version.")
    workers = serializers.BooleanField(help_text="At least one worker said lately that it is there.")
    storage = serializers.BooleanField(help_text="The database makes writes, and its disk has room and inodes.")
    redis = serializers.BooleanField(required=False)


class ReadySerializer(HealthSerializer):
    """What a balancer wants to know, and what is missing where it is told no."""

    checks = ChecksSerializer()
    free_mb = serializers.IntegerField(help_text="Of the data directory's disk.")
    free_inodes = serializers.IntegerField(allow_null=True, help_text="Null: no such limit.")
    queue_lag_s = serializers.FloatField(
        allow_null=True, help_text="Age of the oldest run that waits for a place; null without a database. Told only."
    )


class HealthView(APIView):
    """No sign-in needed; says nothing but this."""

    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(operation_id="health", auth=[], responses={200: HealthSerializer, 503: HealthSerializer})
    def get(self, request: Request) -> Response:
        """200 `{status: "ok"}` once web and worker take work, else 503."""
        found = checks()
        return _answer("ok" if found["workers"] else "starting" if found["database"] else "error")


class ReadyView(APIView):
    """The same for balancers, with all that is needed."""

    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(operation_id="ready", auth=[], responses={200: ReadySerializer, 503: ReadySerializer})
    def get(self, request: Request) -> Response:
        """200 when everything is there: database, its tables, room, a worker, in the scaled mode Redis; else 503."""
        found = checks()
        status = "ok" if all(found.values()) else "starting" if found["database"] else "error"
        room = storage.room()
        lag = queue.lag_s() if found["database"] and found["migrations"] else None
        return _answer(status, checks=found, free_mb=room.free_mb, free_inodes=room.free_inodes, queue_lag_s=lag)


def _answer(status: str, **more: object) -> Response:
    body = {"status": status, "version": VERSION, "mode": settings.PATCHBAY.mode, **more}
    return Response(body, status=200 if status == "ok" else 503)
