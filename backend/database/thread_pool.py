"""A few threads for database work beside an event loop: each keeps its connection, all are closed together.

`sync_to_async` has one thread for everything and opens a connection per call; both cost too much on the hot path.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from backend.database.threads import with_db_retry

P = ParamSpec("P")
T = TypeVar("T")


class DatabaseThreads:
    """Started on first use; usable again after `close`."""

    def __init__(self, size: int, name: str) -> None:
        self._size, self._name = size, name
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._connections: list[BaseDatabaseWrapper] = []

    def submit(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run `call` in one of the threads, `with_db_retry`."""
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(self._size, self._name, initializer=self._adopt)
            return self._pool.submit(partial(with_db_retry, call, *args, **kwargs))

    async def run(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Await `call` in one of the threads."""
        return await asyncio.wrap_future(self.submit(call, *args, **kwargs))

    def _adopt(self) -> None:
        """Remember a new thread's connection, so that it can be closed when the thread is gone."""
        own = connections["default"]
        own.inc_thread_sharing()
        self._connections.append(own)

    def close(self) -> None:
        """Finish what was submitted, end the threads, close their connections."""
        with self._lock:
            pool, self._pool = self._pool, None
            opened, self._connections = self._connections, []
        if pool is not None:
            pool.shutdown(wait=True)
        for item in opened:
            item.close()
