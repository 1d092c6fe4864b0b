"""Deeds on runs: start, cancel, pause, resume. Each is one function: right, row, audit and hint in one transaction."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from copy import deepcopy
from typing import Any

from django.conf import settings
from django.db import IntegrityError, connection
from django.utils import timezone

from backend.accounts.actor import Actor
from backend.accounts.audit.batches import audit_later
from backend.accounts.audit.trail import audit
from backend.accounts.auth.rate_limits import RATES
from backend.database.bulk_insert import insert
from backend.database.ids import new_id
from backend.engine.execution import failpoints
from backend.engine.execution.ports import Entry
from backend.engine.language.clean import clean
from backend.errors import Conflict, StaleDraft, ValidationFailed
from backend.errors.log_context import request_id
from backend.files.models import File
from backend.files.services import blob_store
from backend.notifications.clients import Hint, notify_clients
from backend.notifications.workers import wake_any_worker
from backend.runs.graphs import approvers_of, concurrency_of, input_schema, named_servers
from backend.runs.log.batch import INSERT_LINE
from backend.runs.log.encoding import decode, encode, encode_value, iso
from backend.runs.log.rows import line_of, read_blobs
from backend.runs.models import TERMINAL, Run, RunBlob, RunFile, RunState
from backend.runs.queue import concurrency, fairness, inbox, server_slots
from backend.runs.queue.leases import moment
from backend.runs.starting import input_schemas, restored, storage
from backend.runs.starting.given_files import covers, files_in, with_files
from backend.tools.approvers import ANYONE, stricter
from backend.workflows.models import Workflow
from backend.workflows.selectors import runnable_graph

RATE_WINDOW_S = 15
_MOVING = ("state", "outputs", "error", "usage", "waiting", "refs", "last_seq")
_MOMENTS = ("started_at", "finished_at")
_REREAD = f"SELECT {', '.join(_MOVING + _MOMENTS)} FROM runs_run WHERE id = %s"  # noqa: S608 - our own columns
"""Columns that change while a run lives; every answer that waited for a run reads them."""


def start_run(
    actor: Actor,
    workflow: Workflow,
    inputs: dict[str, Any] | None = None,
    version: int | str | None = None,
    revision: int | None = None,
    idempotency_key: str | None = None,
    trigger: str | None = None,
    run_id: str | None = None,
    until: str | None = None,
    outputs: dict[str, Any] | None = None,
) -> tuple[Run, bool]:
    """(run, whether it is new) of a workflow's published version, of version `n`, or of the draft ("draft").

    `trigger` None = by a person in the browser ("manual") or with a token ("api").
    The same `idempotency_key` gives the same run. `run_id` = an id made before, to wait for. `until` = of the draft
    only this node and what is upstream of it; with `outputs` = {node: what it gave} that node alone. Raises
    NotPublished, StaleDraft, GraphInvalid, ServerNotApproved, ValidationFailed (`inputs.<name>`, `until`, `outputs`),
    RateLimited, WorkflowBusy, Forbidden, Conflict (the key was used for other inputs).
    """
    actor.require("editor")
    given = {} if inputs is None else clean(inputs)
    if idempotency_key:
        before = _earlier(workflow, idempotency_key, given)
        if before is not None:
            return before, False
    storage.require_room()
    gave = None if outputs is None else clean(outputs)
    text, number, draft_revision = runnable_graph(actor, workflow, version, until, gave)
    if revision is not None and draft_revision is not None and revision != draft_revision:
        raise StaleDraft(detail=_saved_by(workflow))
    filled = checked_inputs(input_schema(text), given, actor.team.id)
    by = trigger or ("manual" if actor.token is None else "api")
    now = timezone.now()
    run = Run(
        id=run_id or new_id("run"),
        team=actor.team,
        workflow=workflow,
        version=number,
        draft_revision=draft_revision,
        trigger=by,
        started_by=actor.user,
        request_id=request_id(),
        idempotency_key=idempotency_key or None,
        queued_at=now,
        turn=fairness.turn_of(now, by, actor.token is not None),
        last_seq=1,
    )
    try:
        with inbox.durable_transaction():
            check_start_rate(actor)
            store(run, text, filled)
            audit_later(actor, "run.started", "run", run.id, name=workflow.name, workflow=workflow.id, version=number)
            hint: Hint = {"kind": "run", "id": run.id, "state": run.state, "change": "created"}
            notify_clients(f"team:{run.team_id}", hint)
            failpoints.hit("start.uncommitted")
            wake_any_worker(run.id)
    except IntegrityError:
        if idempotency_key and (before := _earlier(workflow, idempotency_key, given)) is not None:
            return before, False
        raise
    return run, True


def _saved_by(workflow: Workflow) -> dict[str, Any]:
    by = workflow.draft_by.email if workflow.draft_by else None
    return {"revision": workflow.revision, "by": by, "at": iso(workflow.draft_at.timestamp())}


def _earlier(workflow: Workflow, key: str, inputs: dict[str, Any]) -> Run | None:
    run = Run.objects.filter(workflow=workflow, idempotency_key=key).first()
    if run is None:
        return None
    stored = inputs_of(run)
    if run.origin_run_id or any(not covers(stored.get(name), value) for name, value in inputs.items()):
        raise Conflict(params={"reason": "idempotency_key"}, detail={"run": run.id})
    return run


def inputs_of(run: Run) -> dict[str, Any]:
    """The run's inputs, also where they are large and stand in a blob."""
    value: dict[str, Any] = decode(run.inputs)
    return read_blobs([value["$ref"]])[value["$ref"]] if "inputs" in (decode(run.refs) or []) else value


