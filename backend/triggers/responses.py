"""What the API answers about triggers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypedDict

from django.conf import settings
from django.db.models import OuterRef, QuerySet, Subquery

from backend.accounts.described import Choices, Help, Timestamp
from backend.database.clock import CLOCK
from backend.errors.catalogue import text_for
from backend.runs.log.encoding import decode, iso
from backend.runs.models import RunState
from backend.runs.responses import moment
from backend.runs.waits import GONE, Standing, WaitsJson, standings
from backend.triggers.kinds.chat import ChatConfigJson
from backend.triggers.kinds.event import EventConfigJson
from backend.triggers.kinds.page import PageConfigJson
from backend.triggers.kinds.schedule import ScheduleConfigJson
from backend.triggers.kinds.webhook import WebhookConfigJson
from backend.triggers.masking import SHOWN, Most, masked
from backend.triggers.models import Delivery, Trigger
from backend.triggers.services import NewTrigger, next_times


class DeliveryErrorJson(TypedDict):
    """Why a delivery led to no run."""

    code: str
    message: str
    hint: str
    fields: dict[str, list[str]]


class LastDeliveryJson(WaitsJson):
    """What a trigger did last, and how its run stands."""

    at: Timestamp
    outcome: Annotated[str, Choices(Delivery.Outcome.choices)]
    run: str | None
    run_state: Annotated[str, Choices(RunState.choices)] | None


class TriggerJson(TypedDict):
    """What starts a workflow's published version without a person."""

    id: str
    workflow: str
    workflow_name: str
    kind: Annotated[str, Choices(Trigger.Kind.choices)]
    name: str
    enabled: bool
    config: WebhookConfigJson | ScheduleConfigJson | EventConfigJson | ChatConfigJson | PageConfigJson
    acts_as: Annotated[
        str | None,
        Help(
            "E-mail of the member who switched it on; its runs go in their name. Of a chat and of a members' page null."
        ),
    ]
    off_reason: Annotated[
        Annotated[str, Choices(Trigger.Off.choices)] | None, Help("Why it is off though nobody switched it off.")
    ]
    off_at: Timestamp | None
    address_end: Annotated[str | None, Help("The last characters of a webhook's address, or of a page's link.")]
    next_at: Timestamp | None
    next: Annotated[list[Timestamp], Help("A schedule's next five times; also while it is off.")]
    last: LastDeliveryJson | None
    created_by: str | None
    created_at: Timestamp
    updated_at: Timestamp


class NewTriggerJson(TriggerJson):
    """A trigger that was just made, or that got a new address."""

    url: Annotated[str | None, Help("A webhook's address, or a page's secret link: it is shown this once.")]


class TriggerListJson(TypedDict):
    """One page of triggers, newest first."""

    results: list[TriggerJson]
    next: str | None


class DeliveryJson(WaitsJson):
    """One time that a trigger was called, due or met."""

    id: str
    at: Timestamp
    slot: Annotated[str | None, Help("The moment of a schedule, or the name of what happened.")]
    outcome: Annotated[str, Choices(Delivery.Outcome.choices)]
    status: Annotated[int | None, Help("What a webhook's caller, or who sent a page, was answered at once.")]
    error: DeliveryErrorJson | None
    run: str | None
    run_state: Annotated[str, Choices(RunState.choices)] | None
    replay_of: str | None
    request: Annotated[dict[str, Any] | None, Help("What came, masked; null where it is large.")]
    size: Annotated[int | None, Help("Bytes of what came, where it is large.")]


class DeliveryListJson(TypedDict):
    """One page of deliveries, newest first."""

    results: list[DeliveryJson]
    next: str | None


def with_last(rows: QuerySet[Trigger]) -> QuerySet[Trigger]:
    """The triggers with the id of what each did last."""
    newest = Delivery.objects.filter(trigger=OuterRef("pk")).order_by("-created_at", "-pk")
    return rows.annotate(last_delivery=Subquery(newest.values("pk")[:1]))


