"""Starting a run: right, row, audit and hint in one transaction, with as few statements and objects as there can be.

This is the fast way; `plainly.py` says the same without haste, and tests/properties/test_start.py holds the two
together. What is written down stands in `storing.py`. What is done to a run afterwards is `steering`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import IntegrityError, connection
from django.db.models import Max, QuerySet
from django.utils import timezone

from backend.accounts.actor import Actor
from backend.accounts.audit.batches import Note, audit_all_later, note_of
from backend.accounts.auth.rate_limits import RATES
from backend.database.ids import new_id
from backend.engine.execution import failpoints
from backend.engine.language.clean import clean
from backend.errors import Conflict, StaleDraft, ValidationFailed
from backend.errors.log_context import request_id, traceparent
from backend.notifications.clients import Hint, notify_clients
from backend.notifications.workers import wake_any_worker
from backend.runs.graphs import input_schema
from backend.runs.log.encoding import decode, iso
from backend.runs.log.rows import read_blobs
from backend.runs.models import TERMINAL, Run
from backend.runs.queue import fairness, inbox
from backend.runs.queue.leases import moment
from backend.runs.starting import input_schemas, storage
from backend.runs.starting.callers import stored_caller
from backend.runs.starting.given_files import covers, with_files
from backend.runs.starting.storing import NewRun, store, store_all
from backend.workflows.models import Workflow
from backend.workflows.selectors import RunnableGraph, runnable_graph

RATE_WINDOW_S = 15
AFTER_S = 0.001
"""By so much a turn of a conversation comes after the one before it in the queue."""
_OF_STRANGERS = frozenset({"page"})
"""Triggers that anybody may pull: which trace their runs belong to is not theirs to say."""
_MOVING = ("state", "outputs", "error", "usage", "waiting", "refs", "last_seq")
_MOMENTS = ("started_at", "finished_at")
_REREAD = f"SELECT {', '.join(_MOVING + _MOMENTS)} FROM runs_run WHERE id = %s"  # noqa: S608 - our own columns
"""Columns that change while a run lives; every answer that waited for a run reads them."""


@dataclass(frozen=True, slots=True)
class Cause:
    """The trigger that starts a run where no person presses anything; it has limits of its own.

    Its idempotency keys give the first run whatever the inputs are. `stored(run)` writes what the trigger keeps of it,
    in the transaction that stores the run. `one_at_a_time` = the run begins only when the trigger's run before it has
    ended, where its document says nothing else of that. `conversation` = of which the run is a turn: it begins only
    when the turns before it have ended, and a person's limits of starts hold for it unless it has `own_limits`.
    `origin` = the run of the turn that it is another version of. `document` = what the run takes of the
    workflow, where the trigger has read it. `name` = the trigger's, where nobody but it called.
    """

    kind: str
    id: str
    stored: Callable[[Run], None]
    one_at_a_time: bool = False
    conversation: str = ""
    origin: Run | None = None
    own_limits: bool = False
    document: RunnableGraph | None = None
    name: str = ""


def start_run(
    actor: Actor,
    workflow: Workflow,
    inputs: dict[str, Any] | None = None,
    version: int | str | None = None,
    revision: int | None = None,
    idempotency_key: str | None = None,
    cause: Cause | None = None,
    run_id: str | None = None,
    until: str | None = None,
    outputs: dict[str, Any] | None = None,
    via: str | None = None,
    through: str = "",
) -> tuple[Run, bool]:
    """(run, whether it is new) of a workflow's published version, of version `n`, or of the draft ("draft").

    `cause` None = by a person in the browser ("manual") or with a token ("api"), or through the door that `via` names,
    of which `through` is the id where there are several. In a caller's transaction what it raises undoes all of that,
    but where the caller has a savepoint around it.
    The same `idempotency_key` gives the same run. `run_id` = an id made before, to wait for. `until` = of the draft
    only this node and what is upstream of it; with `outputs` = {node: what it gave} that node alone. Raises
    NotPublished, StaleDraft, GraphInvalid, ServerNotApproved, ValidationFailed (`inputs.<name>`, `until`, `outputs`),
    RateLimited, WorkflowBusy, Forbidden, Conflict (the key was used for other inputs; a conversation that is busy).
    """
    actor.require("editor")
    given = {} if inputs is None else clean(inputs)
    if idempotency_key:
        before = _earlier(workflow, idempotency_key, given, cause)
        if before is not None:
            return before, False
    storage.require_room()
    gave = None if outputs is None else clean(outputs)
    read = cause.document if cause is not None else None
    document = read or runnable_graph(actor, workflow, version, until, gave)
    _refuse_stale(workflow, revision, document)
    start = prepared(actor, workflow, document, given, cause, via, run_id)
    run = start.run
    run.idempotency_key = idempotency_key or None
    run.trigger_id = run.trigger_id or through
    try:
        with inbox.durable_transaction(savepoint=bool(idempotency_key)):
            _store_start(start)
    except IntegrityError:
        if idempotency_key and (before := _earlier(workflow, idempotency_key, given, cause)) is not None:
            return before, False
        raise
    return run, True


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run that may start and is not stored yet: its row, its document's text, its inputs as they were checked."""

    actor: Actor
    run: Run
    graph: str
    inputs: dict[str, Any]
    cause: Cause | None


