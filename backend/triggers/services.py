"""Writes on triggers: make, change, switch on and off, delete, a new address, a try, a replay; all are audited."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from backend.accounts.actor import Actor
from backend.accounts.audit.trail import audit, changed
from backend.accounts.auth.tokens import hashed
from backend.accounts.models import Team
from backend.database.clock import CLOCK
from backend.errors import Conflict, ValidationFailed
from backend.json_types import JsonObject
from backend.notifications.clients import notify_team
from backend.runs.conversations.turns import inputs_for
from backend.runs.graphs import input_schema
from backend.runs.log.encoding import decode, encode, iso
from backend.runs.models import Run
from backend.runs.queue.due_work import DUE
from backend.runs.queue.inbox import durable_transaction
from backend.runs.starting.services import start_run
from backend.secrets.models import Secret
from backend.triggers.kinds import chat, event, page, schedule, webhook
from backend.triggers.kinds.roles import ROLES
from backend.triggers.kinds.table import READ
from backend.triggers.lifecycle import erase_triggers
from backend.triggers.models import Delivery, Trigger
from backend.triggers.starting import Named, Occasion, inputs_of, request_of, start
from backend.triggers.switching import acting
from backend.triggers.webhook.delivering import named_of
from backend.workflows.models import Workflow
from backend.workflows.selectors import RunnableGraph, known, runnable_graph

TOKEN_BYTES = 32
SHOWN = 4
"""Characters of an address's token that stay visible."""
NEXT = 5
"""How many of a schedule's next times are shown."""


@dataclass(frozen=True, slots=True)
class NewTrigger:
    """A trigger that was just made, or got a new address: `token` is shown this once."""

    trigger: Trigger
    token: str | None = None


def read_config(actor: Actor, kind: str, data: JsonObject) -> JsonObject:
    """The configuration with its defaults. Raises ValidationFailed (`config.…`): also what it names is not there."""
    config = READ[kind](data)
    name = webhook.secret_of(config) if kind == Trigger.Kind.WEBHOOK else None
    if name is not None and not Secret.objects.filter(team=actor.team, name=name).exists():
        raise ValidationFailed(fields={"config.verify.secret": ["is not a secret of the team"]})
    if kind == Trigger.Kind.EVENT:
        workflows: Any = config["workflows"]
        config["workflows"] = list(dict.fromkeys(workflows))
        if missing := sorted(set(workflows) - known(actor.team, workflows)):
            raise ValidationFailed(fields={"config.workflows": [f"has no workflow {missing[0][:40]}"]})
    return config


@transaction.atomic
def trigger_create(
    actor: Actor, workflow: Workflow, kind: str, name: str, enabled: bool, data: JsonObject
) -> NewTrigger:
    """A new trigger of a workflow. Raises Forbidden, ValidationFailed, Conflict (as many as a team may have)."""
    actor.require(ROLES[kind])
    config = read_config(actor, kind, data)
    _require_room(actor)
    trigger = Trigger(
        team=actor.team, workflow=workflow, kind=kind, name=name, config=encode(config), created_by=actor.user
    )
    token = _new_token(trigger) if has_address(trigger) else None
    if enabled:
        _switch_on(actor, trigger)
    trigger.save(force_insert=True)
    facts: dict[str, Any] = {"name": name, "kind": kind, "workflow": workflow.pk, "enabled": enabled}
    audit(actor, "trigger.created", "trigger", trigger.pk, changes=changed({}, {"config": config}), **facts)
    _tell(trigger, "created")
    return NewTrigger(trigger, token)


def _require_room(actor: Actor) -> None:
    Team.objects.select_for_update().get(pk=actor.team.pk)  # one at a time: two would both see room
    most = settings.PATCHBAY.triggers_per_team
    if 0 < most <= Trigger.objects.filter(team=actor.team).count():
        raise Conflict(params={"reason": "trigger_limit", "limit": most})


