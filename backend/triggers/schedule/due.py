"""Takes what schedules are due: the slot, its run and the next time in one transaction, so a slot starts once.

The reapers of all workers call it; rows that another one holds are passed over, and the database keeps a slot from
being written twice. What is due is compared by the database's clock, and a slot is only ever followed by a later one,
so a clock that is set back starts nothing again.
"""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db import DatabaseError, IntegrityError, InterfaceError, connection, transaction
from django.db.models import Prefetch, QuerySet
from django.db.models.expressions import RawSQL

from backend.accounts.actor import Actor
from backend.database.bulk_insert import execute_each
from backend.database.clock import CLOCK
from backend.engine.execution import failpoints
from backend.engine.language.clean import clean
from backend.errors import InternalError, PatchbayError, StorageFull, StorageReadOnly
from backend.json_types import JsonObject
from backend.notifications.workers import wake_any_worker
from backend.runs.graphs import concurrency_of
from backend.runs.log.encoding import decode, iso
from backend.runs.models import Run
from backend.runs.queue.inbox import durable_transaction
from backend.runs.starting import storage
from backend.runs.starting.services import Cause, Prepared, prepared, store_starts
from backend.triggers.models import Delivery, Trigger
from backend.triggers.schedule.slots import last_slots, next_slot
from backend.triggers.selectors import unfinished_runs_of
from backend.triggers.starting import Occasion, delivery_of, inputs_of, keep, start
from backend.triggers.switching import MOST_FAILURES, Acting, switch_off_if_failing
from backend.workflows.models import Workflow
from backend.workflows.selectors import RunnableGraph, runnable_graph

log = logging.getLogger(__name__)

MOST_AT_ONCE = 100
"""Schedules that one transaction takes: it is as durable as one commit, and holds nobody up for long."""
LONGEST_S = 1.0
"""For so long one look goes on with it."""
GRACE_S = 60.0
"""A slot that is later than this was missed."""
MOST_MISSED = 100
_SEEN = (
    "SELECT COUNT(*) FROM "
    "(SELECT 1 FROM triggers_delivery WHERE triggers_delivery.trigger_id = triggers_trigger.id LIMIT %s) AS few"
)
"""Of how many deliveries a schedule knows, counted no further than to where so many failures switch it off."""


def take() -> bool:
    """Take what is due; whether there may be more. Raises StorageFull, StorageReadOnly.

    Workers are told when all is taken: what is due together is on the disk before any of it runs.
    """
    until, runs = time.monotonic() + LONGEST_S, list[str]()
    try:
        while (some := _take_some()) is not None:
            runs += some
            if time.monotonic() >= until:
                return True
    finally:
        for run in runs:
            wake_any_worker(run)
    return False


def _take_some() -> list[str] | None:
    """Take the next ones; gives the runs of which no worker was told. None where there was none to take."""
    now = CLOCK.now()
    due = Trigger.objects.filter(enabled=True, next_at__lte=now)
    if not due.exists():
        return None
    storage.require_room()
    with durable_transaction():
        triggers = _held(due)
        runs = _Sweep(triggers, moment_of(now)).take()
        failpoints.hit("slot.uncommitted")
    return runs if triggers else None


def _held(due: QuerySet[Trigger]) -> list[Trigger]:
    """The next of them that no other reaper holds, with what their runs need; what they share is read once."""
    workflows = Prefetch("workflow", Workflow.objects.defer("draft"))
    rows = due.prefetch_related(workflows, "acts_as", "team")
    rows = rows.annotate(deliveries_seen=RawSQL(_SEEN, [MOST_FAILURES]))  # noqa: S611 - no text of anybody's
    rows = rows.select_for_update(skip_locked=connection.vendor == "postgresql")
    return list(rows.order_by("next_at")[:MOST_AT_ONCE])


def until_next() -> float | None:
    """Seconds until the next slot; None where there is none."""
    rows = Trigger.objects.filter(enabled=True, next_at__isnull=False).order_by("next_at")
    next_at = rows.values_list("next_at", flat=True).first()
    return None if next_at is None else max(next_at - CLOCK.now(), 0.0)


@dataclass(frozen=True, slots=True)
class _Due:
    """What becomes of a schedule that is due: the slot that starts a run, the first that was missed, the next."""

    slot: datetime | None
    missed: datetime | None
    following: datetime | None


def _due(config: JsonObject, trigger: Trigger, now: datetime) -> _Due:
    assert trigger.next_at is not None  # noqa: S101 - it was asked for
    first, anchor = moment_of(trigger.next_at), moment_of(trigger.since)
    every = config["missed"] == "all"
    slots = last_slots(config, first, now, anchor, MOST_MISSED if every else 1) or [first]
    slot: datetime | None = slots[0]
    missed = first if slot != first else None
    if config["missed"] == "none" and (now - slots[0]).total_seconds() > GRACE_S:
        slot, missed = None, first
    following = slots[1] if len(slots) > 1 else next_slot(config, max(slots[-1], first), anchor)
    return _Due(slot, missed, following)


def moment_of(at: float) -> datetime:
    """Epoch seconds as a time."""
    return datetime.fromtimestamp(at, UTC)


@dataclass(frozen=True, slots=True)
class _Taken:
    """What a slot came to: a run that is `start`ed, or why there is none."""

    trigger: Trigger
    occasion: Occasion
    outcome: Delivery.Outcome
    start: Prepared | None = None
    error: PatchbayError | None = None


