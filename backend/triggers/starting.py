"""A trigger starts a run: in one transaction with the delivery that says so, in the name of whom it acts as."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.utils import timezone

from backend.accounts.actor import Actor
from backend.database.bulk_insert import insert_many
from backend.engine.execution import failpoints
from backend.errors import PatchbayError
from backend.files.services import blob_store
from backend.json_types import JsonObject, JsonValue
from backend.notifications.clients import notify_team
from backend.runs.graphs import input_schema
from backend.runs.log.encoding import INLINE_LIMIT, decode, encode
from backend.runs.models import Run
from backend.runs.starting.services import Cause, start_run
from backend.triggers.expressions import rendered
from backend.triggers.models import Delivery, Trigger
from backend.workflows.selectors import RunnableGraph, runnable_graph


@dataclass(frozen=True, slots=True)
class Occasion:
    """What a trigger starts a run for. `request` = what came, as expressions see it and as it is kept."""

    request: JsonObject = field(default_factory=dict)
    slot: str | None = None
    key: str | None = None
    replay_of: str = ""


def start(
    trigger: Trigger,
    actor: Actor,
    inputs: JsonObject,
    occasion: Occasion,
    *,
    status: int = 0,
    one_at_a_time: bool = False,
    run_id: str | None = None,
    document: RunnableGraph | None = None,
) -> tuple[Run, bool]:
    """(run, whether it is new) of the workflow's published version. What came before with the same key is found again.

    `document` = what was read of it. Raises what `start_run` does.
    """
    stored = partial(_started, trigger, occasion, status)
    cause = Cause(trigger.kind, trigger.pk, stored, one_at_a_time, document=document, name=trigger.name)
    key = _run_key(trigger, occasion.key) if occasion.key else None
    run, new = start_run(actor, trigger.workflow, inputs, idempotency_key=key, run_id=run_id, cause=cause)
    if not new:
        note(trigger, occasion, Delivery.Outcome.SAME, status=status, run=run.pk)
    return run, new


def earlier(trigger: Trigger, occasion: Occasion, status: int) -> Run | None:
    """The run that was started before with the occasion's key, which is noted again; None where there is none."""
    if not occasion.key:
        return None
    run = Run.objects.filter(workflow=trigger.workflow_id, idempotency_key=_run_key(trigger, occasion.key)).first()
    if run is not None:
        note(trigger, occasion, Delivery.Outcome.SAME, status=status, run=run.pk)
    return run


def _run_key(trigger: Trigger, key: str) -> str:
    return f"{trigger.pk}:{key}"


def _started(trigger: Trigger, occasion: Occasion, status: int, run: Run) -> None:
    note(trigger, occasion, Delivery.Outcome.STARTED, status=status, run=run.pk)
    failpoints.hit("delivery.uncommitted")


def note(
    trigger: Trigger,
    occasion: Occasion,
    outcome: Delivery.Outcome,
    *,
    status: int = 0,
    run: str = "",
    error: PatchbayError | None = None,
) -> Delivery:
    """Keep what came and what became of it, in the caller's transaction."""
    row = delivery_of(trigger, occasion, outcome, status=status, run=run, error=error)
    keep([row])
    return row


def keep(deliveries: Sequence[Delivery]) -> None:
    """Write down what was delivered, in the caller's transaction, and tell the teams' pages. Raises IntegrityError."""
    insert_many(deliveries)
    for row in deliveries:
        notify_team(row.team_id, "trigger", row.trigger_id, "delivered")


def delivery_of(
    trigger: Trigger,
    occasion: Occasion,
    outcome: Delivery.Outcome,
    *,
    status: int = 0,
    run: str = "",
    error: PatchbayError | None = None,
) -> Delivery:
    """What came and what became of it, as a row that is not stored yet."""
    text = encode(occasion.request)
    large = len(text) * 4 > INLINE_LIMIT and len(text.encode()) > INLINE_LIMIT
    refusal = {"code": error.code, "params": error.params, "fields": error.fields} if error is not None else None
    return Delivery(
        team_id=trigger.team_id,
        trigger=trigger,
        slot=occasion.slot,
        outcome=outcome,
        status=status,
        error=encode(refusal),
        run=run,
        replay_of=occasion.replay_of,
        request="" if large else text,
        blob=blob_store(trigger.team_id, text.encode()) if large else None,
        created_at=timezone.now(),
    )


def request_of(delivery: Delivery) -> JsonObject:
    """What came, in full."""
    text = bytes(delivery.blob.data).decode() if delivery.blob is not None else delivery.request
    request: JsonObject = decode(text) or {}
    return request


# -- inputs -----------------------------------------------------------------------------------------------------------


def schema_of(trigger: Trigger, actor: Actor, version: str | None = None) -> dict[str, Any]:
    """The schema of the inputs of its workflow's published version, or of the draft. Raises NotPublished, …"""
    return input_schema(runnable_graph(actor, trigger.workflow, version).text)


def inputs_of(
    trigger: Trigger, document: RunnableGraph, root: str, scope: JsonObject, named: list[Named]
) -> JsonObject:
    """The inputs of a run of `document`: those that the trigger writes, over `scope` as `root`; else from `named`.

    Raises ValidationFailed (`inputs.<name>`), GraphInvalid.
    """
    config: JsonObject = decode(trigger.config)
    values = config.get("inputs")
    if isinstance(values, dict):
        return rendered(values, {root: scope}, "inputs")
    return by_name(input_schema(document.text), named)


@dataclass(frozen=True, slots=True)
class Named:
    """Values that inputs are taken from by name. `texts` = all are texts, so numbers and switches are read of them."""

    values: Mapping[str, JsonValue]
    texts: bool = False


def by_name(schema: Mapping[str, Any], named: list[Named]) -> JsonObject:
    """Of each input of the schema the first value of its name."""
    properties = schema.get("properties")
    inputs: JsonObject = {}
    for name, about in (properties if isinstance(properties, dict) else {}).items():
        for source in named:
            if name in source.values:
                value = source.values[name]
                inputs[name] = _read(value, about) if source.texts else value
                break
    return inputs


def _read(value: JsonValue, about: Any) -> JsonValue:
    """A text as the number, switch or list that the schema asks for; as it is where it is none."""
    kind = about.get("type") if isinstance(about, dict) else None
    if kind == "array" and isinstance(value, str):
        return [value]
    if not isinstance(value, str) or len(value) > 40:
        return value
    if kind == "boolean" and value.lower() in {"true", "false", "on", "off", "1", "0"}:
        return value.lower() in {"true", "on", "1"}
    try:
        if kind == "integer":
            return int(value)
        return float(value) if kind == "number" else value
    except ValueError:
        return value
