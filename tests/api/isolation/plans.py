"""What is asked of the database, and how it would go about it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection


@contextmanager
def statements() -> Iterator[list[tuple[str, Any]]]:
    """What is asked of the database meanwhile: SELECTs with their values."""
    seen: list[tuple[str, Any]] = []

    def note(execute: Any, sql: str, values: Any, many: bool, context: Any) -> Any:
        if sql.lstrip().upper().startswith(("SELECT", "WITH")):
            seen.append((sql, values))
        return execute(sql, values, many, context)

    with connection.execute_wrapper(note):
        yield seen


def plan(sql: str, values: Any) -> list[str]:
    """How the database would go about it. Postgres is told to avoid reading and sorting, however small a table is."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}", values)
            return [row[3] for row in cursor.fetchall()]
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
        cursor.execute(f"EXPLAIN {sql}", values)
        lines = [row[0].strip() for row in cursor.fetchall()]
        cursor.execute("SET LOCAL enable_seqscan = on; SET LOCAL enable_sort = on")
        return lines
