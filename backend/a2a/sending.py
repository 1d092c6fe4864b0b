"""A message becomes a run, a turn of a conversation, or the answer to what a task asks: durable before it is answered.

The same message id of the same member is the same message: whoever sends it again gets the task that it belongs to.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from a2a import types
from a2a.utils.errors import InvalidParamsError, UnsupportedOperationError
from django.conf import settings
from django.db import IntegrityError, connection
from django.utils import timezone
from google.protobuf.json_format import MessageToDict

from backend.a2a import models
from backend.a2a.caller import Caller
from backend.a2a.offered import VIA, chat_of
from backend.a2a.placing import MessagePart, NotTaken, check_kinds, placed
from backend.a2a.tasks import (
    INSIDE,
    Standing,
    file_url,
    messages_in,
    open_questions,
    standing_of,
    status_of,
    task_row,
)
from backend.a2a.threads import in_thread
from backend.accounts.teams.outbound import network_rules
from backend.database.bulk_insert import insert
from backend.engine.execution import failpoints
from backend.errors import Conflict, PatchbayError, ValidationFailed
from backend.files.fetching import MOST as MOST_FETCHED
from backend.files.fetching import fetched, room_for_files
from backend.files.services import file_create, mime_of
from backend.json_types import JsonObject
from backend.runs import selectors
from backend.runs.interactions import questions
from backend.runs.log.encoding import decode, encode
from backend.runs.models import TERMINAL, Conversation, Interaction, Run
from backend.runs.queue.inbox import durable_transaction
from backend.runs.starting.services import start_run
from backend.triggers.chat import writing
from backend.triggers.models import Trigger
from backend.web.lookup import storable

MOST_PARTS = 100
LONGEST_ID = 128
"""Characters of a message's or a context's id."""
LONGEST_TEXT = 16_384
"""Characters of a text that a task's history keeps; the run has all of it."""
MOST_TEXT = 64 * 1024
"""Characters of a whole message in a task's history."""
ACTIONS = ("accept", "decline", "cancel")
_EARLIER = """
    SELECT m.task_id, t.context FROM a2a_message m JOIN a2a_task t ON t.run = m.task_id
    WHERE m.workflow_id = %s AND m.person_id = %s AND m.message_id = %s
"""
"""Every message asks it, see `offered`."""


@dataclass(frozen=True, slots=True)
class SentMessage:
    """What became of a message. `task` = how a task is told that it started just now, None where it started none."""

    standing: Standing
    task: types.Task | None = None


File = tuple[bytes, str, str]
"""Bytes, name, mime."""


async def receive_message(caller: Caller, message: types.Message) -> SentMessage:
    """The task that a message belongs to from now on. Raises what `refusals` tells of."""
    _check(caller, message)
    caller.actor.require("editor")
    caller.actor.require_scope("run")
    if all(part.HasField("text") or part.HasField("data") for part in message.parts):
        return await in_thread(_taken, caller, message)
    before = await in_thread(_checked, caller, message)
    return (
        SentMessage(before)
        if before is not None
        else await in_thread(_done, caller, message, await _files(caller, message))
    )


def _taken(caller: Caller, message: types.Message) -> SentMessage:
    """What becomes of a message for which nothing is fetched."""
    before = _checked(caller, message)
    return SentMessage(before) if before is not None else _done(caller, message, {})


def _checked(caller: Caller, message: types.Message) -> Standing | None:
    """Where the task stands, where the message came before. Raises what makes a new one impossible."""
    before = _before(caller, message.message_id)
    if before is None:
        check_kinds(_configuration(caller, message), [_kind(part) for part in message.parts])
    return before


def _done(caller: Caller, message: types.Message, files: Mapping[int, File]) -> SentMessage:
    return _answered(caller, message, files) if message.task_id else _started(caller, message, files)


def _check(caller: Caller, message: types.Message) -> None:
    """What can be said of a message without looking further. Raises InvalidParamsError."""
    if message.role != types.Role.ROLE_USER:
        raise InvalidParamsError(caller.word("role"))
    if len(message.parts) > MOST_PARTS:
        raise InvalidParamsError(caller.word("parts", most=MOST_PARTS, n=len(message.parts)))
    for name, text in (("messageId", message.message_id), ("contextId", message.context_id)):
        if len(text) > LONGEST_ID or not storable(text):
            raise InvalidParamsError(caller.word("long_id", name=name, most=LONGEST_ID))
    empty = [index for index, part in enumerate(message.parts) if part.WhichOneof("content") is None]
    if empty:
        raise ValidationFailed(fields={f"parts.{empty[0]}": ["must be text, data, raw or url"]})


