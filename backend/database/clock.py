"""The one clock of an installation: its database's. And the clock by which a process counts the time of its leases.

Timers, expiries and leases are compared by the database, so a worker whose own clock is wrong must not decide by it
what is due. Scaled, each claim and each heartbeat reads the database's time along with what it reads anyhow; in between
it is counted on from there. Embedded, the one process says what time it is, by its machine's clock; a jump of that is
believed once it has lasted, so that no timer which begins in between is an hour late.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

from django.db import connection

FLOOR_S = 1.0
"""Seconds at least between two resumes of a run by its timers, whatever clocks say; messages wake it at once. Shorter
than what a segment waits for itself, so no timer is late for it."""
JUMP_S = 1.0
"""A machine's clock that is off by more from one look at it to the next was set."""
BELIEVED_S = 30.0
"""For so long it must go on being off."""
PROMPT_S = 0.5
"""An answer that took longer says too little of when it was given to correct what is known."""


def now_sql() -> str:
    """The database's clock in epoch seconds, as an SQL expression; a file has none but its process's."""
    if connection.vendor == "postgresql":
        return "extract(epoch from clock_timestamp())"
    return repr(CLOCK.now())


def later_sql() -> str:
    """An SQL expression with one parameter, the time of a timer: that, but not before the floor between two resumes."""
    larger = "GREATEST" if connection.vendor == "postgresql" else "MAX"
    return f"{larger}(CAST(%s AS double precision), {now_sql()} + {FLOOR_S})"


def _source() -> int | None:
    """The clock that goes on while the machine sleeps: a lease runs out then as well. None = there is none by id."""
    if sys.platform == "darwin":
        return time.CLOCK_MONOTONIC  # there it goes on, and `time.monotonic` is another one
    return getattr(time, "CLOCK_BOOTTIME", None)


_SOURCE = _source()

steady: Callable[[], float] = time.monotonic if _SOURCE is None else partial(time.clock_gettime, _SOURCE)
"""Seconds of a clock that nobody sets and that also goes on in suspend, where the platform has one. Asked some twenty
times in the smallest run, so it is the library's own function."""


class MachineClock:
    """The machine's time, of which a jump is believed once it has lasted; until then what was before is counted on."""

    def __init__(self) -> None:
        self._offset: float | None = None
        self._jumped_at: float | None = None

    def now(self) -> float:
        """Epoch seconds."""
        measured_at = steady()
        offset = time.time() - measured_at
        if self._offset is None or abs(offset - self._offset) <= JUMP_S:
            self._offset, self._jumped_at = offset, None
        elif self._jumped_at is None:
            self._jumped_at = measured_at
        elif measured_at - self._jumped_at >= BELIEVED_S:
            self._offset, self._jumped_at = offset, None
        return measured_at + self._offset


class DatabaseClock:
    """The database's time as this process knows it; its machine's until it has read the database's once."""

    def __init__(self) -> None:
        self._offset: float | None = None
        self._machine = MachineClock()

    def learn(self, now: float, requested_at: float) -> None:
        """The database said `now` (epoch seconds) to what was asked at `requested_at` (`steady`).

        What is counted on from there is never behind, so that what the database found due is due here.
        """
        took = steady() - requested_at
        if took <= PROMPT_S:
            self._offset = now - requested_at
        elif self._offset is None:
            self._offset = now - requested_at - took

    def now(self) -> float:
        """Epoch seconds."""
        offset = self._offset
        return self._machine.now() if offset is None else steady() + offset

    def moment(self) -> datetime:
        """The same as a time with its zone."""
        return datetime.fromtimestamp(self.now(), UTC)


CLOCK = DatabaseClock()
"""This process's."""
