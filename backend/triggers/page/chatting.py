"""Somebody writes on a page that is a chat: the turn and its run, in a conversation that only its key leads to.

The conversation of a stranger is nobody's in the team; that of a member is theirs, and is found through the page alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError
from django.utils import timezone

from backend.accounts.actor import Actor
from backend.errors import Conflict, ValidationFailed
from backend.json_types import JsonObject
from backend.runs.conversations import turns
from backend.runs.log.encoding import decode
from backend.runs.models import Conversation, Run, conversation_id
from backend.triggers.chat import writing
from backend.triggers.models import Trigger
from backend.triggers.page.limits import require_room
from backend.triggers.page.selectors import digest_of, run_of
from backend.triggers.page.visiting import kept_if_refused
from backend.triggers.starting import Occasion, schema_of
from backend.web.lookup import storable

LONGEST = 20_000
"""Characters of a message."""


def say(trigger: Trigger, actor: Actor, member: Actor | None, body: JsonObject) -> Run:
    """The run of a message, in the name of `actor`; `member` = who writes, where the page is for members.

    The same `key` gives the same run; a `conversation` that nobody began is begun. Raises NotFound (it went off),
    ValidationFailed (`key`, `conversation`, `text`), RateLimited, Conflict (the conversation is full or busy), and
    what `start_run` does, which is kept.
    """
    digest = digest_of(body.get("key"), "key", member)
    if (run := run_of(trigger, digest)) is not None:
        return run
    talk = digest_of(body.get("conversation"), "conversation", member)
    text = _text(body)
    require_room(trigger, decode(trigger.config))
    occasion = Occasion({"text": text}, key=digest)

    def begin() -> Run:
        require_text(schema_of(trigger, actor))
        place = _place(trigger, actor, member, talk)
        return writing.start_turn(actor, trigger, place, text, [], f"{trigger.pk}:{digest}")

    try:
        return kept_if_refused(trigger, occasion, begin)
    except IntegrityError:  # two first messages of a conversation at once: it is there now
        return run_of(trigger, digest) or kept_if_refused(trigger, occasion, begin)


def require_text(schema: Mapping[str, Any]) -> None:
    """Raise Conflict where a workflow takes no messages: that is the team's to mend, and nothing that was written."""
    if "text" not in (schema.get("properties") or {}):
        raise Conflict(params={"reason": "page_closed"})


def _text(body: JsonObject) -> str:
    text = body.get("text")
    if not isinstance(text, str) or not text.strip():
        raise ValidationFailed(fields={"text": ["may not be blank"]})
    if len(text) > LONGEST:
        raise ValidationFailed(fields={"text": [f"must have at most {LONGEST} characters"]})
    if not storable(text):
        raise ValidationFailed(fields={"text": ["has characters that cannot be stored"]})
    return text


def _place(trigger: Trigger, actor: Actor, member: Actor | None, talk: str) -> writing.Place:
    rows = Conversation.objects.filter(trigger_id=trigger.pk, visitor=talk, visitor__gt="")
    conversation = rows.select_for_update().first()
    if conversation is not None:
        turns.require_room(conversation)
        return writing.Place(conversation, False, turns.head_of(conversation), None)
    now = timezone.now()
    row = Conversation(
        id=conversation_id(),
        team=actor.team,
        workflow=trigger.workflow,
        trigger_id=trigger.pk,
        person=member.user if member is not None else None,
        visitor=talk,
        created_at=now,
        updated_at=now,
    )
    return writing.Place(row, True, None, None)
