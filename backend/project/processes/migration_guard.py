"""What must hold while the database is brought to another version: nobody works in it, nobody else changes it.

Embedded, the instance lock says both. On Postgres everything happens in one transaction, so that nothing is half done
however it ends: the turn is a lock of the database, web and worker processes are known by their connections' names and
their heartbeats, and a lock that is not to be had within PATCHBAY_MIGRATE_LOCK_S ends it with the name of who has it.
"""

from __future__ import annotations

import fcntl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import OperationalError, connection, transaction

from backend.database.migrating import copy_before_migration, is_behind
from backend.project.postgres import others_at_work
from backend.project.processes.instance_lock import AlreadyRunning, is_held, take_instance_lock
from backend.project.processes.lock_holders import Watch

_TURN = 0x7061746D  # our own number among the locks of the database
QUIET_S = 2.0
"""Between taking the instance lock and its turn to migrate, another process that starts is given so long."""
AGAIN_S = 0.05
NOT_AVAILABLE = "55P03"


class MigrationRefused(Exception):
    """Nothing was changed, and why."""


@contextmanager
def alone(*, while_running: bool, say: Callable[[str], None]) -> Iterator[None]:
    """The database is this process's to change. Raises MigrationRefused; `say` is told what is waited for."""
    turn = _alone_on_postgres(while_running, say) if connection.vendor == "postgresql" else _alone_on_file(say)
    with turn:
        yield


def refuse_others() -> None:
    """Raise MigrationRefused where web or worker processes use this Postgres."""
    if connection.vendor != "postgresql" or not (others := others_at_work()):
        return
    listed = "\n".join(f"  {other}" for other in others)
    raise MigrationRefused(
        f"Patchbay is running on this database:\n{listed}\nStop these processes first. "
        f"(A worker that was killed counts until its lease of {settings.PATCHBAY.lease_s:g} s is over.)"
    )


@contextmanager
def _alone_on_postgres(while_running: bool, say: Callable[[str], None]) -> Iterator[None]:
    patience = settings.PATCHBAY.migrate_lock_s
    watch: Watch | None = None
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL lock_timeout = '{patience}s'")
                cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # else tables with changed rows cannot be altered
                cursor.execute("SELECT pg_backend_pid()")
                watch = Watch(cursor.fetchone()[0], say)
                watch.start()
                cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_TURN])
            if not while_running and is_behind():
                refuse_others()
            yield
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", "") != NOT_AVAILABLE:
            raise
        holders = watch.stop() if watch else ""
        raise MigrationRefused(
            f"A lock was not to be had within {patience} s (PATCHBAY_MIGRATE_LOCK_S). {holders}"
        ) from error
    finally:
        if watch is not None:
            watch.stop()


@contextmanager
def _alone_on_file(say: Callable[[str], None]) -> Iterator[None]:
    """Take turns with all that start, then own the installation; whoever finds the work done needs no lock."""
    with (settings.PATCHBAY.data / "migrate.lock").open("a+") as turn:
        deadline = None
        while True:
            fcntl.flock(turn, fcntl.LOCK_EX)
            if not is_behind():
                yield
                return
            try:
                own = None if is_held() else take_instance_lock()
                break
            except AlreadyRunning as error:
                deadline = deadline or time.monotonic() + QUIET_S
                if time.monotonic() > deadline:
                    raise MigrationRefused(f"Another Patchbay runs on {error}. Stop it first, then migrate.") from None
            fcntl.flock(turn, fcntl.LOCK_UN)
            time.sleep(AGAIN_S)
        try:
            copy_before_migration()
            yield
        finally:
            if own is not None:
                own.close()
