"""Whose turn it is among runs that wait for a place: teams by their share, in a team by priority and age.

The statement `candidates` (`claim_sqlite.sql`, `claim_postgresql.sql`) gives the runs in the order in which they get
places; the numbers it counts with stand here. A team's next run stands by what the team has already (its RUNNING runs
and those that ended lately) over its weight: the weighted round robin needs no counter that a crash could lose. In a
team the column `turn` decides: the moment of queueing, later by the delay of the run's kind, so that what a person
waits for goes first and nothing waits for ever.

The queue is never read whole: a loose index scan names the teams that wait, and of each only the next ones are looked
at. Runs with a concurrency key (`concurrency`) stand in an index of their own, by key.
"""

from __future__ import annotations

from datetime import UTC, datetime

DELAY_S = {
    "manual": 0.0,
    "api": 30.0,
    "mcp": 30.0,
    "a2a": 30.0,
    "webhook": 30.0,
    "event": 30.0,
    "schedule": 60.0,
    "workflow": 60.0,
}
"""How much later than others that were queued with it a run of each trigger has its turn. Longer ago weighs more."""

LATELY = 32
"""So many of the runs that ended last count towards the shares of their teams."""
LATELY_S = 60.0
"""Those that ended longer ago count no more: who was alone owes nothing."""

MOST_AT_ONCE = 1000
"""Largest limit of a concurrency key."""


def turn_of(queued_at: datetime, trigger: str, by_program: bool = False) -> float:
    """The moment that a new run's turn is counted from. `by_program` = started with a token, whatever the trigger."""
    delay = DELAY_S.get(trigger, 0.0)
    return queued_at.timestamp() + max(delay, DELAY_S["api"] if by_program else 0.0)


def since(now: float) -> datetime:
    """What ended before no longer counts, as the parameter `lately` (before `leases.stamp`)."""
    return datetime.fromtimestamp(now - LATELY_S, UTC)
