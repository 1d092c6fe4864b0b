"""Wakes a worker: a hint to look at a run, sent once the transaction is on disk.

A hint may be lost, come twice or late; the reaper finds what none reached. How it travels is set at start: embedded,
the worker of this process is called; scaled, the broker carries it; where neither is set, it is left to the reaper.
"""

from __future__ import annotations

from collections.abc import Callable

from django.db import transaction

from backend.engine.execution import failpoints

_send: Callable[[str], None] | None = None


def deliver_by(send: Callable[[str], None] | None) -> None:
    """From now on `send(run)` carries hints; None = nobody does. It must not raise."""
    global _send
    _send = send


def wake_any_worker(run: str) -> None:
    """Tell a worker, after commit, to look at this run."""

    def send() -> None:
        failpoints.hit("hint.unsent")
        if _send is not None:
            _send(run)

    transaction.on_commit(send)
