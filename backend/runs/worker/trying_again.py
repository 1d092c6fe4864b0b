"""When a run that met trouble of ours is tried again, and which trouble is nobody's fault."""

from __future__ import annotations

import asyncio

from django.db import DatabaseError, InterfaceError

from backend.engine.execution.ports import DatabaseUnavailable, SegmentFault
from backend.errors.trouble import of_this_machine

LONGEST_PAUSE_S = 30
"""Seconds at most between two tries of a run that meets trouble of ours."""
LONGEST_PASSING_S = 8.0
"""The same for trouble that passes by itself: once it is over nobody waits for long."""
RESUMED = 1
"""Lines that a segment adds to a log which does not get any further: that it goes on."""
MOST_MET = 10_000


class Troubles:
    """Runs of this process that met trouble which passes: each is tried again more slowly until it gets further."""

    def __init__(self) -> None:
        self._met: dict[str, tuple[int, int]] = {}

    def pause(self, run: str, position: int) -> float:
        """Seconds until the next try of a run whose segment began at this position of its log and met trouble."""
        tries, before = self._met.get(run, (0, -RESUMED - 1))
        tries = tries + 1 if position - before <= RESUMED else 1
        if len(self._met) >= MOST_MET:
            self._met.clear()  # who goes on elsewhere is not told of here
        self._met[run] = tries, position
        return min(pause_after(tries), LONGEST_PASSING_S)

    def over(self, run: str) -> None:
        """A segment of the run met none."""
        self._met.pop(run, None)


TROUBLES = Troubles()


def passes(error: BaseException | None) -> bool:
    """Whether trouble will be over without anybody mending code: the database's, the disk's, memory's, a loop's end."""
    known = (DatabaseUnavailable, DatabaseError, InterfaceError, asyncio.CancelledError)
    cause = error.__cause__ if isinstance(error, SegmentFault) else error
    return isinstance(cause, known) or of_this_machine(cause)


def pause_after(tries: int) -> float:
    """Seconds until a run that met trouble of ours is tried again, the first time and after."""
    return float(min(2 ** (tries - 1), LONGEST_PAUSE_S))
