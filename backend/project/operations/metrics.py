"""`/metrics` for Prometheus: what waits, what runs, who is there. Only with the token that the installation names.

The figures are the database's, so every web process says the same of all.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator

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

_STATES = (
    "SELECT state, COUNT(*) FROM runs_run WHERE state IN ('QUEUED', 'RUNNING', 'WAITING', 'PAUSED') GROUP BY state"
)
_QUESTIONS = "SELECT COUNT(*) FROM runs_interaction WHERE state = 'open'"
OPEN = (RunState.QUEUED, RunState.RUNNING, RunState.WAITING, RunState.PAUSED)


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Text of Prometheus. Without PATCHBAY_METRICS_TOKEN, or with another token, there is nothing here."""
    token = settings.PATCHBAY.metrics_token
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if not token or not hmac.compare_digest(given.encode(), token.encode()):
        raise Http404
    return HttpResponse("".join(_lines()), content_type="text/plain; version=0.0.4; charset=utf-8")


def _lines() -> Iterator[str]:
    checked = checks()
    yield from _family(
        "info", "The version that answers.", [(f'version="{VERSION}",mode="{settings.PATCHBAY.mode}"', 1)]
    )
    yield from _family(
        "up", "Whether each part is there.", [(f'part="{name}"', int(up)) for name, up in checked.items()]
    )
    if not checked["database"] or not checked["migrations"]:
        return
    with connection.cursor() as cursor:
        cursor.execute(_STATES)
        states = dict(cursor.fetchall())
        cursor.execute(_QUESTIONS)
        questions = int(cursor.fetchone()[0])
    yield from _family(
        "runs", "Runs that have not ended.", [(f'state="{state.lower()}"', states.get(state, 0)) for state in OPEN]
    )
    yield from _family("queue_age_seconds", "How long the oldest queued run has waited.", [("", _queue_age())])
    yield from _family("questions_open", "Questions that wait for a person.", [("", questions)])
    yield from _family("runs_limit", "Runs at once in the installation.", [("", settings.PATCHBAY.max_concurrent_runs)])
    here = worker.current()
    alive = [(worker.running, worker.capacity) for worker in workers.alive()] or (
        [(here.live, here.capacity)] if here else []
    )
    yield from _family("workers", "Workers that are there.", [("", len(alive))])
    yield from _family("workers_capacity", "Runs that they take together.", [("", sum(most for _, most in alive))])


def _queue_age() -> float:
    epoch = "extract(epoch from MIN(queued_at))" if connection.vendor == "postgresql" else _SQLITE_EPOCH
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {now_sql()} - {epoch} FROM runs_run WHERE state = 'QUEUED'")  # noqa: S608 - our own
        age = cursor.fetchone()[0]
    return round(max(float(age or 0), 0), 1)


_SQLITE_EPOCH = "(julianday(MIN(queued_at)) - 2440587.5) * 86400.0"


def _family(name: str, says: str, samples: list[tuple[str, float]]) -> Iterator[str]:
    full = f"patchbay_{name}"
    yield f"# HELP {full} {says}\n# TYPE {full} gauge\n"
    for labels, value in samples:
        yield f"{full}{{{labels}}} {value}\n" if labels else f"{full} {value}\n"
