"""Which workers of a scaled installation are alive: each says so with its heartbeat, and takes its row along.

Times are the database's, so that no machine's clock counts.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.db import connection

from backend.database.clock import CLOCK, now_sql, steady
from backend.runs.models import WorkerSeen

FORGOTTEN_LEASES = 20
"""After so many leases without a word, the row of a worker that was killed is removed."""


@dataclass(frozen=True, slots=True)
class Alive:
    """A worker that is there. `seen_s` and `age_s` = seconds since it last said so and since its start."""

    owner: str
    running: int
    capacity: int
    seen_s: float
    age_s: float


def say_alive(owner: str, running: int, capacity: int) -> None:
    """Called with each heartbeat; also forgets those who have long said nothing, and reads the database's clock."""
    now, requested_at = now_sql(), steady()
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO runs_workerseen (owner, running, capacity, started_at, seen_at) "  # noqa: S608 - our own clauses
            f"VALUES (%s, %s, %s, {now}, {now}) ON CONFLICT (owner) DO UPDATE SET running = excluded.running, "
            "capacity = excluded.capacity, seen_at = excluded.seen_at RETURNING seen_at",
            [owner, running, capacity],
        )
        CLOCK.learn(float(cursor.fetchone()[0]), requested_at)
        cursor.execute(
            f"DELETE FROM runs_workerseen WHERE seen_at < {now} - %s",  # noqa: S608 - our own clauses
            [FORGOTTEN_LEASES * settings.PATCHBAY.lease_s],
        )


def say_gone(owner: str) -> None:
    """Called when a worker ends by itself."""
    WorkerSeen.objects.filter(pk=owner).delete()


def alive(leases: float = 1) -> list[Alive]:
    """The workers that said within a lease, or so many, that they are there, oldest first."""
    now = now_sql()
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT owner, running, capacity, {now} - seen_at, {now} - started_at FROM runs_workerseen "  # noqa: S608 - our own names only
            f"WHERE seen_at >= {now} - %s ORDER BY started_at, owner",
            [leases * settings.PATCHBAY.lease_s],
        )
        return [Alive(*row) for row in cursor.fetchall()]
