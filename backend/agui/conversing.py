"""A thread of a front end is a conversation here: the member's whose token it is, found by what the client calls it.

What the client holds of it is not believed: what was said before, and the variables that last, are what our turns say.
"""

from __future__ import annotations

import hashlib
from typing import Any

from django.utils import timezone

from backend.accounts.actor import Actor
from backend.json_types import JsonObject
from backend.runs.conversations.past import MOST_ROUNDS, past_up_to, path_to, stored_value
from backend.runs.graphs import stored_graph
from backend.runs.models import Conversation, Run, Turn, conversation_id
from backend.workflows.models import Workflow


def digest(workflow: Workflow, actor: Actor, *names: str) -> str:
    """What a client's names stand for: of another workflow or member the same names mean something else."""
    text = "\0".join(("agui", workflow.pk, actor.user.pk, *names))
    return hashlib.sha256(text.encode()).hexdigest()


def conversation_at(workflow: Workflow, key: str, *, lock: bool = False) -> Conversation | None:
    """The conversation of a thread, where it was begun."""
    rows = Conversation.objects.filter(trigger_id=workflow.pk, visitor=key, visitor__gt="")
    return (rows.select_for_update() if lock else rows).first()


def new_conversation(workflow: Workflow, actor: Actor, key: str, title: str) -> Conversation:
    """The row of a thread that begins, not stored yet."""
    now = timezone.now()
    return Conversation(
        id=conversation_id(),
        team=actor.team,
        workflow=workflow,
        trigger_id=workflow.pk,
        person=actor.user,
        visitor=key,
        title=title,
        created_at=now,
        updated_at=now,
    )


def history(conversation: Conversation, turn: str | None) -> list[JsonObject]:
    """The messages of the turns up to this one, which included, as `{id, role, content}`."""
    keys = path_to(conversation.pk, turn)[-MOST_ROUNDS:]
    columns = ("pk", "run", "text", "answer", "refs")
    by_key: dict[str, dict[str, Any]] = {row["pk"]: row for row in Turn.objects.filter(pk__in=keys).values(*columns)}
    messages: list[JsonObject] = []
    for key in keys:
        row = by_key.get(key)
        if row is None:
            continue
        if row["text"]:
            messages.append({"id": key, "role": "user", "content": row["text"]})
        if answer := stored_value(row["answer"], "answer", row["refs"]):
            messages.append({"id": f"{key}.answer", "role": "assistant", "content": answer})
    return messages


def turn_of(run: Run) -> Turn | None:
    """The turn that a run answers."""
    return Turn.objects.filter(run=run.pk, run__gt="").first()


def lasting(run: Run) -> frozenset[str]:
    """Names of the variables that last from turn to turn."""
    compiled = stored_graph(run.graph_id)[1]
    return compiled.lasting if compiled is not None else frozenset()


def state_at_start(run: Run) -> JsonObject:
    """The variables that last, as the run began with them."""
    compiled = stored_graph(run.graph_id)[1]
    if compiled is None:
        return {}
    turn = turn_of(run)
    kept = past_up_to(run.conversation, turn.parent_id).variables if turn is not None else {}
    return {name: kept.get(name, compiled.variables.get(name)) for name in sorted(compiled.lasting)}


def state_after(conversation: Conversation) -> JsonObject:
    """The variables as the last turn left them."""
    return past_up_to(conversation.pk, conversation.head or None).variables


def document_of(run: Run) -> dict[str, Any]:
    """The run's snapshot."""
    document: dict[str, Any] = {**stored_graph(run.graph_id)[0]}
    return document
