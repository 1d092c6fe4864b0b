"""Who owns a run: claims, leases with fences, release, the sweep at start.

The database is the queue of record; a broker's message is only a hint to call `claim`. A run may be claimed when it is
queued, when its timer is due, when a message waits for it, or (scaled) when its owner's lease has run out; never when a
newer version wrote its records. At most `limit` runs are RUNNING in the installation, and of those that name a server
with a limit so many (`server_slots`); both are checked in the claiming transaction. A run with a cancel in its inbox is
exempt: cancelling must work when the house is full. Who waits for a server holds nobody up who does not. Whose turn it
is says `fairness`. The statements stand in `claim_sqlite.sql` and `claim_postgresql.sql`.

Embedded, one process owns the database by its instance lock: leases are not needed, and `sweep` at start takes back
everything that a dead process left RUNNING.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import TypeAlias, cast

from django.conf import settings
from django.db import connection, transaction
from django.db.backends.base.operations import BaseDatabaseOperations
from django.db.backends.utils import CursorWrapper

from backend.database.clock import CLOCK, now_sql, steady
from backend.database.sqlite_write_lock import sqlite_write_lock
from backend.database.statements import read_statements
from backend.engine.execution import failpoints
from backend.runs.log.encoding import iso
from backend.runs.models import JOURNAL_FORMAT
from backend.runs.queue import fairness, server_slots

_CLAIM_LOCK = 0x7061746368  # one claimer at a time counts the RUNNING runs (Postgres; SQLite has one writer anyway)

SPARE = 100
"""So many runs that need no place are read past when the order of the others is asked for."""

HINTED_S = 1.0
"""For so long after its start a run is left to the worker that its hint goes to."""


Parameter: TypeAlias = str | int | float | bool | datetime | list[str] | None
Parameters: TypeAlias = dict[str, Parameter]
"""Of a statement, by name."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Under which an owner claims. `lease_s` None = embedded: the instance lock stands for the lease."""

    owner: str
    limit: int
    lease_s: float | None


@dataclass(frozen=True, slots=True)
class Claimed:
    """A run that now is ours, under this fence. `losses` = times in a row that it was given back for what it did."""

    run: str
    fence: int
    losses: int
    last_seq: int
    inbox_seq: int


@dataclass(frozen=True, slots=True)
class Claims:
    """What a claim brought. `full`: more could be claimed but for a limit. `at`: timers until then were looked at.
    `held`: runs with a concurrency key are queued, and may go on when another one ends."""

    taken: list[Claimed]
    full: bool = False
    held: bool = field(default=False, compare=False)
    at: float = field(default=0.0, compare=False)


def claim(terms: Terms, run: str, *, suspects: bool = True) -> Claims:
    """Take this run if it is due and there is room. `suspects` = also one that something speaks against."""
    if connection.vendor == "sqlite":  # one writer: one statement both looks and takes, in nearly every case
        with sqlite_write_lock(), connection.cursor() as cursor:
            taken = _take(cursor, "take_free", terms, run=run, limit=terms.limit, suspects=suspects)
        if taken:
            return Claims(taken)
    return _claim(terms, 1, suspects, run=run)


def claim_batch(terms: Terms, most: int, *, suspects: bool = True) -> Claims:
    """Take up to `most` due runs, in the order of `fairness`. `suspects` = also those that something speaks against.

    Scaled, a run that was queued just now is left to its hint: the broker spreads hints over the workers.
    """
    if terms.lease_s is None:
        return _claim(terms, most, suspects)
    now = CLOCK.moment()  # later than now: queued by a web process whose clock is ahead
    return _claim(terms, most, suspects, now - timedelta(seconds=HINTED_S), now + timedelta(seconds=HINTED_S))


