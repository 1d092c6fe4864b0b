"""Database work of the AG-UI door, in threads that end when nobody asks."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from functools import partial
from typing import ParamSpec, TypeVar

from django.db import close_old_connections

from backend.database.shrinking_pool import ShrinkingPool

P = ParamSpec("P")
T = TypeVar("T")

THREADS = 8
POOL = ShrinkingPool(THREADS, "agui")


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Await `work` in a thread. Who stops waiting does not stop the work."""
    context = contextvars.copy_context()
    bound = partial(context.run, partial(_fresh, partial(work, *args, **kwargs)))
    return await asyncio.wrap_future(POOL.submit(bound))


def _fresh(work: Callable[[], T]) -> T:
    close_old_connections()
    return work()
