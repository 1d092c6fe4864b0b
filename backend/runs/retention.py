"""Deletes what is older than the installation keeps: finished runs with their logs, then blobs that nothing refers to.

In small steps, each its own transaction, so that neither people nor the journal wait for it.
"""

from __future__ import annotations

from datetime import timedelta

from django.db import connection
from django.db.models import Exists, OuterRef
from django.utils import timezone

from backend.files.models import Blob, File
from backend.runs.models import TERMINAL, LogLine, Run, RunBlob

RUNS_AT_ONCE = 20
LINES_AT_ONCE = 2000


def delete_old(days: int) -> int:
    """Delete runs that ended more than `days` days ago (0 = keep all), each with the runs below it; gives their number.

    A run is kept as long as one below it goes on, and those below it as long as it is kept: they are one history.
    """
    if days <= 0:
        return 0
    limit = timezone.now() - timedelta(days=days)
    count = 0
    while keys := list(
        Run.objects.filter(state__in=TERMINAL, finished_at__lt=limit, depth=0)
        .exclude(Exists(Run.objects.filter(root_run=OuterRef("pk"), finished_at=None)))
        .values_list("pk", flat=True)[:RUNS_AT_ONCE]
    ):
        for key in [*keys, *Run.objects.filter(root_run__in=keys).values_list("pk", flat=True)]:
            _delete_log(key)
        Run.objects.filter(pk__in=keys).delete()
        count += len(keys)
    if count:
        _delete_blobs(limit)
    return count


def _delete_log(run: str) -> None:
    while lines := list(LogLine.objects.filter(run_id=run).values_list("pk", flat=True)[:LINES_AT_ONCE]):
        LogLine.objects.filter(pk__in=lines).delete()


def _delete_blobs(older_than: object) -> None:
    """Blobs that no file, run or log refers to any more; young ones may be about to be used."""
    unused = Blob.objects.filter(created_at__lt=older_than).exclude(
        Exists(File.objects.filter(blob=OuterRef("pk")))
        | Exists(RunBlob.objects.filter(blob=OuterRef("pk")))
        | Exists(Run.objects.filter(graph=OuterRef("pk")))
    )
    while keys := list(unused.values_list("pk", flat=True)[:RUNS_AT_ONCE]):
        Blob.objects.filter(pk__in=keys).delete()
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA incremental_vacuum")
