"""Rows at less of their price: models that are made without asking each of their fields, JSON without a parser.

Of a page of 50 servers Django's `Model.__init__` took a quarter and `json.loads` another one. What comes out is the
same as without this: a model with the columns that were read, and the others fetched when they are asked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Self

from django.db import models
from django.db.models.base import ModelState
from django.db.models.fields.json import KeyTransform

if TYPE_CHECKING:
    _Json = models.JSONField[Any, Any]
else:
    _Json = models.JSONField

_decode = json.JSONDecoder().raw_decode


class QuickRow(models.Model):
    """A model whose rows are made from the columns as they come, by Django's own door for that (`from_db`), and new
    ones from their defaults as they stand (`new`).

    Not for models with columns that are more than a value in `__dict__`, such as files; nothing hears `post_init`.
    """

    class Meta:
        abstract = True

    @classmethod
    def from_db(
        cls, db: str | None, field_names: Collection[str], values: Collection[Any], *, fetch_mode: Any = None
    ) -> Self:
        """The row of these columns, named as attributes; those that are not named are fetched when they are read.

        `fetch_mode` is of a later Django, and nothing here.
        """
        row = cls.__new__(cls)
        state = ModelState()
        state.adding, state.db = False, db
        row.__dict__ = {"_state": state, **dict(zip(field_names, values, strict=True))}
        return row

    @classmethod
    def new(cls, **values: Any) -> Self:
        """A row that is not stored yet, as the model's own constructor makes it: `values` by the names of their
        columns' attributes (`team_id`, not `team`), the defaults of the others."""
        row = cls.__new__(cls)
        standing, made = _defaults(cls)
        row.__dict__ = {"_state": ModelState(), **standing, **values}
        for name, default in made:
            if name not in values:
                row.__dict__[name] = default()
        return row


@cache
def _defaults(table: type[models.Model]) -> tuple[dict[str, Any], list[tuple[str, Callable[[], Any]]]]:
    """(defaults by attribute, those that are made anew for each row)."""
    standing: dict[str, Any] = {}
    made: list[tuple[str, Callable[[], Any]]] = []
    for field in table._meta.concrete_fields:
        if field.has_default() and callable(field.default):
            made.append((field.attname, field.default))
        else:
            standing[field.attname] = field.get_default()
    return standing, made


class QuickJSONField(_Json):
    """Django's JSON column; empty lists and objects, which most of them hold, are read without a parser."""

    def deconstruct(self) -> tuple[str, str, Sequence[Any], dict[str, Any]]:
        """What migrations are told: nothing in the database is different."""
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.JSONField", args, kwargs

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        """The value of what the database holds."""
        if value == "{}":
            return {}
        if value == "[]":
            return []
        if value is None or (isinstance(expression, KeyTransform) and not isinstance(value, str)):
            return value
        try:
            value_read, end = _decode(value)
        except ValueError:
            return super().from_db_value(value, expression, connection)
        return value_read if end == len(value) else super().from_db_value(value, expression, connection)
