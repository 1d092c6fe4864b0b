"""What is old goes: in short batches between which everybody works on, once at a time, and nothing that is needed."""

from __future__ import annotations

import sqlite3
import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from backend.files.models import Blob, File
from backend.files.services import blob_store, file_create
from backend.runs.lifecycle.maintenance import RETENTION, MaintenanceRunner, end_turn, run_maintenance, take_turn
from backend.runs.lifecycle.retention import LINES_AT_ONCE, Stopped, Sweep
from backend.runs.models import Chore, Interaction, LogLine, Run, RunBlob, RunState
from backend.runs.worker.worker import Worker
from tests.api.runs.asking import start
from tests.api.runs.conftest import ONE_NODE, graph, make_run, make_workflow, node, until
from tests.api.runs.sweeping import swept
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

LONG_AGO = timezone.now() - timedelta(days=40)
FILE = {"type": "object", "format": "file"}
TAKES_A_FILE = graph(
    [
        node("start", "start", {"inputs": {"type": "object", "properties": {"f": FILE}}}),
        node("end", "end", {"outputs": {"name": "{{ start.f.name }}"}}),
    ],
    "start -> end",
)


def old_run(person: Person, lines: int, **columns: Any) -> Run:
    """A run that ended long ago, with so many lines."""
    ended = {"state": RunState.SUCCESS, "finished_at": LONG_AGO, "queued_at": LONG_AGO, "last_seq": lines}
    run = make_run(person, **{**ended, **columns})
    message = {"type": "STEP_LOG", "data": '{"level": "info", "text": ""}'}
    LogLine.objects.bulk_create(
        [LogLine(run=run, position=n, seq=n, ts=0, fence=1, **message) for n in range(1, lines + 1)]
    )
    return run


def is_free() -> bool:
    """Whether another connection may write now, without waiting."""
    if connection.vendor == "sqlite":
        other = sqlite3.connect(connection.settings_dict["NAME"], timeout=0, isolation_level=None)
        try:
            other.execute("BEGIN IMMEDIATE")
            other.execute("ROLLBACK")
        finally:
            other.close()
    return not connection.in_atomic_block


def free_pages() -> int:
    """Pages of SQLite's file that hold nothing."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA freelist_count")
        return int(cursor.fetchone()[0])


@pytest.fixture
def no_free_pages() -> None:
    """What tests before this one left free in SQLite's file is given back, so that a sweep meets only its own."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.executescript("PRAGMA incremental_vacuum")  # `execute` gives one page back


@pytest.mark.usefixtures("no_free_pages")
def test_a_big_sweep_lets_everybody_work_in_between(bob: Person) -> None:
    workflow = make_workflow(bob)
    many = [old_run(bob, 30, workflow=workflow) for _ in range(30)]
    many.append(old_run(bob, 3 * LINES_AT_ONCE, workflow=workflow))
    left, started = LogLine.objects.count(), []

    def rest(seconds: float) -> None:
        nonlocal left
        now = LogLine.objects.count()
        assert left - now <= LINES_AT_ONCE, "one batch is small"
        left = now + 1  # the first line of the run that is started here
        assert is_free(), "nothing is held between batches"
        started.append(start(bob, workflow).data["id"])

    assert Sweep(30, rest).run() == len(many)
    assert len(started) > 5
    assert set(Run.objects.values_list("pk", flat=True)) == set(started)
    assert LogLine.objects.count() == len(started)


def test_a_log_goes_from_its_end(bob: Person) -> None:
    run = old_run(bob, LINES_AT_ONCE + 10)
    seen: list[list[int]] = []

    def rest(seconds: float) -> None:
        seen.append(list(LogLine.objects.filter(run=run).order_by("position").values_list("position", flat=True)))

    Sweep(30, rest).run()
    assert seen[0] == list(range(1, 11))


