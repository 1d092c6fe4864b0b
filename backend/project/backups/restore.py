"""Puts a backup into an empty installation: tables as they were, then this version's migrations, then the key file.

Nothing is half done: SQLite gets a new file that takes its place when it is whole, Postgres one transaction. Runs that
were going on are paused in it (`runs.restored`), so that no worker ever sees them going on by themselves.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from backend.project.backups.archive import FORMAT, KEY, Columns, Damaged, Reader, from_json
from backend.project.backups.backup import CHECK_VALUE, PRESETS
from backend.project.backups.leftovers import remove_leftovers, replace_file, working_file
from backend.project.environment import environment
from backend.runs.log.encoding import iso
from backend.runs.starting import restored
from backend.secrets import cipher
from backend.triggers import lifecycle as triggers

_NAME = re.compile(r"^[a-z][a-z0-9_]{0,62}$")
_PART = re.compile(r"^tables/([a-z0-9_]+)/\d+\.jsonl$")
_AT_ONCE = 500


class Refused(Exception):
    """The backup cannot be restored here. The text says why and what to do."""


@dataclass
class _Plan:
    """What the manifest says, checked, and the files that go beside the database."""

    targets: list[tuple[str, str]]
    tables: dict[str, Columns]
    key_check: str
    created_at: datetime
    files: dict[str, bytes] = field(default_factory=dict)


def read_backup(file: IO[bytes]) -> datetime:
    """Restore from an open file; gives when the backup was made. Raises Refused, Damaged; then nothing has changed."""
    remove_leftovers()
    _refuse_where_people_are()
    reader = Reader(file)
    members = reader.members()
    _, text = next(members, ("", b""))
    if not text:
        raise Damaged("This file is not a backup of Patchbay.")
    plan = _plan(json.loads(text))
    with _new_database(plan):
        first = _key_and_presets(plan, members)
        _load(plan, reader, first, members)
        reader.check()
        _write_files(plan)
    if KEY in plan.files:
        replace_file(settings.PATCHBAY.data / KEY, plan.files[KEY])
        cipher.configure(plan.files[KEY].decode().split())  # migrations may read what the backup's key made
    call_command("migrate", verbosity=0, interactive=False)
    return plan.created_at


def _plan(manifest: dict[str, Any]) -> _Plan:
    if manifest.get("format") != FORMAT:
        raise Refused(f"This backup was made by a newer version of Patchbay ({manifest.get('version')}). Update first.")
    known = MigrationLoader(None, ignore_no_migrations=True)
    applied = {(app, name) for app, names in manifest["migrations"].items() for name in names}
    unknown = sorted(applied - set(known.disk_migrations))
    if unknown:
        app, name = unknown[0]
        raise Refused(
            f"This backup was made by a newer version of Patchbay ({manifest['version']}; this one does not know "
            f"{app}.{name}). Update first."
        )
    followed = {parent for key in applied for parent in known.disk_migrations[key].dependencies if parent[0] == key[0]}
    tables = {table: [(name, kind) for name, kind in columns] for table, columns in manifest["tables"].items()}
    names = [*tables, *(name for columns in tables.values() for name, _ in columns)]
    if not all(_NAME.match(name) for name in names):
        raise Damaged("This file is damaged: it has names that are none of ours.")
    return _Plan(
        sorted(applied - followed), tables, manifest["key_check"], datetime.fromisoformat(manifest["created_at"])
    )


def _refuse_where_people_are() -> None:
    if "accounts_user" not in connection.introspection.table_names():
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM accounts_user UNION ALL SELECT 1 FROM accounts_team LIMIT 1")
        if cursor.fetchone() is None:
            return
    where = settings.PATCHBAY.data if connection.vendor == "sqlite" else "this database"
    raise Refused(
        f"This installation is not empty: {where} holds people and their work. "
        "Restore into a new one (another PATCHBAY_DATA_DIR, or another database)."
    )


# -- keys and presets -----------------------------------------------------------------------------------------------


def _key_and_presets(plan: _Plan, members: Iterator[tuple[str, bytes]]) -> tuple[str, bytes] | None:
    """Take what stands before the tables, check that a key fits; gives the first part of the tables."""
    first = None
    for name, data in members:
        if name not in (KEY, *PRESETS):
            first = (name, data)
            break
        plan.files[name] = data
    keys = environment().secret_keys
    if keys:
        plan.files.pop(KEY, None)
        if not _fits(plan.key_check, keys):
            raise Refused("PATCHBAY_SECRET_KEYS cannot read the secrets of this backup. Set the keys it was made with.")
    elif KEY in plan.files:
        if not _fits(plan.key_check, plan.files[KEY].decode().split()):
            raise Damaged("This file is damaged: its key does not fit its secrets.")
    elif not _fits(plan.key_check, (settings.PATCHBAY.data / KEY).read_text().split()):
        raise Refused(
            "This backup holds no key, and no key here can read its secrets. Put the right one into "
            f"PATCHBAY_SECRET_KEYS or {settings.PATCHBAY.data / KEY}."
        )
    return first


def _fits(check: str, keys: list[str]) -> bool:
    before = cipher.keys()
    try:
        cipher.configure(keys)
        return bool(cipher.decrypt(check) == CHECK_VALUE)
    except (cipher.NoKeyFits, ValueError):
        return False
    finally:
        cipher.restore(before)


def _write_files(plan: _Plan) -> None:
    """The keys and presets, before the database is there that needs them.

    The keys of before stay behind the new ones: killed here, it is the database of before that is started again.
    """
    for name, data in plan.files.items():
        path = settings.PATCHBAY.data / name
        if name == KEY:
            data = b"\n".join(dict.fromkeys([*data.split(), *path.read_bytes().split()]))
        replace_file(path, data)


# -- the database ---------------------------------------------------------------------------------------------------


@contextmanager
def _new_database(plan: _Plan) -> Iterator[None]:
    """An empty database at the backup's migrations; what was put into it stays if nothing is raised inside."""
    if connection.vendor == "sqlite":
        with _new_file(), transaction.atomic():
            _tables_as_they_were(plan)
            yield
            _hold_runs(plan)
            with connection.cursor() as cursor:
                cursor.execute("PRAGMA foreign_key_check")
                if cursor.fetchone():
                    raise Damaged("This file is damaged: rows refer to others that are missing.")
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
        if cursor.fetchone()[0]:
            raise Refused("Other processes use this database. Stop Patchbay's web and worker processes first.")
        for table in connection.introspection.table_names():
            cursor.execute(f"DROP TABLE {connection.ops.quote_name(table)} CASCADE")
        _tables_as_they_were(plan)
        yield
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        _count_on(cursor, plan)
        _hold_runs(plan)