def _claim(
    terms: Terms,
    most: int,
    suspects: bool,
    hinted_from: datetime | None = None,
    hinted_until: datetime | None = None,
    *,
    run: str | None = None,
) -> Claims:
    with sqlite_write_lock(), transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_CLAIM_LOCK])
        requested_at = steady()
        cursor.execute(_statement("house"), {"now": CLOCK.now(), "most": terms.limit + 1})
        running, now, limited, wanting, keyed = cursor.fetchone()
        if terms.lease_s is not None:
            CLOCK.learn(float(now), requested_at)
        values = _candidates(float(now)) | {
            "suspects": suspects,
            "hinted_from": hinted_from and stamp(hinted_from),
            "hinted_until": hinted_until and stamp(hinted_until),
            "steal": terms.lease_s is not None,
        }
        free = server_slots.free_slots(cursor) if limited else {}
        choice = _Choice(cursor, values, terms.limit - int(running), free)
        if run is None:
            choice.make(most)
        else:
            choice.single(run, crowded=wanting > terms.limit)
        taken = _take(cursor, "take", terms, chosen=choice.runs, states=choice.states) if choice.runs else []
        taken.sort(key=lambda claimed: choice.runs.index(claimed.run))  # an UPDATE returns rows in any order
        return Claims(taken, choice.full, bool(keyed), float(now))


def _candidates(now: float) -> Parameters:
    """The parameters of `candidates`, `due` and `earlier` that are the same in every claim at this moment."""
    return {
        "format": JOURNAL_FORMAT,
        "now": now,
        "lately": stamp(fairness.since(now)),
        "ended": fairness.LATELY,
        "most_of_a_key": fairness.MOST_AT_ONCE,
        "weights": json.dumps(settings.PATCHBAY.team_weights),
        "hinted_from": None,
        "hinted_until": None,
        "queued_only": False,
    }


class _Choice:
    """Which due runs a claim takes, in the order of `fairness`; one that has to wait for a server is passed over."""

    def __init__(self, cursor: CursorWrapper, values: Parameters, room: int, free: dict[str, int]) -> None:
        self._cursor, self._values, self._room, self._free = cursor, values, room, free
        self.runs: list[str] = []
        self.states: list[str] = []  # theirs, as they were seen
        self.full = False

    def make(self, most: int) -> None:
        """Choose up to `most` runs; each round leaves out those that want a server which the one before filled."""
        while self._round(most):
            pass
        if not self.full and self._full_servers():
            self.full = bool(self._ranked(1, full_servers=[]))

    def single(self, run: str, *, crowded: bool) -> None:
        """Choose this run, if it is due and there is a place for it. `crowded` = not for all that wait."""
        row = self._due(run)
        if row is None:
            return
        key, state, cancelled = row
        if state != "RUNNING" and not cancelled:
            servers = server_slots.requested_servers(self._cursor, [key], self._free).get(key, set())
            self.full = (
                self._room <= 0
                or any(self._free[server] <= 0 for server in servers)
                or bool(servers and self._earlier(run, list(servers)))
                or (crowded and not self._has_its_turn(key))
            )
        if not self.full:
            self._choose(key, state)

    def _choose(self, run: str, state: str) -> None:
        self.runs.append(run)
        self.states.append(state)

    def _has_its_turn(self, run: str) -> bool:
        """Whether the run is among those that get the free places, of all that wait."""
        rows = self._ranked(self._room + SPARE)
        places_taken = [key for key, state, cancelled in rows if state != "RUNNING" and not cancelled]
        return run in places_taken[: self._room]

    def _round(self, most: int) -> bool:
        """Choose among the next ones; whether some were passed over, so that others may stand behind them."""
        left = most - len(self.runs)
        rows = self._ranked(left + 1)
        by_run = server_slots.requested_servers(self._cursor, [key for key, *_ in rows[:left]], self._free)
        passed = False
        for key, state, cancelled in rows[:left]:
            running, servers = state == "RUNNING", by_run.get(key, set())
            if not running and not cancelled:
                if self._room <= 0:
                    self.full = True
                    break  # what needs no place came first
                if any(self._free[server] <= 0 for server in servers):
                    passed = True
                    continue
            self._choose(key, state)
            if not running:
                self._room -= 1
                for server in servers:
                    self._free[server] -= 1
        self.full = self.full or len(rows) > left
        return passed and self._room > 0 and len(self.runs) < most

    def _full_servers(self) -> list[str]:
        return [server for server, places_left in self._free.items() if places_left <= 0]

    def _due(self, run: str) -> tuple[str, str, bool] | None:
        """(id, state, cancelled) of this run, if it is due."""
        self._ask("due", run=run)
        row: tuple[str, str, bool] | None = self._cursor.fetchone()
        return row

    def _earlier(self, run: str, servers: list[str]) -> bool:
        """Whether a run that waits for one of these servers stands before it."""
        self._ask("earlier", run=run, servers=servers)
        return self._cursor.fetchone() is not None

    def _ask(self, name: str, **values: Parameter) -> None:
        _execute(self._cursor, name, self._values | {"full_servers": self._full_servers()} | values)

    def _ranked(self, most: int, full_servers: list[str] | None = None) -> list[tuple[str, str, bool]]:
        """(id, state, needs no place) of the next ones; those that want a full server are left out."""
        full = self._full_servers() if full_servers is None else full_servers
        values = self._values | {"most": most, "chosen": self.runs, "full_servers": full}
        _execute(self._cursor, "candidates", values)
        return [(key, state, bool(placeless)) for key, state, placeless, *_ in self._cursor.fetchall()]


