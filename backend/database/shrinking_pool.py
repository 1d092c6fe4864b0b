"""Threads that come with a burst of requests and end after it, their database connections with them.

`ThreadPoolExecutor` keeps every thread it ever made: after 50 clients at once, 50 threads, 100 open files and their
memory for as long as the process lives. Here the thread that was busy last gets the next piece of work, so that those
which are not needed any more stay without any, and end.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, ParamSpec, TypeVar

from django.db import connections

P = ParamSpec("P")
T = TypeVar("T")

IDLE_S = 20.0
"""Seconds without work after which a thread ends."""

MANY = 8
"""So many threads leave memory behind that is worth giving back."""

Work = Callable[[], None]


class ShrinkingPool(Executor):
    """An executor of at most `size` threads; more work than that waits in the order of its arrival.

    `on_shrunk` is called, by the thread that ends, when of `MANY` or more a quarter is left.
    """

    def __init__(
        self, size: int, name: str, idle_s: float = IDLE_S, on_shrunk: Callable[[], object] | None = None
    ) -> None:
        self._size, self._name, self._idle_s, self._on_shrunk = size, name, idle_s, on_shrunk
        self._most = 0  # threads since it last shrank
        self._lock = threading.Lock()
        self._waiting: deque[Work] = deque()
        self._idle: list[SimpleQueue[Work | None]] = []  # of threads without work, the last busy one at the end
        self._threads: set[threading.Thread] = set()
        self._closed = False
        atexit.register(self.shutdown)

    @property
    def threads(self) -> int:
        """How many threads there are."""
        return len(self._threads)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run `fn` in one of the threads. Raises RuntimeError after `shutdown`."""
        future: Future[T] = Future()
        self._start(lambda: _fulfil(future, fn, args, kwargs))
        return future

    async def run(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Await `fn` in one of the threads; where this is cancelled before it began, it does not begin.

        As `loop.run_in_executor`, without a future of threads beside the loop's own and what binds the two together.
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()

        def work() -> None:
            if done.cancelled():
                return
            with suppress(RuntimeError):  # the loop has ended, and all who waited on it
                try:
                    value = fn(*args, **kwargs)
                except BaseException as error:  # noqa: BLE001 - it is the caller's, whatever it is
                    loop.call_soon_threadsafe(_finish, done, None, error)
                else:
                    loop.call_soon_threadsafe(_finish, done, value, None)

        self._start(work)
        return await done

    def _start(self, work: Work) -> None:
        """Have a thread do this, which raises nothing. Raises RuntimeError after `shutdown`."""
        with self._lock:
            if self._closed:
                raise RuntimeError("the pool is closed")
            if self._idle:
                self._idle.pop().put(work)
            elif len(self._threads) < self._size:
                self._begin(work)
            else:
                self._waiting.append(work)

    def _begin(self, first: Work) -> None:
        thread = threading.Thread(target=self._live, args=(first,), name=self._name, daemon=True)
        self._threads.add(thread)
        self._most = max(self._most, len(self._threads))
        thread.start()

    def _live(self, first: Work) -> None:
        own: SimpleQueue[Work | None] = SimpleQueue()
        work: Work | None = first
        try:
            while work is not None:
                work()
                work = None  # what it holds is not kept while there is nothing to do
                work = self._next(own)
        finally:
            connections.close_all()
            with self._lock:
                self._threads.discard(threading.current_thread())
                if self._waiting:  # it came after the last look for work, and for want of a thread waits for one
                    self._begin(self._waiting.popleft())
                left = len(self._threads)
                shrunk = left <= self._most // 4 and self._most >= MANY
                self._most = left if shrunk else self._most
            if shrunk and self._on_shrunk is not None:
                self._on_shrunk()

    def _next(self, own: SimpleQueue[Work | None]) -> Work | None:
        """The next piece of work; None where the thread is to end."""
        with self._lock:
            if self._waiting:
                return self._waiting.popleft()
            if self._closed:
                return None
            self._idle.append(own)
        try:
            return own.get(timeout=self._idle_s)
        except Empty:
            with self._lock:
                if own in self._idle:
                    self._idle.remove(own)
                    return None
        return own.get()  # it was given some at the last moment

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more work, finish what there is (`cancel_futures`: what is under way), end the threads."""
        with self._lock:
            self._closed = True
            if cancel_futures:
                self._waiting.clear()
            for own in self._idle:
                own.put(None)
            self._idle.clear()
        atexit.unregister(self.shutdown)
        while wait and (threads := self._all()):  # one that ends may have begun another for what was waiting
            for thread in threads:
                thread.join()

    def _all(self) -> list[threading.Thread]:
        with self._lock:
            return list(self._threads)


def _fulfil(future: Future[Any], fn: Callable[..., Any], args: Any, kwargs: Any) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        value = fn(*args, **kwargs)
    except BaseException as error:  # noqa: BLE001 - it is the caller's, whatever it is
        future.set_exception(error)
    else:
        future.set_result(value)


def _finish(done: asyncio.Future[Any], value: Any, error: BaseException | None) -> None:
    if done.done():
        return
    if error is not None:
        done.set_exception(error)
    else:
        done.set_result(value)
