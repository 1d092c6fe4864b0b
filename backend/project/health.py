"""Whether this installation takes work: `/api/health` for people and start scripts, `/api/ready` for balancers."""

from __future__ import annotations

from django.conf import settings
from django.db import connection
from django.db.utils import OperationalError
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from backend.project.web import VERSION


class HealthSerializer(serializers.Serializer[object]):
    """`status` is "ok" once web and worker take work, "starting" before."""

    status = serializers.ChoiceField(choices=["ok", "starting", "error"])
    version = serializers.CharField()
    mode = serializers.ChoiceField(choices=["embedded", "scaled"])


class HealthView(APIView):
    """No sign-in needed; says nothing but this."""

    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(operation_id="health", auth=[], responses={200: HealthSerializer, 503: HealthSerializer})
    def get(self, request: Request) -> Response:
        """200 `{status: "ok"}` once web and worker take work, else 503."""
        from backend.runs.worker import takes_work

        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
            status = "ok" if takes_work() else "starting"
        except OperationalError:
            status = "error"
        body = {"status": status, "version": VERSION, "mode": settings.PATCHBAY.mode}
        return Response(body, status=200 if status == "ok" else 503)


class ReadyView(HealthView):
    """The same for balancers."""

    @extend_schema(operation_id="ready", auth=[], responses={200: HealthSerializer, 503: HealthSerializer})
    def get(self, request: Request) -> Response:
        """200 once this process takes work."""
        return super().get(request)