def _hold_runs(plan: _Plan) -> None:
    restored.hold(iso(plan.created_at.timestamp()), time.time())
    triggers.hold()


@contextmanager
def _new_file() -> Iterator[None]:
    """Work on a new SQLite file, which takes the old one's place at the end."""
    entry = connection.settings_dict
    old = Path(str(entry["NAME"]))
    connection.close()
    with working_file(old) as new:
        entry["NAME"] = str(new)
        try:
            with connection.cursor() as cursor:
                cursor.execute("PRAGMA foreign_keys=OFF")
            yield
            with connection.cursor() as cursor:
                cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.close()
            for name in (f"{old.name}-wal", f"{old.name}-shm"):
                old.with_name(name).unlink(missing_ok=True)
            new.replace(old)
        finally:
            connection.close()
            entry["NAME"] = str(old)


def _tables_as_they_were(plan: _Plan) -> None:
    executor = MigrationExecutor(connection)
    executor.migrate(plan.targets)
    here = set(connection.introspection.table_names())
    with connection.cursor() as cursor:
        for table in plan.tables:
            if table not in here:
                raise Damaged(f"This file is damaged: there is no table {table}.")
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(table)}")  # noqa: S608 - a table that exists


def _load(plan: _Plan, reader: Reader, first: tuple[str, bytes] | None, members: Iterator[tuple[str, bytes]]) -> None:
    todo = first
    while todo is not None:
        name, data = todo
        match = _PART.match(name)
        if match is None or match[1] not in plan.tables:
            raise Damaged(f"This file is damaged: {name} does not belong here.")
        reader.count(match[1], _insert(match[1], plan.tables[match[1]], data))
        todo = next(members, None)


def _insert(table: str, columns: Columns, data: bytes) -> int:
    quote = connection.ops.quote_name
    cast = "::jsonb" if connection.vendor == "postgresql" else ""
    marks = ", ".join(f"%s{cast}" if kind == "json" else "%s" for _, kind in columns)
    names = ", ".join(quote(name) for name, _ in columns)
    sql = f"INSERT INTO {quote(table)} ({names}) VALUES ({marks})"  # noqa: S608 - checked names
    lines = data.decode("utf-8", "surrogatepass").split("\n")[:-1]
    with connection.cursor() as cursor:
        for start in range(0, len(lines), _AT_ONCE):
            rows = [json.loads(line) for line in lines[start : start + _AT_ONCE]]
            values = [[from_json(value, kind) for value, (_, kind) in zip(row, columns, strict=True)] for row in rows]
            cursor.executemany(sql, values)
    return len(lines)


def _count_on(cursor: Any, plan: _Plan) -> None:
    """Postgres: keys that the database counts up go on after the restored ones."""
    for sequence in connection.introspection.sequence_list():
        if sequence["table"] in plan.tables and sequence["column"]:
            table, column = connection.ops.quote_name(sequence["table"]), connection.ops.quote_name(sequence["column"])
            cursor.execute(
                f"SELECT setval(pg_get_serial_sequence(%s, %s), COALESCE(MAX({column}), 0) + 1, false) FROM {table}",  # noqa: S608 - our own names only
                [sequence["table"], sequence["column"]],
            )
