"""A disk that is full or read-only is no fault of a run: it is put back, and goes on once that is mended."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.db.backends.signals import connection_created

from backend.database.threads import refuses_these_rows
from backend.runs.models import Run
from tests.api.runs.conftest import graph, make_worker, make_workflow, node, until
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)
LARGE = graph(
    [
        node("start", "start", {"inputs": {"type": "object"}}),
        node("copy", "template", {"template": "{{ start.text }}"}),
        node("end", "end", {"outputs": {"size": "{{ copy.text | length }}"}}),
    ],
    "start -> copy",
    "copy -> end",
)
SIZE = 12_000


def read_only(sender: object, connection: Any, **_: Any) -> None:
    """What is written through this connection is refused as on a disk that was mounted read-only."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA query_only = 1")


@pytest.fixture
def refused(transactional_db: None) -> Iterator[threading.Event]:
    """Connections that the journal makes from now on can only read, until the event is set."""
    if connection.vendor != "sqlite":
        pytest.skip("SQLite can be told to refuse writes; the scaled mode is tried in tests/live/scaled")
    mended = threading.Event()

    def receive(sender: object, **body: Any) -> None:
        if not mended.is_set() and threading.current_thread().name == "journal":
            read_only(sender, **body)

    connection_created.connect(receive)
    yield mended
    connection_created.disconnect(receive)


def test_a_run_waits_out_a_disk_that_is_read_only(refused: threading.Event, bob: Person) -> None:
    workflow = make_workflow(bob, LARGE)
    path = f"/api/workflows/{workflow.pk}/runs"
    run = bob.api.post(path, {"version": "draft", "inputs": {"text": "x" * SIZE}}).data["id"]
    worker = make_worker()
    worker.start()
    try:
        worker.take(run)
        until(lambda: Run.objects.get(pk=run).wake_at is not None, 60)
        assert Run.objects.get(pk=run).losses == 0
        refused.set()
        until(lambda: Run.objects.get(pk=run).state in {"SUCCESS", "ERROR"}, 60)
    finally:
        worker.stop(5)
    shown = bob.api.get(f"/api/runs/{run}").data
    assert (shown["state"], shown["outputs"]) == ("SUCCESS", {"size": SIZE})


def trouble(folder: Path, kind: str) -> OperationalError:
    """What Django raises in such a state, from a database of its own."""
    path = folder / "trouble.sqlite3"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE t (v)")
    other.commit()
    mine = sqlite3.connect(f"file:{path}?mode={'ro' if kind == 'read-only' else 'rw'}", uri=True, timeout=0)
    try:
        if kind == "full":
            mine.execute("PRAGMA max_page_count = 1")
        if kind == "locked":
            other.execute("BEGIN EXCLUSIVE")
        statement = "SELECT nonsense FROM t" if kind == "nonsense" else "INSERT INTO t VALUES (?)"
        values = () if kind == "nonsense" else ("x" * 100_000,)
        with pytest.raises(sqlite3.OperationalError) as caught:
            mine.execute(statement, values)
    finally:
        mine.close()
        other.close()
    error = OperationalError(str(caught.value))
    error.__cause__ = caught.value
    return error


@pytest.mark.parametrize(
    ("kind", "of_the_rows"), [("full", False), ("read-only", False), ("locked", False), ("nonsense", True)]
)
def test_which_refusals_are_about_the_rows(tmp_path: Path, kind: str, of_the_rows: bool) -> None:
    assert refuses_these_rows(trouble(tmp_path, kind)) is of_the_rows
