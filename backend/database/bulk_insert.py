"""New rows of the tables that every start of a run writes: the ORM's insert, its SQL put together once per table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import (
    AutoField,
    CharField,
    Field,
    FloatField,
    ForeignKey,
    Model,
    PositiveIntegerField,
    PositiveSmallIntegerField,
    TextField,
)

_PLAIN = frozenset({CharField, TextField, FloatField, PositiveIntegerField, PositiveSmallIntegerField, ForeignKey})
_AS_IT_IS = frozenset({str, int, float, type(None)})


@cache
def _statement(table: type[Model], vendor: str) -> tuple[str, list[Field[Any, Any]]]:
    """(SQL, the fields in the order of its values); a key that the database counts up is left to it."""
    quote = connection.ops.quote_name
    fields = [field for field in table._meta.local_concrete_fields if not isinstance(field, AutoField)]
    columns = ", ".join(quote(str(field.column)) for field in fields)
    marks = ", ".join(["%s"] * len(fields))
    return f"INSERT INTO {quote(table._meta.db_table)} ({columns}) VALUES ({marks})", fields  # noqa: S608 - our tables


def _stored(field: Field[Any, Any], value: Any) -> Any:
    """The value as the driver takes it: text, numbers and NULL of such columns as they are."""
    if type(value) in _AS_IT_IS and type(field) in _PLAIN:
        return value
    return field.get_db_prep_save(value, connection)


def insert(row: Model) -> None:
    """Store a new row. Raises IntegrityError. Unlike `save` it sends no signals and reads nothing back."""
    sql, fields = _statement(type(row), connection.vendor)
    values = [_stored(field, field.pre_save(row, True)) for field in fields]
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
    row._state.adding, row._state.db = False, connection.alias


def insert_many(rows: Sequence[Model]) -> None:
    """Store new rows of one table exactly as given, times included, in one go. Raises IntegrityError."""
    if not rows:
        return
    sql, fields = _statement(type(rows[0]), connection.vendor)
    execute_each(sql, [[_stored(field, getattr(row, field.attname)) for field in fields] for row in rows])
    for row in rows:
        row._state.adding, row._state.db = False, connection.alias


def execute_each(sql: str, rows: Sequence[Sequence[Any]]) -> None:
    """Execute a statement with each of these values, in one go."""
    with connection.cursor() as cursor:
        if len(rows) == 1:
            cursor.execute(sql, rows[0])
        elif rows:
            cursor.executemany(sql, rows)
