"""Deletes what is older than the installation keeps: ended runs with their logs, files and blobs that nothing names.

In small batches, each a short transaction of its own, with a rest as long as the batch took after it: people, starts
and the journal wait for one batch at most. A long log goes from its end, so that what is still there is whole from its
beginning. Runs that wait or go on are never touched, nor is what forks and other runs share.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, ForeignObjectRel, OuterRef, Q, QuerySet
from django.utils import timezone

from backend.accounts.audit import erasing
from backend.database.sqlite_write_lock import sqlite_write_lock
from backend.files.models import Blob, File
from backend.registry.models import Grant, RunGrant
from backend.runs.conversations.forgetting import forget_turns
from backend.runs.log.usage import old_calls
from backend.runs.models import TERMINAL, Interaction, LogLine, Run, RunBlob, RunFile, ServerCalls, WorkflowTest
from backend.runs.starting.given_files import files_in
from backend.workflows.models import DraftRevision, Version, Workflow

RUNS_AT_ONCE = 20
LINES_AT_ONCE = 500
BLOBS_AT_ONCE = 50
LOOKED_AT_ONCE = 1000
PAGES_AT_ONCE = 500
SHORTEST_REST_S = 0.005
ORPHANS_AFTER = timedelta(days=1)
"""A blob that nothing names goes after this time; younger ones may be about to be named."""

_LONG = [(LogLine, "position"), (RunBlob, "id"), (RunFile, "id"), (Interaction, "id")]
"""What a run may have much of, and by which column its last ones are known."""


_before_runs_go: list[Callable[[list[str]], object]] = []
_old: list[Callable[[datetime], int]] = []


def before_runs_go(clear: Callable[[list[str]], object]) -> None:
    """Call `clear(ids)` inside the transaction that deletes these runs, before their rows go."""
    _before_runs_go.append(clear)


def clear_before_runs_go(keys: list[str]) -> None:
    """Approvals for these runs go; conversations and every room above clear what they keep of them."""
    Grant.objects.filter(workflow__in=keys).delete()
    RunGrant.objects.filter(run__in=keys).delete()
    forget_turns(keys)
    for clear in _before_runs_go:
        clear(keys)


def delete_when_old(delete_some: Callable[[datetime], int]) -> None:
    """In each sweep call `delete_some(limit)`, each time in a transaction of its own, until it gives 0."""
    _old.append(delete_some)


class Stopped(Exception):
    """The process is to end, or another has taken over."""


class Sweep:
    """One sweep. `rest(seconds)` is called after each batch, outside of any transaction; it may raise Stopped."""

    def __init__(self, days: int, rest: Callable[[float], None]) -> None:
        self._days, self._rest = days, rest
        self._now = timezone.now()

    def run(self) -> int:
        """Do it all; gives the number of runs that people had started and that are gone. Raises Stopped."""
        count = 0
        self._audit()
        self._counted()
        if self._days > 0:
            limit = self._now - timedelta(days=self._days)
            count = self._runs(limit)
            self._rooms_above(limit)
            self._files(limit)
        self._blobs(self._now - ORPHANS_AFTER)
        self._shrink()
        return count

    @contextmanager
    def _batch(self) -> Iterator[Any]:
        began = time.monotonic()
        with sqlite_write_lock(), transaction.atomic(), connection.cursor() as cursor:
            yield cursor
        self._rest(max(time.monotonic() - began, SHORTEST_REST_S))

    def _audit(self) -> None:
        """Rows of the audit trail that are older than the installation keeps them."""
        days = settings.PATCHBAY.audit_days
        while erasing.has_old(days):
            with self._batch():
                erasing.delete_old(days)

    def _counted(self) -> None:
        """How servers answered, longer ago than is shown."""
        while keys := old_calls():
            with self._batch():
                ServerCalls.objects.filter(pk__in=keys).delete()

    def _rooms_above(self, limit: datetime) -> None:
        """What rooms above keep from before `limit`."""
        for delete_some in _old:
            deleted = 1
            while deleted:
                with self._batch():
                    deleted = delete_some(limit)

    # -- runs ---------------------------------------------------------------------------------------------------------

    def _runs(self, limit: datetime) -> int:
        """Runs that ended before `limit`, each with the runs below it.

        A run is kept as long as one below it goes on, and those below it as long as it is kept: they are one history.
        """
        unfinished = Run.objects.filter(root_run=OuterRef("pk"), finished_at=None)
        later = Run.objects.filter(conversation=OuterRef("conversation"), conversation__gt="", finished_at=None)
        old = Run.objects.filter(state__in=TERMINAL, finished_at__lt=limit, depth=0).exclude(Exists(unfinished))
        old = old.exclude(Exists(later))  # which goes on from what was said in it
        count = 0
        while roots := list(old.order_by("finished_at").values_list("pk", flat=True)[:RUNS_AT_ONCE]):
            below = Run.objects.filter(root_run__in=roots).order_by("-depth")
            while keys := list(below.values_list("pk", flat=True)[:RUNS_AT_ONCE]):
                self._delete(keys)
            self._delete(roots)
            count += len(roots)
        return count

    def _delete(self, keys: list[str]) -> None:
        questions = list(Interaction.objects.filter(run__in=keys).values_list("pk", flat=True))
        for table, column in _LONG:
            self._empty(table._meta.db_table, column, keys)
        with self._batch():
            erasing.erase("interaction", questions)  # what people wrote; who answered what and when stays
            erasing.erase("run", keys)
            clear_before_runs_go(keys)
            Run.objects.filter(pk__in=keys).delete()

    def _empty(self, table: str, column: str, runs: list[str]) -> None:
        """Delete all rows of these runs in a table, each run's from its end."""
        sql = (
            f"DELETE FROM {table} WHERE id IN (SELECT id FROM {table} WHERE run_id = %s "  # noqa: S608 - our own names
            f"ORDER BY {column} DESC LIMIT %s)"
        )
        left = list(runs)
        while left:
            room = LINES_AT_ONCE
            with self._batch() as cursor:
                while left and room > 0:
                    cursor.execute(sql, [left[-1], room])
                    if cursor.rowcount < room:
                        left.pop()
                    room -= cursor.rowcount

    # -- files and blobs ----------------------------------------------------------------------------------------------

    def _files(self, limit: datetime) -> None:
        """Files from before `limit` that no run was given and no workflow names."""
        loose = File.objects.filter(created_at__lt=limit).exclude(Exists(RunFile.objects.filter(file=OuterRef("pk"))))
        for team in list(loose.order_by().values_list("team", flat=True).distinct()):
            named = named_files(team)
            keys = [key for key in loose.filter(team=team).values_list("pk", flat=True) if key not in named]
            for part in _parts(keys, BLOBS_AT_ONCE):
                with self._batch():
                    loose.filter(pk__in=part).delete()

    def _blobs(self, limit: datetime) -> None:
        """Blobs from before `limit` that nothing names any more."""
        after = ""
        while True:
            seen = Blob.objects.filter(pk__gt=after).order_by("pk").values_list("pk", flat=True)
            page = list(seen[:LOOKED_AT_ONCE])
            if not page:
                return
            after = page[-1]
            unused = unnamed_blobs(Blob.objects.filter(pk__in=page, created_at__lt=limit))
            for part in _parts(list(unused.values_list("pk", flat=True)), BLOBS_AT_ONCE):
                with self._batch() as cursor:
                    rows = Blob.objects.filter(pk__in=part).only("pk")
                    if connection.vendor == "postgresql":  # whoever names one now waits, and finds it gone
                        rows = rows.select_for_update(skip_locked=True)
                    locked_keys = [row.pk for row in rows]
                    still = list(unnamed_blobs(Blob.objects.filter(pk__in=locked_keys)).values_list("pk", flat=True))
                    if still:
                        marks = ",".join(["%s"] * len(still))
                        cursor.execute(f"DELETE FROM files_blob WHERE id IN ({marks})", still)  # noqa: S608 - only marks

    def _shrink(self) -> None:
        """SQLite: give pages that are free back to the disk."""
        if connection.vendor != "sqlite":
            return
        before = -1
        while True:
            with connection.cursor() as cursor:
                cursor.execute("PRAGMA freelist_count")
                free = cursor.fetchone()[0]
                if free in (0, before):  # none, or a file that keeps them
                    return
                before, began = free, time.monotonic()
                with sqlite_write_lock():
                    # as a script: `execute` takes the first of the rows that it answers, and gives one page back
                    cursor.executescript(f"PRAGMA incremental_vacuum({PAGES_AT_ONCE})")
            self._rest(max(time.monotonic() - began, SHORTEST_REST_S))


