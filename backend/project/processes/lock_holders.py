"""Who holds what a session of Postgres waits for: looked at from beside it while it waits, told afterwards."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime

from django.db import DatabaseError, InterfaceError, connection

LOOK_EVERY_S = 0.1
QUERY_SHOWN = 200

_BLOCKING = """
    SELECT a.pid, a.application_name, host(a.client_addr), a.state, a.query,
        extract(epoch FROM coalesce(a.xact_start, a.backend_start))::float8,
        (SELECT w.relation::regclass::text FROM pg_locks w WHERE w.pid = %(pid)s AND NOT w.granted LIMIT 1)
    FROM pg_stat_activity a WHERE a.pid = ANY(pg_blocking_pids(%(pid)s)) ORDER BY a.pid
"""


class Watch:
    """Looks from a connection of its own at what keeps the session `pid` waiting, and says it once."""

    def __init__(self, pid: int, say: Callable[[str], None]) -> None:
        self._pid, self._say = pid, say
        self._seen = ""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._go, name="lock-holders", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> str:
        """End; gives what was seen last, with what to do, or nothing."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(5)
        return self._seen

    def _go(self) -> None:
        try:
            while not self._stop.wait(LOOK_EVERY_S):
                seen = _holders(self._pid)
                if seen and not self._seen:
                    self._say(f"Waiting. {seen}")
                self._seen = seen or self._seen
        except (DatabaseError, InterfaceError):
            return  # the session itself is told what is wrong
        finally:
            connection.close()


def _holders(pid: int) -> str:
    with connection.cursor() as cursor:
        cursor.execute(_BLOCKING, {"pid": pid})
        rows = cursor.fetchall()
    if not rows:
        return ""
    what = rows[0][6] or "the turn to migrate"
    ends = " or ".join(f"SELECT pg_terminate_backend({row[0]})" for row in rows)
    listed = "\n".join(_holder(*row[:6]) for row in rows)
    return f"{what} is held by:\n{listed}\nLet it finish, or end it ({ends})."


def _holder(pid: int, name: str, host: str | None, state: str | None, query: str | None, since: float) -> str:
    began = datetime.fromtimestamp(since, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    statement = " ".join((query or "").split())[:QUERY_SHOWN]
    where = f"{name or 'unnamed'}, {host or 'local'}"
    return f"  process {pid} ({where}), {state or 'unknown'}, in its transaction since {began}: {statement}"
