"""What a restore that was killed left behind: `.restoring-*` files beside the database, as large as the backup.

A restore holds a lock of its own on the file it works on, so that nobody takes it away under it; what nobody holds is
nobody's, and goes at the next start or restore.
"""

from __future__ import annotations

import fcntl
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

log = logging.getLogger(__name__)

PREFIX, SUFFIX = ".restoring-", ".sqlite3"
_BESIDE = ("-wal", "-shm", "-journal")


@contextmanager
def working_file(database: Path) -> Iterator[Path]:
    """A new, empty file beside the database, marked as in use inside; what is left under its name goes at the end."""
    path = database.with_name(f"{PREFIX}{os.getpid()}{SUFFIX}")
    with path.open("ab") as held:  # closed last: closing it gives up SQLite's own locks on the file
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        try:
            yield path
        finally:
            _remove(path)


def remove_leftovers() -> int:
    """Remove what restores that ended half way left beside this database; gives how many there were."""
    if connection.vendor != "sqlite":
        return 0
    removed = 0
    for path in Path(str(connection.settings_dict["NAME"])).parent.glob(f"{PREFIX}*{SUFFIX}"):
        if not _in_use(path):
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