class _Sweep:
    """Schedules that are taken in one transaction: looked at one by one, written down together."""

    def __init__(self, triggers: list[Trigger], now: datetime) -> None:
        self._triggers, self._now = triggers, now
        self._acting = Acting()
        self._documents: dict[tuple[str, str, str], RunnableGraph | PatchbayError] = {}
        self._taken: list[_Taken] = []
        self._configs: dict[str, JsonObject] = {row.pk: decode(row.config) for row in triggers}
        # read now that nobody else starts any: whoever held one of these before has committed
        exclusive = [row.pk for row in triggers if self._configs[row.pk]["overlap"] != "allow"]
        self._unfinished = unfinished_runs_of(exclusive, 2)

    def take(self) -> list[str]:
        """Start the runs of what is due, note what was missed, and set the next times; gives the runs."""
        following = [(self._look_at(trigger), trigger.pk) for trigger in self._triggers]
        self._write()
        execute_each("UPDATE triggers_trigger SET next_at = %s WHERE id = %s AND enabled", following)
        return [taken.start.run.pk for taken in self._taken if taken.start is not None]

    def _look_at(self, trigger: Trigger) -> float | None:
        """Take what one schedule is due; gives its next time."""
        due = _due(self._configs[trigger.pk], trigger, self._now)
        if due.slot is not None:
            self._start(trigger, due.slot)
        if due.missed is not None:
            at = iso(due.missed.timestamp())
            self._taken.append(_Taken(trigger, Occasion({"at": at}, slot=f"{at}/missed"), Delivery.Outcome.MISSED))
        return due.following.timestamp() if due.following is not None else None

    def _start(self, trigger: Trigger, slot: datetime) -> None:
        """Prepare the run of a slot, or say why there is none."""
        actor = self._acting.of(trigger)
        if actor is None or (trigger.deliveries_seen >= MOST_FAILURES and switch_off_if_failing(trigger)):  # type: ignore[attr-defined]  # annotated
            return
        config = self._configs[trigger.pk]
        request: JsonObject = {"at": iso(slot.timestamp()), "timezone": config["timezone"]}
        occasion = Occasion(request, slot=str(request["at"]))
        if self._unfinished.get(trigger.pk, 0) >= (2 if config["overlap"] == "queue" else 1):
            self._taken.append(_Taken(trigger, occasion, Delivery.Outcome.SKIPPED))
            return
        try:
            self._prepare(trigger, actor, occasion, one_at_a_time=config["overlap"] == "queue")
        except (StorageFull, StorageReadOnly, DatabaseError, InterfaceError):
            raise
        except PatchbayError as error:
            self._taken.append(_Taken(trigger, occasion, Delivery.Outcome.FAILED, error=error))
        except Exception:  # the reaper goes on with the others
            log.exception("%s could not start a run", trigger.pk, extra={"team": trigger.team_id})
            self._taken.append(_Taken(trigger, occasion, Delivery.Outcome.FAILED, error=InternalError()))

    def _prepare(self, trigger: Trigger, actor: Actor, occasion: Occasion, *, one_at_a_time: bool) -> None:
        document = self._document(trigger, actor)
        inputs = inputs_of(trigger, document, "schedule", occasion.request, [])
        if concurrency_of(document.text) is not None:  # whether it may start depends on those that started before
            with suppress(IntegrityError), transaction.atomic():
                start(trigger, actor, inputs, occasion, one_at_a_time=one_at_a_time, document=document)
            return
        cause = Cause(trigger.kind, trigger.pk, _kept_with_the_others, one_at_a_time, name=trigger.name)
        run = prepared(actor, trigger.workflow, document, clean(inputs), cause)
        self._taken.append(_Taken(trigger, occasion, Delivery.Outcome.STARTED, run))

    def _document(self, trigger: Trigger, actor: Actor) -> RunnableGraph:
        """The published version of the trigger's workflow, read and checked once for all that start it."""
        key = (trigger.team_id, actor.user.pk, trigger.workflow_id)
        if key not in self._documents:
            try:
                self._documents[key] = runnable_graph(actor, trigger.workflow, None)
            except PatchbayError as error:
                self._documents[key] = error
        document = self._documents[key]
        if isinstance(document, PatchbayError):
            raise document
        return document

    def _write(self) -> None:
        """Write all down at once; where a slot was taken before, each by itself."""
        try:
            with transaction.atomic():
                _write_down(self._taken)
        except IntegrityError:
            for taken in self._taken:
                try:
                    with transaction.atomic():
                        _write_down([taken])
                except IntegrityError:
                    log.info("%s of %s was taken before", taken.occasion.slot, taken.trigger.pk)


def _kept_with_the_others(run: Run) -> None:
    """The delivery of a run of a sweep is written right after all its runs."""


def _write_down(taken: list[_Taken]) -> None:
    store_starts([item.start for item in taken if item.start is not None])
    keep([_delivery(item) for item in taken])
    failpoints.hit("delivery.uncommitted")


def _delivery(item: _Taken) -> Delivery:
    run = item.start.run.pk if item.start is not None else ""
    return delivery_of(item.trigger, item.occasion, item.outcome, run=run, error=item.error)
