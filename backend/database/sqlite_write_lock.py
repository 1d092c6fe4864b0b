"""Turns at SQLite's one writer for the writes that come in numbers: starts, answers, claims, the journal.

SQLite lets waiting writers poll, with pauses of up to a tenth of a second; inside one process a lock hands over at
once and in order. Other writers (pages saving, commands beside the process) still queue up in SQLite itself. Postgres
has no such queue: there the turn is free.
"""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections

_turn = threading.RLock()
_free: AbstractContextManager[Any] = nullcontext()


def sqlite_write_lock() -> AbstractContextManager[Any]:
    """Hold the turn; taken before a transaction begins, never inside one. To be entered where it is asked for."""
    database = connections[DEFAULT_DB_ALIAS]
    return _free if database.vendor != "sqlite" or database.in_atomic_block else _turn
