"""Lets the kernel kill a process for want of memory: a control group that has none left for it."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
TOO_LITTLE = 256 * 1024
PATIENCE_S = 4.0


@cache
def parent() -> tuple[Path, str] | None:
    """Where groups of memory can be made here, and the file of their limit; None where they cannot."""
    for folder, limit in ((ROOT / "memory", "memory.limit_in_bytes"), (ROOT, "memory.max")):
        probe = folder / f"patchbay-probe-{os.getpid()}"
        with contextlib.suppress(OSError):
            probe.mkdir()
            works = (probe / limit).exists() and os.access(probe / limit, os.W_OK)
            probe.rmdir()
            if works:
                return folder, limit
    return None


def starved(pid: int, over: Callable[[], bool]) -> bool:
    """Give this process no more memory until it is killed; False when it asked for none, and may have it again."""
    result = parent()
    assert result is not None
    folder, limit = result
    group = folder / f"patchbay-storm-{os.getpid()}"
    group.mkdir(exist_ok=True)
    pause = threading.Event()
    try:
        (group / limit).write_text(str(TOO_LITTLE))
        try:
            (group / "cgroup.procs").write_text(str(pid))
        except OSError:  # it died meanwhile
            return over()
        for _ in range(int(PATIENCE_S / 0.05)):
            if over():
                return True
            pause.wait(0.05)
        with contextlib.suppress(ProcessLookupError):  # killed at the last moment
            (folder / "cgroup.procs").write_text(str(pid))
        return over()
    finally:
        for _ in range(40):
            with contextlib.suppress(OSError):
                group.rmdir()
                break
            pause.wait(0.05)
