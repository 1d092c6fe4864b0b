"""Database work for code on the event loop: a few threads, each with a database connection that stays open."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import ParamSpec, TypeVar

from django.db import InterfaceError, InternalError, OperationalError, connection

from backend.engine.execution.ports import DatabaseUnavailable
from backend.tools.loop import LOOP

P = ParamSpec("P")
T = TypeVar("T")
THREADS = 3
PATIENCE_S = 10.0
"""How long a database that is away is waited for."""
AGAIN_S = 0.1

_lock = threading.Lock()
_threads: tuple[int, ThreadPoolExecutor] | None = None


async def in_thread(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a piece of database work off the event loop, `with_db_retry`."""
    return await asyncio.get_running_loop().run_in_executor(_executor(), partial(with_db_retry, call, *args, **kwargs))


def with_db_retry(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call in this thread; when the connection turns out to be broken, again with a new one.

    A database that is started again is waited for. Raises DatabaseUnavailable when it does not come back; what it says
    on a connection that holds, such as that a lock was not to be had, is raised the second time. Not for use inside a
    transaction; what is called must do no harm when it is called again.
    """
    deadline, refused = time.monotonic() + PATIENCE_S, 0
    while True:
        try:
            return call(*args, **kwargs)
        except (OperationalError, InterfaceError, InternalError) as error:  # the last: read-only, among others
            refused += connection_usable()
            connection.close()
            if refused > 1:
                raise
            if time.monotonic() >= deadline or not wait_for_connection(deadline):
                raise DatabaseUnavailable(str(error)) from error


def connection_usable() -> bool:
    """Whether this thread's connection still works after what just failed on it."""
    return connection.connection is not None and connection.is_usable()


def refuses_these_rows(error: BaseException) -> bool:
    """Whether an OperationalError is about what was to be written, and not about the database's own state.

    Postgres: class 54, a limit of the program is exceeded. SQLite: too large, or a statement it cannot run. A full or
    read-only disk, a lock that was not to be had, a shortage of memory or connections are nobody's rows.
    """
    cause = error.__cause__
    state, code = getattr(cause, "sqlstate", None), getattr(cause, "sqlite_errorcode", None)
    if state is not None:
        return str(state).startswith("54")
    return code in (sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_ERROR)


def wait_for_connection(deadline: float) -> bool:
    """Whether this thread can connect to the database by then (monotonic); waits for one that is away."""
    while True:
        try:
            connection.ensure_connection()
        except (OperationalError, InterfaceError):
            connection.close()
            if time.monotonic() >= deadline:
                return False
            time.sleep(AGAIN_S)
        else:
            return True


def _executor() -> ThreadPoolExecutor:
    global _threads
    with _lock:
        if _threads is None or _threads[0] != os.getpid():
            _threads = (os.getpid(), ThreadPoolExecutor(THREADS, thread_name_prefix="patchbay-database"))
            LOOP.on_stop(_close)
        return _threads[1]


async def _close() -> None:
    global _threads
    with _lock:
        gone, _threads = _threads, None
    if gone is not None:
        await asyncio.to_thread(_end, gone[1])


def _end(executor: ThreadPoolExecutor) -> None:
    """Each thread closes its own database connection, then ends."""
    together = threading.Barrier(THREADS)

    def close() -> None:
        with suppress(threading.BrokenBarrierError):
            together.wait(2)  # so that every thread takes one
        connection.close()

    for _ in range(THREADS):
        executor.submit(close)
    executor.shutdown(wait=True)