def shapes(triggers: list[Trigger]) -> list[TriggerJson]:
    """The triggers as the API shows them; rows of `with_last`."""
    keys = [key for row in triggers if (key := getattr(row, "last_delivery", None))]
    columns = ("pk", "trigger_id", "created_at", "outcome", "run")
    last = {row[1]: row for row in Delivery.objects.filter(pk__in=keys).values_list(*columns)}
    runs = standings(row[4] for row in last.values())
    return [_shape(row, last.get(row.pk), runs) for row in triggers]


def shape(trigger: Trigger) -> TriggerJson:
    """One trigger."""
    newest = Delivery.objects.filter(trigger=trigger).order_by("-created_at", "-pk")
    row = newest.values_list("pk", "trigger_id", "created_at", "outcome", "run").first()
    return _shape(trigger, row, standings([row[4]] if row else ()))


def _shape(trigger: Trigger, last: tuple[Any, ...] | None, runs: dict[str, Standing]) -> TriggerJson:
    config = decode(trigger.config)
    return {
        "id": trigger.pk,
        "workflow": trigger.workflow_id,
        "workflow_name": trigger.workflow.name,
        "kind": trigger.kind,
        "name": trigger.name,
        "enabled": trigger.enabled,
        "config": config,
        "acts_as": trigger.acts_as.email if trigger.acts_as else None,
        "off_reason": trigger.off_reason or None,
        "off_at": moment(trigger.off_at),
        "address_end": trigger.token_end or None,
        "next_at": iso(trigger.next_at) if trigger.next_at is not None else None,
        "next": _next(trigger, config),
        "last": _last(last, runs) if last else None,
        "created_by": trigger.created_by.email if trigger.created_by else None,
        "created_at": moment(trigger.created_at),
        "updated_at": moment(trigger.updated_at),
    }


def _next(trigger: Trigger, config: Any) -> list[Timestamp]:
    if trigger.kind != Trigger.Kind.SCHEDULE:
        return []
    now = CLOCK.now()
    times = next_times(config, now, trigger.since or now)
    return [iso(time.timestamp()) for time in times]


def _last(row: tuple[Any, ...], runs: dict[str, Standing]) -> LastDeliveryJson:
    _, _, at, outcome, run = row
    state, waits = runs.get(run, GONE)
    return {"at": moment(at), "outcome": outcome, "run": run or None, "run_state": state, **waits}


def new_trigger_json(created: NewTrigger) -> NewTriggerJson:
    """A trigger with its address, this once."""
    way = "p" if created.trigger.kind == Trigger.Kind.PAGE else "hooks"
    url = f"{settings.PUBLIC_URL}/{way}/{created.token}" if created.token else None
    return {**shape(created.trigger), "url": url}


def delivery_shapes(deliveries: Sequence[Delivery], language: str, most: Most = SHOWN) -> list[DeliveryJson]:
    """Deliveries as the API shows or exports them."""
    runs = standings(row.run for row in deliveries)
    return [_delivery(row, runs.get(row.run, GONE), language, most) for row in deliveries]


def _delivery(row: Delivery, run: Standing, language: str, most: Most) -> DeliveryJson:
    return {
        "id": row.pk,
        "at": moment(row.created_at),
        "slot": row.slot,
        "outcome": row.outcome,
        "status": row.status or None,
        "error": _error(decode(row.error), language),
        "run": row.run or None,
        "run_state": run.state,
        **run.waits,
        "replay_of": row.replay_of or None,
        "request": masked(decode(row.request), most) if row.request else None,
        "size": getattr(row, "size", None),
    }


def _error(error: Any, language: str) -> DeliveryErrorJson | None:
    if not error:
        return None
    message, hint = text_for(error["code"], error["params"], language)
    return {"code": error["code"], "message": message, "hint": hint, "fields": error["fields"]}
