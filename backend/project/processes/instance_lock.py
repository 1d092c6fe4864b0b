"""The lock of an embedded installation: one process at a time owns the database file, by whatever name it goes there.

Three holds: one in the data directory, one beside the real database file (both a lock on a small file, so they reach
across containers that share the folder), and on Linux one on the file's inode (a listening socket without a file, which
ends with its process), so that hard links and mounts of the same file meet too. The database file itself is never
opened for this: to close it would take SQLite's own locks away.
"""

from __future__ import annotations

import fcntl
import os
import socket
import struct
import sys
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from django.conf import settings
from django.db import connection

_held: InstanceLock | None = None


class AlreadyRunning(Exception):
    """Another process owns this data directory or its database."""


class InstanceLock:
    """Held until `close`, or the end of the process."""

    def __init__(self) -> None:
        self._parts = ExitStack()

    def take(self) -> None:
        """Take all that is to be had. Raises AlreadyRunning and holds nothing then."""
        with ExitStack() as parts:
            _lock_file(parts, settings.PATCHBAY.data / "instance.lock", settings.PATCHBAY.data)
            path = database_path()
            if path is not None:
                real = path.resolve()
                _lock_file(parts, real.with_name(f"{real.name}.lock"), real)
                _lock_inode(parts, real)
            self._parts = parts.pop_all()

    def close(self) -> None:
        """Let go."""
        global _held
        if _held is self:
            _held = None
        self._parts.close()

    def __enter__(self) -> InstanceLock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def take_instance_lock() -> InstanceLock:
    """Own the data directory and its database for as long as the lock is held. Raises AlreadyRunning."""
    global _held
    lock = InstanceLock()
    lock.take()
    _held = lock
    return lock


def is_held() -> bool:
    """Whether this process owns the installation."""
    return _held is not None


def database_path() -> Path | None:
    """The SQLite database of this process; None with another one."""
    return Path(str(connection.settings_dict["NAME"])) if connection.vendor == "sqlite" else None


def _lock_file(parts: ExitStack, path: Path, what: Path) -> None:
    handle = parts.enter_context(path.open("a+"))
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        handle.seek(0)
        holder = handle.read().strip()
        raise AlreadyRunning(_held_by(what, int(holder) if holder.isdecimal() else None)) from None
    handle.truncate(0)
    handle.write(str(os.getpid()))
    handle.flush()


def _lock_inode(parts: ExitStack, path: Path) -> None:
    if not sys.platform.startswith("linux"):
        return
    if not path.exists():
        path.touch(0o600)  # nobody in this process has it open yet
    file = path.stat()
    name = f"\0patchbay-{file.st_dev}-{file.st_ino}"
    hold = parts.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
    try:
        hold.bind(name)
        hold.listen(8)
    except OSError:
        raise AlreadyRunning(_held_by(path, _listener(name))) from None


def _listener(name: str) -> int | None:
    """The process that holds an inode."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            probe.settimeout(1)
            probe.connect(name)
            credentials = probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    except OSError:
        return None
    return int(struct.unpack("3i", credentials)[0]) or None


def _held_by(what: Path, process: int | None) -> str:
    return f"{what} (process {process})" if process else str(what)