def line(most: int) -> list[tuple[str, str]]:
    """(run, team) of up to `most` queued runs that nothing but a place keeps waiting, in the order of their turns."""
    values = _candidates(CLOCK.now()) | {"suspects": True, "steal": False, "queued_only": True, "most": most}
    with connection.cursor() as cursor:
        _execute(cursor, "candidates", values | {"chosen": [], "full_servers": []})
        return [(key, team) for key, _, _, team, _ in cursor.fetchall()]


def _take(cursor: CursorWrapper, name: str, terms: Terms, **values: Parameter) -> list[Claimed]:
    started_at = stamp()
    own: Parameters = {"owner": terms.owner, "lease_s": terms.lease_s, "now": CLOCK.now(), "started_at": started_at}
    _execute(cursor, name, own | {"format": JOURNAL_FORMAT} | values)
    return [Claimed(*row) for row in cursor.fetchall()]


def _execute(cursor: CursorWrapper, name: str, values: Parameters) -> None:
    """Execute a statement of the database's file; lists go as what that database has for them."""
    if connection.vendor == "sqlite":
        values = {key: json.dumps(value) if isinstance(value, list) else value for key, value in values.items()}
    cursor.execute(_statement(name), values)


@cache
def _statements(vendor: str) -> dict[str, str]:
    return read_statements(Path(__file__).with_name(f"claim_{vendor}.sql"))


def _statement(name: str) -> str:
    return _statements(connection.vendor)[name]


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
        own = f"state = 'RUNNING' AND owner = %s AND lease_until >= {now_sql()}"
        if connection.vendor == "postgresql":  # rows are locked in the order in which everybody locks them
            own = f"id IN (SELECT id FROM runs_run WHERE {own} ORDER BY id FOR UPDATE)"  # noqa: S608 - our own clauses
        sql = (
            f"UPDATE runs_run SET lease_until = {now_sql()} + {float(terms.lease_s)} "  # noqa: S608 - numbers
            f"WHERE {own} RETURNING id, fence, inbox_seq"
        )
    with connection.cursor() as cursor:
        cursor.execute(sql, [terms.owner])
        return {run: Owned(fence, inbox_seq) for run, fence, inbox_seq in cursor.fetchall()}


