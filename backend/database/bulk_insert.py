"""New rows of the tables that every start of a run writes: the ORM's insert, its SQL put together once per table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from operator import attrgetter
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
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


@cache
def _reader(table: type[Model], vendor: str) -> tuple[attrgetter[tuple[Any, ...]], list[tuple[bool, Field[Any, Any]]]]:
    """(reads the values of all columns at once, for each column whether it is a plain one, and its field)."""
    fields = _statement(table, vendor)[1]
    return attrgetter(*(field.attname for field in fields)), [(type(field) in _PLAIN, field) for field in fields]


def _values(row: Model, database: BaseDatabaseWrapper) -> list[Any]:
    """The row's values as the driver takes them: text, numbers and NULL of plain columns as they are."""
    read, columns = _reader(type(row), database.vendor)
    return [
        value if plain and type(value) in _AS_IT_IS else field.get_db_prep_save(value, database)
        for value, (plain, field) in zip(read(row), columns, strict=True)
    ]


def insert(row: Model) -> None:
    """Store a new row. Raises IntegrityError. Unlike `save` it sends no signals and reads nothing back."""
    database = connections[DEFAULT_DB_ALIAS]
    sql, fields = _statement(type(row), database.vendor)
    for field in fields:
        field.pre_save(row, True)  # gives times of their making to the columns that have one
    with database.cursor() as cursor:
        cursor.execute(sql, _values(row, database))
    row._state.adding, row._state.db = False, database.alias


def insert_many(rows: Sequence[Model]) -> None:
    """Store new rows of one table exactly as given, times included, in one go. Raises IntegrityError."""
    if not rows:
        return
    database = connections[DEFAULT_DB_ALIAS]
    sql, _ = _statement(type(rows[0]), database.vendor)
    execute_each(sql, [_values(row, database) for row in rows])
    for row in rows:
        row._state.adding, row._state.db = False, database.alias


def execute_each(sql: str, rows: Sequence[Sequence[Any]]) -> None:
    """Execute a statement with each of these values, in one go."""
    with connection.cursor() as cursor:
        if len(rows) == 1:
            cursor.execute(sql, rows[0])
        elif rows:
            cursor.executemany(sql, rows)
