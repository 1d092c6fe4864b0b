"""Turns at SQLite's one writer for the writes that come in numbers: starts, answers, claims, the journal.

SQLite lets waiting writers poll, with pauses of up to a tenth of a second; inside one process a lock hands over at
once and in order. Other writers (pages saving, commands beside the process) still queue up in SQLite itself. Postgres
has no such queue: there the turn is free.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

_turn = threading.RLock()


@contextmanager
def sqlite_write_lock() -> Iterator[None]:
    """Hold the turn; taken before a transaction begins, never inside one."""
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        yield
        return
    with _turn:
        yield
