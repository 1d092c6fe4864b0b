"""Somebody writes in a chat: the turn and its run are one transaction, in the name of whoever writes.

A turn goes on from the last one that is shown, or stands beside the one that it `replaces`: tried again as it was, or
with other words. Its run is a run of its own then, whose origin is that turn's; what was said before goes along. A run
begins when those before it in the conversation have ended, however soon it was asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from django.utils import timezone

from backend.accounts.actor import Actor
from backend.database.bulk_insert import insert
from backend.errors import Conflict, Forbidden, NotFound, ValidationFailed
from backend.files.services import files_known
from backend.json_types import JsonObject, JsonValue
from backend.runs.conversations.past import past_up_to
from backend.runs.conversations.turns import head_of, inputs_for, keep_turn, require_room, title_of
from backend.runs.graphs import input_schema
from backend.runs.log.encoding import decode
from backend.runs.models import Conversation, Run, Turn, conversation_id
from backend.runs.queue.inbox import durable_transaction
from backend.runs.starting.services import Cause, start_run
from backend.triggers.chat.selectors import conversations_of, turn_for
from backend.triggers.models import Delivery, Trigger
from backend.triggers.starting import Occasion, note
from backend.workflows.selectors import runnable_graph


@dataclass(frozen=True, slots=True)
class Message:
    """What somebody writes. `text` None = that of the turn that it `replaces`; `conversation` None = a new one."""

    text: str | None = None
    files: list[str] | None = None
    conversation: str | None = None
    replaces: str | None = None
    draft: bool = False
    key: str | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a turn comes: after `parent`, beside `before`."""

    conversation: Conversation
    new: bool
    parent: Turn | None
    before: Turn | None


def require_writer(actor: Actor) -> None:
    """Raise Forbidden, in words about chats, unless the actor may run workflows."""
    try:
        actor.require("editor")
    except Forbidden as error:
        raise Forbidden(params={"reason": "chat", "role": "editor"}) from error


def write(actor: Actor, trigger: Trigger, message: Message) -> Run:
    """Start the run of a message. The same `key` gives the same run.

    Raises NotFound (`conversation`, `replaces`), Conflict (no chat; it is off; the conversation is full or busy),
    ValidationFailed (`text`, `files`, `inputs.<name>`), RateLimited, and what `start_run` does.
    """
    require_writer(actor)
    if trigger.kind != Trigger.Kind.CHAT:
        raise Conflict(params={"reason": "trigger_not_chat"})
    key = f"{trigger.pk}:{actor.user.pk}:{message.key}" if message.key else None
    if key and (run := Run.objects.filter(workflow=trigger.workflow_id, idempotency_key=key).first()) is not None:
        return run
    with durable_transaction():
        place = _place(actor, trigger, message)
        if not place.conversation.draft and not trigger.enabled:
            raise Conflict(params={"reason": "trigger_off"})
        text, files = _text_and_files(actor, message, place.before)
        return start_turn(actor, trigger, place, text, files, key)


def _place(actor: Actor, trigger: Trigger, message: Message) -> Place:
    if message.conversation is None:
        if message.replaces is not None:
            raise ValidationFailed(fields={"replaces": ["needs the conversation"]})
        now = timezone.now()
        row = Conversation(
            id=conversation_id(),
            team=actor.team,
            workflow=trigger.workflow,
            trigger_id=trigger.pk,
            person=actor.user,
            draft=message.draft,
            created_at=now,
            updated_at=now,
        )
        return Place(row, True, None, None)
    rows = conversations_of(actor).filter(trigger_id=trigger.pk, pk=message.conversation)
    conversation = rows.select_for_update(of=("self",)).first()
    if conversation is None:
        raise NotFound
    require_room(conversation)
    if message.replaces is not None:
        before = turn_for(conversation, message.replaces)
        return Place(conversation, False, before.parent, before)
    return Place(conversation, False, head_of(conversation), None)


def _text_and_files(actor: Actor, message: Message, before: Turn | None) -> tuple[str, list[JsonValue]]:
    """The words and files of a message; those of the turn that it replaces where it names none."""
    text = before.text if message.text is None and before is not None else message.text or ""
    if not text.strip():
        raise ValidationFailed(fields={"text": ["may not be blank"]})
    if message.files is None:
        return text, decode(before.files) if before is not None else []
    known = files_known(actor.team.pk, set(message.files))
    missing = [key for key in message.files if key not in known]
    if missing:
        raise ValidationFailed(fields={"files": [f"has no file {missing[0][:40]}"]})
    return text, [known[key] for key in dict.fromkeys(message.files)]


def start_turn(actor: Actor, trigger: Trigger, place: Place, text: str, files: list[JsonValue], key: str | None) -> Run:
    """Store a turn and its run. Raises ValidationFailed (`text`, `files`), and what `start_run` does."""
    conversation, version = place.conversation, "draft" if place.conversation.draft else None
    document = runnable_graph(actor, trigger.workflow, version)
    inputs = inputs_for(input_schema(document.text), text, files, _history(place))
    if place.new:
        conversation.title = title_of(text)
        insert(conversation)
    origin = Run.objects.filter(pk=place.before.run).first() if place.before is not None else None
    kept = partial(_keep, trigger, place, text, files)
    cause = Cause(
        trigger.kind,
        trigger.pk,
        kept,
        conversation=conversation.pk,
        origin=origin,
        own_limits=trigger.kind != Trigger.Kind.CHAT,
        document=document,
    )
    run, _ = start_run(actor, trigger.workflow, inputs, version, idempotency_key=key, cause=cause)
    return run


def _history(place: Place) -> list[JsonObject]:
    parent = place.parent.pk if place.parent is not None else None
    return list(past_up_to(place.conversation.pk, parent).messages)


def _keep(trigger: Trigger, place: Place, text: str, files: list[JsonValue], run: Run) -> None:
    """Write the turn, in the transaction that stores its run."""
    conversation = place.conversation
    keep_turn(conversation, place.parent, text, files, run)
    if not conversation.draft:
        note(trigger, Occasion({"conversation": conversation.pk}), Delivery.Outcome.STARTED, run=run.pk)
