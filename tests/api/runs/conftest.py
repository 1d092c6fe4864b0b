"""What tests of runs share: a worker as the embedded process has it, workflows, and ways to wait for a state."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone

from backend.engine.execution.ports import Entry
from backend.files.services import blob_store
from backend.project.processes.celery_thread import CeleryThread
from backend.runs.lifecycle import maintenance
from backend.runs.live.consumers import THREADS
from backend.runs.log.batch import Committed
from backend.runs.log.encoding import decode
from backend.runs.log.journal import Writer
from backend.runs.models import LogLine, Run, RunState
from backend.runs.worker.worker import Worker
from backend.tools.loop import LOOP
from backend.workflows.models import Workflow
from tests.llm_server import LlmServer
from tests.people import Person
from tests.shapes import misfit

LEDGER = str(Path(__file__).parents[2] / "live" / "runs" / "ledger_server.py")


@pytest.fixture(autouse=True)
def no_rate_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "run_starts_per_15s", 0)


@pytest.fixture(autouse=True)
def no_chores(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker of a test does no chores by itself, however long a busy machine makes the test last."""
    monkeypatch.setattr(maintenance, "FIRST_LOOK_S", 3600.0)
    monkeypatch.setattr(maintenance, "LOOK_EVERY_S", 3600.0)


@pytest.fixture(autouse=True)
def connections_closed() -> Iterator[None]:
    yield
    THREADS.close()


def node(key: str, type_: str, config: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {"id": key, "type": type_, "v": 1, "position": {"x": 0, "y": 0}, "config": config or {}, **more}


def edge(text: str) -> dict[str, Any]:
    """ "a -> b" or "a:port -> b"."""
    source, target = [part.strip() for part in text.split("->")]
    name, _, port = source.partition(":")
    key = f"{name}_{port or 'out'}_{target}"
    return {"id": key, "source": name, "source_port": port or "out", "target": target, "target_port": "in"}


def graph(nodes: list[dict[str, Any]], *edges: str, **more: Any) -> dict[str, Any]:
    return {"schema": 1, "language": "en", "nodes": nodes, "edges": [edge(item) for item in edges], **more}


ONE_NODE = graph(
    [
        node("start", "start", {"inputs": {"type": "object", "properties": {"name": {"type": "string"}}}}),
        node("greet", "template", {"template": "Hello {{ start.name }}"}),
        node("end", "end", {"outputs": {"text": "{{ greet.text }}"}}),
    ],
    "start -> greet",
    "greet -> end",
)


def make_workflow(person: Person, document: dict[str, Any] | None = None, name: str = "flow") -> Workflow:
    text = json.dumps(document or ONE_NODE)
    count = Workflow.objects.count()
    return Workflow.objects.create(
        team=person.team, name=name, slug=f"{name}-{count}", draft=text, draft_at=timezone.now(), draft_by=person.user
    )


def make_run(person: Person, workflow: Workflow | None = None, **columns: Any) -> Run:
    """A row as a claim leaves it: RUNNING under fence 1."""
    workflow = workflow or make_workflow(person)
    values = {"state": RunState.RUNNING, "fence": 1, "last_seq": 0, "queued_at": timezone.now(), **columns}
    return Run.objects.create(
        team=person.team,
        workflow=workflow,
        started_by=person.user,
        graph=blob_store(person.team.id, workflow.draft.encode()),
        **values,
    )


class Published:
    """Keeps what a writer published."""

    def __init__(self) -> None:
        self.commits: list[list[Committed]] = []
        self._changed = threading.Condition()

    def __call__(self, committed: list[Committed]) -> None:
        with self._changed:
            self.commits.append(committed)
            self._changed.notify_all()

    def seqs(self, run: str) -> list[int]:
        return [line.seq for commit in self.commits for item in commit if item.run == run for line in item.events]


def break_inserts(condition: str) -> None:
    """Make the database refuse log lines that meet `condition` (on NEW)."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            action = "BEGIN SELECT RAISE(ABORT, 'no'); END"
            cursor.execute(f"CREATE TRIGGER refuse BEFORE INSERT ON runs_logline WHEN {condition} {action}")
            return
        cursor.execute(
            "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$"
        )
        cursor.execute(
            f"CREATE TRIGGER refuse BEFORE INSERT ON runs_logline FOR EACH ROW WHEN ({condition}) "
            "EXECUTE FUNCTION refuse()"
        )


def mend_inserts() -> None:
    """The database takes every line again."""
    on = "" if connection.vendor == "sqlite" else " ON runs_logline"
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER IF EXISTS refuse{on}")


@pytest.fixture
def mended(transactional_db: None) -> Iterator[None]:
    yield
    mend_inserts()


@pytest.fixture
def published() -> Published:
    return Published()


@pytest.fixture
def writer(transactional_db: None, published: Published) -> Iterator[Writer]:
    writer = Writer(published)
    writer.start()
    yield writer
    writer.stop()


def make_worker() -> Worker:
    """A worker as the mode that is tested has it: an embedded one would end the broker's hints for all later tests."""
    return Worker(embedded=settings.PATCHBAY.mode == "embedded")


@pytest.fixture
def worker(transactional_db: None) -> Iterator[Worker]:
    """A worker in this process; in the scaled mode with the Celery consumer that takes its hints."""
    created, hints = make_worker(), CeleryThread() if settings.PATCHBAY.mode == "scaled" else None
    created.start()
    if hints:
        hints.start()
    yield created
    created.stop(5)
    if hints:
        hints.stop()
    look_at_lines()
    connection.close()


def look_at_lines() -> None:
    """What the runs of a test wrote is as its types say; what lies in blobs is passed over."""
    for line in LogLine.objects.filter(refs="").only("type", "record", "data", "value"):
        entry = Entry(
            type=line.type or None,
            record=cast(Any, line.record) or None,
            data=decode(line.data) or {},
            value=decode(line.value),
        )
        assert misfit(entry) is None, misfit(entry)


def until(what: Callable[[], Any], seconds: float = 30) -> Any:
    """The first true value of `what()`; fails after `seconds`."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        result = what()
        if result:
            return result
        threading.Event().wait(0.01)
    raise AssertionError(f"did not happen within {seconds} s")


@pytest.fixture
def provider(adam: Person, llm: LlmServer) -> None:
    """The scripted endpoint as the team's provider `llm`."""
    models = [{"id": "m", "input_price": 1000, "output_price": 2000, "features": ["tools", "vision"]}]
    about = {"name": "LLM", "slug": "llm", "base_url": llm.url, "api_key": "sk-team-12345678", "models": models}
    assert adam.api.post("/api/providers", about).status == 201


@pytest.fixture
def ledger(adam: Person, tmp_path: Path) -> Iterator[Path]:
    """A server that writes every call down, and the file where."""
    book = tmp_path / "ledger.txt"
    body = {"name": "Ledger", "transport": "stdio", "command": sys.executable, "args": [LEDGER, str(book)]}
    reply = adam.api.post("/api/mcp/servers", {**body, "trust_annotations": True})
    assert reply.status == 201, reply.text
    yield book
    LOOP.stop()
