"""Writes a backup of a running installation: every table as it stands at one moment, with the key file.

One read transaction sees that moment, in SQLite (WAL) as in Postgres (REPEATABLE READ), while everybody goes on
working. Sign-ins are left out: after a restore people sign in again.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import connection, models, transaction
from django.db.migrations.recorder import MigrationRecorder

from backend.project.backups.archive import FORMAT, KEY, MANIFEST, Columns, Writer, kind_of
from backend.secrets import cipher
from backend.version import VERSION

LEFT_OUT = frozenset(
    {
        "django_session",
        "usersessions_usersession",
        "accounts_signinlink",
        "runs_workerseen",
        "runs_chore",
        "runs_storedchange",
    }
)
"""Tables of what belongs to running processes and open browsers, and of what the database notes by itself."""
PRESETS = ("presets.json", "provider_presets.json")
CHECK_VALUE = "patchbay"


def write_backup(target: Path, *, with_key: bool = True) -> dict[str, int]:
    """Write a backup to `target`, readable by its owner alone; gives the rows by table.

    The file appears under its name once it is whole. Keys that come from the environment are never in it.
    """
    half = target.with_name(f".{target.name}.{os.getpid()}")
    descriptor = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            writer = Writer(file)
            with _one_moment():
                _write(writer, with_key and not settings.PATCHBAY.secret_keys)
            writer.finish()
            file.flush()
            os.fsync(file.fileno())
        half.replace(target)
    finally:
        half.unlink(missing_ok=True)
    return writer.written.rows


def _write(writer: Writer, with_key: bool) -> None:
    tables = dict(_tables())
    applied: dict[str, list[str]] = defaultdict(list)
    for app, name in sorted(MigrationRecorder(connection).applied_migrations()):
        applied[app].append(name)
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "created_at": datetime.now(UTC).isoformat(),
        "mode": settings.PATCHBAY.mode,
        "migrations": applied,
        "tables": tables,
        "key_check": cipher.encrypt(CHECK_VALUE),
    }
    writer.member(MANIFEST, json.dumps(manifest).encode())
    if with_key:
        writer.member(KEY, (settings.PATCHBAY.data / KEY).read_bytes())
    for name in PRESETS:
        path = settings.PATCHBAY.data / name
        if path.exists():
            writer.member(name, path.read_bytes())
    for table, columns in tables.items():
        writer.table(table, [kind for _, kind in columns], _rows(table, columns))


def _tables() -> Iterator[tuple[str, Columns]]:
    """Every table of ours with its columns; those between two others too."""
    for model in apps.get_models(include_auto_created=True):
        if model._meta.managed and not model._meta.proxy and model._meta.db_table not in LEFT_OUT:
            fields: list[models.Field[Any, Any]] = list(model._meta.local_concrete_fields)
            yield model._meta.db_table, [(str(field.column), kind_of(field)) for field in fields]


def _rows(table: str, columns: Columns) -> Iterator[tuple[Any, ...]]:
    quote = connection.ops.quote_name
    names = ", ".join(quote(name) for name, _ in columns)
    at_once = 20 if any(kind == "bytes" for _, kind in columns) else 1000
    with connection.chunked_cursor() as cursor:
        cursor.execute(f"SELECT {names} FROM {quote(table)}")  # noqa: S608 - names of our own tables
        while rows := cursor.fetchmany(at_once):
            yield from rows


@contextmanager
def _one_moment() -> Iterator[None]:
    """Everything that is read inside is as it was at one moment; nobody waits for it."""
    if connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            yield
        return
    with connection.cursor() as cursor:
        cursor.execute("BEGIN DEFERRED")  # Django's own transactions take the writer's turn
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")
