"""Database work of the MCP door, in threads that end when nobody calls."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import ParamSpec, TypeVar

from django.db import close_old_connections

from backend.database.shrinking_pool import ShrinkingPool

P = ParamSpec("P")
T = TypeVar("T")

THREADS = 8
POOL = ShrinkingPool(THREADS, "mcp")


def submit(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
    """Do `work` in a thread, with the caller's log context and connections that still answer."""
    context = contextvars.copy_context()
    return POOL.submit(partial(context.run, partial(_fresh, partial(work, *args, **kwargs))))


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Await `work` in a thread. Who stops waiting does not stop the work."""
    return await asyncio.wrap_future(submit(work, *args, **kwargs))


def _fresh(work: Callable[[], T]) -> T:
    close_old_connections()
    return work()
