"""Django's SQLite, with the setting of a new file made once: made on every connection it would be a write each time.

`PRAGMA auto_vacuum` writes to the file even where it changes nothing, so that on a full disk no connection could be
opened, not to read either. It counts only before the file's first page is there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.db.backends.sqlite3 import base


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection; the first one to a new file lets the file give pages back."""

    init_commands: list[str]

    def get_connection_params(self) -> dict[str, Any]:
        """What a new connection is opened with."""
        params: dict[str, Any] = super().get_connection_params()
        file = Path(params["database"])
        if not file.exists() or file.stat().st_size == 0:
            self.init_commands.insert(0, "PRAGMA auto_vacuum=INCREMENTAL")
        return params
