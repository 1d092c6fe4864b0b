"""Pages of lists by a statement of which only the conditions differ: put together here, for the ORM takes longer to
put one together than the database to answer it.

Whose rows they are is one of the conditions, which the room's selectors write; what is read here is asked for nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any, Generic, NamedTuple, Self, TypeVar

from django.db import connection, models

M = TypeVar("M", bound=models.Model)


class Conditions:
    """What the rows of a list must meet: SQL that stands between ANDs, and its values in their order."""

    def __init__(self) -> None:
        self.sql: list[str] = []
        self.values: list[Any] = []

    def add(self, sql: str, *values: Any) -> Self:
        """One more, with `%s` for each value; times as the database takes them."""
        adapt = connection.ops.adapt_datetimefield_value
        self.sql.append(sql)
        self.values += [adapt(value) if isinstance(value, datetime) else value for value in values]
        return self

    def among(self, column: str, values: Collection[Any]) -> Self:
        """The column holds one of these; of none of them no row does."""
        return self.add(f"{column} IN ({marks(values)})", *values) if values else self.add("1 = 0")


def marks(values: Collection[Any]) -> str:
    """Places in a statement for these values."""
    return ", ".join(["%s"] * len(values))


class _Converter(NamedTuple):
    """What makes of a column's value what Python has for it."""

    position: int
    convert: Callable[[Any, Any, Any], Any]
    column: Any


class ListedRows(Generic[M]):
    """Reads what a list shows of rows.

    `names` = the attributes of the model that are read; the others are fetched when they are asked for. `beside` = more
    of them, each by its expression in SQL, and `joins` = the tables that those are in.
    """

    def __init__(
        self,
        model: type[M],
        names: Collection[str],
        beside: Mapping[str, str] | None = None,
        joins: str = "",
    ) -> None:
        fields = [field for field in model._meta.concrete_fields if field.attname in names]
        more = beside or {}
        self.table = model._meta.db_table
        self.key = f"{self.table}.{model._meta.pk.column}"
        columns = [f"{self.table}.{field.column}" for field in fields]
        columns += [f"{sql} AS {name}" for name, sql in more.items()]
        self._select = f"SELECT {', '.join(columns)} FROM {self.table} {joins} WHERE "  # noqa: S608 - our own words
        self._select_keys = f"SELECT {self.key} FROM {self.table} WHERE "  # noqa: S608 - our own words
        self.model, self._fields = model, fields
        self._names = [*(field.attname for field in fields), *more]
        self._converters: dict[str, list[_Converter]] = {}

    def read(
        self, conditions: Conditions, order: str = "", limit: int | None = None, *, searched: bool = False
    ) -> list[M]:
        """The rows that meet the conditions, in the `order` of SQL; at most `limit`.

        `searched` = an index holds all that the conditions look at: the keys are chosen in it, and the table is read
        only for what is shown.
        """
        end = (f" ORDER BY {order}" if order else "") + ("" if limit is None else f" LIMIT {int(limit)}")
        where, values = " AND ".join(conditions.sql) + end, conditions.values
        with connection.cursor() as cursor:
            keys = None
            if searched:
                cursor.execute(self._select_keys + where, values)
                keys = [key for (key,) in cursor.fetchall()]
                if not keys:
                    return []
                where, values = f"{self.key} IN ({marks(keys)})", keys
            cursor.execute(self._select + where, values)
            rows = self._instances(cursor.fetchall())
        if keys is None:
            return rows
        read = {row.pk: row for row in rows}
        return [read[key] for key in keys if key in read]

    def _instances(self, rows: list[tuple[Any, ...]]) -> list[M]:
        columns: list[Any] = list(zip(*rows, strict=True))
        for position, convert, column in self._converted() if rows else ():
            columns[position] = [convert(value, column, connection) for value in columns[position]]
        return [self.model.from_db(connection.alias, self._names, values) for values in zip(*columns, strict=True)]

    def _converted(self) -> list[_Converter]:
        """The columns that are not taken as the database gives them, which each kind of it does its own way."""
        known = self._converters.get(connection.vendor)
        if known is None:
            known = []
            for position, field in enumerate(self._fields):
                column = field.get_col(self.table)
                converters = [*connection.ops.get_db_converters(column), *column.get_db_converters(connection)]
                known += [_Converter(position, convert, column) for convert in converters]
            self._converters[connection.vendor] = known
        return known
