"""Database work for code on the event loop: a few threads, each with a database connection that stays open."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, ParamSpec, TypeVar

from django.db import InterfaceError, OperationalError, connection

from backend.tools.loop import LOOP

P = ParamSpec("P")
T = TypeVar("T")
THREADS = 3

_lock = threading.Lock()
_threads: tuple[int, ThreadPoolExecutor] | None = None


async def in_thread(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a piece of database work off the event loop; a connection that broke is replaced once."""
    return await asyncio.get_running_loop().run_in_executor(_executor(), partial(_fresh, call, *args, **kwargs))


def _executor() -> ThreadPoolExecutor:
    global _threads
    with _lock:
        if _threads is None or _threads[0] != os.getpid():
            _threads = (os.getpid(), ThreadPoolExecutor(THREADS, thread_name_prefix="patchbay-database"))
            LOOP.on_stop(_close)
        return _threads[1]


def _fresh(call: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    try:
        return call(*args, **kwargs)
    except (OperationalError, InterfaceError):
        connection.close()
        return call(*args, **kwargs)


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
