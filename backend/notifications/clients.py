"""Tells open pages that something changed: a hint for a topic, sent once the transaction is on disk.

The hub lives in `runs`, above every room that has something to say; it registers itself here at start.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NotRequired, Protocol, TypedDict

from django.db import transaction


class Hint(TypedDict):
    """What changed: the row `id` of a kind (of a private one ""), or all of the kind. `state` of a run, `run` of a
    question, `revision` and `by` of a draft."""

    kind: str
    change: NotRequired[str]
    id: NotRequired[str]
    run: NotRequired[str]
    state: NotRequired[str]
    revision: NotRequired[int]
    by: NotRequired[str]


_listeners: list[Callable[[str, Hint], None]] = []


class Shared(Protocol):
    """A row of a team that its owner may keep to themselves (`visibility` other than "team")."""

    id: Any
    team_id: Any
    visibility: Any


def listen(listener: Callable[[str, Hint], None]) -> None:
    """Call `listener(topic, hint)` for every notification of this process."""
    _listeners.append(listener)


def notify_clients(topic: str, hint: Hint) -> None:
    """Send `hint` to everyone on `topic` ("team:<id>", "workflow:<id>") after commit; at once outside a transaction."""

    def send() -> None:
        for listener in _listeners:
            listener(topic, hint)

    transaction.on_commit(send)


def notify_team(team: str, kind: str, key: str, change: str) -> None:
    """Tell a team's pages that the `kind` ("member", ...) with this id changed ("created", "updated", ...)."""
    notify_clients(f"team:{team}", {"kind": kind, "id": key, "change": change})


def notify_shared(kind: str, row: Shared, change: str) -> None:
    """Tell a team's pages that a server or provider changed; of a private one nobody learns so much as its id."""
    notify_team(row.team_id, kind, row.id if row.visibility == "team" else "", change)
