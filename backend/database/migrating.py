"""Bringing the database to this version: at a start, and by a command on an installation that never started."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from django.core.management import call_command
from django.db import connection
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.operations import RunPython
from django.db.migrations.state import StateApps

COPIES_KEPT = 3
"""Copies of an embedded database, made before migrations, that stay beside it."""


def migrate() -> None:
    """Bring the database to this version, one process at a time. Raises CommandError where it must not be done now."""
    if is_behind():
        call_command("migrate", verbosity=0, interactive=False)


def is_behind() -> bool:
    """Whether this version has migrations that the database has not."""
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def copy_before_migration() -> None:
    """A consistent copy of an SQLite database that holds anything, beside it; the newest are kept."""
    path = Path(str(connection.settings_dict["NAME"])) if connection.vendor == "sqlite" else None
    applied = MigrationExecutor(connection).loader.applied_migrations
    if path and path.exists() and path.stat().st_size and applied:
        copy_beside(path)


def copy_beside(path: Path) -> Path:
    """A copy with a name of its own, whole once it has that; the newest are kept."""
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


def without_own_index(model: str, *fields: str) -> RunPython:
    """An operation of a migration: these foreign keys lose their own index, for others begin with the same column.

    Django itself would copy a whole table of SQLite for each of them.
    """

    def drop(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
        meta = apps.get_model(model)._meta
        columns = [[meta.get_field(name).column] for name in fields]
        with editor.connection.cursor() as cursor:
            constraints = editor.connection.introspection.get_constraints(cursor, meta.db_table)
        for name, item in constraints.items():
            plain = item["index"] and not item["unique"] and not item["primary_key"]
            if plain and item["columns"] in columns and name.startswith(f"{meta.db_table}_"):
                editor.execute(f"DROP INDEX {editor.quote_name(name)}")

    return RunPython(drop, RunPython.noop)


def without_pattern_indexes(*models: str) -> RunPython:
    """An operation of a migration: on Postgres these tables lose the indexes for `LIKE 'begins%'` that Django makes
    beside the index of every key that is text.

    Nobody looks for ids by how they begin, and a run's row is written three times: each such index then holds it three
    times. Going back makes none: what they served is served without.
    """

    def drop(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
        if editor.connection.vendor != "postgresql":
            return
        with editor.connection.cursor() as cursor:
            cursor.execute(
                "SELECT i.indexrelid::regclass::text FROM pg_index i JOIN pg_opclass o ON o.oid = i.indclass[0] "
                "WHERE i.indrelid = ANY(%s::regclass[]) AND o.opcname IN ('varchar_pattern_ops', 'text_pattern_ops')",
                [[apps.get_model(model)._meta.db_table for model in models]],
            )
            names = [name for (name,) in cursor.fetchall()]
        for name in names:
            editor.execute(f"DROP INDEX {name}")

    return RunPython(drop, RunPython.noop)


def without_key_index(model: str, unique: str) -> RunPython:
    """An operation of a migration: on Postgres the rows of this table have a key that nothing looks for, so its index
    goes. They are told apart by the constraint `unique`, which tools that copy a database row by row are told.

    The column and its numbers stay: Django needs one, and the version before goes on. On SQLite the key is the table.
    Going back makes none: what it served is served without.
    """

    def drop(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
        if editor.connection.vendor != "postgresql":
            return
        table = apps.get_model(model)._meta.db_table
        with editor.connection.cursor() as cursor:
            cursor.execute("SELECT conname FROM pg_constraint WHERE conrelid = %s::regclass AND contype = 'p'", [table])
            names = [name for (name,) in cursor.fetchall()]
        for name in names:
            editor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {editor.quote_name(name)}")
        editor.execute(f"ALTER TABLE {table} REPLICA IDENTITY USING INDEX {editor.quote_name(unique)}")

    return RunPython(drop, RunPython.noop)
