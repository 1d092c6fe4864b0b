"""Celery tasks of runs. A task is a hint to look at a run; losing it, doubling it or sending it late does no harm."""

from __future__ import annotations

from celery import shared_task

from backend.runs.worker import worker


@shared_task(name="runs.wake", ignore_result=True)
def wake(run: str) -> None:
    """Look at this run: claim it if it is due, read its inbox if it is here. Returns at once."""
    current = worker.current()
    if current is not None:
        current.take(run)
