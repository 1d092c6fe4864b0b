"""Ends a boxed program for certain, at whatever point of its start it is, and says when all of it is gone.

What makes a box starts a process within it, and only later asks the kernel to end that one with its parent: a parent
that is killed in between leaves it behind, with everything it goes on to start. So the parent is held still first: it
can start nothing more, and what it started is its child yet.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from pathlib import Path

STOP_S = 1.0
"""Seconds that the kernel has to hold a process still."""


def kill(pid: int) -> list[int]:
    """Kill a process of ours, its group and its children; descriptors by which their end can be waited for.

    A child that is the first process of a namespace takes everything in it along. Blocks until the kernel has stopped
    the process: at once, but for one in the middle of a system call that cannot be interrupted.
    """
    ours = _stopped(pid)
    children = children_of(pid) if ours else []
    ends = [end for child in (pid, *children) if ours and (end := _end_of(child)) is not None]
    for child in (*children, pid):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)
        if ours:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
    return ends


def _stopped(pid: int) -> bool:
    """Hold a process still; False where it is none of ours any more, and its number may be another's."""
    if not hasattr(os, "waitid"):
        return True
    until = time.monotonic() + STOP_S
    with contextlib.suppress(ProcessLookupError, PermissionError):
        try:
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            os.kill(pid, signal.SIGSTOP)
            states = os.WSTOPPED | os.WEXITED | os.WNOHANG | os.WNOWAIT
            while os.waitid(os.P_PID, pid, states) is None and time.monotonic() < until:
                time.sleep(0.001)
        except ChildProcessError:
            return False
    return True


def wait(ends: list[int], seconds: float) -> bool:
    """Wait until all of them have ended, at most so long; whether they have. Closes the descriptors."""
    left = set(ends)
    looking = select.poll() if hasattr(select, "poll") else None
    try:
        if looking is None:
            return not left
        for end in left:
            looking.register(end, select.POLLIN)
        while left:
            ready = looking.poll(seconds * 1000)
            if not ready:
                return False
            for end, _ in ready:
                looking.unregister(end)
                left.discard(end)
        return True
    finally:
        for end in ends:
            os.close(end)


def children_of(pid: int) -> list[int]:
    """Direct children of a process; empty where it is gone."""
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except (OSError, ValueError):
        return []


def _end_of(pid: int) -> int | None:
    """A descriptor that can be read once the process has ended; None where there is none."""
    if not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None
