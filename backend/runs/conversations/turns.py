"""A turn of a conversation before it has an answer: where it comes, what its run is given, and how it is kept.

Whoever lets people write asks here, in the transaction that stores the run: chats, pages, front ends.
"""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from backend.database.bulk_insert import insert
from backend.errors import Conflict, RateLimited, ValidationFailed
from backend.json_types import JsonObject, JsonValue
from backend.notifications.clients import notify_clients
from backend.runs.conversations.past import MOST_TURNS
from backend.runs.log.encoding import encode
from backend.runs.models import TERMINAL, Conversation, Run, Turn, turn_id

TITLE = 80
"""Characters of the first message by which a conversation is called."""
MOST_QUEUED = 10
"""So many turns of a conversation may wait or go on."""
RETRY_S = 10


def head_of(conversation: Conversation) -> Turn | None:
    """The last of the turns that are shown."""
    return Turn.objects.filter(conversation=conversation, pk=conversation.head).first()


def require_room(conversation: Conversation) -> None:
    """Raise Conflict where it is full, RateLimited where too many of its messages wait."""
    if Turn.objects.filter(conversation=conversation).count() >= MOST_TURNS:
        raise Conflict(params={"reason": "conversation_full", "limit": MOST_TURNS})
    waiting = Run.objects.filter(conversation=conversation.pk, conversation__gt="").exclude(state__in=TERMINAL)
    if waiting.count() >= MOST_QUEUED:
        raise RateLimited(params={"reason": "chat_queue", "limit": MOST_QUEUED, "retry_after": RETRY_S})


def inputs_for(schema: dict[str, Any], text: str, files: list[JsonValue], history: list[JsonObject]) -> JsonObject:
    """The inputs `text`, `files` and `history`, as far as a workflow takes them. Raises ValidationFailed."""
    declared = schema.get("properties")
    names = set(declared) if isinstance(declared, dict) else set()
    if "text" not in names:
        raise ValidationFailed(fields={"text": ["is no input of the workflow: its start node needs one of this name"]})
    if files and "files" not in names:
        raise ValidationFailed(fields={"files": ["are no input of the workflow"]})
    inputs: JsonObject = {"text": text, "files": files, "history": [*history]}
    return {name: value for name, value in inputs.items() if name in names}


def title_of(text: str) -> str:
    """The first line of a message, as a conversation is called."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= TITLE else line[: TITLE - 1].rstrip() + "…"


def keep_turn(conversation: Conversation, parent: Turn | None, text: str, files: list[JsonValue], run: Run) -> None:
    """Write the turn of a run, which is shown last from now on."""
    now = timezone.now()
    turn = Turn(
        id=turn_id(),
        conversation=conversation,
        parent=parent,
        run=run.pk,
        text=text,
        files=encode(files),
        created_at=now,
    )
    insert(turn)
    Conversation.objects.filter(pk=conversation.pk).update(head=turn.pk, updated_at=now)
    about = f"conversation:{conversation.pk}"
    notify_clients(about, {"kind": "conversation", "id": conversation.pk, "run": run.pk, "change": "created"})
