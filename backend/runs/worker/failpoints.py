"""Ends this process at a named point (`engine.points`), so that tests find out what is left on disk then.

`PATCHBAY_CRASH_AT=effect.write.after` or `effect.write.after:3` (the third time it is reached), honoured only where
PATCHBAY_DEBUG is on. SIGKILL: nothing is flushed, no `finally` runs, no socket says goodbye. With `=stop` behind it the
process stops (SIGSTOP) instead, as a machine does that is suspended, and goes on there after a SIGCONT; with `=hold`
every thread that reaches the point from then on stays there.
"""

from __future__ import annotations

import os
import signal
import threading
import time

from backend.engine.execution import failpoints


class UnknownFailpoint(ValueError):
    """There is no point of this name."""


def arm(text: str) -> None:
    """End this process at `name` or `name:n`, or stop it; empty disarms. Raises UnknownPoint."""
    point, _, how = text.partition("=")
    name, _, count = point.partition(":")
    if not name:
        failpoints.hook = None
        return
    if name not in failpoints.FAILPOINTS or (count and not count.isdecimal()) or how not in ("", "stop", "hold"):
        raise UnknownFailpoint(text)
    left, lock = [int(count or 1)], threading.Lock()

    def end_here(reached: str) -> None:
        if reached != name:
            return
        with lock:
            left[0] -= 1
            hold = how == "hold" and left[0] <= 0
            if left[0] == 0 and not hold:
                if how:  # meant for this thread: it would go on until another one has seen to a signal for all
                    signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)
                else:
                    os.kill(os.getpid(), signal.SIGKILL)

        while hold:
            time.sleep(1)

    failpoints.hook = end_here
