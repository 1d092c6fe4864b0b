"""Ends this process at a named point (`engine.points`), so that tests find out what is left on disk then.

`PATCHBAY_CRASH_AT=effect.write.after` or `effect.write.after:3` (the third time it is reached), honoured only where
PATCHBAY_DEBUG is on. SIGKILL: nothing is flushed, no `finally` runs, no socket says goodbye.
"""

from __future__ import annotations

import os
import signal
import threading

from backend.engine import points


class UnknownPoint(ValueError):
    """There is no point of this name."""


def arm(text: str) -> None:
    """End this process at `name` or `name:n`; empty disarms. Raises UnknownPoint."""
    name, _, count = text.partition(":")
    if not name:
        points.hook = None
        return
    if name not in points.POINTS or (count and not count.isdecimal()):
        raise UnknownPoint(text)
    left, lock = [int(count or 1)], threading.Lock()

    def end_here(reached: str) -> None:
        if reached != name:
            return
        with lock:
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    points.hook = end_here