def unnamed_blobs(blobs: QuerySet[Blob]) -> QuerySet[Blob]:
    """Those that no row of any room refers to."""
    named = Q()
    for relation in Blob._meta.get_fields(include_hidden=True):
        if not isinstance(relation, ForeignObjectRel):
            continue
        field = relation.field
        named |= Q(Exists(field.model._default_manager.filter(**{field.name: OuterRef("pk")})))
    return blobs.exclude(named)


def named_files(team: str) -> set[str]:
    """The files that a team's workflows name: drafts, earlier ones too, versions, tests."""
    references = [
        Workflow.objects.filter(team=team, draft__contains="$file").values_list("draft", flat=True),
        DraftRevision.objects.filter(workflow__team=team, graph__contains="$file").values_list("graph", flat=True),
        Version.objects.filter(workflow__team=team, graph__contains="$file").values_list("graph", flat=True),
        WorkflowTest.objects.filter(workflow__team=team, inputs__contains="$file").values_list("inputs", flat=True),
    ]
    return {key for texts in references for text in texts.iterator() for key in files_in(text)}


def _parts(keys: list[str], most: int) -> Iterator[list[str]]:
    for start in range(0, len(keys), most):
        yield keys[start : start + most]


def delete_old(days: int, rest: Callable[[float], None] | None = None) -> int:
    """Sweep once: what ended more than `days` days ago (0 = keep all runs), and what nothing names."""
    return Sweep(days, rest or threading.Event().wait).run()  # type: ignore[arg-type]
