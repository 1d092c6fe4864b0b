"""Bringing the database to this version: at a start, and by a command on an installation that never started."""

from __future__ import annotations

import fcntl
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

_MIGRATION_LOCK = 0x7061746D  # our own number among the locks of the database

COPIES_KEPT = 3
"""Copies of an embedded database, made before migrations, that stay beside it."""


def migrate() -> None:
    """Bring the database to this version; an embedded one is copied before it changes. One process at a time."""
    if not is_behind():
        return
    with _alone():
        if not is_behind():
            return  # somebody else has done it meanwhile
        executor = MigrationExecutor(connection)
        path = _database_path()
        if path and path.exists() and path.stat().st_size and executor.loader.applied_migrations:
            _copy_before_migration(path)
        call_command("migrate", verbosity=0, interactive=False)


def is_behind() -> bool:
    """Whether this version has migrations that the database has not."""
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


@contextmanager
def _alone() -> Iterator[None]:
    """Hold the lock for migrations, so that all who start take turns.

    On Postgres it is the database's, since they may stand on several machines; else the data directory's.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = 0")
            cursor.execute("SELECT pg_advisory_lock(%s)", [_MIGRATION_LOCK])
        try:
            yield
        finally:
            connection.close()  # frees the lock
        return
    with (settings.PATCHBAY.data / "migrate.lock").open("a+") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _database_path() -> Path | None:
    entry = settings.DATABASES["default"]
    return Path(str(entry["NAME"])) if entry["ENGINE"].endswith("sqlite3") else None


def _copy_before_migration(path: Path) -> Path:
    """A consistent copy of the SQLite database beside it, whole once it has its name; the newest are kept."""
    target = path.with_name(f"{path.stem}.before-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}.sqlite3")
    half = target.with_suffix(".half")
    half.touch(0o600)
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(half)) as copy:
        source.backup(copy)
    half.replace(target)
    for old in sorted(path.parent.glob(f"{path.stem}.before-*.sqlite3"))[:-COPIES_KEPT]:
        old.unlink()
    for left in path.parent.glob(f"{path.stem}.before-*.half*"):
        left.unlink()  # of a start that was killed
    return target
