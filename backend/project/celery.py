"""The Celery app of the scaled mode. Tasks are hints: the database is the queue of record (design.md, "Engine")."""

from __future__ import annotations

import logging
import os

from celery import Celery
from kombu.exceptions import OperationalError

log = logging.getLogger(__name__)

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backend.project.settings")

app = Celery("patchbay")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["backend.runs.worker"])


def publish(run: str) -> None:
    """Let the broker tell some worker to look at a run; one that is away is logged, the reaper finds the run."""
    try:
        app.send_task("runs.wake", args=(run,), ignore_result=True, retry=False)
    except OperationalError as error:
        log.warning("no hint for run %s: %s", run, error, extra={"run": run})
