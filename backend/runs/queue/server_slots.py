"""Places at servers: of the runs that name a server with a limit (`max_runs`), at most so many are RUNNING at once.

A run notes the servers that its graph names when it is made, and a claim looks at them in its own transaction
(`leases`). Runs that wait, for whatever, hold no place; going on they need one again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence

from django.db import connection
from django.db.backends.utils import CursorWrapper

from backend.database.bulk_insert import execute_each
from backend.notifications.clients import Hint, listen
from backend.registry.selectors import visible_servers
from backend.runs.models import Run

_NOTE = (
    "INSERT INTO runs_runserver (run_id, server_id) SELECT %s, id FROM registry_server WHERE team_id = %s "
    "AND (slug IN ({marks}) OR id IN ({marks})) AND (visibility = 'team' OR created_by_id = %s)"
)
_LIMITS = "SELECT id, max_runs FROM registry_server WHERE max_runs IS NOT NULL"
_TAKEN = (  # CROSS JOIN: SQLite goes from the few runs that are RUNNING to their servers, not the other way
    "SELECT n.server_id, COUNT(*) FROM runs_run r CROSS JOIN runs_runserver n "
    "WHERE r.state = 'RUNNING' AND n.run_id = r.id GROUP BY n.server_id"
)


def record_servers(runs: Sequence[Run], names: Sequence[str]) -> None:
    """Write down for each of the runs the servers of these slugs or ids, of those that whoever started it sees."""
    marks = ",".join(["%s"] * len(names))
    lock = " FOR KEY SHARE" if connection.vendor == "postgresql" else ""  # one that is being deleted is left out
    rows = [[run.pk, run.team_id, *names, *names, run.started_by_id] for run in runs]
    execute_each(_NOTE.format(marks=marks) + lock, rows)


def free_slots(cursor: CursorWrapper) -> dict[str, int]:
    """{server: places that are free} of every server with a limit."""
    cursor.execute(_LIMITS)
    limits: dict[str, int] = dict(cursor.fetchall())
    if limits:
        cursor.execute(_TAKEN)
        for server, count in cursor.fetchall():
            if server in limits:
                limits[server] -= count
    return limits


def requested_servers(cursor: CursorWrapper, runs: Sequence[str], servers: Collection[str]) -> dict[str, set[str]]:
    """Which of `servers` each of `runs` names."""
    named: dict[str, set[str]] = defaultdict(set)
    if runs and servers:
        marks = ",".join(["%s"] * len(runs))
        cursor.execute(f"SELECT run_id, server_id FROM runs_runserver WHERE run_id IN ({marks})", list(runs))  # noqa: S608 - our own names only
        for run, server in cursor.fetchall():
            if server in servers:
                named[run].add(server)
    return named


def blocking_servers(team: str, user: str, runs: Sequence[str]) -> dict[str, str]:
    """{run: name of a server that has no free place for it}; "" for one that this person does not see."""
    with connection.cursor() as cursor:
        full = {server for server, places in free_slots(cursor).items() if places <= 0}
        lacking = requested_servers(cursor, runs, full)
    if not lacking:
        return {}
    keys = {min(servers) for servers in lacking.values()}
    names = dict(visible_servers(team, user).filter(pk__in=keys).values_list("pk", "name"))
    return {run: names.get(min(servers), "") for run, servers in lacking.items()}


def on_change(tell: Callable[[], None]) -> None:
    """Call `tell` whenever a server was changed or deleted here: there may be more places than before."""

    def on_hint(_topic: str, hint: Hint) -> None:
        if hint.get("kind") == "server" and hint.get("change") in {"updated", "deleted"}:
            tell()

    listen(on_hint)
