"""Runs, their one log, their inbox, and the questions they ask.

Only the holder of a run's fence writes `LogLine` rows or the run's own columns; everybody else inserts an
`InboxMessage` and raises `inbox_seq` in the same transaction (design.md, "One writer"). Hot rows are written with raw
SQL by `runs/log/journal.py`, so columns are plain text and numbers that both databases take alike.
"""

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


def test_id() -> str:
    """Public id of a saved test."""
    return new_id("test")


def conversation_id() -> str:
    """Public id of a conversation."""
    return new_id("conv")


def turn_id() -> str:
    """Public id of a turn of a conversation."""
    return new_id("turn")


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
            models.Index(fields=["state", "queued_at"]),
            models.Index(fields=["state", "wake_at"]),
            models.Index(fields=["started_by", "-queued_at"]),
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


class Spending(models.Model):
    """What a team's models used on a day (UTC): counted with the line that says so, so each round counts once.

    `tokens` = in and out. Deleting runs gives nothing back.
    """

    id = models.BigAutoField(primary_key=True)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="spending", db_index=False)
    day = models.DateField()
    tokens = models.PositiveBigIntegerField(default=0)
    cost = models.FloatField(default=0)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["team", "day"], name="spending_once_a_day")]

    def __str__(self) -> str:
        return f"{self.team_id} {self.day}"


class LogLine(models.Model):
    """One line of a run's log: an event (`seq` set), a journal record (`record` set), or both.

    `position` orders all lines of a run, `seq` numbers its events without gaps. `path` is JSON text
    `[["each", 12]]`; `data` is the event's JSON text, `value` the record's where it differs from `data`. `refs` names
    what stands in a blob, as JSON text: `["value", "data.output"]`; only there is a `{"$ref": id}` ours.
    """

    id = models.BigAutoField(primary_key=True)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="log", db_index=False)
    position = models.PositiveBigIntegerField()
    seq = models.PositiveBigIntegerField(null=True)
    ts = models.FloatField()
    type = models.CharField(max_length=40, blank=True)
    node = models.CharField(max_length=63, blank=True)
    path = models.TextField(blank=True)
    step = models.CharField(max_length=40, blank=True)
    attempt = models.PositiveIntegerField(default=1)
    record = models.CharField(max_length=10, blank=True)
    key = models.CharField(max_length=200, blank=True)
    fingerprint = models.CharField(max_length=64, blank=True)
    effect_kind = models.CharField(max_length=10, blank=True)
    interaction = models.CharField(max_length=40, blank=True)
    fence = models.PositiveIntegerField()
    refs = models.TextField(blank=True)
    data = models.TextField(blank=True)
    value = models.TextField(blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "position"], name="log_position_once"),
            models.UniqueConstraint(fields=["run", "seq"], name="log_seq_once"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["run", "key", "position"], name="log_rounds", condition=models.Q(record="rounds"))
        ]

    def __str__(self) -> str:
        return f"{self.run_id} {self.position} {self.type or self.record}"


class StoredChange(models.Model):
    """By how much a change of a run changed what its team has stored; the database writes it (`log/stored_runs`)."""

    team_id = models.CharField(max_length=40)  # no key to the team: rows are written while all of it is deleted
    runs = models.BigIntegerField()
    events = models.BigIntegerField()

    class Meta:
        indexes: ClassVar = [models.Index(fields=["team_id", "runs", "events"], name="stored_change")]

    def __str__(self) -> str:
        return f"{self.team_id} {self.runs:+} {self.events:+}"


class RunBlob(models.Model):
    """A blob that a run's log, inputs or outputs refer to; a blob that nothing refers to is deleted with its runs."""

    id = models.BigAutoField(primary_key=True)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="blobs")
    blob = models.ForeignKey(Blob, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["run", "blob"], name="run_blob_once")]

    def __str__(self) -> str:
        return f"{self.run_id} {self.blob_id}"


class InboxMessage(models.Model):
    """Something for a run from outside its owner: answer, cancel, pause, resume, a child's end. `value` is JSON text.

    A child's end is told by its id (`interaction`) alone: the child's row says the rest, and never changes again.
    """

    id = models.BigAutoField(primary_key=True)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="inbox")
    kind = models.CharField(max_length=10)
    interaction = models.CharField(max_length=40, blank=True)
    value = models.TextField(default="{}")
    at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.run_id} {self.kind}"


