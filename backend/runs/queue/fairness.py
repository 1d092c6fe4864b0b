"""Whose turn it is among runs that wait for a place: teams by their share, in a team by priority and age, one SQL.

`ranked` gives the candidates of a claim in the order in which they get places. A team's next run stands by what the
team has already (its RUNNING runs and those that ended lately) over its weight: the weighted round robin needs no
counter that a crash could lose. In a team the column `turn` decides: the moment of queueing, later by the delay of the
run's kind, so that what a person waits for goes first and nothing waits for ever.

The queue is never read whole: a loose index scan names the teams that wait, and of each only the next ones are looked
at. Runs with a concurrency key (`concurrency`) stand in an index of their own, by key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from django.conf import settings
from django.db import connection

DELAY_S = {"manual": 0.0, "api": 30.0, "workflow": 60.0}
"""How much later than others that were queued with it a run of each trigger has its turn. Longer ago weighs more."""

LATELY = 32
"""So many of the runs that ended last count towards the shares of their teams."""
LATELY_S = 60.0
"""Those that ended longer ago count no more: who was alone owes nothing."""


def turn_of(queued_at: datetime, trigger: str, by_program: bool = False) -> float:
    """The moment that a new run's turn is counted from. `by_program` = started with a token, whatever the trigger."""
    delay = DELAY_S.get(trigger, 0.0)
    return queued_at.timestamp() + max(delay, DELAY_S["api"] if by_program else 0.0)


MOST_AT_ONCE = 1000
"""Largest limit of a concurrency key."""
_GOING_ON = "k.state IN ('QUEUED', 'RUNNING', 'WAITING', 'PAUSED') AND k.started_at IS NOT NULL"
_BEFORE = (
    "k.state = 'QUEUED' AND k.started_at IS NULL AND (k.turn < {run}.turn OR (k.turn = {run}.turn AND k.id < {run}.id))"
)


def unheld(run: str) -> str:
    """SQL: no concurrency key keeps `run` (a table's name) back. Who began under a key has a place of it to the end."""
    same = f"k.concurrency = {run}.concurrency AND k.concurrency > ''"
    counted = " UNION ALL ".join(
        f"SELECT * FROM (SELECT 1 FROM runs_run k{_by(index)} WHERE {same} "  # noqa: S608 - our own clauses
        f"AND {value.format(run=run)} LIMIT {MOST_AT_ONCE}) {name}"
        for name, index, value in (("going", "run_key", _GOING_ON), ("before", "run_key_turn", _BEFORE))
    )
    return (
        f"({run}.concurrency = '' OR {run}.started_at IS NOT NULL OR "  # noqa: S608 - our own clauses
        f"(SELECT COUNT(*) FROM ({counted}) held) < {run}.concurrency_limit)"
    )


_STATES = "runs_run_state_03682c_idx"


def running() -> str:
    """SQL: how many runs hold a place."""
    return f"(SELECT COUNT(*) FROM runs_run{_by(_STATES)} WHERE state = 'RUNNING')"  # noqa: S608 - our own clauses


def wanting(most: int) -> str:
    """SQL: how many runs hold or want a place, counted up to `most`."""
    rows = f"SELECT 1 FROM runs_run{_by(_STATES)} WHERE state IN ('RUNNING', 'QUEUED') LIMIT {int(most)}"  # noqa: S608 - our own names only
    return f"(SELECT COUNT(*) FROM ({rows}) q)"  # noqa: S608 - our own clauses


def keyed() -> str:
    """SQL: whether runs with a concurrency key are queued."""
    return f"EXISTS (SELECT 1 FROM runs_run{_by('run_key_turn')} WHERE state = 'QUEUED' AND concurrency > '')"  # noqa: S608 - our own names only


def _by(index: str) -> str:
    """SQL: SQLite takes this index; by itself it reads the whole queue where it once saw that most runs were queued."""
    return f" INDEXED BY {index}" if connection.vendor == "sqlite" else ""