def checked_inputs(schema: dict[str, Any], inputs: Any, team_id: str) -> dict[str, Any]:
    """The inputs with the schema's defaults filled in, and the team's files. Raises ValidationFailed naming each."""
    if not isinstance(inputs, dict):
        raise ValidationFailed(fields={"inputs": ["must be an object"]})
    filled = with_defaults(schema, inputs)
    errors = input_schemas.errors_of({"type": "object", **schema}, filled, "inputs")
    if errors:
        raise ValidationFailed(fields=errors)
    given: dict[str, Any] = with_files(schema, filled, team_id, "inputs")
    return given


def with_defaults(schema: Any, value: dict[str, Any]) -> dict[str, Any]:
    """The value with the defaults that its schema names."""
    filled = dict(value)
    properties = schema.get("properties") if isinstance(schema, dict) else None
    for name, inner in (properties if isinstance(properties, dict) else {}).items():
        if not isinstance(inner, dict):
            continue
        if name not in filled and "default" in inner:
            filled[name] = deepcopy(inner["default"])
        elif isinstance(filled.get(name), dict):
            filled[name] = with_defaults(inner, filled[name])
    return filled


def check_start_rate(actor: Actor) -> None:
    """Count a start: of a token, else of the person in the browser, and of the team. Child runs are not counted.

    What a person's programs start holds up no click of theirs. Raises RateLimited, which says which limit and when.
    """
    limits = settings.PATCHBAY
    if actor.token is not None:
        RATES.take("token_starts", actor.token.pk, limits.token_run_starts_per_min)
    else:
        RATES.take("run_starts", actor.user.pk, limits.run_starts_per_15s, RATE_WINDOW_S)
    RATES.take("team_starts", actor.team.pk, limits.team_run_starts_per_15s, RATE_WINDOW_S)


def store(run: Run, graph: str, inputs: dict[str, Any]) -> None:
    """Insert the run's row, the snapshot of its graph, which servers that names, and the first line of its log.

    A run below another one has that one's `approvers`, which its own document only makes stricter.
    Raises WorkflowBusy, ValidationFailed (`inputs`) where the document says how many runs may go on at once.
    """
    if (setting := concurrency_of(graph)) is not None:
        concurrency.give_key(run, setting, inputs)
    who = stricter(run.approvers, approvers_of(graph))
    run.approvers = "" if who == ANYONE else who
    run.graph = blob_store(run.team_id, graph.encode())
    value = encode_value(run.team_id, inputs, "inputs")
    run.inputs, run.refs = value.text, encode(value.refs) if value.refs else ""
    insert(run)
    for row in value.blobs:
        RunBlob.objects.create(run=run, blob=blob_store(run.team_id, row.data))
    if given := files_in(encode(inputs) if value.blobs else value.text):
        files = File.objects.filter(team=run.team_id, pk__in=given)
        RunFile.objects.bulk_create([RunFile(run=run, file=file) for file in files.only("pk")])
    if names := named_servers(graph):
        server_slots.record_servers(run, names)
    first = line_of(run.id, run.team_id, 0, 1, Entry(type="FLOW_QUEUED"), run.queued_at.timestamp(), 1)
    with connection.cursor() as cursor:
        cursor.execute(INSERT_LINE, first.row)


def reread(run: Run) -> None:
    """Bring the run up to what the database says of it now. Raises Run.DoesNotExist."""
    with connection.cursor() as cursor:
        cursor.execute(_REREAD, [run.pk])
        row = cursor.fetchone()
    if row is None:
        raise Run.DoesNotExist
    for name, value in zip(_MOVING, row, strict=False):
        setattr(run, name, value)
    for name, value in zip(_MOMENTS, row[len(_MOVING) :], strict=True):
        setattr(run, name, None if value is None else moment(value))


def run_cancel(actor: Actor, run: Run) -> Run:
    """End a run as soon as may be; what it waits for is dropped. Raises Conflict when it has ended."""
    return _message(actor, run, "cancel", {"by": actor.user.id})


def run_pause(actor: Actor, run: Run) -> Run:
    """Let a run come to rest: what is in flight ends, nothing new begins. Raises Conflict when it cannot."""
    if run.state == RunState.PAUSED:
        raise Conflict(params={"reason": "run_state", "state": run.state})
    return _message(actor, run, "pause", {"by": actor.user.id})


def run_resume(actor: Actor, run: Run) -> Run:
    """Let a paused run go on; one that was restored from a backup with those below it that nobody had paused.

    Raises Conflict for one that has ended.
    """
    made_at = restored.restored_from(run)
    for value in restored.below(run) if made_at else ():
        with suppress(Conflict):
            if not restored.was_paused(value):
                _message(actor, value, "resume", {"by": actor.user.id}, restored_from=made_at)
    return _message(actor, run, "resume", {"by": actor.user.id}, **({"restored_from": made_at} if made_at else {}))


def resume_restored(actor: Actor, only: Collection[str] | None = None) -> list[str]:
    """Let the team's restored runs go on, all that nobody had paused or `only` these; gives which did."""
    actor.require("editor")
    resumed = []
    for run in restored.of_team(actor):
        if (run.pk in only) if only is not None else not restored.was_paused(run):
            with suppress(Conflict):
                resumed.append(run_resume(actor, run).pk)
    return resumed


def _message(actor: Actor, run: Run, kind: str, value: dict[str, Any], **facts: Any) -> Run:
    actor.require("editor")
    with inbox.durable_transaction():
        state = Run.objects.select_for_update().values_list("state", flat=True).get(pk=run.pk)
        if state in TERMINAL:
            raise Conflict(params={"reason": "run_ended", "state": state})
        inbox.enqueue_message(run.pk, kind, value)
        audit(actor, f"run.{kind}", "run", run.pk, name=run.workflow.name, **facts)
    reread(run)
    return run
