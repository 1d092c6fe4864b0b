"""Work of rooms above whose times stand in rows: the reaper, which finds due timers, does that too.

The room registers one function at start, and it is called at each look of the reaper, in its thread. A process whose
room has nothing to do pays one small statement for a look.
"""

from __future__ import annotations

import time
from collections.abc import Callable

Look = Callable[[], float | None]
"""Does some of what is due. Seconds until it should be called again (0 = there is more), None = at the next look."""


class DueWork:
    """What is due in this process, and when to look again."""

    def __init__(self) -> None:
        self._look: Look | None = None
        self._wake: Callable[[], None] | None = None
        self._next = 0.0

    def register(self, look: Look) -> None:
        """From now on `look` does what is due."""
        self._look = look

    def wake_by(self, wake: Callable[[], None] | None) -> None:
        """`wake` ends the reaper's pause; None = there is no reaper any more."""
        self._wake, self._next = wake, 0.0

    def ring(self) -> None:
        """Something may be due earlier than was known."""
        self._next = 0.0
        if self._wake is not None:
            self._wake()

    def run(self, tick_s: float) -> float:
        """Do what is due; gives the seconds until the next look, at most `tick_s`."""
        if self._look is None:
            return tick_s
        if time.monotonic() >= self._next:
            left = self._look()
            self._next = time.monotonic() + (tick_s if left is None else min(left, tick_s))
        return max(self._next - time.monotonic(), 0.0)


DUE = DueWork()
"""This process's."""
