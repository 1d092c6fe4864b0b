"""The queue as people see it: how long it is, whose turn is when, how busy the installation is, who works.

Numbers are the installation's, for its limit is; of the runs only the team's own are named.
"""

from __future__ import annotations

from django.conf import settings
from django.utils import timezone

from backend.runs.models import Run, RunState
from backend.runs.queue import concurrency, leases, server_slots, workers
from backend.runs.reports.responses import PlaceJson, QueueJson, WorkerJson
from backend.runs.worker import worker

MOST = 1000
"""So many of the queue are looked at for places; who stands farther behind has none yet."""


def queue_of(team: str, user: str) -> QueueJson:
    """The queue for a member."""
    waiting = Run.objects.filter(state=RunState.QUEUED)
    rows = leases.line(MOST)
    own = {key: place for place, (key, owner) in enumerate(rows, 1) if owner == team}
    blocked = concurrency.held(team, MOST)
    servers = server_slots.blocking_servers(team, user, list(own))
    first = waiting.order_by("queued_at").values_list("queued_at", flat=True).first()
    oldest = None if first is None else max(0.0, (timezone.now() - first).total_seconds())
    placed: list[PlaceJson] = [
        {"run": key, "position": position, "server": servers.get(key), "busy": None} for key, position in own.items()
    ]
    placed += [{"run": key, "position": None, "server": None, "busy": busy} for key, busy in blocked if key not in own]
    return {
        "limit": settings.PATCHBAY.max_concurrent_runs,
        "running": Run.objects.filter(state=RunState.RUNNING).count(),
        "queued": waiting.count(),
        "oldest_s": None if oldest is None else round(oldest, 3),
        "runs": placed,
        "workers": _workers(),
    }


def lag_s() -> float:
    """Age of the oldest run that waits for a place, 0 where none does."""
    oldest = Run.objects.filter(state=RunState.QUEUED).order_by("queued_at").values_list("queued_at", flat=True).first()
    return 0.0 if oldest is None else round(max(0.0, (timezone.now() - oldest).total_seconds()), 3)


def _workers() -> list[WorkerJson]:
    """Those who take work: embedded this process, scaled whoever said lately that it is there."""
    if settings.PATCHBAY.mode == "embedded":
        current = worker.current()
        if current is None:
            return []
        return [_shape(current.terms.owner, current.live, current.capacity, current.age_s, 0.0)]
    return [
        _shape(worker.owner, worker.running, worker.capacity, worker.age_s, worker.seen_s) for worker in workers.alive()
    ]


def _shape(owner: str, running: int, capacity: int, age_s: float, seen_s: float) -> WorkerJson:
    host, pid, *_ = owner.split(":")
    return {
        "name": f"{host}:{pid}",
        "running": running,
        "capacity": capacity,
        "age_s": round(age_s, 1),
        "seen_s": round(seen_s, 1),
    }
