"""Reads of conversations: always the actor's own, in the team in which they act."""

from __future__ import annotations

from django.db.models import QuerySet

from backend.accounts.actor import Actor
from backend.errors import NotFound
from backend.runs.models import Conversation, Turn
from backend.web.lookup import storable


def conversations_of(actor: Actor) -> QuerySet[Conversation]:
    """The actor's conversations; those on pages are found there."""
    rows = Conversation.objects.filter(team=actor.team, person=actor.user, visitor="").select_related("workflow")
    return rows.defer("workflow__draft")


def conversation_for(actor: Actor, key: str) -> Conversation:
    """One of them. Raises NotFound."""
    row = conversations_of(actor).filter(pk=key).first() if storable(key) else None
    if row is None:
        raise NotFound
    return row


def turn_for(conversation: Conversation, key: str) -> Turn:
    """A turn of a conversation. Raises NotFound."""
    rows = Turn.objects.filter(conversation=conversation).select_related("parent")
    row = rows.filter(pk=key).first() if storable(key) else None
    if row is None:
        raise NotFound
    return row
