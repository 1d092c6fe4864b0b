"""The one event loop of a process for everything that talks to servers: segments, pool, connection tests.

Django threads, Celery tasks and commands are synchronous; connections live in one loop in a daemon thread. `LOOP.run`
hands a coroutine over and waits. The thread starts on first use and after a fork starts anew in the child, because
threads do not survive a fork.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import inspect
import logging
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
logger = logging.getLogger(__name__)


class LoopThread:
    """A lazily started event loop in a daemon thread. Safe to use from any thread but its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closers: list[Callable[[], Awaitable[None]]] = []
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._loop = self._thread = None
        self._closers = []

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop, started now when it was not."""
        with self._lock:
            if self._loop is None:
                started = threading.Event()
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=self._serve, args=(self._loop, started), name="patchbay-loop", daemon=True
                )
                self._thread.start()
                started.wait()
            return self._loop

    @staticmethod
    def _serve(loop: asyncio.AbstractEventLoop, started: threading.Event) -> None:
        asyncio.set_event_loop(loop)
        loop.call_soon(started.set)
        try:
            loop.run_forever()
        finally:
            loop.run_until_complete(_cancel_all(1))  # begun after the others were cancelled, or slow to end
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()

    @property
    def running(self) -> bool:
        """Whether the loop has been started in this process."""
        return self._loop is not None

    @property
    def thread(self) -> int | None:
        """The number of the loop's thread, once it runs."""
        return None if self._thread is None else self._thread.ident

    @property
    def inside(self) -> bool:
        """Whether the caller runs in the loop's own thread."""
        return self._thread is not None and threading.current_thread() is self._thread

    def submit(self, coro: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Start `coro` in the loop; cancelling the future cancels it."""
        return asyncio.run_coroutine_threadsafe(coro, self.loop)

    def run(self, coro: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
        """Wait for `coro` in the calling thread; after `timeout` seconds it is cancelled and TimeoutError raised."""
        if self.inside:
            coro.close()
            raise RuntimeError("LOOP.run would wait for itself; await the coroutine instead")
        future = self.submit(coro)
        try:
            return future.result(timeout)
        except BaseException:
            future.cancel()
            raise

    def on_stop(self, close: Callable[[], Awaitable[None]]) -> None:
        """Await `close()` in the loop when it stops; the last registered is closed first."""
        self._closers.append(close)

    def stop(self, grace: float = 5.0) -> None:
        """Close what was registered, cancel what is left after `grace` seconds, end the thread. Idempotent."""
        with self._lock:
            loop, thread, closers = self._loop, self._thread, self._closers
            self._loop = self._thread = None
            self._closers = []
        if loop is None or thread is None:
            return
        try:
            asyncio.run_coroutine_threadsafe(self._close(closers, grace), loop).result(grace + 5)
        except TimeoutError:
            logger.warning("some connections did not close within %s s", grace)
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join(5)

    @staticmethod
    async def _close(closers: list[Callable[[], Awaitable[None]]], grace: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(grace):
                for close in reversed(closers):
                    await close()
        await _cancel_all(3)


async def _cancel_all(seconds: float) -> None:
    """Cancel the loop's other tasks, and wait at most `seconds` until they have ended.

    Each gets its first turn before: anyio awaits a group's member within a task of its own, and one cancelled before it
    began leaves the member's coroutine never awaited.
    """
    loop, own = asyncio.get_running_loop(), asyncio.current_task()
    until = loop.time() + seconds
    cancelled: set[asyncio.Task[Any]] = set()
    while (new := {task for task in asyncio.all_tasks() if task is not own} - cancelled) and loop.time() < until:
        for task in filter(_has_begun, new):
            task.cancel()
            cancelled.add(task)
        await asyncio.sleep(0)
    if cancelled:
        await asyncio.wait(cancelled, timeout=max(0.0, until - loop.time()))


def _has_begun(task: asyncio.Task[Any]) -> bool:
    work = task.get_coro()
    return not inspect.iscoroutine(work) or inspect.getcoroutinestate(work) != inspect.CORO_CREATED


LOOP = LoopThread()
"""This process's loop."""