@transaction.atomic
def trigger_update(actor: Actor, trigger: Trigger, changes: dict[str, Any]) -> Trigger:
    """Change name, configuration or whether it is on. Who switches it on is whom it acts as from then on.

    Raises Forbidden, ValidationFailed, Conflict (a schedule without a time that lies ahead).
    """
    actor.require(ROLES[trigger.kind])
    row = _locked(trigger)
    before = _facts(row)
    if "name" in changes:
        row.name = changes["name"]
    if "config" in changes:
        config = read_config(actor, row.kind, {**decode(row.config), **changes["config"]})
        if row.kind == Trigger.Kind.PAGE:
            page.require_same_access(decode(row.config), config)
        row.config = encode(config)
    enabled = changes.get("enabled", row.enabled)
    if changes.get("enabled") or (row.enabled and "config" in changes):
        _switch_on(actor, row)
    elif not enabled and row.enabled:
        row.enabled, row.next_at = False, None
        row.off_reason, row.off_at = "", None
    row.save()
    action = "trigger.changed"
    if before["enabled"] != row.enabled:
        action = "trigger.switched_on" if row.enabled else "trigger.switched_off"
    facts: dict[str, Any] = {"name": row.name, "kind": row.kind}
    audit(actor, action, "trigger", row.pk, changes=changed(before, _facts(row)), **facts)
    _tell(row, "updated")
    return row


def _locked(trigger: Trigger) -> Trigger:
    rows = Trigger.objects.select_related("workflow", "acts_as", "created_by").defer("workflow__draft")
    return rows.select_for_update(of=("self",)).get(pk=trigger.pk)


def _facts(trigger: Trigger) -> dict[str, Any]:
    acts_as = trigger.acts_as.email if trigger.acts_as else None
    config = decode(trigger.config)
    return {"name": trigger.name, "enabled": trigger.enabled, "acts_as": acts_as, "config": config}


def _switch_on(actor: Actor, trigger: Trigger) -> None:
    """On, in the name of who does it. What happened before does not count."""
    now = CLOCK.now()
    trigger.enabled, trigger.acts_as = True, None if acts_as_visitor(trigger) else actor.user
    trigger.off_reason, trigger.off_at, trigger.enabled_at = "", None, timezone.now()
    trigger.since, trigger.next_at = now, None
    if trigger.kind == Trigger.Kind.SCHEDULE:
        times = next_times(decode(trigger.config), now, now, 1)
        if not times:
            raise Conflict(params={"reason": "trigger_over"}, fields={"config": ["names no time that lies ahead"]})
        trigger.next_at = times[0].timestamp()
    elif trigger.kind == Trigger.Kind.EVENT:
        from backend.triggers.event.happenings import states_now

        trigger.seen = encode(states_now(decode(trigger.config)["on"], trigger.team_id))


def has_address(trigger: Trigger) -> bool:
    """Whether it is called at an address that is kept as a hash: a webhook, a page by a secret link."""
    if trigger.kind == Trigger.Kind.PAGE:
        return page.by_link(decode(trigger.config))
    return trigger.kind == Trigger.Kind.WEBHOOK


def acts_as_visitor(trigger: Trigger) -> bool:
    """Whether each of its runs goes in the name of whoever asks for it: a chat, a page for members."""
    if trigger.kind == Trigger.Kind.PAGE:
        return not page.by_link(decode(trigger.config))
    return trigger.kind == Trigger.Kind.CHAT


def next_times(config: JsonObject, after: float, anchor: float, most: int = NEXT) -> list[datetime]:
    """The next times of a schedule."""
    from backend.triggers.schedule.slots import next_slots

    return next_slots(config, datetime.fromtimestamp(after, UTC), datetime.fromtimestamp(anchor, UTC), most)


def _tell(trigger: Trigger, change: str) -> None:
    notify_team(trigger.team_id, "trigger", trigger.pk, change)
    if trigger.enabled:
        transaction.on_commit(DUE.ring)


@transaction.atomic
def trigger_delete(actor: Actor, trigger: Trigger) -> None:
    """Delete a trigger with its deliveries; its runs stay."""
    actor.require(ROLES[trigger.kind])
    erase_triggers([trigger.pk])
    audit(actor, "trigger.deleted", "trigger", trigger.pk, name=trigger.name, kind=trigger.kind)
    _tell(trigger, "deleted")


