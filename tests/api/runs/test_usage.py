"""Usage: what runs, models and tools used, by day, workflow, member, model and server; the queue; what is stored."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import cache

from backend.engine.execution.ports import Entry
from backend.files.services import blob_store, file_create
from backend.runs.live.hub import HUB
from backend.runs.log.journal import DatabaseJournal, Writer
from backend.runs.models import Run, RunState, Usage
from backend.runs.queue import queue_notifications
from backend.runs.worker.worker import Worker
from tests.api.runs.asking import start, state
from tests.api.runs.conftest import make_run, make_workflow, until
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

ASKED: dict[str, Any] = {"call": "round:1", "provider": "local", "model": "large", "messages": []}
SAID: dict[str, Any] = {"call": "round:1", "usage": {"input_tokens": 30, "output_tokens": 12, "cost": 0.5}}


async def work(writer: Writer, run: Run, entries: list[Entry], *, history: list[Entry], end: bool) -> None:
    journal = DatabaseJournal(
        writer, run.pk, run.team_id, run.fence, position=len(history), seq=len(history),
        workflow=run.workflow_id, member=run.started_by_id or "",
    )  # fmt: skip
    journal.recall(history)
    for entry in entries:
        journal.append(entry)
    await journal.barrier()
    if end:
        await journal.settle("ERROR", [Entry(type="FLOW_FAILED")], row={})


def lines() -> list[Entry]:
    return [
        Entry(type="LLM_REQUEST", step="s", data=ASKED),
        Entry(type="LLM_RESPONSE", step="s", data=SAID),
        Entry(type="TOOL_REQUEST", step="s", data={"call": "c1", "server": "files", "tool": "read"}),
        Entry(type="TOOL_REQUEST", step="s", data={"call": "c2", "server": "files", "tool": "read"}),
    ]


def spent(run: Run, **which: str) -> dict[str, Any]:
    row = Usage.objects.filter(team=run.team_id, **which).values().get()
    return {name: row[name] for name in ("runs", "failed", "rounds", "input_tokens", "cost", "tool_calls") if row[name]}


def test_lines_and_ends_are_counted_with_their_commit(writer: Writer, bob: Person) -> None:
    run = make_run(bob)
    asyncio.run(work(writer, run, lines(), history=[], end=True))
    who = {"workflow": run.workflow_id, "member": bob.user.id}
    assert spent(run, model="", server="", **who) == {"runs": 1, "failed": 1}
    assert spent(run, model="local/large", **who) == {"rounds": 1, "input_tokens": 30, "cost": 0.5}
    assert spent(run, server="files", **who) == {"tool_calls": 2}


def test_a_model_that_answers_after_its_worker_was_lost_is_known_by_the_log(writer: Writer, bob: Person) -> None:
    run = make_run(bob)
    asked, said, *_ = lines()
    asyncio.run(work(writer, run, [asked], history=[], end=False))
    asyncio.run(work(writer, run, [said], history=[asked], end=False))
    assert spent(run, model="local/large") == {"rounds": 1, "input_tokens": 30, "cost": 0.5}


def test_a_lost_owner_counts_nothing(writer: Writer, bob: Person) -> None:
    run = make_run(bob)
    Run.objects.filter(pk=run.pk).update(fence=2)
    with pytest.raises(Exception, match=run.pk):
        asyncio.run(work(writer, run, lines(), history=[], end=True))
    assert not Usage.objects.exists()


def test_a_run_counts_once_for_its_workflow_and_starter(worker: Worker, bob: Person, vera: Person) -> None:
    workflow = make_workflow(bob)
    runs = [start(bob, workflow).data["id"] for _ in range(3)]
    until(lambda: all(state(run) == "SUCCESS" for run in runs))
    row = Usage.objects.get()
    assert (row.workflow, row.member, row.runs, row.failed) == (workflow.pk, bob.user.id, 3, 0)


# -- reading ----------------------------------------------------------------------------------------------------------


def used(person: Person, day: str, **values: Any) -> None:
    Usage.objects.create(team=person.team, day=day, **{"workflow": "wf_gone", "member": person.user.id, **values})


@pytest.fixture
def report(bob: Person, charlie: Person) -> str:
    """Two days of use; gives the id of the workflow that still exists."""
    workflow = make_workflow(bob, name="kept")
    used(bob, "2026-11-20", workflow=workflow.pk, runs=3, failed=1)
    used(bob, "2026-11-20", workflow=workflow.pk, runs=2, part=1)
    used(bob, "2026-11-20", workflow=workflow.pk, model="local/large", rounds=4, input_tokens=100, cost=0.5)
    used(bob, "2026-11-21", workflow=workflow.pk, model="local/small", rounds=1, input_tokens=900)
    used(bob, "2026-11-21", server="files", tool_calls=7)
    used(bob, "2026-10-01", runs=50)
    used(charlie, "2026-11-21", runs=70, model="secret/model")
    return workflow.pk


def asked(person: Person, by: str, **more: str) -> dict[str, dict[str, Any]]:
    given = {"from": "2026-11-01", "to": "2026-11-30", "by": by, **more}
    reply = person.api.get("/api/usage?" + "&".join(f"{name}={value}" for name, value in given.items()))
    assert reply.status == 200, reply.data
    assert reply.data["total"]["runs"] == 5 and reply.data["total"]["tool_calls"] == 7
    return {row["key"]: row for row in reply.data["results"]}


def test_usage_is_summed_by_every_side(report: str, bob: Person, vera: Person) -> None:
    days = asked(vera, "day")
    assert list(days) == ["2026-11-20", "2026-11-21"]
    assert (days["2026-11-20"]["runs"], days["2026-11-20"]["failed"], days["2026-11-20"]["cost"]) == (5, 1, 0.5)
    workflows = asked(bob, "workflow")
    assert (workflows[report]["name"], workflows[report]["input_tokens"]) == ("kept", 1000)
    assert workflows["wf_gone"]["name"] is None and workflows["wf_gone"]["tool_calls"] == 7
    assert asked(bob, "member")[bob.user.id]["name"] == "bob@example.org"
    assert list(asked(bob, "model")) == ["local/large", "local/small"], "the dearest first"
    assert list(asked(bob, "server")) == ["files"]


def test_the_last_thirty_days_unless_said(bob: Person) -> None:
    today = datetime.now(UTC).date()
    used(bob, (today - timedelta(days=29)).isoformat(), runs=1)
    used(bob, (today - timedelta(days=30)).isoformat(), runs=1)
    reply = bob.api.get("/api/usage").data
    assert (reply["total"]["runs"], reply["to"], reply["by"]) == (1, today.isoformat(), "day")


@pytest.mark.parametrize(
    "query", ["from=soon", "to=2026-13-01", "by=colour", "from=2026-02-01&to=2026-01-01", "from=2020-01-01"]
)
def test_what_cannot_be_asked(bob: Person, query: str) -> None:
    reply = bob.api.get(f"/api/usage?{query}")
    assert reply.status == 400 and set(reply.data["fields"]) <= {"from", "to", "by"}


def test_what_is_stored(bob: Person, charlie: Person) -> None:
    cache.clear()
    make_run(bob, last_seq=12)
    make_run(charlie, last_seq=500)
    file_create(bob.actor, "a.txt", "text/plain", b"12345")
    blob_store(charlie.team.id, b"x" * 1000)
    shown = bob.api.get("/api/usage/storage").data
    assert (shown["runs"], shown["events"], shown["files"]) == (1, 12, {"count": 1, "bytes": 5})
    assert shown["blobs"]["count"] == 2 and shown["database_bytes"] > 50_000
    assert shown["retention_days"] == settings.PATCHBAY.retention_days


# -- the queue --------------------------------------------------------------------------------------------------------


def test_the_queue_tells_places_of_the_team_alone(bob: Person, charlie: Person) -> None:
    now = datetime.now(UTC)

    def queued(person: Person, seconds: int) -> str:
        return make_run(person, state=RunState.QUEUED, queued_at=now - timedelta(seconds=seconds)).pk

    first, foreign, third = queued(bob, 90), queued(charlie, 60), queued(bob, 30)
    make_run(charlie)
    shown = bob.api.get("/api/queue").data
    assert shown["runs"] == [
        {"run": first, "position": 1, "server": None, "busy": None},
        {"run": third, "position": 3, "server": None, "busy": None},
    ]
    assert (shown["running"], shown["queued"], shown["limit"]) == (1, 3, settings.PATCHBAY.max_concurrent_runs)
    assert 90 <= shown["oldest_s"] < 150 and shown["workers"] == []
    assert foreign not in str(shown)


class Others:
    """What other processes hear."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []

    def send(self, message: dict[str, Any]) -> None:
        self.messages.append(message)

    def follow(self, topic: str) -> None:
        """Nothing comes back."""

    def leave(self, topic: str) -> None:
        """Nothing comes back."""


def test_a_full_house_is_shown_and_told(worker: Worker, bob: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    worker.terms = replace(worker.terms, limit=0)
    others = Others()
    monkeypatch.setattr(HUB, "relay", others)
    monkeypatch.setattr(queue_notifications, "_notified_at", 0.0)
    run = start(bob, make_workflow(bob)).data["id"]
    hint = {"topic": f"team:{bob.team.id}", "hint": {"kind": "queue", "change": "updated"}}
    until(lambda: hint in others.messages)
    shown = bob.api.get("/api/queue").data
    assert shown["runs"] == [{"run": run, "position": 1, "server": None, "busy": None}]
    (here,) = shown["workers"]
    assert here["capacity"] == settings.PATCHBAY.worker_concurrency and here["seen_s"] < 60
