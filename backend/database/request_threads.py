"""Threads in which what stands on the serving loop asks the database, with the caller's log context."""

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


class RequestThreads:
    """At most `count` threads called `name`, which end when nobody asks any more."""

    def __init__(self, count: int, name: str) -> None:
        self.count = count
        self.pool = ShrinkingPool(count, name)

    def submit(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Do `work` in a thread, on a connection that still answers."""
        context = contextvars.copy_context()
        return self.pool.submit(partial(context.run, partial(_fresh, partial(work, *args, **kwargs))))

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Await `work` in a thread. Who stops waiting does not stop the work."""
        return await asyncio.wrap_future(self.submit(work, *args, **kwargs))


def _fresh(work: Callable[[], T]) -> T:
    close_old_connections()
    return work()
