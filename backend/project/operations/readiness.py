"""What an installation needs to take work, looked at from a web process: database, migrations, Redis, workers.

Scaled, it is looked at once a second at most, since anybody may ask.
"""

from __future__ import annotations

import threading
import time
from functools import cache
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import DatabaseError, connection

from backend.database.migrating import is_behind

if TYPE_CHECKING:
    from redis import Redis

FRESH_S = 1.0
_lock = threading.Lock()
_last: tuple[float, dict[str, bool]] = (0.0, {})
_migrated = False


def checks() -> dict[str, bool]:
    """`{database, migrations, workers, storage}`, scaled also `redis`: whether each is there."""
    global _last
    if settings.PATCHBAY.mode == "embedded":
        return _look()
    with _lock:
        looked, result = _last
        if time.monotonic() - looked > FRESH_S or not result:
            result = _look()
            _last = (time.monotonic(), result)
        return result


def forget() -> None:
    """Look anew when asked next."""
    global _last, _migrated
    _last, _migrated = (0.0, {}), False


def _look() -> dict[str, bool]:
    from backend.runs.queue import workers
    from backend.runs.starting import storage
    from backend.runs.worker import worker

    database = migrations = working = stored = False
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        database = True
        migrations = _is_migrated()
        stored = storage.writes() and storage.room().enough
        working = worker.current() is not None or (settings.PATCHBAY.mode == "scaled" and bool(workers.alive()))
    except DatabaseError:
        pass
    result = {"database": database, "migrations": migrations, "workers": working, "storage": stored}
    return result | {"redis": redis_answers()} if settings.PATCHBAY.mode == "scaled" else result


def _is_migrated() -> bool:
    """Whether the database has all tables of this version; once it has, it does not lose them."""
    global _migrated
    _migrated = _migrated or not is_behind()
    return _migrated


@cache
def _client() -> Redis:
    from redis import Redis  # here: an embedded installation does without its ten megabytes

    return Redis.from_url(settings.PATCHBAY.redis_url, socket_connect_timeout=1, socket_timeout=1)


def redis_answers() -> bool:
    """Whether Redis answers within a second."""
    from redis import RedisError

    try:
        return bool(_client().ping())
    except RedisError:
        return False
