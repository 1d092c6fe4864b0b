"""Who owns a run: claims, leases with fences, release, the sweep at start.

The database is the queue of record; a broker's message is only a hint to call `claim`. A run may be claimed when it is
queued, when its timer is due, when a message waits for it, or (scaled) when its owner's lease has run out; never when a
newer version wrote its records. At most `limit` runs are RUNNING in the installation; that is checked in the claiming
transaction. A run with a cancel in its inbox is exempt: cancelling must work when the house is full.

Embedded, one process owns the database by its instance lock: leases are not needed, and `sweep` at start takes back
everything that a dead process left RUNNING.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from django.db import connection, transaction
from django.db.backends.base.operations import BaseDatabaseOperations
from django.utils import timezone

from backend.engine import points
from backend.runs.models import JOURNAL_FORMAT
from backend.runs.turns import writing

_CLAIM_LOCK = 0x7061746368  # one claimer at a time counts the RUNNING runs (Postgres; SQLite has one writer anyway)

HINTED_S = 1.0
"""For so long after its start a run is left to the worker that its hint goes to."""

_DUE = """
    state IN ('QUEUED', 'RUNNING', 'WAITING', 'PAUSED') AND journal_format <= {known} AND (state = 'QUEUED'
    OR (state = 'RUNNING' AND %(steal)s AND lease_until < {now})
    OR (state = 'WAITING' AND (wake_at <= {now} OR EXISTS (
        SELECT 1 FROM runs_inboxmessage m WHERE m.run_id = runs_run.id)))
    OR (state = 'PAUSED' AND EXISTS (
        SELECT 1 FROM runs_inboxmessage m WHERE m.run_id = runs_run.id AND m.kind IN ('resume', 'cancel'))))
"""
_RUNNING = "(SELECT COUNT(*) FROM runs_run WHERE state = 'RUNNING')"
_CANCELLED = "EXISTS (SELECT 1 FROM runs_inboxmessage m WHERE m.run_id = runs_run.id AND m.kind = 'cancel')"


@dataclass(frozen=True, slots=True)
class Terms:
    """Under which an owner claims. `lease_s` None = embedded: the instance lock stands for the lease."""

    owner: str
    limit: int
    lease_s: float | None


@dataclass(frozen=True, slots=True)
class Claimed:
    """A run that now is ours, under this fence. `losses` = workers lost in a row, this claim included."""

    run: str
    fence: int
    losses: int
    last_seq: int
    inbox_seq: int


@dataclass(frozen=True, slots=True)
class Claims:
    """What a claim brought. `full`: more could be claimed but for the limit."""

    taken: list[Claimed]
    full: bool = False


def now_sql() -> str:
    """The database's clock in epoch seconds, as an SQL expression."""
    if connection.vendor == "postgresql":
        return "extract(epoch from clock_timestamp())"
    return "(julianday('now') - 2440587.5) * 86400.0"


def claim(terms: Terms, run: str) -> Claims:
    """Take this run if it is due and there is room."""
    if connection.vendor == "sqlite":  # one writer: one statement both looks and takes, in nearly every case
        with writing(), connection.cursor() as cursor:
            free = f" AND state = 'QUEUED' AND {_RUNNING} < {int(terms.limit)} AND journal_format <= {JOURNAL_FORMAT}"
            taken = _take(cursor, terms, [run], free)
        if taken:
            return Claims(taken)
    return _claim(terms, "id = %(run)s", {"run": run}, 1)


def claim_batch(terms: Terms, most: int) -> Claims:
    """Take up to `most` due runs, the longest waiting first.

    Scaled, a run that was queued just now is left to its hint: the broker spreads hints over the workers.
    """
    if terms.lease_s is None:
        return _claim(terms, "1" if connection.vendor == "sqlite" else "TRUE", {}, most)
    since = timezone.now() - timedelta(seconds=HINTED_S)
    return _claim(terms, "(state <> 'QUEUED' OR queued_at < %(since)s)", {"since": stamp(since)}, most)


def _claim(terms: Terms, which: str, params: dict[str, Any], most: int) -> Claims:
    due = _DUE.format(now=now_sql(), known=JOURNAL_FORMAT)
    values = {**params, "steal": terms.lease_s is not None}
    with writing(), transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_CLAIM_LOCK])
        cursor.execute(f"SELECT {_RUNNING}")
        room = terms.limit - int(cursor.fetchone()[0])
        cursor.execute(
            f"SELECT id, state, {_CANCELLED} FROM runs_run WHERE {which} AND ({due}) "  # noqa: S608 - our own clauses
            f"ORDER BY queued_at LIMIT {int(most) + 1}",
            values,
        )
        rows = cursor.fetchall()
        chosen: list[str] = []
        full = len(rows) > most
        for key, state, cancelled in rows[:most]:
            if state == "RUNNING" or cancelled or room > 0:
                chosen.append(key)
                room -= state != "RUNNING"
            else:
                full = True
        return Claims(_take(cursor, terms, chosen), full)