def _before(caller: Caller, message_id: str) -> Standing | None:
    """Where the task stands to which the message of this id belongs, where it came before."""
    with connection.cursor() as cursor:
        cursor.execute(_EARLIER, [caller.agent.workflow.pk, caller.actor.user.pk, message_id])
        row = cursor.fetchone()
    return None if row is None else standing_of(selectors.run_for(caller.actor, row[0]), row[1])


def _configuration(caller: Caller, message: types.Message) -> Mapping[str, Any]:
    """The schema that the message's parts are to fit. Raises what makes the message impossible."""
    if not message.task_id:
        return caller.agent.schema()
    question = _question(caller, message)
    schema = decode(question.schema)
    return schema if isinstance(schema, dict) else {}


def _kind(part: types.Part) -> str:
    content = part.WhichOneof("content")
    return "file" if content in {"raw", "url"} else str(content)


async def _files(caller: Caller, message: types.Message) -> dict[int, File]:
    """The files of a message by the places of their parts. Raises ValidationFailed."""
    files: dict[int, File] = {}
    room, requested, rules = room_for_files(), 0, await in_thread(network_rules)
    for at, part in enumerate(message.parts):
        if part.HasField("raw"):
            files[at] = part.raw, part.filename or "file", mime_of(part.filename or "file", part.media_type)
        elif part.HasField("url"):
            requested += 1
            if requested > MOST_FETCHED:
                raise ValidationFailed(fields={f"parts.{at}": [f"is one of more than {MOST_FETCHED} addresses"]})
            where = (f"parts.{at}", part.url, rules, room, caller.language)
            files[at] = await fetched(*where, part.filename, part.media_type)
        if at in files:
            room -= len(files[at][0])
            if room < 0:
                raise ValidationFailed(fields={f"parts.{at}": ["is too large"]})
    return files


def _stored(caller: Caller, files: Mapping[int, File]) -> dict[int, JsonObject]:
    """The files as values that a run takes."""
    values: dict[int, JsonObject] = {}
    for at, (data, name, mime) in files.items():
        row = file_create(caller.actor, name, mime, data)
        values[at] = {"$file": row.pk, "name": row.name, "mime": row.mime, "size": len(data)}
    return values


def _parts_of(message: types.Message, files: Mapping[int, JsonObject]) -> list[MessagePart]:
    parts = []
    for at, part in enumerate(message.parts):
        into = _noted(part, "input")
        if at in files:
            parts.append(MessagePart(at, "file", files[at], into))
        elif part.HasField("data"):
            parts.append(MessagePart(at, "data", MessageToDict(part.data)))
        else:
            parts.append(MessagePart(at, "text", part.text, into))
    return parts


def _noted(of: types.Part | types.Message, name: str) -> str:
    """A text of the metadata; "" where there is none."""
    value = of.metadata[name] if name in of.metadata else ""  # noqa: SIM401 - a Struct has no `get`
    return value if isinstance(value, str) else ""


# -- a message that starts a task -------------------------------------------------------------------------------------


def _started(caller: Caller, message: types.Message, files: Mapping[int, File]) -> SentMessage:
    """A new task. Raises what `start_run` does, and NotTaken."""
    chat = chat_of(caller.agent.workflow) if caller.agent.chats else None
    stored = _stored(caller, files)
    try:
        with durable_transaction():
            if chat is not None:
                run = _turn(caller, chat, message, stored)
                context = message.context_id or run.conversation
            else:
                run = _run(caller, message, stored)
                context = message.context_id or f"ctx_{uuid.uuid4().hex}"
            body = _keep(caller, message, _new_task(caller, run, context), stored)
    except (IntegrityError, Conflict):  # it came twice at once: the other one is on disk, this one's run is not
        before = _before(caller, message.message_id)
        if before is None:
            raise
        return SentMessage(before)
    failpoints.hit("a2a.stored")
    standing = Standing(run, context)
    status = status_of(standing, caller.language)
    return SentMessage(standing, types.Task(id=run.pk, context_id=context, status=status, history=[messages_in(body)]))


def _new_task(caller: Caller, run: Run, context: str) -> models.Task:
    row = models.Task(
        run=run.pk,
        team=caller.actor.team,
        workflow=caller.agent.workflow,
        person=caller.actor.user,
        context=context,
        created_at=timezone.now(),
    )
    insert(row)
    return row


def _run(caller: Caller, message: types.Message, files: Mapping[int, JsonObject]) -> Run:
    agent = caller.agent
    inputs = placed(agent.schema(), _parts_of(message, files))
    run, _ = start_run(caller.actor, agent.workflow, inputs, agent.version, via=VIA)
    return run


def _turn(caller: Caller, chat: Trigger, message: types.Message, files: Mapping[int, JsonObject]) -> Run:
    """A turn of the conversation that the context is."""
    if any(part.HasField("data") for part in message.parts):
        raise NotTaken("data")
    text = "\n\n".join(part.text for part in message.parts if part.HasField("text"))
    sent_turn = writing.Message(
        text,
        [str(value["$file"]) for value in files.values()],
        _conversation(caller, chat, message.context_id),
    )
    return writing.write(caller.actor, chat, sent_turn)


