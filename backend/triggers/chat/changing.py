"""A conversation gets another name, or shows another version of a message."""

from __future__ import annotations

from django.db import transaction

from backend.accounts.actor import Actor
from backend.notifications.clients import notify_clients
from backend.runs.models import Conversation, Turn
from backend.triggers.chat.selectors import turn_for


@transaction.atomic
def conversation_update(actor: Actor, conversation: Conversation, title: str | None, shown: str | None) -> None:
    """Change the title, or show the turn `shown` with what followed it last. Raises Forbidden, NotFound (`shown`)."""
    actor.require("editor")
    row = Conversation.objects.select_for_update().get(pk=conversation.pk)
    if title is not None:
        row.title = title
    if shown is not None:
        row.head = last_after(row, turn_for(row, shown))
    row.save(update_fields=["title", "head"])
    conversation.title, conversation.head = row.title, row.head
    notify_clients(f"conversation:{row.pk}", {"kind": "conversation", "id": row.pk, "change": "updated"})


def last_after(conversation: Conversation, turn: Turn) -> str:
    """The turn that one comes to by following the newest versions from this one on."""
    rows = Turn.objects.filter(conversation=conversation).order_by("created_at", "pk")
    newest = {parent: key for key, parent in rows.values_list("pk", "parent")}
    key = turn.pk
    while key in newest:
        key = newest[key]
    return key
