"""Whether what is accepted now can be kept: room on the disk, and a write that the database really makes.

Looked at once in some seconds, however many ask. Starts ask without a statement of their own.
"""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection

from backend.database.sqlite_write_lock import sqlite_write_lock
from backend.errors import StorageFull

FRESH_S = 5.0
LEAST_INODES = 500
MB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Room:
    """Of the data directory's disk; `free_inodes` None where its file system has no such limit."""

    free_mb: int
    free_inodes: int | None

    @property
    def enough(self) -> bool:
        """Whether work is taken with it. Scaled, runs are not kept on this disk."""
        if settings.PATCHBAY.mode == "scaled":
            return True
        return self.has_inodes and self.free_mb >= settings.PATCHBAY.min_free_mb

    @property
    def has_inodes(self) -> bool:
        """Whether files can be made."""
        return self.free_inodes is None or self.free_inodes >= LEAST_INODES


_lock = threading.Lock()
_room: tuple[float, Room] | None = None
_written: tuple[float, bool] | None = None


def room() -> Room:
    """What is free, as of some seconds ago."""
    global _room
    known, now = _room, time.monotonic()
    if known is None or now - known[0] > FRESH_S:
        stats = os.statvfs(settings.PATCHBAY.data)
        known = _room = (now, Room(stats.f_bavail * stats.f_frsize // MB, stats.f_favail if stats.f_files else None))
    return known[1]


def writes() -> bool:
    """Whether the database made a write some seconds ago; one that changes nothing is made when that is long past."""
    global _written
    with _lock:
        now = time.monotonic()
        if _written is None or now - _written[0] > FRESH_S:
            _written = (now, _write())
        return _written[1]


def _write() -> bool:
    try:
        with sqlite_write_lock(), connection.cursor() as cursor:
            cursor.execute("UPDATE django_migrations SET app = app WHERE id = (SELECT MIN(id) FROM django_migrations)")
    except (DatabaseError, InterfaceError):
        return False
    return True


def require_room() -> None:
    """Raise StorageFull where a run that is accepted now could not be kept."""
    if not room().enough:
        free = room()
        reason = {} if free.has_inodes else {"reason": "inodes"}
        raise StorageFull(params={"free_mb": free.free_mb, "free_inodes": free.free_inodes, **reason})


def forget() -> None:
    """Look anew when asked next."""
    global _room, _written
    _room = _written = None