def prepared(
    actor: Actor,
    workflow: Workflow,
    document: RunnableGraph,
    inputs: dict[str, Any],
    cause: Cause | None,
    via: str | None = None,
    run_id: str | None = None,
) -> Prepared:
    """A run of this document, in the name of an editor; `run_id` = an id made before. Raises ValidationFailed
    (`inputs.<name>`)."""
    filled = checked_inputs(input_schema(document.text), inputs, actor.team.id)
    return Prepared(actor, _queued(actor, workflow, document, cause, via, run_id), document.text, filled, cause)


def _refuse_stale(workflow: Workflow, revision: int | None, document: RunnableGraph) -> None:
    """The page that starts a draft has seen another one than is saved."""
    if revision is not None and document.revision is not None and revision != document.revision:
        raise StaleDraft(detail=_saved_by(workflow))


def _queued(
    actor: Actor,
    workflow: Workflow,
    document: RunnableGraph,
    cause: Cause | None,
    via: str | None,
    run_id: str | None,
) -> Run:
    """The row of a run of this document, not stored yet."""
    by = cause.kind if cause else via or ("manual" if actor.token is None else "api")
    now = timezone.now()
    run = Run.new(
        id=run_id or new_id("run"),
        version=document.version,
        draft_revision=document.revision,
        trigger=by,
        trigger_id=cause.id if cause else "",
        request_id=request_id(),
        traceparent=traceparent() if by not in _OF_STRANGERS else "",
        **stored_caller(actor, cause.name if cause else "")._asdict(),
        queued_at=now,
        turn=fairness.turn_of(now, by, actor.token is not None),
        last_seq=1,
    )
    run.team, run.workflow, run.started_by = actor.team, workflow, actor.user
    if cause is not None:
        _of_cause(run, cause)
    return run


def _store_start(start: Prepared) -> None:
    """Count the start and write the run down with all that tells of it, in the caller's transaction."""
    run, cause = start.run, start.cause
    if cause is None or (cause.conversation and not cause.own_limits):
        check_start_rate(start.actor)
    store(run, start.graph, start.inputs)
    if run.conversation and run.concurrency != run.conversation:
        _refuse_busy(run)
    _tell_of([start])
    wake_any_worker(run.id)


def store_starts(starts: Sequence[Prepared]) -> None:
    """Write down runs that triggers start, in the caller's transaction, with few statements for all of them.

    None is a turn of a conversation, and no document says how many runs may go on at once. Workers are not told.
    """
    if starts:
        store_all([NewRun(start.run, start.graph, start.inputs) for start in starts])
        _tell_of(starts)


def _tell_of(starts: Sequence[Prepared]) -> None:
    """The triggers and the audit trail, and after the commit pages."""
    for start in starts:
        if start.cause is not None:
            start.cause.stored(start.run)
    audit_all_later([_deed(start) for start in starts])
    for start in starts:
        run = start.run
        hint: Hint = {"kind": "run", "id": run.id, "state": run.state, "change": "created"}
        notify_clients(f"team:{run.team_id}", hint)
    failpoints.hit("start.uncommitted")


def _deed(start: Prepared) -> Note:
    run = start.run
    facts = {"name": run.workflow.name, "workflow": run.workflow_id, "version": run.version}
    if start.cause is not None:
        facts["trigger"] = start.cause.id
    return note_of(start.actor, "run.started", "run", run.id, **facts)


def _of_cause(run: Run, cause: Cause) -> None:
    if cause.one_at_a_time or cause.conversation:
        run.concurrency, run.concurrency_limit = cause.conversation or cause.id, 1
    run.conversation, run.origin_run = cause.conversation, cause.origin
    if cause.conversation:  # whoever sent them, and however: in the order in which they were sent
        before = _going_in(cause.conversation).aggregate(latest=Max("turn"))["latest"]
        run.turn = max(run.turn, before + AFTER_S) if before is not None else run.turn


def _going_in(conversation: str) -> QuerySet[Run]:
    return Run.objects.filter(conversation=conversation, conversation__gt="").exclude(state__in=TERMINAL)


def _refuse_busy(run: Run) -> None:
    """Its document says how many runs go on at once, so it cannot wait for its conversation too."""
    others = _going_in(run.conversation).exclude(pk=run.pk)
    if (other := others.values_list("pk", flat=True).first()) is not None:
        raise Conflict(params={"reason": "conversation_busy"}, detail={"run": other})


def _saved_by(workflow: Workflow) -> dict[str, Any]:
    by = workflow.draft_by.email if workflow.draft_by else None
    return {"revision": workflow.revision, "by": by, "at": iso(workflow.draft_at.timestamp())}


def _earlier(workflow: Workflow, key: str, inputs: dict[str, Any], cause: Cause | None) -> Run | None:
    run = Run.objects.filter(workflow=workflow, idempotency_key=key).first()
    if run is None or cause is not None:
        return run
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
