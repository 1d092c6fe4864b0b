"""A run as a row: its state, its place in the queue, and what it was given."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from backend.accounts.models import Team, User
from backend.database.ids import new_id
from backend.database.rows import QuickRow
from backend.files.models import Blob, File
from backend.registry.models import Server
from backend.workflows.models import Workflow

JOURNAL_FORMAT = 2
"""The format of the records that this version writes. Raised when a record changes so that earlier versions could not
read it; a worker claims no run of a newer format than its own, and a claim raises the run's to its own."""


def run_id() -> str:
    """Public id of a run."""
    return new_id("run")


class RunState(models.TextChoices):
    """States of a run (contract, "States")."""

    QUEUED = "QUEUED"
    RUNNING = "RUNNING"
    WAITING = "WAITING"
    PAUSED = "PAUSED"
    SUCCESS = "SUCCESS"
    ERROR = "ERROR"
    CANCELLED = "CANCELLED"


TERMINAL = frozenset({RunState.SUCCESS, RunState.ERROR, RunState.CANCELLED})
ALIVE = tuple(state for state in RunState if state not in TERMINAL)


class Run(QuickRow):
    """One execution of a snapshot of a graph. Times that leases compare are epoch seconds of the database's clock.

    The graph is a blob (equal graphs are stored once) and large inputs or outputs are blobs too, so that the row,
    which every batch of the journal touches, stays small.
    """

    id = models.CharField(primary_key=True, max_length=40, default=run_id, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="runs", db_index=False)
    workflow = models.ForeignKey(Workflow, on_delete=models.CASCADE, related_name="runs", db_index=False)
    version = models.PositiveIntegerField(null=True)  # null = draft
    draft_revision = models.PositiveIntegerField(null=True)
    state = models.CharField(max_length=10, choices=RunState.choices, default=RunState.QUEUED)
    trigger = models.CharField(max_length=20, default="api")
    trigger_id = models.CharField(max_length=40, blank=True, default="", db_default="")  # or collection; of a run above
    conversation = models.CharField(max_length=40, blank=True, default="", db_default="")  # of which it is a turn
    started_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+", db_index=False)
    request_id = models.CharField(max_length=64, blank=True, default="", db_default="")  # that started it, in the log
    traceparent = models.CharField(max_length=55, blank=True, default="", db_default="")  # of who started it
    caller = models.TextField(blank=True, default="", db_default="")  # JSON: the program that started it (`callers`)
    caller_name = models.CharField(max_length=200, blank=True, default="", db_default="")  # of it, to be looked for
    idempotency_key = models.CharField(max_length=200, null=True)  # noqa: DJ001 - NULLs do not collide in the constraint
    parent_run = models.ForeignKey("self", on_delete=models.CASCADE, null=True, related_name="children", db_index=False)
    parent_effect = models.CharField(max_length=300, blank=True)
    root_run = models.ForeignKey("self", on_delete=models.CASCADE, null=True, related_name="tree", db_index=False)
    depth = models.PositiveSmallIntegerField(default=0)  # how many runs are above it
    origin_run = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, related_name="forks")
    origin_step = models.CharField(max_length=300, blank=True)
    origin_node = models.CharField(max_length=63, blank=True, default="", db_default="")
    copied_seq = models.PositiveBigIntegerField(default=0, db_default=0)  # events up to it were taken over; 0 = none
    journal_format = models.PositiveSmallIntegerField(default=1)

    owner = models.CharField(max_length=80, blank=True)
    fence = models.PositiveIntegerField(default=0)
    lease_until = models.FloatField(default=0)
    wake_at = models.FloatField(null=True)
    inbox_seq = models.PositiveIntegerField(default=0)
    losses = models.PositiveSmallIntegerField(default=0)  # given back in a row for what it did, no record between
    evidence = models.TextField(blank=True, default="", db_default="")  # JSON: deaths that it had a part in
    last_seq = models.PositiveBigIntegerField(default=0)

    turn = models.FloatField(default=0, db_default=0)  # epoch seconds that its turn is counted from (`fairness`)
    concurrency = models.CharField(max_length=120, blank=True, default="", db_default="")  # key, "" = none
    concurrency_limit = models.PositiveIntegerField(default=0, db_default=0)  # so many of the key at once

    approvers = models.CharField(max_length=11, blank=True, default="", db_default="")  # of its workflow, those above

    queued_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    graph = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")
    inputs = models.TextField(default="{}")
    outputs = models.TextField(default="{}")
    error = models.TextField(default="null")
    usage = models.TextField(default='{"input_tokens": 0, "output_tokens": 0, "cost": 0}')
    waiting = models.TextField(default="[]")
    refs = models.TextField(blank=True)  # JSON list of the columns that stand in a blob: ["inputs", "outputs"]

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["team", "-queued_at", "-id"], name="run_newest", condition=models.Q(depth=0)),
            models.Index(fields=["team", "state", "depth", "-queued_at", "-id"], name="run_in_state"),
            models.Index(fields=["workflow", "-queued_at", "-id"]),
            models.Index(fields=["queued_at"], name="run_longest_queued", condition=models.Q(state="QUEUED")),
            models.Index(fields=["state", "wake_at"]),
            models.Index(fields=["started_by"], name="run_of_person"),
            models.Index(fields=["finished_at"]),
            models.Index(fields=["root_run", "state"], name="run_tree", condition=models.Q(root_run__isnull=False)),
            models.Index(
                fields=["parent_run", "state"], name="run_below", condition=models.Q(parent_run__isnull=False)
            ),
            models.Index(
                fields=["parent_run", "-queued_at", "-id"],
                name="run_below_newest",
                condition=models.Q(parent_run__isnull=False),
            ),
            models.Index(fields=["team", "turn"], name="run_turn", condition=models.Q(state="QUEUED", concurrency="")),
            models.Index(
                fields=["concurrency", "turn"],
                name="run_key_turn",
                condition=models.Q(state="QUEUED", concurrency__gt=""),
            ),
            models.Index(fields=["concurrency", "state"], name="run_key", condition=models.Q(concurrency__gt="")),
            models.Index(fields=["trigger_id", "state"], name="run_of_trigger", condition=models.Q(trigger_id__gt="")),
            models.Index(fields=["trigger_id", "queued_at"], name="run_of_page", condition=models.Q(trigger="page")),
            models.Index(
                fields=["trigger_id", "-queued_at", "-id"],
                name="run_of_collection",
                condition=models.Q(trigger="mcp", trigger_id__gt=""),
            ),
            models.Index(
                fields=["team", "caller_name", "-queued_at", "-id"],
                name="run_of_caller",
                condition=models.Q(caller__gt=""),
            ),
            models.Index(
                fields=["conversation", "state"], name="run_of_conversation", condition=models.Q(conversation__gt="")
            ),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["workflow", "idempotency_key"], name="run_idempotency_key_once")
        ]

    def __str__(self) -> str:
        return f"{self.id} {self.state}"


class RunFile(models.Model):
    """A file that a run was given; a file that no run and no workflow names is deleted when it is old."""

    id = models.BigAutoField(primary_key=True)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="files")
    file = models.ForeignKey(File, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["run", "file"], name="run_file_once")]

    def __str__(self) -> str:
        return f"{self.run_id} {self.file_id}"


class RunClientTools(models.Model):
    """The tools that the client which started a run declared: JSON text, `[{name, description, parameters}]`."""

    run = models.OneToOneField(Run, on_delete=models.CASCADE, primary_key=True, related_name="+")
    tools = models.TextField()

    def __str__(self) -> str:
        return self.run_id


class RunServer(models.Model):
    """A registered server that a run's graph names, whether or not it has a limit: one set later counts as well."""

    id = models.BigAutoField(primary_key=True)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="servers", db_index=False)
    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["run", "server"], name="run_server_once")]

    def __str__(self) -> str:
        return f"{self.run_id} {self.server_id}"
