"""Usage: what runs, models and tools used, by day, workflow, member, model and server; the queue; what is stored."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import cache
from django.db.models import Sum

from backend.database.clock import CLOCK
from backend.engine.execution.ports import Entry
from backend.files.models import File
from backend.files.services import blob_store, file_create
from backend.registry.models import Server
from backend.runs.lifecycle.retention import Sweep
from backend.runs.live.hub import HUB
from backend.runs.log.journal import DatabaseJournal, Writer
from backend.runs.log.usage import CALLS_KEPT_DAYS, bucket_of
from backend.runs.models import Run, RunState, ServerCalls, Usage
from backend.runs.queue import queue_notifications
from backend.runs.worker.worker import Worker
from tests.api.registry.conftest import programs as programs
from tests.api.runs.asking import start, state
from tests.api.runs.conftest import graph, make_run, make_workflow, node, until
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
        await journal.commit_state("ERROR", [Entry(type="FLOW_FAILED")], row={})


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
    request, reply, *_ = lines()
    asyncio.run(work(writer, run, [request], history=[], end=False))
    asyncio.run(work(writer, run, [reply], history=[request], end=False))
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


def usage_by(person: Person, by: str, **more: str) -> dict[str, dict[str, Any]]:
    body = {"from": "2026-11-01", "to": "2026-11-30", "by": by, **more}
    reply = person.api.get("/api/usage?" + "&".join(f"{name}={value}" for name, value in body.items()))
    assert reply.status == 200, reply.data
    assert reply.data["total"]["runs"] == 5 and reply.data["total"]["tool_calls"] == 7
    return {row["key"]: row for row in reply.data["results"]}


def test_usage_is_summed_by_every_side(report: str, bob: Person, vera: Person) -> None:
    days = usage_by(vera, "day")
    assert list(days) == ["2026-11-20", "2026-11-21"]
    assert (days["2026-11-20"]["runs"], days["2026-11-20"]["failed"], days["2026-11-20"]["cost"]) == (5, 1, 0.5)
    workflows = usage_by(bob, "workflow")
    assert (workflows[report]["name"], workflows[report]["input_tokens"]) == ("kept", 1000)
    assert workflows["wf_gone"]["name"] is None and workflows["wf_gone"]["tool_calls"] == 7
    assert usage_by(bob, "member")[bob.user.id]["name"] == "bob@example.org"
    assert list(usage_by(bob, "model")) == ["local/large", "local/small"], "the dearest first"
    assert list(usage_by(bob, "server")) == ["files"]


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


def test_files_of_earlier_versions_are_counted_with_the_size_of_their_bytes(bob: Person) -> None:
    cache.clear()
    file_create(bob.actor, "a.txt", "text/plain", b"12345")
    blob = blob_store(bob.team.id, b"x" * 1000)
    File.objects.create(team=bob.team, blob=blob, name="old.txt", mime="text/plain")
    assert bob.api.get("/api/usage/storage").data["files"] == {"count": 2, "bytes": 1005}


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


# -- how servers answer -----------------------------------------------------------------------------------------------


def answer(call: str, **more: Any) -> Entry:
    data = {"call": call, "content": [], "structured": None, "is_error": False, "ms": 100.0, **more}
    return Entry(type="TOOL_RESPONSE", step="s", data=data)


def call(call: str) -> Entry:
    return Entry(type="TOOL_REQUEST", step="s", data={"call": call, "server": "files", "tool": "read"})


def failed(call: str, code: str) -> Entry:
    return answer(call, is_error=True, ms=3000.0, error={"code": code, "params": {}})


def ended(run: Run) -> dict[str, int]:
    rows = ServerCalls.objects.filter(team=run.team_id, server="files")
    return dict(rows.values_list("outcome").annotate(calls=Sum("calls")))


def test_answers_are_counted_by_how_they_ended_with_their_commit(writer: Writer, bob: Person) -> None:
    run = make_run(bob)
    names = [f"c{number}" for number in range(8)]
    answers = [
        answer("c0"),
        answer("c1", ms=90.0),
        answer("c2", is_error=True),
        failed("c3", "MCP_UNREACHABLE"),
        failed("c4", "NETWORK_BLOCKED"),
        failed("c5", "MCP_POLICY_DENIED"),
        failed("c6", "CANCELLED"),
        answer("c7", ms=0.0),  # a person said how it ended
        answer("unknown"),
    ]
    asyncio.run(work(writer, run, [*map(call, names), *answers], history=[], end=True))
    assert ended(run) == {"answered": 2, "error": 1, "failed": 2}


def test_a_server_that_answers_after_its_worker_was_lost_is_known_by_the_log(writer: Writer, bob: Person) -> None:
    run = make_run(bob)
    asyncio.run(work(writer, run, [call("c0")], history=[], end=False))
    asyncio.run(work(writer, run, [answer("c0")], history=[call("c0")], end=False))
    assert ended(run) == {"answered": 1}


def test_a_lost_owner_counts_no_answer(writer: Writer, bob: Person) -> None:
    run = make_run(bob)
    Run.objects.filter(pk=run.pk).update(fence=2)
    with pytest.raises(Exception, match=run.pk):
        asyncio.run(work(writer, run, [call("c0"), answer("c0")], history=[], end=False))
    assert ended(run) == {}


def server_of(person: Person, slug: str, hours_ago: int = 24 * 60) -> str:
    body = {"name": slug, "slug": slug, "transport": "http", "url": "https://example.org/mcp"}
    created = person.api.post("/api/mcp/servers", body)
    assert created.status == 201, created.text
    Server.objects.filter(pk=created.data["id"]).update(created_at=datetime.now(UTC) - timedelta(hours=hours_ago))
    return str(created.data["id"])


def counted(person: Person, hours_ago: int, calls: int, server: str = "files", **more: Any) -> None:
    hour = int(CLOCK.now() // 3600) - hours_ago
    values = {"outcome": "answered", "bucket": bucket_of(100.0), **more}
    ServerCalls.objects.create(team=person.team, server=server, hour=hour, calls=calls, **values)


def calls_of(person: Person, server: str, span: str = "day") -> dict[str, Any]:
    reply = person.api.get(f"/api/mcp/servers/{server}/calls?span={span}")
    assert reply.status == 200, reply.text
    return dict(reply.data)


def test_a_day_is_told_by_the_hour(adam: Person, vera: Person, charlie: Person) -> None:
    server = server_of(adam, "files")
    counted(adam, 30, 50)
    counted(adam, 5, 90)
    counted(adam, 5, 8, part=1)
    counted(adam, 5, 2, bucket=bucket_of(2000.0), outcome="error")
    counted(adam, 2, 7, outcome="failed", bucket=0)
    counted(adam, 2, 9, server="others")
    counted(charlie, 2, 70)
    report = calls_of(vera, server)
    assert len(report["results"]) == 6, "from the first that was counted until now"
    assert report["since"] == report["results"][0]["at"]
    first, gap, *_, failed, last, now = report["results"]
    assert (first["calls"], first["errors"], first["failed"]) == (100, 2, 0)
    assert 90 < first["p50_ms"] < 110 and 90 < first["p95_ms"] < 110
    assert (gap["calls"], gap["p50_ms"], last["calls"], now["calls"]) == (0, None, 0, 0)
    assert (failed["calls"], failed["failed"], failed["p95_ms"]) == (7, 7, None)
    assert (report["total"]["calls"], report["total"]["failed"]) == (107, 7)


def test_latencies_are_known_to_within_a_tenth(adam: Person) -> None:
    server = server_of(adam, "files")
    for ms in range(10, 1001, 10):
        counted(adam, 0, 1, bucket=bucket_of(float(ms)), part=ms)
    total = calls_of(adam, server)["total"]
    assert total["p50_ms"] == pytest.approx(500, rel=0.1)
    assert total["p95_ms"] == pytest.approx(950, rel=0.1)


def test_a_month_is_told_by_the_day(adam: Person) -> None:
    server = server_of(adam, "files")
    counted(adam, 24 * 40, 50)
    counted(adam, 24 * 3, 10)
    counted(adam, 0, 4)
    report = calls_of(adam, server, "month")
    assert [day["calls"] for day in report["results"]] == [10, 0, 0, 4]
    assert all(day["at"].startswith(day["at"][:10] + "T00:00:00") for day in report["results"])
    assert report["total"]["calls"] == 14


def test_nothing_is_said_of_the_time_before_counting_or_before_the_server_was_there(adam: Person) -> None:
    server = server_of(adam, "files", hours_ago=2)
    assert calls_of(adam, server)["since"] is None and calls_of(adam, server)["results"] == []
    counted(adam, 10, 5)  # of one before that had its slug
    assert calls_of(adam, server)["total"]["calls"] == 0
    counted(adam, 1, 5, server="others")
    assert [hour["calls"] for hour in calls_of(adam, server)["results"]] == [0, 0]


def test_other_spans_and_other_teams_servers(adam: Person, charlie: Person) -> None:
    server = server_of(adam, "files")
    refused = adam.api.get(f"/api/mcp/servers/{server}/calls?span=year")
    assert refused.status == 400 and list(refused.data["fields"]) == ["span"]
    assert charlie.api.get(f"/api/mcp/servers/{server}/calls").status == 404


def test_what_is_older_than_is_shown_goes_with_the_sweep(bob: Person) -> None:
    for hours in range(24 * 30, 24 * 60):
        counted(bob, hours, 1)
    Sweep(0, lambda seconds: None).run()
    oldest = ServerCalls.objects.order_by("hour").values_list("hour", flat=True)[0]
    assert oldest == int(CLOCK.now() // 3600) - 24 * CALLS_KEPT_DAYS


def test_calls_of_runs_are_counted_as_they_happen(programs: dict[str, Server], worker: Worker, bob: Person) -> None:
    config = {"server": "demo", "tool": "echo", "arguments": {"text": "hello"}}
    nodes = [node("start", "start"), node("say", "tool", config), node("end", "end")]
    workflow = make_workflow(bob, graph(nodes, "start -> say", "say -> end"))
    runs = [start(bob, workflow).data["id"] for _ in range(3)]
    until(lambda: all(state(run) == "SUCCESS" for run in runs))
    total = calls_of(bob, "demo")["total"]
    assert (total["calls"], total["errors"], total["failed"]) == (3, 0, 0) and total["p50_ms"] > 0
    assert calls_of(bob, "time")["total"]["calls"] == 0