def lost(terms: Terms, run: str, fence: int) -> bool:
    """Whether somebody has taken this run since we had it under `fence`, or may take it because our lease ran out, or
    it was deleted."""
    kept = f"NOT (state = 'RUNNING' AND lease_until < {now_sql()})" if terms.lease_s is not None else "TRUE"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT 1 FROM runs_run WHERE id = %s AND fence = %s AND {kept}", [run, fence])  # noqa: S608 - our own names only
        return cursor.fetchone() is None


def release(run: str, fence: int, *, counts: bool = True, after_s: float = 0.0) -> bool:
    """Give a run back that this owner could not go on with. False when it is no longer ours.

    `counts` = as a loss, for it may be the run's own fault; where the database was away it is not. `after_s` = seconds
    for which nobody takes it.
    """
    state, wake_at = ("WAITING", f"{now_sql()} + {float(after_s)}") if after_s > 0 else ("QUEUED", "NULL")
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE runs_run SET state = '{state}', wake_at = {wake_at}, owner = '', lease_until = 0, "  # noqa: S608 - ours
            "losses = losses + %s, waiting = %s WHERE id = %s AND fence = %s AND state = 'RUNNING'",
            [int(counts), _paused_until(after_s), run, fence],
        )
        return bool(cursor.rowcount)


def _paused_until(after_s: float) -> str:
    """The row's `waiting` of a run that is tried again after some seconds."""
    if after_s <= 0:
        return "[]"
    return json.dumps([{"kind": "timer", "until": iso(CLOCK.now() + after_s)}])


def sweep() -> int:
    """Embedded start: whatever a dead process left RUNNING waits for its next owner. Gives the number of runs.

    That the process died is charged to none of them: only what is found of its death is (`evidence`).
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE runs_run SET state = 'QUEUED', owner = '', fence = fence + 1 WHERE state = 'RUNNING'")
        failpoints.hit("swept.uncommitted")
        return int(cursor.rowcount)


def any_queued() -> bool:
    """Whether runs wait to be taken."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT 1 FROM runs_run WHERE state = 'QUEUED')")
        return bool(cursor.fetchone()[0])


def unknown_format() -> int:
    """How many runs that have not ended were written by a newer version than this one."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT COUNT(*) FROM runs_run WHERE state IN ('QUEUED', 'RUNNING', 'WAITING', 'PAUSED') "
            "AND journal_format > %s",
            [JOURNAL_FORMAT],
        )
        return int(cursor.fetchone()[0])


def next_timer(after: float = 0.0) -> float | None:
    """Seconds until the next timer of a waiting run is due (0 when it is), or None; only of those due after `after`."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT MIN(wake_at) - {now_sql()} FROM runs_run "  # noqa: S608 - our own clauses
            "WHERE state = 'WAITING' AND wake_at > %s",
            [after],
        )
        left = cursor.fetchone()[0]
    return None if left is None else max(float(left), 0.0)


def next_lease_end(terms: Terms, after: float) -> float | None:
    """Seconds until the next lease of another owner runs out (0 when it has), or None; only of those after `after`."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT MIN(lease_until) - {now_sql()} FROM runs_run "  # noqa: S608 - our own clauses
            "WHERE state = 'RUNNING' AND owner <> %s AND lease_until >= %s",
            [terms.owner, after],
        )
        left = cursor.fetchone()[0]
    return None if left is None else max(float(left), 0.0)


def stamp(moment: datetime | None = None) -> str | datetime:
    """A time as a parameter of raw SQL. Also for an event loop, where asking `connection` would make a new one."""
    return cast("str | datetime", _operations().adapt_datetimefield_value(moment or CLOCK.moment()))


@cache
def _operations() -> BaseDatabaseOperations:
    return connection.ops


def moment(value: str | datetime) -> datetime:
    """A time out of raw SQL: Postgres gives times, SQLite text. The inverse of `stamp`."""
    if isinstance(value, datetime):
        return value
    return datetime.fromisoformat(value).replace(tzinfo=UTC)
