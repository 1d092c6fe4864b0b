"""REST for operators of the installation: what is allowed, and storage and workers of all teams in numbers."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from backend.accounts.api.person import OperatorView
from backend.accounts.models import Allowance
from backend.accounts.teams.allowances import allow, disallow
from backend.project.installation import allowance_json, installation_json, storage_json, workers_json
from backend.web.rest import checked


class OperatorSerializer(serializers.Serializer[Any]):
    """An operator."""

    email = serializers.CharField()
    name = serializers.CharField(allow_blank=True)
    named = serializers.BooleanField(help_text="By manage.py operator; else an owner of the only team.")


class AllowanceNewSerializer(serializers.Serializer[Any]):
    """One more that is allowed."""

    kind = serializers.ChoiceField(Allowance.Kind.choices)
    value = serializers.CharField(
        allow_blank=True,
        default="",
        max_length=1000,
        help_text="A command or whole command line; a host, address or network; nothing for loopback.",
    )


class AllowanceSerializer(serializers.Serializer[Any]):
    """Something that operators allow beside what the environment allows."""

    id = serializers.CharField()
    kind = serializers.ChoiceField(Allowance.Kind.choices)
    value = serializers.CharField(allow_blank=True)
    added_by = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()


class ProgramsAllowedSerializer(serializers.Serializer[Any]):
    """Whether stdio servers may be started here."""

    allowed = serializers.BooleanField()
    set = serializers.BooleanField(help_text="By PATCHBAY_ALLOW_STDIO.")


class LoopbackSerializer(serializers.Serializer[Any]):
    """Whether services of the machine itself may be reached, by addresses that an admin typed."""

    allowed = serializers.BooleanField()
    set = serializers.BooleanField(help_text="By PATCHBAY_ALLOW_LOOPBACK, which decides then.")
    default = serializers.BooleanField(help_text="What counts where nobody says anything.")


class InstallationSerializer(serializers.Serializer[Any]):
    """Who operates the installation, and what is allowed in it."""

    operators = OperatorSerializer(many=True)
    teams = serializers.IntegerField()
    programs = ProgramsAllowedSerializer()
    commands = serializers.ListField(
        child=serializers.CharField(), help_text="PATCHBAY_STDIO_COMMANDS; empty = any command."
    )
    hosts = serializers.ListField(child=serializers.CharField(), help_text="PATCHBAY_OUTBOUND_ALLOW.")
    proxy = serializers.BooleanField(help_text="Whether PATCHBAY_OUTBOUND_PROXY names one.")
    loopback = LoopbackSerializer()
    allowed = AllowanceSerializer(many=True, help_text="What operators added.")


class AmountSerializer(serializers.Serializer[Any]):
    """How many, and how large together."""

    count = serializers.IntegerField()
    bytes = serializers.IntegerField()


class TeamStorageSerializer(serializers.Serializer[Any]):
    """How much a team has stored."""

    id = serializers.CharField()
    name = serializers.CharField()
    members = serializers.IntegerField()
    runs = serializers.IntegerField()
    events = serializers.IntegerField()
    blobs = AmountSerializer(help_text="Large values of runs, files among them.")
    files = AmountSerializer()


class InstallationStorageSerializer(serializers.Serializer[Any]):
    """How much is stored in the installation."""

    database_bytes = serializers.IntegerField()
    free_mb = serializers.IntegerField(help_text="On the disk of the data directory.")
    retention_days = serializers.IntegerField(help_text="Ended runs go after so many days; 0 = never.")
    blobs = AmountSerializer()
    files = AmountSerializer()
    teams_count = serializers.IntegerField()
    teams = TeamStorageSerializer(many=True, help_text="Largest first, at most 500.")


class InstallationWorkerSerializer(serializers.Serializer[Any]):
    """A process that takes runs."""

    name = serializers.CharField()
    alive = serializers.BooleanField(help_text="It said within a lease that it is there.")
    running = serializers.IntegerField()
    capacity = serializers.IntegerField()
    age_s = serializers.FloatField(help_text="Since it started.")
    seen_s = serializers.FloatField(help_text="Since its last heartbeat.")


class InstallationWorkersSerializer(serializers.Serializer[Any]):
    """Who works in the installation, and how much there is to do."""

    mode = serializers.ChoiceField(["embedded", "scaled"])
    lease_s = serializers.FloatField(help_text="A worker that is silent for longer loses its runs to others.")
    limit = serializers.IntegerField()
    running = serializers.IntegerField()
    queued = serializers.IntegerField()
    waiting = serializers.IntegerField(help_text="For people, timers or other runs; paused ones too.")
    oldest_s = serializers.FloatField(allow_null=True, help_text="How long the oldest queued run has waited.")
    workers = InstallationWorkerSerializer(many=True)


class InstallationView(OperatorView):
    """The installation."""

    @extend_schema(operation_id="operator_installation", responses=InstallationSerializer)
    def get(self, request: Request) -> Response:
        """Who the operators are, and what is allowed: by the environment, and what they added to it."""
        return Response(installation_json())


class StorageView(OperatorView):
    """Storage of all teams."""

    @extend_schema(operation_id="operator_storage", responses=InstallationStorageSerializer)
    def get(self, request: Request) -> Response:
        """Sizes and counts by team, without anything that a team keeps; at most half a minute old."""
        return Response(storage_json())


class WorkersView(OperatorView):
    """Workers of the installation."""

    @extend_schema(operation_id="operator_workers", responses=InstallationWorkersSerializer)
    def get(self, request: Request) -> Response:
        """Which workers are there, what they do in numbers, and how old their last heartbeat is."""
        return Response(workers_json())


class AllowancesView(OperatorView):
    """What operators allow."""

    @extend_schema(operation_id="operator_allow", request=AllowanceNewSerializer, responses={201: AllowanceSerializer})
    def post(self, request: Request) -> Response:
        """Allow a command, a host or loopback in the whole installation. Counts without a restart."""
        given = checked(AllowanceNewSerializer(data=request.data))
        return Response(allowance_json(allow(self.you, given["kind"], given["value"])), status=201)


class AllowanceView(OperatorView):
    """One entry."""

    @extend_schema(operation_id="operator_disallow", responses={204: None})
    def delete(self, request: Request, key: str) -> Response:
        """Take it back. Connections that are open end with the calls that go on."""
        disallow(self.you, key)
        return Response(status=204)
