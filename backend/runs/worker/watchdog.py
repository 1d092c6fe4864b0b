"""Watches the event loop that all segments share: says in the log what held it, and marks which step holds it.

Looks only while runs are here, so an idle process does nothing. A step that holds the loop for long, or with which the
process's memory grows much, is marked in a file that survives the process (`evidence`); the mark goes when it is over.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import thread as workers
from contextvars import Context
from types import FrameType
from weakref import WeakKeyDictionary

from backend.engine.execution.current import CURRENT, place_of
from backend.engine.execution.step import Step
from backend.runs.worker.evidence import Kind, Marks
from backend.runs.worker.memory import resident
from backend.tools.loop import LOOP

log = logging.getLogger(__name__)

LOOK_EVERY_S = 0.25
QUIET_LOOKS = 4
HELD_S = 0.5
"""A loop that does not answer within this is reported; shorter waits may be the machine's."""
LONG_LOOKS = 18
"""Looks after which a held loop is marked. Looks, not seconds: a process that was stopped did not look."""
GROWS = 16 * 1024 * 1024
"""Bytes by which the process must have grown between two looks for anybody to be asked."""
GREW = 256 * 1024 * 1024
"""Bytes that one step may grow it by before it is marked."""
MB = 1024 * 1024


class Watchdog:
    """A thread that asks the loop for a sign of life while `busy()`."""

    def __init__(self, busy: Callable[[], bool], marks: Marks | None = None) -> None:
        self._busy, self._marks = busy, marks
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)
        self._size = 0
        self._grown: WeakKeyDictionary[Step, int] = WeakKeyDictionary()
        self._largest = 0  # of the process, since a step was marked

    def start(self) -> None:
        """Start watching."""
        self._wake.set()
        self._thread.start()

    def wake(self) -> None:
        """There may be something to watch. Called for every run, so it costs nothing while the watch is on."""
        if not self._wake.is_set():
            self._wake.set()

    def stop(self) -> None:
        """Stop watching."""
        self._stop.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(5)

    def _watch(self) -> None:
        """Look four times a second; a second without runs ends the watch until the next run begins."""
        while self._wake.wait() and not self._stop.is_set():
            quiet = 0
            self._size = resident()
            while quiet < QUIET_LOOKS and not self._stop.wait(LOOK_EVERY_S):
                if self._busy() and LOOP.running:
                    self._look_at_memory()
                    self._look()
                    quiet = 0
                else:
                    quiet += 1
            self._clear("grew")
            if self._stop.is_set():
                return
            self._wake.clear()
            if self._busy():  # a run that began just now found the bell still rung
                self._wake.set()

    def _look(self) -> None:
        alive = threading.Event()
        began = time.monotonic()
        LOOP.loop.call_soon_threadsafe(alive.set)
        if alive.wait(HELD_S):
            return
        held_by, looks, marked = _stack_of_the_loop(), 0, False
        while not alive.wait(LOOK_EVERY_S):
            if self._stop.is_set():
                return
            looks += 1
            self._look_at_memory()
            if looks % LONG_LOOKS == 0 and not marked:
                marked = self._mark_holder(time.monotonic() - began)
        self._clear("held")
        spent = (time.monotonic() - began) * 1000
        log.warning("the event loop was held for %.0f ms at:\n%s", spent, held_by)

    def _mark_holder(self, seconds: float) -> bool:
        """Whether a step was found there; what begins after something else held the loop is found at a later look."""
        frame = sys._current_frames().get(LOOP.thread or 0)
        steps = _steps_of([frame] if frame else [])
        if steps:
            self._mark("held", *steps[0], round(seconds))
        return bool(steps)

    def _look_at_memory(self) -> None:
        """Whether the process grew since the last look, and which step was at work then."""
        size = resident()
        grown, self._size = size - self._size, size
        if size < self._largest - GREW // 2:
            self._largest = 0
            self._clear("grew")
        if grown < GROWS:
            return
        steps = _steps_of(sys._current_frames().values())
        if len({step for _, step in steps}) != 1:
            return  # nobody's, or nobody knows whose
        run, step = steps[0]
        self._grown[step] = self._grown.get(step, 0) + grown
        if self._grown[step] >= GREW:
            self._largest = max(size, self._largest)
            self._mark("grew", run, step, self._grown[step] // MB)

    def _mark(self, kind: Kind, run: str, step: Step, amount: int) -> None:
        if self._marks is not None:
            self._marks.mark(kind, {"run": run, **place_of(step).as_json(), "amount": amount})
            how = f"holds the event loop for {amount} s" if kind == "held" else f"grew the process by {amount} MB"
            log.warning("step %s of run %s %s", step.node.id, run, how, extra={"run": run, "node": step.node.id})

    def _clear(self, kind: Kind) -> None:
        if self._marks is not None:
            self._marks.clear(kind)


def _stack_of_the_loop() -> str:
    """The innermost frames of the loop's thread."""
    frame = sys._current_frames().get(LOOP.thread or 0)
    return "".join(traceback.format_stack(frame)[-6:]) if frame else "?"


def _steps_of(frames: Iterable[FrameType]) -> list[tuple[str, Step]]:
    """The steps, not ended yet, that work in these threads now."""
    steps = []
    for frame in frames:
        for context in _contexts(frame):
            known = context.get(CURRENT)
            step = known[1]() if known else None
            if known and step is not None and not step.records.closed:
                steps.append((known[0], step))
    return steps


def _contexts(frame: FrameType | None) -> Iterator[Context]:
    """What code below this frame runs in: a callback of the loop, or a call that was given to a thread."""
    while frame is not None:
        if frame.f_code is asyncio.Handle._run.__code__:
            yield frame.f_locals["self"]._context
        elif frame.f_code is workers._WorkItem.run.__code__:
            call = getattr(frame.f_locals.get("self"), "fn", None)
            owner = getattr(call.func, "__self__", None) if isinstance(call, functools.partial) else None
            if isinstance(owner, Context):
                yield owner
        frame = frame.f_back
