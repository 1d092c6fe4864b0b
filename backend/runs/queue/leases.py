"""Who owns a run: claims, leases with fences, release, the sweep at start.

The database is the queue of record; a broker's message is only a hint to call `claim`. A run may be claimed when it is
queued, when its timer is due, when a message waits for it, or (scaled) when its owner's lease has run out; never when a
newer version wrote its records. At most `limit` runs are RUNNING in the installation, and of those that name a server
with a limit so many (`places`); both are checked in the claiming transaction. A run with a cancel in its inbox is
exempt: cancelling must work when the house is full. Who waits for a server holds nobody up who does not. Whose turn it
is says `fairness`, in the same statement.

Embedded, one process owns the database by its instance lock: leases are not needed, and `sweep` at start takes back
everything that a dead process left RUNNING.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from django.db import connection, transaction
from django.db.backends.base.operations import BaseDatabaseOperations

from backend.database.clock import CLOCK, now_sql, steady
from backend.database.sqlite_write_lock import sqlite_write_lock
from backend.engine.execution import failpoints
from backend.runs.log.encoding import iso
from backend.runs.models import JOURNAL_FORMAT
from backend.runs.queue import fairness, server_slots

_CLAIM_LOCK = 0x7061746368  # one claimer at a time counts the RUNNING runs (Postgres; SQLite has one writer anyway)

SPARE = 100
"""So many runs that need no place are read past when the order of the others is asked for."""

HINTED_S = 1.0
"""For so long after its start a run is left to the worker that its hint goes to."""

_KNOWN = f"journal_format <= {JOURNAL_FORMAT}"
_OTHERS_DUE = (
    "state = 'RUNNING' AND %(steal)s AND lease_until < %(now)s",
    "state = 'WAITING' AND wake_at <= %(now)s",
)
_TOLD = {"WAITING": "1 = 1", "PAUSED": "kind IN ('resume', 'cancel')"}
"""Which message wakes a run, by its state."""
_ALONE = "id = %(run)s"
_CANCELLED = "EXISTS (SELECT 1 FROM runs_inboxmessage m WHERE m.run_id = runs_run.id AND m.kind = 'cancel')"

_UNSUSPECTED = f"(losses = 0 OR {_CANCELLED})"


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
            all_of_them = fairness.wanting(terms.limit + 1)
            free = f" AND state = 'QUEUED' AND concurrency = '' AND {all_of_them} <= {int(terms.limit)} AND {_KNOWN}"
            free += "" if suspects else " AND losses = 0"
            free += f" AND {server_slots.UNLIMITED}"
            taken = _take(cursor, terms, [run], free)
        if taken:
            return Claims(taken)
    return _claim(terms, "1 = 1" if suspects else _UNSUSPECTED, {"run": run}, 1)


def claim_batch(terms: Terms, most: int, *, suspects: bool = True) -> Claims:
    """Take up to `most` due runs, in the order of `fairness`. `suspects` = also those that something speaks against.

    Scaled, a run that was queued just now is left to its hint: the broker spreads hints over the workers.
    """
    clause = "1 = 1" if suspects else _UNSUSPECTED
    if terms.lease_s is None:
        return _claim(terms, clause, {}, most)
    now = CLOCK.moment()
    stale = "queued_at < %(since)s OR queued_at > %(until)s"  # later than now: by a web process whose clock is ahead
    until = {"since": stamp(now - timedelta(seconds=HINTED_S)), "until": stamp(now + timedelta(seconds=HINTED_S))}
    return _claim(terms, f"(state <> 'QUEUED' OR {stale}) AND {clause}", until, most)


def _claim(terms: Terms, clause: str, params: dict[str, Any], most: int) -> Claims:
    with sqlite_write_lock(), transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_CLAIM_LOCK])
        wanted = fairness.wanting(terms.limit + 1)
        asked_at = steady()
        cursor.execute(
            f"SELECT {fairness.running()}, {now_sql()}, {server_slots.LIMITED}, {wanted}, {fairness.keyed()}"
        )
        running, now, limited, wanting, keyed = cursor.fetchone()
        if terms.lease_s is not None:
            CLOCK.learn(float(now), asked_at)
        free = server_slots.free_slots(cursor) if limited else {}
        lately = stamp(fairness.since(float(now)))
        values = {**params, "steal": terms.lease_s is not None, "now": float(now), "lately": lately}
        choice = _Choice(cursor, clause, values, terms.limit - int(running), free)
        if "run" in params:
            choice.one(crowded=wanting > terms.limit)
        else:
            choice.make(most)
        return Claims(_take(cursor, terms, choice.runs, *_as_seen(choice)), choice.full, bool(keyed), float(now))


class _Choice:
    """Which due runs a claim takes, in the order of `fairness`; one that has to wait for a server is passed over.

    Each question of one claim names parameters of its own (`mark_…`), so `values` only grows.
    """

    def __init__(self, cursor: Any, clause: str, values: dict[str, Any], room: int, free: dict[str, int]) -> None:
        self._cursor, self._which, self._values, self._room, self._free = cursor, clause, values, room, free
        self.runs: list[str] = []
        self.states: list[str] = []  # theirs, as they were seen
        self.full = False

    def make(self, most: int) -> None:
        """Choose up to `most` runs; each round leaves out those that want a server which the one before filled."""
        while self._round(most):
            pass
        if not self.full and self._taken_up():
            self.full = bool(self._ranked(f"{self._which} AND {self._others()}", 1))

    def one(self, *, crowded: bool) -> None:
        """Choose the run of the parameter `run`, if there is a place for it. `crowded` = not for all that wait."""
        rows = self._found(f"{_ALONE} AND {self._which}", 1)
        if not rows:
            return
        key, state, cancelled = rows[0]
        if state != "RUNNING" and not cancelled:
            servers = server_slots.requested_servers(self._cursor, [key], self._free).get(key, set())
            self.full = (
                self._room <= 0
                or any(self._free[server] <= 0 for server in servers)
                or bool(servers and self._before(servers))
                or (crowded and not self._has_its_turn(key))
            )
        if not self.full:
            self._choose(key, state)

    def _choose(self, run: str, state: str) -> None:
        self.runs.append(run)
        self.states.append(state)

    def _has_its_turn(self, run: str) -> bool:
        """Whether the run is among those that get the free places, of all that wait."""
        rows = self._ranked(f"{self._which} AND {self._unhindered()}", self._room + SPARE)
        places_taken = [key for key, state, cancelled in rows if state != "RUNNING" and not cancelled]
        return run in places_taken[: self._room]

    def _round(self, most: int) -> bool:
        """Choose among the next ones; whether some were passed over, so that others may stand behind them."""
        left = most - len(self.runs)
        rows = self._ranked(f"{self._which} AND {self._others()} AND {self._unhindered()}", left + 1)
        wanted = server_slots.requested_servers(self._cursor, [key for key, *_ in rows[:left]], self._free)
        passed = False
        for key, state, cancelled in rows[:left]:
            running, servers = state == "RUNNING", wanted.get(key, set())
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

    def _taken_up(self) -> list[str]:
        return [server for server, places_left in self._free.items() if places_left <= 0]

    def _before(self, servers: set[str]) -> bool:
        """Whether a run that could go on as well has waited longer for one of these servers."""
        earlier = "id <> %(run)s AND queued_at < (SELECT r.queued_at FROM runs_run r WHERE r.id = %(run)s)"
        return bool(
            self._found(f"state <> 'RUNNING' AND {earlier} AND {self._unhindered()} AND {self._wants(servers)}", 1)
        )

    def _unhindered(self) -> str:
        """SQL: no server that the run names has all its places taken, or it needs none of them."""
        full = self._taken_up()
        return f"(state = 'RUNNING' OR {_CANCELLED} OR NOT {self._wants(full)})" if full else "1 = 1"

    def _wants(self, servers: Iterable[str]) -> str:
        inner = "SELECT 1 FROM runs_runserver n WHERE n.run_id = runs_run.id AND n.server_id"
        return f"EXISTS ({inner} IN ({self._marks(servers)}))"

    def _others(self) -> str:
        """SQL: the run is not among those chosen."""
        return f"id NOT IN ({self._marks(self.runs)})" if self.runs else "1 = 1"

    def _marks(self, values: Iterable[str]) -> str:
        named = {f"mark_{index}": value for index, value in enumerate(values, len(self._values))}
        self._values.update(named)
        return ", ".join(f"%({item})s" for item in named)

    def _found(self, where: str, most: int) -> list[tuple[str, str, bool]]:
        inner = "SELECT 1 FROM runs_inboxmessage m WHERE m.run_id = runs_run.id AND"
        messages = (f"state = '{state}' AND EXISTS ({inner} {item})" for state, item in _TOLD.items())
        queued = f"state = 'QUEUED' AND ({fairness.unheld('runs_run')} OR {_CANCELLED})"
        due = f"{_KNOWN} AND ({' OR '.join(f'({item})' for item in (queued, *_OTHERS_DUE, *messages))})"
        self._cursor.execute(
            f"SELECT id, state, {_CANCELLED} FROM runs_run WHERE {where} AND {due} LIMIT {int(most)}",  # noqa: S608 - our own names only
            self._values,
        )
        rows: list[tuple[str, str, bool]] = self._cursor.fetchall()
        return rows

    def _ranked(self, clause: str, most: int) -> list[tuple[str, str, bool]]:
        asked = fairness.ranked(f"{_KNOWN} AND {clause}", _OTHERS_DUE, _TOLD, _CANCELLED, most)
        self._cursor.execute(asked, self._values)
        return [(key, state, bool(cancelled)) for key, state, cancelled, *_ in self._cursor.fetchall()]


def line(most: int) -> list[tuple[str, str]]:
    """(run, team) of up to `most` queued runs that nothing but a place keeps waiting, in the order of their turns."""
    with connection.cursor() as cursor:
        lately = stamp(fairness.since(CLOCK.now()))
        cursor.execute(fairness.ranked("state = 'QUEUED'", (), {}, _CANCELLED, most), {"lately": lately})
        return [(key, team) for key, _, _, team, _ in cursor.fetchall()]


def _as_seen(choice: _Choice) -> tuple[str, list[str]]:
    """SQL and its parameters: the chosen runs are still in the states in which they were seen.

    An owner whose lease ran out may commit the end of its run between our look and our taking; that one stays ended.
    Rows are locked in the order in which everybody locks them.
    """
    if connection.vendor == "sqlite":  # one writer: nothing comes between
        return "", []
    seen = ",".join(["(%s, %s)"] * len(choice.runs))
    values = [value for pair in zip(choice.runs, choice.states, strict=True) for value in pair]
    return f" AND id IN (SELECT id FROM runs_run WHERE (id, state) IN ({seen}) ORDER BY id FOR UPDATE)", values  # noqa: S608 - marks


def _take(cursor: Any, terms: Terms, runs: list[str], only: str = "", values: Sequence[str] = ()) -> list[Claimed]:
    if not runs:
        return []
    marks = ",".join(["%s"] * len(runs))
    lease = f"{now_sql()} + {float(terms.lease_s)}" if terms.lease_s is not None else "0"
    cursor.execute(
        f"UPDATE runs_run SET state = 'RUNNING', "  # noqa: S608 - our own names only
        f"owner = %s, lease_until = {lease}, fence = fence + 1, wake_at = NULL, waiting = '[]', "
        f"journal_format = {JOURNAL_FORMAT}, started_at = COALESCE(started_at, %s) WHERE id IN ({marks}){only} "
        "RETURNING id, fence, losses, last_seq, inbox_seq",
        [terms.owner, stamp(), *runs, *values],
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


def stamp(moment: datetime | None = None) -> Any:
    """A time as a parameter of raw SQL. Also for an event loop, where asking `connection` would make a new one."""
    return _operations().adapt_datetimefield_value(moment or CLOCK.moment())


@cache
def _operations() -> BaseDatabaseOperations:
    return connection.ops


def moment(value: Any) -> datetime:
    """A time out of raw SQL: Postgres gives times, SQLite text. The inverse of `stamp`."""
    if isinstance(value, datetime):
        return value
    return datetime.fromisoformat(value).replace(tzinfo=UTC)
