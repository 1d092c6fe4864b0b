"""How the database would answer a statement."""

from __future__ import annotations

from django.db import connection


def plan_of(*statements: str) -> str:
    with connection.cursor() as cursor:
        matches = []
        for statement in statements:
            cursor.execute(
                f"EXPLAIN QUERY PLAN {statement}" if connection.vendor == "sqlite" else f"EXPLAIN {statement}"
            )
            matches += [str(row) for row in cursor.fetchall()]
    return "\n".join(matches)
