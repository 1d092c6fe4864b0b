"""Watches the event loop that all segments share: says in the log what held it, and for how long.

Looks only while runs are here, so an idle process does nothing.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
import traceback
from collections.abc import Callable

from backend.tools.loop import LOOP

log = logging.getLogger(__name__)

LOOK_EVERY_S = 0.25
QUIET_LOOKS = 4
HELD_S = 0.5
"""A loop that does not answer within this is reported; shorter waits may be the machine's."""


class Watchdog:
    """A thread that asks the loop for a sign of life while `busy()`."""

    def __init__(self, busy: Callable[[], bool]) -> None:
        self._busy = busy
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)

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
            while quiet < QUIET_LOOKS and not self._stop.wait(LOOK_EVERY_S):
                if self._busy() and LOOP.running:
                    self._look()
                    quiet = 0
                else:
                    quiet += 1
            if self._stop.is_set():
                return
            self._wake.clear()
            if self._busy():  # a run that began just now found the bell still rung
                self._wake.set()

    def _look(self) -> None:
        alive, owner = threading.Event(), [0]

        def sign() -> None:
            owner[0] = threading.get_ident()
            alive.set()

        began = time.monotonic()
        LOOP.loop.call_soon_threadsafe(sign)
        if alive.wait(HELD_S):
            return
        held_by = _stacks()
        while not alive.wait(LOOK_EVERY_S):
            if self._stop.is_set():
                return
        spent = (time.monotonic() - began) * 1000
        log.warning("the event loop was held for %.0f ms at:\n%s", spent, held_by.get(owner[0], "?"))


def _stacks() -> dict[int, str]:
    """The innermost frames of every thread."""
    return {ident: "".join(traceback.format_stack(frame)[-6:]) for ident, frame in sys._current_frames().items()}