class Interaction(models.Model):
    """A question a run asks a person. Written with the run's `ask` record, answered once by anyone who may.

    `cause` = why a `recovery` is asked (`tools.types.Cause`). `approvers` = who must agree by the tool or node
    (`tools.approvers`), beside the run's own; `approvals` = JSON of the yes that were given,
    `[{by, at, values, changed, remember}]`: while it is open they are not enough.
    """

    class State(models.TextChoices):
        """What became of the question."""

        OPEN = "open"
        ANSWERED = "answered"
        EXPIRED = "expired"
        CANCELLED = "cancelled"

    id = models.CharField(primary_key=True, max_length=40, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="interactions", db_index=False)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="interactions", db_index=False)
    root_run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="+")
    node = models.CharField(max_length=63, blank=True)
    step = models.CharField(max_length=40, blank=True)
    kind = models.CharField(max_length=12)
    title = models.TextField()
    message = models.TextField(blank=True)
    tool = models.TextField(default="null")
    risk = models.TextField(default="null")
    schema = models.TextField(default="null")
    proposal = models.TextField(default="null")
    assignees = models.TextField(default="[]")
    evidence = models.TextField(default="null", db_default="null")
    cause = models.CharField(max_length=7, blank=True, default="", db_default="")
    approvers = models.CharField(max_length=11, blank=True, default="", db_default="")
    approvals = models.TextField(default="[]", db_default="[]")
    expires_at = models.FloatField(null=True)
    on_expire = models.CharField(max_length=8, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    answer = models.TextField(default="null")
    answered_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    answered_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["team", "-created_at", "-id"], name="interaction_newest"),
            models.Index(fields=["team", "state", "-created_at", "-id"]),
            models.Index(fields=["state", "expires_at"]),
            models.Index(fields=["run", "state"], name="interaction_of_run"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id} {self.state}"


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


class Usage(models.Model):
    """What was used on a day (UTC), counted with the lines that say so: one row per combination of who and what.

    Ended runs have a workflow and a member, rounds with models a model (`provider/model`) too, tool calls a server.
    `runs` = those that people or triggers started. Several processes count in rows of their own (`part`), so that
    none waits for another. Names are looked up when read; deleting runs takes nothing away.
    """

    id = models.BigAutoField(primary_key=True)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="usage", db_index=False)
    day = models.DateField()
    workflow = models.CharField(max_length=40)
    member = models.CharField(max_length=40, blank=True)
    model = models.CharField(max_length=200, blank=True)
    server = models.CharField(max_length=100, blank=True)
    part = models.PositiveSmallIntegerField(default=0)
    runs = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    cancelled = models.PositiveIntegerField(default=0)
    rounds = models.PositiveIntegerField(default=0)
    input_tokens = models.PositiveBigIntegerField(default=0)
    output_tokens = models.PositiveBigIntegerField(default=0)
    cost = models.FloatField(default=0)
    tool_calls = models.PositiveIntegerField(default=0)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["team", "day", "workflow", "member", "model", "server", "part"], name="usage_once_a_day"
            )
        ]

    def __str__(self) -> str:
        return f"{self.team_id} {self.day} {self.workflow}"


class ServerCalls(models.Model):
    """How calls of a server's tools ended in an hour, counted with the lines that say so: a histogram of latencies.

    `server` = the slug under which it was called, `hour` = hours since 1970 (UTC), `bucket` = of the latency
    (`log.usage.bucket_of`). Kept for `log.usage.CALLS_KEPT_DAYS`. `part` as in `Usage`.
    """

    class Outcome(models.TextChoices):
        """How a call ended; "error" = it was answered, with an error that the tool reported."""

        ANSWERED = "answered"
        ERROR = "error"
        FAILED = "failed"

    id = models.BigAutoField(primary_key=True)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="server_calls", db_index=False)
    server = models.CharField(max_length=100)
    hour = models.PositiveIntegerField()
    outcome = models.CharField(max_length=8, choices=Outcome.choices)
    bucket = models.PositiveSmallIntegerField()
    part = models.PositiveSmallIntegerField(default=0)
    calls = models.PositiveIntegerField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["team", "server", "hour", "outcome", "bucket", "part"], name="server_calls_once_an_hour"
            )
        ]
        indexes: ClassVar = [models.Index(fields=["hour", "team"], name="server_calls_old")]

    def __str__(self) -> str:
        return f"{self.team_id} {self.server} {self.hour}"