@transaction.atomic
def trigger_rotate(actor: Actor, trigger: Trigger) -> NewTrigger:
    """Give it another address; the one before ends at once. Raises Forbidden, Conflict (it has none)."""
    actor.require(ROLES[trigger.kind])
    if not has_address(trigger):
        raise Conflict(params={"reason": "trigger_kind"})
    row = _locked(trigger)
    token = _new_token(row)
    row.save(update_fields=["token_hash", "token_end", "updated_at"])
    audit(actor, "trigger.rotated", "trigger", row.pk, name=row.name)
    _tell(row, "updated")
    return NewTrigger(row, token)


def _new_token(trigger: Trigger) -> str:
    token = secrets.token_urlsafe(TOKEN_BYTES)
    trigger.token_hash, trigger.token_end = hashed(token), token[-SHOWN:]
    return token


# -- runs that a person asks for --------------------------------------------------------------------------------------


def delivery_replay(actor: Actor, trigger: Trigger, delivery: Delivery) -> Run:
    """Start a run of the published version for what came then, under a new key.

    Raises Conflict (it is off; a chat; a page whose runs go in the names of members, or that is a chat).
    """
    actor.require("editor")
    if trigger.kind == Trigger.Kind.CHAT:
        raise Conflict(params={"reason": "trigger_chat"})
    if trigger.kind == Trigger.Kind.PAGE and (acts_as_visitor(trigger) or _is_chat_page(trigger)):
        raise Conflict(params={"reason": "trigger_page"})
    member = acting(trigger) if trigger.enabled else None
    if member is None:
        raise Conflict(params={"reason": "trigger_off"})
    request = request_of(delivery)
    with durable_transaction():
        document = runnable_graph(member, trigger.workflow, None)
        inputs = _inputs(trigger, document, request)
        run, _ = start(trigger, member, inputs, Occasion(request, replay_of=delivery.pk), document=document)
        audit(actor, "trigger.replayed", "trigger", trigger.pk, name=trigger.name, delivery=delivery.pk, run=run.pk)
    return run


def trigger_test(actor: Actor, trigger: Trigger, delivery: Delivery | None, given: JsonObject | None) -> Run:
    """Start a run of the draft, in the name of who asks, for a delivery, for what is `given`, or for a sample.

    Raises what `start_run` does.
    """
    actor.require("editor")
    request = given if given is not None else request_of(delivery) if delivery is not None else sample(trigger)
    inputs = _inputs(trigger, runnable_graph(actor, trigger.workflow, "draft"), request)
    return start_run(actor, trigger.workflow, inputs, "draft")[0]


def sample(trigger: Trigger) -> JsonObject:
    """What a trigger of this kind could be given."""
    value: Any
    if trigger.kind == Trigger.Kind.WEBHOOK:
        value = webhook.sample()
    elif trigger.kind == Trigger.Kind.SCHEDULE:
        value = schedule.sample(iso(CLOCK.now()))
    elif trigger.kind == Trigger.Kind.CHAT:
        value = chat.sample()
    elif trigger.kind == Trigger.Kind.PAGE:
        value = page.sample()
    else:
        value = {"event": event.sample(decode(trigger.config))}
    sampled: JsonObject = value
    return sampled


def _is_chat_page(trigger: Trigger) -> bool:
    return trigger.kind == Trigger.Kind.PAGE and decode(trigger.config)["show"] == "chat"


def _inputs(trigger: Trigger, document: RunnableGraph, request: JsonObject) -> JsonObject:
    """The inputs that what came makes, of the published version or of the draft."""
    if trigger.kind == Trigger.Kind.WEBHOOK:
        return inputs_of(trigger, document, "request", request, named_of(request))
    if trigger.kind == Trigger.Kind.SCHEDULE:
        return inputs_of(trigger, document, "schedule", request, [])
    if trigger.kind == Trigger.Kind.CHAT or _is_chat_page(trigger):
        return inputs_for(input_schema(document.text), str(request.get("text") or ""), [], [])
    if trigger.kind == Trigger.Kind.PAGE:
        inputs = request.get("inputs")
        return dict(inputs) if isinstance(inputs, dict) else {}
    about = request.get("event")
    facts: JsonObject = about if isinstance(about, dict) else {}
    return inputs_of(trigger, document, "event", facts, [Named({**facts, "event": facts})])