def test_what_waits_or_goes_on_or_is_shared_stays(worker: Worker, bob: Person) -> None:
    kept = [old_run(bob, 3, state=name, finished_at=None) for name in ("WAITING", "RUNNING", "PAUSED", "QUEUED")]
    Run.objects.filter(state="RUNNING").update(owner="elsewhere")
    origin = old_run(bob, 3)
    fork = old_run(bob, 3, finished_at=timezone.now(), origin_run=origin)
    shared = blob_store(bob.team.id, b"shared")
    alone = blob_store(bob.team.id, b"alone")
    for run, blob in ((origin, shared), (fork, shared), (origin, alone)):
        RunBlob.objects.create(run=run, blob=blob)
    Interaction.objects.create(
        id="int_1", team=bob.team, run=origin, root_run=origin, kind="form", title="?", created_at=LONG_AGO,
        state="answered",
    )  # fmt: skip
    Blob.objects.update(created_at=LONG_AGO)
    assert swept(30) == 1
    assert not Run.objects.filter(pk=origin.pk).exists()
    fork.refresh_from_db()
    assert fork.origin_run_id is None and LogLine.objects.filter(run=fork).count() == 3
    assert all(LogLine.objects.filter(run=run).count() >= 3 for run in kept)
    assert Blob.objects.filter(pk=shared.pk).exists() and not Blob.objects.filter(pk=alone.pk).exists()


def test_files_and_blobs_that_nothing_names_go(worker: Worker, bob: Person) -> None:
    values, drafted, loose = (file_create(bob.actor, f"{name}.txt", "text/plain", name.encode()) for name in "abc")
    run = start(bob, make_workflow(bob, TAKES_A_FILE), {"inputs": {"f": {"$file": values.id}}, "wait": 30}).data
    assert run["outputs"] == {"name": "a.txt"}
    make_workflow(bob, {**ONE_NODE, "annotations": [{"$file": drafted.id}]})
    young = blob_store(bob.team.id, b"young")
    File.objects.update(created_at=LONG_AGO)
    Blob.objects.exclude(pk=young.pk).update(created_at=LONG_AGO)
    swept(30)
    assert set(File.objects.values_list("pk", flat=True)) == {values.id, drafted.id}
    assert Blob.objects.filter(pk=young.pk).exists()
    assert not Blob.objects.filter(pk=loose.blob_id).exists()
    Run.objects.filter(pk=run["id"]).update(finished_at=LONG_AGO)
    swept(30)
    assert set(File.objects.values_list("pk", flat=True)) == {drafted.id}


def test_the_disk_gets_its_pages_back(bob: Person) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("Postgres sees to that itself")
    blob_store(bob.team.id, b"x" * 4_000_000)
    Blob.objects.update(created_at=LONG_AGO)
    free: list[int] = []
    Sweep(0, lambda _seconds: free.append(free_pages())).run()
    assert free[-1] == 0
    assert any(pages > 0 for pages in free), "in steps"
    assert len(free) < 10, "of many pages each"


def test_one_process_has_the_turn(db: None) -> None:
    assert take_turn(RETENTION, "one", 3600)
    assert not take_turn(RETENTION, "two", 3600)
    assert run_maintenance(RETENTION, "one") and not run_maintenance(RETENTION, "two")
    Chore.objects.update(until=0)  # it was killed, and its turn ran out
    assert take_turn(RETENTION, "two", 3600) and not run_maintenance(RETENTION, "one")
    end_turn(RETENTION, "two", done=True)
    assert not take_turn(RETENTION, "one", 3600), "it was done just now"
    assert take_turn(RETENTION, "one", 0)


def test_the_keeper_sweeps_and_stops_between_batches(bob: Person) -> None:
    run = old_run(bob, 3)
    keeper = MaintenanceRunner("one", 30, look_every_s=0.01)
    keeper.start()
    try:
        until(lambda: not Run.objects.filter(pk=run.pk).exists(), 60)
        until(lambda: Chore.objects.filter(name=RETENTION, done_at__gt=0, until=0).exists(), 60)
    finally:
        keeper.stop(30)
    with pytest.raises(Stopped):
        keeper.rest(RETENTION)(0)


def test_a_lost_turn_ends_the_sweep(bob: Person) -> None:
    runs = [old_run(bob, LINES_AT_ONCE) for _ in range(3)]
    keeper = MaintenanceRunner("one", 30)
    assert take_turn(RETENTION, "one", 0)
    lose = threading.Event()

    def rest(seconds: float) -> None:
        if lose.is_set():
            Chore.objects.update(owner="two")
        lose.set()
        keeper.rest(RETENTION)(seconds)

    with pytest.raises(Stopped):
        Sweep(30, rest).run()
    assert Run.objects.filter(pk__in=[run.pk for run in runs]).count() == 3
