"""What a run of a conversation begins with: what was said before it, and the variables that were kept.

Read when a segment begins, for a message may have been sent before the one ahead of it was answered. What it reads does
not change while the run goes on: the runs ahead have ended, and none of them is deleted as long as one goes on.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from backend.database.sqlite_write_lock import sqlite_write_lock
from backend.files.services import blob_store
from backend.json_types import JsonObject
from backend.runs.log.encoding import decode, encode, encode_value
from backend.runs.log.rows import read_blobs
from backend.runs.models import Run, RunBlob, Turn
from backend.runs.queue.leases import Claimed

MOST_ROUNDS = 100
"""So many turns before a run are told to it."""
MOST_CHARACTERS = 400_000
"""And of those as many of the latest as have no more than this."""
MOST_TURNS = 1000
"""A conversation has at most so many; versions of messages count."""


@dataclass(frozen=True, slots=True)
class Past:
    """`messages` = messages `{role, content}`, oldest first; `variables` as the run before left them."""

    messages: tuple[JsonObject, ...] = ()
    variables: JsonObject = field(default_factory=dict)

    def says_more_than(self, inputs: JsonObject) -> bool:
        """Whether the run's input `history` was written before this was known."""
        return "history" in inputs and inputs["history"] != list(self.messages) and bool(self.messages)


NOTHING = Past()
_COLUMNS = ("pk", "text", "answer", "variables", "refs")


def conversation_of(conversation: str, run: str) -> Past:
    """What this run of a conversation begins with."""
    if not conversation:
        return NOTHING
    turn = Turn.objects.filter(run=run, run__gt="").values_list("parent", flat=True).first()
    return past_up_to(conversation, turn) if turn is not None else NOTHING


def past_up_to(conversation: str, turn: str | None) -> Past:
    """What was said in the turns up to this one, which included, and what it kept."""
    keys = path_to(conversation, turn)[-MOST_ROUNDS:]
    if not keys:
        return NOTHING
    by_key = {row["pk"]: row for row in Turn.objects.filter(pk__in=keys).values(*_COLUMNS)}
    turns = [by_key[key] for key in keys if key in by_key]
    last = next((row for row in reversed(turns) if row["variables"]), None)
    variables = stored_value(last["variables"], "variables", last["refs"]) if last is not None else {}
    rounds: list[list[JsonObject]] = []
    left = MOST_CHARACTERS
    for row in reversed(turns):
        messages = _messages(row)
        left -= sum(len(str(message["content"])) for message in messages)
        if left < 0:
            break
        rounds.append(messages)
    return Past(tuple(message for messages in reversed(rounds) for message in messages), variables or {})


def _messages(row: dict[str, Any]) -> list[JsonObject]:
    """The message of a turn, and what it was answered, as far as there are any."""
    messages: list[JsonObject] = [{"role": "user", "content": row["text"]}] if row["text"] else []
    if answer := stored_value(row["answer"], "answer", row["refs"]):
        messages.append({"role": "assistant", "content": answer})
    return messages


def path_to(conversation: str, turn: str | None) -> list[str]:
    """The turns that lead to this one, which is the last."""
    parents = dict(Turn.objects.filter(conversation=conversation).values_list("pk", "parent"))
    path: list[str] = []
    while turn is not None and turn in parents and len(path) <= MOST_TURNS:
        path.append(turn)
        turn = parents[turn]
    return path[::-1]


def stored_value(text: str, column: str, refs: str) -> Any:
    """The value of a column of a turn, also where it stands in a blob; None where it has none, or that is gone."""
    value = decode(text)
    if column not in (decode(refs) or []):
        return value
    try:
        return read_blobs([value["$ref"]])[value["$ref"]]
    except LookupError:
        return None


def keep_history(claimed: Claimed, team: str, inputs: JsonObject, past: Past) -> tuple[JsonObject, list[str]]:
    """(inputs, their `refs`) of a run that begins, with what was said by now as `history`; its row says so too."""
    filled: JsonObject = {**inputs, "history": [*past.messages]}
    value = encode_value(team, filled, "inputs")
    with sqlite_write_lock(), transaction.atomic():
        mine = Run.objects.filter(pk=claimed.run, fence=claimed.fence)
        if mine.update(inputs=value.text, refs=encode(value.refs) if value.refs else ""):
            for row in value.blobs:
                RunBlob.objects.get_or_create(run_id=claimed.run, blob=blob_store(team, row.data))
    return filled, value.refs
