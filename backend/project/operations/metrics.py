"""`/metrics` for Prometheus: what waits, what runs, who is there. Only with the token that the installation names.

The figures are the database's, so every web process says the same of all. OpenTelemetry's library writes them down
(`telemetry.metrics`), loaded with the first scrape; the same go to a collector where one is named.
"""

from __future__ import annotations

import hmac
from functools import cache
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from backend.database.clock import now_sql
from backend.project.operations.readiness import checks
from backend.runs.models import RunState
from backend.runs.queue import workers
from backend.runs.worker import worker
from backend.version import VERSION

if TYPE_CHECKING:
    from backend.telemetry.metrics import Exposition, Figures

_STATES = (
    "SELECT state, COUNT(*) FROM runs_run WHERE state IN ('QUEUED', 'RUNNING', 'WAITING', 'PAUSED') GROUP BY state"
)
_QUESTIONS = "SELECT COUNT(*) FROM runs_interaction WHERE state = 'open'"
OPEN = (RunState.QUEUED, RunState.RUNNING, RunState.WAITING, RunState.PAUSED)


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Text of Prometheus. Without PATCHBAY_METRICS_TOKEN, or with another token, there is nothing here."""
    token = settings.PATCHBAY.metrics_token
    sent = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if not token or not hmac.compare_digest(sent.encode(), token.encode()):
        raise Http404
    return HttpResponse(_exposition().text(), content_type="text/plain; version=0.0.4; charset=utf-8")


@cache
def _exposition() -> Exposition:
    from backend.telemetry.metrics import Exposition  # here: with the first scrape

    return Exposition(figures)


def figures() -> Figures:
    """What is measured now; where the database is not there, only that."""
    checked = checks()
    readings: dict[str, list[tuple[dict[str, str], float]]] = {
        "patchbay.info": [({"version": VERSION, "mode": settings.PATCHBAY.mode}, 1)],
        "patchbay.up": [({"part": name}, int(up)) for name, up in checked.items()],
    }
    if not checked["database"] or not checked["migrations"]:
        return readings
    with connection.cursor() as cursor:
        cursor.execute(_STATES)
        states = dict(cursor.fetchall())
        cursor.execute(_QUESTIONS)
        questions = int(cursor.fetchone()[0])
    here = worker.current()
    alive = [(worker.running, worker.capacity) for worker in workers.alive()] or (
        [(here.live, here.capacity)] if here else []
    )
    return {
        **readings,
        "patchbay.runs": [({"state": state.lower()}, states.get(state, 0)) for state in OPEN],
        "patchbay.queue.age": [({}, _queue_age())],
        "patchbay.questions.open": [({}, questions)],
        "patchbay.runs.limit": [({}, settings.PATCHBAY.max_concurrent_runs)],
        "patchbay.workers": [({}, len(alive))],
        "patchbay.workers.capacity": [({}, sum(most for _, most in alive))],
    }


def _queue_age() -> float:
    epoch = "extract(epoch from MIN(queued_at))" if connection.vendor == "postgresql" else _SQLITE_EPOCH
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {now_sql()} - {epoch} FROM runs_run WHERE state = 'QUEUED'")  # noqa: S608 - our own
        age = cursor.fetchone()[0]
    return round(max(float(age or 0), 0), 1)


_SQLITE_EPOCH = "(julianday(MIN(queued_at)) - 2440587.5) * 86400.0"
