"""`has`: `icontains` for searches that look at every row of a list, at half of its price in SQLite."""

from __future__ import annotations

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import CharField, TextField
from django.db.models.lookups import IContains
from django.db.models.sql.compiler import SQLCompiler


class Has(IContains):
    """A text with these words in it. SQLite takes twice as long for a LIKE that names a sign to escape others with,
    so it is named only where the words hold one that needs it."""

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, list[Any]]:
        """The condition and its parameters."""
        wanted = self.rhs
        if not isinstance(wanted, str) or "%" in wanted or "_" in wanted:
            sql, given = super().as_sql(compiler, connection)
            return sql, [*given]
        column, parameters = self.process_lhs(compiler, connection)
        return f"{column} LIKE %s", [*parameters, f"%{wanted}%"]


for field in (CharField, TextField):
    field.register_lookup(Has, lookup_name="has")
