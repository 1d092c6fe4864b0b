"""Waiting for a run: the answer to `POST …/runs` with `wait` comes when the run stands, and costs no thread until then.

But for a moment (`NEAR_S`): most runs are short, so the thread that starts one stays with it so long. A run that does
not stand by then goes on as a `WaitingResponse`: the handler (`project.handler`) keeps that on the server's loop, woken
by the hub, and borrows a thread only to look at the run. How many requests of one token (or of one person in the
browser) wait at once is bounded, for each holds a socket.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from django.http import HttpResponse

from backend.web.open_limits import OpenLimit

if TYPE_CHECKING:
    from backend.runs.live.hub import Hub

log = logging.getLogger(__name__)

NEAR_S = 0.025
"""Seconds at most for which the thread that started a run waits for it: the end of a short run is nearer than going to
the loop, to another thread and back would take."""


class RunWaiter:
    """Wakes whoever waits when a run ended or came to stand: a thread (`next`) or a coroutine (`changed`)."""

    def __init__(self, hub: Hub, run: str) -> None:
        self._hub, self.run = hub, run
        self._bell = threading.Event()
        self._wake: Callable[[], object] | None = None
        self._event: asyncio.Event | None = None

    def notify(self) -> None:
        """The run's state changed. From any thread."""
        self._bell.set()
        if self._wake is not None:
            with suppress(RuntimeError):  # the loop has ended, and all who waited on it
                self._wake()

    def next(self, timeout: float) -> bool:
        """Wait in a thread for the next change; False when none came in time, or the process is to end."""
        rung = self._bell.wait(timeout)
        if rung:  # else it may ring at this moment, for whoever waits next
            self._bell.clear()
        return rung and not self._hub.closing

    async def changed(self, timeout: float) -> bool:
        """Wait on the running loop for the next change; False when none came in time, or the process is to end."""
        event = self._listen()
        if self._bell.is_set():  # it rang before anybody listened
            event.set()
        try:
            async with asyncio.timeout(timeout):
                await event.wait()
        except TimeoutError:
            return False
        event.clear()
        self._bell.clear()
        return not self._hub.closing

    def _listen(self) -> asyncio.Event:
        if self._event is None:
            loop, event = asyncio.get_running_loop(), asyncio.Event()
            self._event, self._wake = event, lambda: loop.call_soon_threadsafe(event.set)
        return self._event

    def __enter__(self) -> Self:
        self._hub.add_wait(self)
        return self

    def __exit__(self, *args: object) -> None:
        self._hub.remove_wait(self)


WAITING = OpenLimit("waiting")
"""Requests of this process that wait, by token or person."""


Answer = tuple[int, bytes] | tuple[int, bytes, Mapping[str, str]]
"""Status, body and, where they are not those of JSON, headers."""


class WaitingResponse(HttpResponse):
    """An answer whose status and body come when `look` gives them.

    `look(over)` runs in a thread: (status, body), perhaps with headers, once the run stands or, with `over`, in any
    case; else None.
    `release` is called once, when nobody waits any more.
    """

    def __init__(
        self,
        wait: RunWaiter,
        seconds: float,
        look: Callable[[bool], Answer | None],
        release: Callable[[], None],
    ) -> None:
        super().__init__(b"", content_type="application/json", status=202)
        self.wait, self._look, self._release = wait, look, release
        self._deadline = time.monotonic() + seconds
        self.finished = False
        self._released = threading.Lock()

    @property
    def left(self) -> float:
        """Seconds until the time is over."""
        return max(0.0, self._deadline - time.monotonic())

    def complete(self, over: bool) -> bool:
        """Look at the run, in a thread; True when this response is complete."""
        answer = self._look(over)
        if answer is not None:
            self.status_code, self.content = answer[0], answer[1]
            for name, value in answer[2].items() if len(answer) == 3 else ():
                self[name] = value
            self["Content-Length"] = str(len(self.content))  # the middleware has counted an empty body
            self.finished = True
        return answer is not None

    def complete_near(self) -> None:
        """Wait a moment in this thread, which started the run; `finished` says whether that was enough."""
        if self.wait.next(min(NEAR_S, self.left)) and self.complete(False):
            self.release()

    def complete_here(self) -> None:
        """Wait in this thread: where no loop serves the request."""
        try:
            over = False
            while not self.complete(over):
                over = not self.wait.next(self.left)
        finally:
            self.release()

    def release(self) -> None:
        """Nobody waits any more."""
        if self._released.acquire(blocking=False):
            self._release()
