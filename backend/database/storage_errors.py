"""What a database says when it cannot keep anything, as the errors that a client is answered.

A request's writes are one transaction, so nothing of it was kept when one of these is raised.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError, InterfaceError

from backend.errors import PatchbayError, StorageFull, StorageReadOnly, StorageUnreachable

_STATES: dict[str, type[PatchbayError]] = {"53100": StorageFull, "25006": StorageReadOnly, "25007": StorageReadOnly}
"""Postgres: disk full; a read-only transaction, as on a standby."""
_CODES: dict[int, type[PatchbayError]] = {
    sqlite3.SQLITE_FULL: StorageFull,
    sqlite3.SQLITE_IOERR_SHMSIZE: StorageFull,
    sqlite3.SQLITE_IOERR_WRITE: StorageFull,
    sqlite3.SQLITE_READONLY: StorageReadOnly,
}
_CONNECTION_LOST = ("08", "57P")
"""Postgres: the connection is lost; the server ends, starts, or does not take this one."""


def storage_problem(error: BaseException | None) -> PatchbayError | None:
    """The answer to a request that failed because its database is full, read-only or away; None for another reason."""
    if not isinstance(error, DatabaseError | InterfaceError):
        return None
    cause = error.__cause__
    code = getattr(cause, "sqlite_errorcode", None)
    problem = _of_sqlite(code) if code is not None else _of_postgres(cause)
    return problem(params={"reason": "database"}) if problem else None


def _of_sqlite(code: int) -> type[PatchbayError] | None:
    return _CODES.get(code) or _CODES.get(code & 0xFF)


def _of_postgres(cause: BaseException | None) -> type[PatchbayError] | None:
    state = getattr(cause, "sqlstate", None)
    if state is None:  # psycopg's own words: nothing came from a server
        return StorageUnreachable if type(cause).__name__ in ("OperationalError", "ConnectionTimeout") else None
    return StorageUnreachable if state.startswith(_CONNECTION_LOST) else _STATES.get(state)


@contextmanager
def if_it_can_be_kept() -> Iterator[None]:
    """For a note beside what was asked for, which is answered all the same where nothing can be kept."""
    try:
        yield
    except (DatabaseError, InterfaceError) as error:
        if storage_problem(error) is None:
            raise
