"""Gives memory back to the system: after large results glibc keeps what was freed, in every thread's own heap."""

from __future__ import annotations

import ctypes
import os
import sys
import time

GROWN = 64 * 1024 * 1024
"""Bytes by which the process must be larger than it was before it is worth a try."""


FIRST_WAIT_S = 5.0
LONGEST_WAIT_S = 300.0


_TRIM = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None


def resident() -> int:
    """Bytes of this process in memory; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def give_back() -> None:
    """Give what is free back to the system; takes a few milliseconds and holds no lock of Python's."""
    if _TRIM is not None:
        _TRIM(0)


class Trimmer:
    """Looks now and then; to be called from one thread. Nobody waits for it: the call holds no lock of Python's."""

    def __init__(self, wait_s: float = FIRST_WAIT_S) -> None:
        self._least = resident()
        self._first_s = self._wait_s = wait_s
        self._next = 0.0

    def look(self) -> int:
        """Give back what is free where the process is much larger than it was; gives the bytes that this brought.

        Where it brings little (the memory is in use), the next try waits longer.
        """
        before = resident()
        if _TRIM is None or before < self._least + GROWN or time.monotonic() < self._next:
            return 0
        give_back()
        after = resident()
        self._least = min(self._least, after)
        helped = before - after > GROWN // 4
        self._wait_s = self._first_s if helped else min(2 * self._wait_s, LONGEST_WAIT_S)
        self._next = time.monotonic() + self._wait_s
        return before - after
