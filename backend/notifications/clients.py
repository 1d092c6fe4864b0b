"""Tells open pages that something changed: a hint for a topic, sent once the transaction is on disk.

The hub lives in `runs`, above every room that has something to say; it registers itself here at start.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import transaction

_listeners: list[Callable[[str, dict[str, Any]], None]] = []


def listen(listener: Callable[[str, dict[str, Any]], None]) -> None:
    """Call `listener(topic, hint)` for every announcement of this process."""
    _listeners.append(listener)


def announce(topic: str, hint: dict[str, Any]) -> None:
    """Send `hint` to everyone on `topic` ("team:<id>", "workflow:<id>") after commit; at once outside a transaction."""

    def send() -> None:
        for listener in _listeners:
            listener(topic, hint)

    transaction.on_commit(send)