def _take(cursor: Any, terms: Terms, runs: list[str], only: str = "") -> list[Claimed]:
    if not runs:
        return []
    marks = ",".join(["%s"] * len(runs))
    lease = f"{now_sql()} + {float(terms.lease_s)}" if terms.lease_s is not None else "0"
    cursor.execute(
        f"UPDATE runs_run SET losses = CASE WHEN state = 'RUNNING' THEN losses + 1 ELSE losses END, state = 'RUNNING', "  # noqa: S608
        f"owner = %s, lease_until = {lease}, fence = fence + 1, wake_at = NULL, waiting = '[]', "
        f"journal_format = {JOURNAL_FORMAT}, started_at = COALESCE(started_at, %s) WHERE id IN ({marks}){only} "
        "RETURNING id, fence, losses, last_seq, inbox_seq",
        [terms.owner, stamp(), *runs],
    )
    return [Claimed(*row) for row in cursor.fetchall()]


@dataclass(frozen=True, slots=True)
class Owned:
    """What the database says of a run that this owner holds."""

    fence: int
    inbox_seq: int


def heartbeat(terms: Terms) -> dict[str, Owned]:
    """Prolong every lease of this owner; gives the runs that it still owns."""
    if terms.lease_s is None:
        sql = "SELECT id, fence, inbox_seq FROM runs_run WHERE state = 'RUNNING' AND owner = %s"
    else:
        sql = (
            f"UPDATE runs_run SET lease_until = {now_sql()} + {float(terms.lease_s)} "  # noqa: S608 - numbers
            f"WHERE state = 'RUNNING' AND owner = %s AND lease_until >= {now_sql()} RETURNING id, fence, inbox_seq"
        )
    with connection.cursor() as cursor:
        cursor.execute(sql, [terms.owner])
        return {run: Owned(fence, inbox_seq) for run, fence, inbox_seq in cursor.fetchall()}


def lost(terms: Terms, run: str, fence: int) -> bool:
    """Whether somebody has taken this run since we had it under `fence`, or may take it because our lease ran out, or
    it was deleted."""
    kept = f"NOT (state = 'RUNNING' AND lease_until < {now_sql()})" if terms.lease_s is not None else "TRUE"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT 1 FROM runs_run WHERE id = %s AND fence = %s AND {kept}", [run, fence])  # noqa: S608
        return cursor.fetchone() is None


def release(run: str, fence: int, *, counts: bool = True) -> bool:
    """Give a run back that this owner could not go on with. False when it is no longer ours.

    `counts` = as a loss, for it may be the run's own fault; where the database was away it is not.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE runs_run SET state = 'QUEUED', owner = '', lease_until = 0, losses = losses + %s "
            "WHERE id = %s AND fence = %s AND state = 'RUNNING'",
            [int(counts), run, fence],
        )
        return bool(cursor.rowcount)


def sweep() -> int:
    """Embedded start: whatever a dead process left RUNNING waits for its next owner. Gives the number of runs."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE runs_run SET state = 'QUEUED', owner = '', fence = fence + 1, losses = losses + 1 "
            "WHERE state = 'RUNNING'"
        )
        points.reached("swept.uncommitted")
        return int(cursor.rowcount)


def unknown_format() -> int:
    """How many runs that have not ended were written by a newer version than this one."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT COUNT(*) FROM runs_run WHERE state IN ('QUEUED', 'RUNNING', 'WAITING', 'PAUSED') "
            "AND journal_format > %s",
            [JOURNAL_FORMAT],
        )
        return int(cursor.fetchone()[0])


def next_timer() -> float | None:
    """Seconds until the next timer of a waiting run is due (0 when it is), or None."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT MIN(wake_at) - {now_sql()} FROM runs_run "  # noqa: S608 - our own clauses
            "WHERE state = 'WAITING' AND wake_at IS NOT NULL"
        )
        left = cursor.fetchone()[0]
    return None if left is None else max(float(left), 0.0)


def stamp(moment: datetime | None = None) -> Any:
    """A time as a parameter of raw SQL. Also for an event loop, where asking `connection` would make a new one."""
    return _operations().adapt_datetimefield_value(moment or timezone.now())


@cache
def _operations() -> BaseDatabaseOperations:
    return connection.ops


def moment(value: Any) -> datetime:
    """A time out of raw SQL: Postgres gives times, SQLite text. The inverse of `stamp`."""
    if isinstance(value, datetime):
        return value
    return datetime.fromisoformat(value).replace(tzinfo=UTC)