def _conversation(caller: Caller, chat: Trigger, context: str) -> str | None:
    """The caller's conversation that a context is; None for one that begins."""
    if not context:
        return None
    mine = Conversation.objects.filter(team=caller.actor.team, person=caller.actor.user, trigger_id=chat.pk, visitor="")
    if mine.filter(pk=context).exists():
        return context
    tasks = models.Task.objects.filter(workflow=chat.workflow, person=caller.actor.user, context=context)
    runs = tasks.order_by("-created_at").values_list("run", flat=True)[:1]
    for conversation in Run.objects.filter(pk__in=list(runs)).values_list("conversation", flat=True):
        if mine.filter(pk=conversation).exists():
            return conversation
    return None


# -- a message that answers -------------------------------------------------------------------------------------------


def _answered(caller: Caller, message: types.Message, files: Mapping[int, File]) -> SentMessage:
    """The task whose question the message answers. Raises what `questions.answer` does: it stays open."""
    task = task_row(caller, message.task_id)
    question = _question(caller, message)
    action = _noted(message, "action") or ACTIONS[0]
    if action not in ACTIONS:
        raise ValidationFailed(fields={"metadata.action": [f"must be one of {', '.join(ACTIONS)}"]})
    stored = _stored(caller, files)
    schema = decode(question.schema)
    parts = _parts_of(message, stored)
    values = placed(schema if isinstance(schema, dict) else {}, parts) if action == ACTIONS[0] else None
    caller.actor.require_scope("answer")
    try:
        with durable_transaction():
            _keep(caller, message, task, stored, question.pk)
            questions.answer(caller.actor, question, {"action": action, "values": values})
    except (IntegrityError, PatchbayError):
        before = _before(caller, message.message_id)
        if before is None:
            raise
        return SentMessage(before)
    failpoints.hit("a2a.answered")
    return SentMessage(standing_of(selectors.run_for(caller.actor, task.pk), task.context))


def _question(caller: Caller, message: types.Message) -> Interaction:
    """The open question that a message answers: the one that its metadata name, else the oldest.

    Raises NotFound; UnsupportedOperationError where nothing is asked, or a person decides.
    """
    task = task_row(caller, message.task_id)
    if message.context_id and message.context_id != task.context:
        raise InvalidParamsError(caller.word("context"))
    run = selectors.run_for(caller.actor, task.pk)
    if run.state in TERMINAL:
        raise UnsupportedOperationError(caller.word("ended"))
    open_ = open_questions(run)
    named = _noted(message, "question")
    chosen = [question for question in open_ if question.pk == named] if named else list(open_)
    if not open_:
        raise UnsupportedOperationError(caller.word("asks_nothing"))
    if not chosen:
        raise InvalidParamsError(caller.word("question"))
    inside = [question for question in chosen if question.kind in INSIDE]
    if not inside:
        url = f"{settings.PUBLIC_URL}/inbox/{chosen[0].pk}"
        raise UnsupportedOperationError(caller.word("person", url=url))
    return inside[0]


# -- what is kept of it -----------------------------------------------------------------------------------------------


def _keep(
    caller: Caller, message: types.Message, task: models.Task, files: Mapping[int, JsonObject], question: str = ""
) -> str:
    """Write the message down as part of its task, in the caller's transaction; how the history tells it.

    Raises IntegrityError for one again.
    """
    body = _body(message, task, files)
    insert(
        models.Message(
            task=task,
            workflow=caller.agent.workflow,
            person=caller.actor.user,
            message_id=message.message_id,
            question=question,
            body=body,
            created_at=timezone.now(),
        )
    )
    return body


def _body(message: types.Message, task: models.Task, files: Mapping[int, JsonObject]) -> str:
    """The message as the history tells it."""
    kept = types.Message()
    kept.CopyFrom(message)
    kept.task_id, kept.context_id = task.pk, task.context
    for at, part in enumerate(kept.parts):
        if at in files:
            part.url, part.filename = file_url(str(files[at]["$file"])), str(files[at]["name"])
            part.media_type = str(files[at]["mime"])
        elif part.HasField("text") and len(part.text) > LONGEST_TEXT:
            part.text = f"{part.text[:LONGEST_TEXT]}…"
    body = encode(MessageToDict(kept))
    if len(body) > MOST_TEXT:
        kept.ClearField("metadata")
        texts = [part for part in kept.parts if part.HasField("text")][:1]
        del kept.parts[:]
        kept.parts.extend(texts or [types.Part(text="…")])
        body = encode(MessageToDict(kept))
    return body