def ranked(clause: str, others: Sequence[str], messages: Mapping[str, str], cancelled: str, most: int) -> str:
    """SQL of (id, state, cancelled, team_id, turn) of up to `most` runs that may go on, those first that go first.

    `clause` = what every one of them meets, on `runs_run`; `cancelled` = the clause that a cancel waits.
    Those that are not queued are due by a clause of `others`, each beginning with a state, or by a message:
    `messages` = the clause on messages that counts, by state. Each is looked up by itself, so that runs which wait for
    years cost nothing. What needs no place (taken over, cancelled) comes first. The parameter `lately` = the moment
    from which ended runs count (`since`).
    """
    weight = _weight()
    first = f"CASE WHEN state = 'RUNNING' OR {cancelled} THEN 0 ELSE 1 END"
    due = "".join(
        f"""
    UNION
    SELECT id, state, team_id, turn, {first} FROM runs_run{_by(_STATES)} WHERE {other} AND {clause}"""  # noqa: S608
        for other in others
    ) + "".join(
        f"""
    UNION
    SELECT id, state, team_id, turn, {first}
    FROM runs_run WHERE id IN (SELECT run_id FROM runs_inboxmessage WHERE {item})
        AND state || '' = '{state}' AND {clause}"""  # noqa: S608 - our own clauses
        for state, item in messages.items()
    )
    return f"""
WITH RECURSIVE {_distinct("fair_team", "team_id", "run_turn", "concurrency = ''")},
{_distinct("fair_key", "concurrency", "run_key_turn", "concurrency > ''")},
fair_had(team_id, n) AS (
    SELECT team_id, COUNT(*) FROM (
        SELECT team_id FROM runs_run{_by(_STATES)} WHERE state = 'RUNNING'
        UNION ALL
        SELECT team_id FROM (SELECT team_id FROM runs_run WHERE finished_at > %(lately)s
            ORDER BY finished_at DESC LIMIT {LATELY}) e
    ) h GROUP BY team_id),
fair_next(id, state, team_id, turn, first) AS (
    {_heads("fair_team", "team_id", "run_turn", "concurrency = ''", clause, most)}
    UNION ALL
    {_heads("fair_key", "concurrency", "run_key_turn", "concurrency > ''", clause, most)} AND {unheld("h")}
{due}
    UNION
    SELECT id, state, team_id, turn, 0
    FROM runs_run WHERE id IN (SELECT run_id FROM runs_inboxmessage WHERE kind = 'cancel')
        AND state || '' = 'QUEUED' AND {clause})
SELECT id, state, first = 0, team_id, turn FROM (
    SELECT id, state, team_id, turn, first, ROW_NUMBER() OVER (PARTITION BY team_id ORDER BY first, turn, id) AS place
    FROM (SELECT id, state, team_id, turn, MIN(first) AS first FROM fair_next GROUP BY id, state, team_id, turn) one
) c LEFT JOIN (SELECT team_id AS team, n FROM fair_had) h ON h.team = c.team_id
ORDER BY first, (COALESCE(h.n, 0) + place) / {weight}, turn, id LIMIT {int(most)}"""  # noqa: S608 - our own clauses


def since(now: float) -> datetime:
    """What ended before no longer counts, as the parameter `lately` (before `leases.stamp`)."""
    return datetime.fromtimestamp(now - LATELY_S, UTC)


def _distinct(name: str, column: str, index: str, kind: str) -> str:
    """SQL: the values of a column among queued runs, found by one step in the index per value."""
    queued = f"FROM runs_run{_by(index)} WHERE state = 'QUEUED' AND {kind}"
    return (
        f"{name}(v) AS (SELECT MIN({column}) {queued} UNION ALL "  # noqa: S608 - our own clauses
        f"SELECT (SELECT MIN({column}) {queued} AND {column} > {name}.v) FROM {name} WHERE {name}.v IS NOT NULL)"
    )


def _heads(name: str, column: str, index: str, kind: str, clause: str, most: int) -> str:
    """SQL: of each value the queued runs whose turn comes next."""
    columns = "id, state, team_id, turn, concurrency, concurrency_limit, started_at"
    heads = (
        f"FROM runs_run{_by(index)} WHERE state = 'QUEUED' AND {kind} AND {column} = {name}.v AND {clause} "
        f"ORDER BY turn LIMIT {int(most)}"
    )
    if connection.vendor == "postgresql":
        lateral = f"CROSS JOIN LATERAL (SELECT {columns} {heads}) h"
        return f"SELECT h.id, h.state, h.team_id, h.turn, 1 FROM {name} {lateral} WHERE {name}.v IS NOT NULL"  # noqa: S608 - our own names only
    return (
        f"SELECT h.id, h.state, h.team_id, h.turn, 1 FROM {name} CROSS JOIN runs_run h "  # noqa: S608 - our own clauses
        f"WHERE {name}.v IS NOT NULL AND h.id IN (SELECT id {heads})"
    )


def _weight() -> str:
    """SQL: how much of the places a team gets beside others, 1 where the operator says nothing."""
    weights = settings.PATCHBAY.team_weights
    if not weights:
        return "1.0"
    cases = " ".join(f"WHEN '{slug}' THEN {float(weight)}" for slug, weight in weights.items())
    return f"(SELECT CASE slug {cases} ELSE 1.0 END FROM accounts_team t WHERE t.id = c.team_id)"  # noqa: S608 - our own names only
