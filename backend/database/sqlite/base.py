"""Django's SQLite, with the setting of a new file made once: made on every connection it would be a write each time.

`PRAGMA auto_vacuum` writes to the file even where it changes nothing, so that on a full disk no connection could be
opened, not to read either. It counts only before the file's first page is there.

Times are read from their columns in UTC as they stand, which is how all of them are written: a page of a list holds
150, and Django looks at each four times.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.db.backends.sqlite3 import base, operations

LONGEST_KEPT = 4096
"""Characters of a statement up to which its other form is kept: longer ones hold lists, and seldom come again."""


class DatabaseOperations(operations.DatabaseOperations):
    """What Django asks of the database."""

    def convert_datetimefield_value(self, value: Any, expression: Any, connection: Any) -> Any:
        """A time with its zone."""
        if type(value) is datetime and value.tzinfo is None and self.connection.timezone is UTC:
            return value.replace(tzinfo=UTC)
        return super().convert_datetimefield_value(value, expression, connection)


class CursorWrapper(base.SQLiteCursorWrapper):
    """Django's cursor, which turns `%s` into `?` with every statement; the same ones come again and again."""

    def convert_query(self, query: str, *, param_names: list[str] | None = None) -> str:
        """The statement with the marks that SQLite takes."""
        if param_names is None and len(query) <= LONGEST_KEPT:
            return _converted(query)
        converted: str = super().convert_query(query, param_names=param_names)
        return converted


@lru_cache(maxsize=512)
def _converted(query: str) -> str:
    converted: str = base.FORMAT_QMARK_REGEX.sub("?", query).replace("%%", "%")
    return converted


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection; the first one to a new file lets the file give pages back."""

    ops_class = DatabaseOperations
    init_commands: list[str]

    def create_cursor(self, name: str | None = None) -> CursorWrapper:
        """A cursor of ours."""
        cursor: CursorWrapper = self.connection.cursor(factory=CursorWrapper)
        return cursor

    def get_connection_params(self) -> dict[str, Any]:
        """What a new connection is opened with."""
        params: dict[str, Any] = super().get_connection_params()
        file = Path(params["database"])
        if not file.exists() or file.stat().st_size == 0:
            self.init_commands.insert(0, "PRAGMA auto_vacuum=INCREMENTAL")
        return params
