"""What a restore that was killed left behind: `.restoring-*` files, of the database's size or with the keys in it.

A restore holds a lock of its own on each file it works on, so that nobody takes it away under it; what nobody holds is
nobody's, and goes at the next start or restore.
"""

from __future__ import annotations

import fcntl
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import connection

log = logging.getLogger(__name__)

PREFIX, SUFFIX = ".restoring-", ".sqlite3"
_BESIDE = ("-wal", "-shm", "-journal")


@contextmanager
def working_file(database: Path) -> Iterator[Path]:
    """A new, empty file beside the database, marked as in use inside; what is left under its name goes at the end."""
    with _held(database.with_name(f"{PREFIX}{os.getpid()}{SUFFIX}")) as path:
        yield path


def replace_file(path: Path, data: bytes) -> None:
    """Put this in the place of a file, whole or not at all, to be read by its owner only."""
    with _held(path.with_name(f"{PREFIX}{os.getpid()}.{path.name}"), 0o600) as new:
        with new.open("r+b") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)


@contextmanager
def _held(path: Path, mode: int = 0o666) -> Iterator[Path]:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, mode)
    with os.fdopen(descriptor, "ab") as held:  # closed last: closing it gives up SQLite's own locks on the file
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        try:
            yield path
        finally:
            _remove(path)


def remove_leftovers() -> int:
    """Remove what restores that ended half way left behind; gives how many files there were."""
    folders = {settings.PATCHBAY.data}
    if connection.vendor == "sqlite":
        folders.add(Path(str(connection.settings_dict["NAME"])).parent)
    removed = 0
    for path in (leftover for folder in folders for leftover in folder.glob(f"{PREFIX}*")):
        if not path.name.endswith(_BESIDE) and not _in_use(path):
            _remove(path)
            removed += 1
            log.warning("removed what a restore that did not end left: %s", path.name)
    return removed


def _in_use(path: Path) -> bool:
    """Whether somebody holds the file, or it cannot be told."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    return False


def _remove(path: Path) -> None:
    for name in (path.name, *(f"{path.name}{end}" for end in _BESIDE)):
        path.with_name(name).unlink(missing_ok=True)
