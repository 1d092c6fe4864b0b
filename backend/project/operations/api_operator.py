"""REST for operators of the installation: what is allowed, and storage and workers of all teams in numbers."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from backend.accounts.api.person import OperatorView
from backend.accounts.described import Choices, Help, Timestamp
from backend.accounts.models import Allowance
from backend.accounts.teams.allowances import allow, disallow
from backend.project.operations.installation import allowance_json, installation_json, storage_json, workers_json
from backend.web.rest import checked


class OperatorJson(TypedDict):
    """An operator."""

    email: str
    name: str
    named: Annotated[bool, Help("By manage.py operator; else an owner of the only team.")]


class AllowanceNewSerializer(serializers.Serializer[Any]):
    """One more that is allowed."""

    kind = serializers.ChoiceField(Allowance.Kind.choices)
    value = serializers.CharField(
        allow_blank=True,
        default="",
        max_length=1000,
        help_text="A command or whole command line; a host, address or network; nothing for loopback.",
    )


class AllowanceJson(TypedDict):
    """Something that operators allow beside what the environment allows."""

    id: str
    kind: Annotated[str, Choices(Allowance.Kind.choices)]
    value: str
    added_by: str | None
    created_at: Timestamp


class ProgramsAllowedJson(TypedDict):
    """Whether stdio servers may be started here."""

    allowed: bool
    set: Annotated[bool, Help("By PATCHBAY_ALLOW_STDIO.")]


class LoopbackJson(TypedDict):
    """Whether services of the machine itself may be reached, by addresses that an admin typed."""

    allowed: bool
    set: Annotated[bool, Help("By PATCHBAY_ALLOW_LOOPBACK, which decides then.")]
    default: Annotated[bool, Help("What counts where nobody says anything.")]


class InstallationJson(TypedDict):
    """Who operates the installation, and what is allowed in it."""

    operators: list[OperatorJson]
    teams: int
    programs: ProgramsAllowedJson
    commands: Annotated[list[str], Help("PATCHBAY_STDIO_COMMANDS; empty = any command.")]
    hosts: Annotated[list[str], Help("PATCHBAY_OUTBOUND_ALLOW.")]
    proxy: Annotated[bool, Help("Whether PATCHBAY_OUTBOUND_PROXY names one.")]
    loopback: LoopbackJson
    allowed: Annotated[list[AllowanceJson], Help("What operators added.")]


class AmountJson(TypedDict):
    """How many, and how large together."""

    count: int
    bytes: int


class TeamStorageJson(TypedDict):
    """How much a team has stored."""

    id: str
    name: str
    members: int
    runs: int
    events: int
    blobs: Annotated[AmountJson, Help("Large values of runs, files among them.")]
    files: AmountJson


class InstallationStorageJson(TypedDict):
    """How much is stored in the installation."""

    database_bytes: int
    free_mb: Annotated[int, Help("On the disk of the data directory.")]
    retention_days: Annotated[int, Help("Ended runs go after so many days; 0 = never.")]
    blobs: AmountJson
    files: AmountJson
    teams_count: int
    teams: Annotated[list[TeamStorageJson], Help("Largest first, at most 500.")]


class InstallationWorkerJson(TypedDict):
    """A process that takes runs."""

    name: str
    alive: Annotated[bool, Help("It said within a lease that it is there.")]
    running: int
    capacity: int
    age_s: Annotated[float, Help("Since it started.")]
    seen_s: Annotated[float, Help("Since its last heartbeat.")]


class InstallationWorkersJson(TypedDict):
    """Who works in the installation, and how much there is to do."""

    mode: Literal["embedded", "scaled"]
    lease_s: Annotated[float, Help("A worker that is silent for longer loses its runs to others.")]
    limit: int
    running: int
    queued: int
    waiting: Annotated[int, Help("For people, timers or other runs; paused ones too.")]
    oldest_s: Annotated[float | None, Help("How long the oldest queued run has waited.")]
    workers: list[InstallationWorkerJson]


class InstallationView(OperatorView):
    """The installation."""

    @extend_schema(operation_id="operator_installation", responses=InstallationJson)
    def get(self, request: Request) -> Response:
        """Who the operators are, and what is allowed: by the environment, and what they added to it."""
        return Response(installation_json())


class StorageView(OperatorView):
    """Storage of all teams."""

    @extend_schema(operation_id="operator_storage", responses=InstallationStorageJson)
    def get(self, request: Request) -> Response:
        """Sizes and counts by team, without anything that a team keeps; at most half a minute old."""
        return Response(storage_json())


class WorkersView(OperatorView):
    """Workers of the installation."""

    @extend_schema(operation_id="operator_workers", responses=InstallationWorkersJson)
    def get(self, request: Request) -> Response:
        """Which workers are there, what they do in numbers, and how old their last heartbeat is."""
        return Response(workers_json())


class AllowancesView(OperatorView):
    """What operators allow."""

    @extend_schema(operation_id="operator_allow", request=AllowanceNewSerializer, responses={201: AllowanceJson})
    def post(self, request: Request) -> Response:
        """Allow a command, a host or loopback in the whole installation. Counts without a restart."""
        data = checked(AllowanceNewSerializer(data=request.data))
        return Response(allowance_json(allow(self.you, data["kind"], data["value"])), status=201)


class AllowanceView(OperatorView):
    """One entry."""

    @extend_schema(operation_id="operator_disallow", responses={204: None})
    def delete(self, request: Request, key: str) -> Response:
        """Take it back. Connections that are open end with the calls that go on."""
        disallow(self.you, key)
        return Response(status=204)
