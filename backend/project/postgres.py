"""What Postgres needs of us: connections that say whose they are, that notice a dead line, and hold up nobody."""

from __future__ import annotations

import os
import socket
from typing import Any

from django.conf import settings
from django.db import connection
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


CONNECT_S = 5
KEEPALIVES = 2

SERVING = ("web", "worker", "run")
"""Processes that work in a database, and not only look into it or change it by a command."""

_AT_WORK = """
    SELECT DISTINCT application_name FROM pg_stat_activity
    WHERE datname = current_database() AND application_name ~ %s AND application_name <> %s ORDER BY 1
"""
_WORKERS = """
    SELECT owner FROM runs_workerseen WHERE seen_at >= extract(epoch FROM clock_timestamp()) - %s ORDER BY owner
"""


def connection_options(lease_s: float, *, testing: bool = False) -> dict[str, Any]:
    """libpq's and the server's settings of every connection.

    A process that was stopped in a transaction must not hold up the others (tests are one transaction each). Both ends
    notice within a lease that the other one is gone without a word, as far as their kernels can.
    """
    idle, between = max(1, round(lease_s / 3)), max(1, round(lease_s / 6))
    unheard_ms = round(lease_s * 2000 / 3)
    server = {
        "idle_in_transaction_session_timeout": 0 if testing else 5000,
        "lock_timeout": 4000,
        "tcp_keepalives_idle": idle,
        "tcp_keepalives_interval": between,
        "tcp_keepalives_count": KEEPALIVES,
        "tcp_user_timeout": unheard_ms,
    }
    return {
        "options": " ".join(f"-c {name}={value}" for name, value in server.items()),
        "connect_timeout": CONNECT_S,
        "keepalives": 1,
        "keepalives_idle": idle,
        "keepalives_interval": between,
        "keepalives_count": KEEPALIVES,
        "tcp_user_timeout": unheard_ms,
    }


def name_connections(kind: str) -> None:
    """Let every connection of this process carry its name, so that who works in a database is seen there."""
    from backend.version import VERSION

    if connection.vendor == "postgresql":
        name = f"patchbay {kind} {VERSION} {socket.gethostname()[:30]}:{os.getpid()}"
        connection.settings_dict["OPTIONS"]["application_name"] = name


def others_at_work() -> list[str]:
    """The other processes that serve on this Postgres: by their connections, and workers also by their heartbeats.

    Versions that did not name their connections are found by their workers only.
    """
    ours = connection.settings_dict["OPTIONS"].get("application_name", "")
    with connection.cursor() as cursor:
        cursor.execute(_AT_WORK, [f"^patchbay ({'|'.join(SERVING)}) ", ours])
        names = [str(name) for (name,) in cursor.fetchall()]
        if "runs_workerseen" in connection.introspection.table_names(cursor):
            cursor.execute(_WORKERS, [settings.PATCHBAY.lease_s])
            names += [f"patchbay worker {owner}" for (owner,) in cursor.fetchall() if not _named(owner, names)]
    return names


def _named(owner: str, names: list[str]) -> bool:
    """Whether the worker `host:pid:…` is among the named."""
    host, pid, *_ = owner.split(":")
    return any(name.endswith(f" {host[:30]}:{pid}") for name in names)
