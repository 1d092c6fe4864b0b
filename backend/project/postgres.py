"""What Postgres needs of us so that a process that was stopped in a transaction does not hold up the others."""

from __future__ import annotations

from typing import Any

from django.db.backends.postgresql.base import Cursor
from psycopg import ClientCursor
from psycopg.pq import TransactionStatus


class TimedCursor(Cursor, ClientCursor[Any]):
    """Keeps `idle_in_transaction_session_timeout` going after many statements at once.

    psycopg sends those as a pipeline whose last message turns the server's timer off until the next statement: locks
    of a process that was stopped right then would be held for as long as it stands. An empty statement starts it again.
    """

    def executemany(self, *args: Any, **kwargs: Any) -> None:
        """As before."""
        super().executemany(*args, **kwargs)
        if self.connection.info.transaction_status == TransactionStatus.INTRANS:
            self.connection.pgconn.exec_(b"")