class WorkerSeen(models.Model):
    """A worker of a scaled installation as it last said of itself. Times are epoch seconds of the database's clock."""

    owner = models.CharField(primary_key=True, max_length=80)
    running = models.PositiveIntegerField(default=0)
    capacity = models.PositiveIntegerField()
    started_at = models.FloatField()
    seen_at = models.FloatField()

    def __str__(self) -> str:
        return self.owner


class Chore(models.Model):
    """Work that one process of the installation does now and then. Times are epoch seconds of the database's clock."""

    name = models.CharField(primary_key=True, max_length=40)
    owner = models.CharField(max_length=80, blank=True)
    until = models.FloatField(default=0)  # whose turn it is, until then unless prolonged
    done_at = models.FloatField(default=0)

    def __str__(self) -> str:
        return self.name


class WorkflowTest(models.Model):
    """A run saved as a test of its workflow: what it was given, what the world answered, what its nodes gave.

    `recorded` = the journal records that stand for the world, `expected` = the outcome of each node, both JSON text.
    A test outlives the run that it was made of.
    """

    id = models.CharField(primary_key=True, max_length=40, default=test_id, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+", db_index=False)
    workflow = models.ForeignKey(Workflow, on_delete=models.CASCADE, related_name="tests", db_index=False)
    name = models.CharField(max_length=200)
    run = models.ForeignKey(Run, on_delete=models.SET_NULL, null=True, related_name="+")
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    inputs = models.TextField(default="{}")
    recorded = models.TextField(default="[]")
    expected = models.TextField(default="{}")
    result = models.TextField(default="null")  # of the last time it was run
    tried_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["workflow", "name"], name="workflow_test_name_once")]

    def __str__(self) -> str:
        return f"{self.workflow_id} {self.name}"


class Conversation(models.Model):
    """What one person and a workflow say to each other through a chat (`trigger_id`), each turn a run of its own.

    It is the person's alone; of somebody without an account nobody's. `visitor` = digest of the key that leads to
    one on a page. `head` = the last of the turns that are shown. `draft` = its runs take the draft. `updated_at` = when
    something was written last.
    """

    id = models.CharField(primary_key=True, max_length=40, default=conversation_id, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    workflow = models.ForeignKey(Workflow, on_delete=models.CASCADE, related_name="+")
    trigger_id = models.CharField(max_length=40)
    person = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="+", db_index=False)
    visitor = models.CharField(max_length=64, blank=True, default="", db_default="")
    title = models.CharField(max_length=200, blank=True)
    draft = models.BooleanField(default=False)
    head = models.CharField(max_length=40, blank=True, default="")
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["person", "team", "-updated_at", "-id"], name="conversation_newest"),
            models.Index(
                fields=["trigger_id", "person", "draft", "-updated_at", "-id"], name="conversation_of_trigger"
            ),
            models.Index(fields=["trigger_id", "-updated_at", "-id"], name="conversation_on_page"),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["trigger_id", "visitor"], name="conversation_of_visitor", condition=models.Q(visitor__gt="")
            ),
        ]

    def __str__(self) -> str:
        return self.id


class Turn(models.Model):
    """What a person said, and what the run that it started answered.

    It goes on from `parent`; those of one parent are versions of the same message. `answer`, `calls` (what tools were
    called) and `variables` (those that last, as they were then) are JSON texts, written in the commit that ends the
    run; "" before, and where nobody knows. `refs` = JSON list of those that stand in a blob of the run. A turn whose
    run was deleted says nothing any more, and has no `run`.
    """

    id = models.CharField(primary_key=True, max_length=40, default=turn_id, editable=False)
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="turns", db_index=False)
    parent = models.ForeignKey("self", on_delete=models.CASCADE, null=True, related_name="after")
    run = models.CharField(max_length=40, blank=True)
    text = models.TextField(blank=True)
    files = models.TextField(default="[]")
    answer = models.TextField(blank=True, default="")
    calls = models.TextField(blank=True, default="")
    variables = models.TextField(blank=True, default="")
    refs = models.TextField(blank=True, default="")
    created_at = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["conversation", "created_at", "id"], name="turn_in_order"),
            models.Index(fields=["run"], name="turn_of_run", condition=models.Q(run__gt="")),
        ]

    def __str__(self) -> str:
        return f"{self.conversation_id} {self.id}"
