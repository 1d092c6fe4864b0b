"""The journal in the database: what is committed, published, refused, and whom a failure hits."""

from __future__ import annotations

import asyncio
import re
import weakref
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connection

from backend.database.clock import CLOCK, FLOOR_S
from backend.engine.execution.ports import Entry, JournalFailed, LeaseLost
from backend.files.models import Blob
from backend.runs.log import rows
from backend.runs.log.batch import Committed
from backend.runs.log.encoding import decode
from backend.runs.log.journal import DatabaseJournal, Writer
from backend.runs.models import InboxMessage, Interaction, LogLine, Run, RunState
from backend.runs.queue.inbox import enqueue_message
from backend.tools.types import Question
from tests.api.runs.conftest import Published, break_inserts, make_run, mend_inserts, until
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)
inside = sync_to_async


def journal_of(writer: Writer, run: Run, fence: int = 1, **place: Any) -> DatabaseJournal:
    return DatabaseJournal(writer, run.pk, run.team_id, fence, **place)


def event(text: str) -> Entry:
    return Entry(node="n", type="STEP_LOG", data={"level": "info", "text": text}, step="s")


def seqs(run: Run) -> list[int]:
    return [line.seq for line in LogLine.objects.filter(run=run).order_by("seq") if line.seq is not None]


async def test_what_is_appended_is_on_disk_after_the_barrier(writer: Writer, published: Published, bob: Person) -> None:
    run = await inside(make_run)(bob)
    journal = journal_of(writer, run)
    values = [journal.append(event(str(n))) for n in range(50)]
    await journal.barrier()
    assert values == list(range(1, 51)) == await inside(seqs)(run) == published.seqs(run.pk)
    await inside(run.refresh_from_db)()
    assert run.last_seq == 50


async def test_lines_that_are_no_events_have_no_seq(writer: Writer, bob: Person) -> None:
    run = await inside(make_run)(bob)
    journal = journal_of(writer, run)
    assert journal.append(Entry(node="n", record="value", key="now", value=1.5)) == 0
    assert journal.append(event("x")) == 1
    await journal.barrier()
    history = await inside(rows.read_history)(run.pk)
    assert [(entry.record, entry.key, entry.value) for entry in history] == [("value", "now", 1.5)]


class Large(dict[str, Any]):
    """A value whose end can be watched."""


async def test_what_is_written_is_let_go(bob: Person) -> None:
    writer = Writer(lambda committed: None)
    writer.start()
    journal = journal_of(writer, await inside(make_run)(bob))
    value = Large(text="x" * 1000)
    gone = weakref.ref(value)
    journal.append(Entry(node="n", record="value", key="k", value=value))
    await journal.barrier()
    del value
    await inside(until)(lambda: gone() is None)
    await inside(writer.stop)()


async def test_a_lost_fence_writes_nothing_and_publishes_nothing(
    writer: Writer, published: Published, bob: Person
) -> None:
    run = await inside(make_run)(bob, fence=2)
    journal = journal_of(writer, run, fence=1)
    journal.append(event("x"))
    with pytest.raises(LeaseLost):
        await journal.barrier()
    assert await inside(seqs)(run) == [] == published.seqs(run.pk)


async def test_a_fenced_off_segment_of_the_same_process_cannot_write(
    writer: Writer, published: Published, bob: Person
) -> None:
    """This very process claimed the run again: the stale segment must not pass as the new one."""
    run = await inside(make_run)(bob, fence=2)
    stale, fresh = journal_of(writer, run, fence=1), journal_of(writer, run, fence=2)
    fresh.append(event("fresh 1"))
    stale.append(event("stale"))
    fresh.append(event("fresh 2"))
    await fresh.barrier()
    with pytest.raises(LeaseLost):
        await stale.barrier()
    texts = await inside(lambda: [line.data for line in LogLine.objects.filter(run=run).order_by("position")])()
    assert len(texts) == 2 and all("fresh" in text for text in texts)
    assert published.seqs(run.pk) == [1, 2]


async def test_a_segment_of_a_run_that_has_ended_cannot_write(writer: Writer, bob: Person) -> None:
    run = await inside(make_run)(bob, state=RunState.CANCELLED)
    journal = journal_of(writer, run)
    journal.append(event("late"))
    with pytest.raises(LeaseLost):
        await journal.barrier()


@pytest.mark.parametrize("bad", range(10))
async def test_a_database_error_at_any_place_of_a_batch_hits_one_run(
    writer: Writer, published: Published, bob: Person, bad: int, mended: None
) -> None:
    runs = [await inside(make_run)(bob) for _ in range(10)]
    await inside(break_inserts)(f"NEW.run_id = '{runs[bad].pk}' AND NEW.position = 2")
    journals = [journal_of(writer, run) for run in runs]
    for n in range(3):
        for journal in journals:
            journal.append(event(f"line {n}"))
    results = await asyncio.gather(*(journal.barrier() for journal in journals), return_exceptions=True)
    for place, (run, result) in enumerate(zip(runs, results, strict=True)):
        if place == bad:
            assert isinstance(result, JournalFailed)
            assert await inside(seqs)(run) == [] == published.seqs(run.pk)
        else:
            assert result is None
            assert await inside(seqs)(run) == [1, 2, 3] == published.seqs(run.pk)


async def test_a_failure_while_nobody_waits_is_not_forgotten(
    writer: Writer, published: Published, bob: Person, mended: None
) -> None:
    run = await inside(make_run)(bob)
    await inside(break_inserts)("NEW.position = 1")
    journal = journal_of(writer, run)
    journal.append(event("lost"))
    journal.hurry()
    failure = await asyncio.wait_for(journal.failure, 5)
    await inside(mend_inserts)()
    journal.append(event("later"))
    assert isinstance(failure, JournalFailed)
    with pytest.raises(JournalFailed):
        await journal.barrier()
    assert await inside(seqs)(run) == [] == published.seqs(run.pk)


async def test_a_value_that_is_no_json_poisons_its_run_alone(writer: Writer, published: Published, bob: Person) -> None:
    runs = [await inside(make_run)(bob) for _ in range(11)]
    journals = [journal_of(writer, run) for run in runs]
    for place, journal in enumerate(journals):
        journal.append(event("first"))
        journal.append(Entry(node="n", type="STEP_LOG", data={"text": object() if place == 5 else "fine"}))
    results = await asyncio.gather(*(journal.barrier() for journal in journals), return_exceptions=True)
    assert [isinstance(result, JournalFailed) for result in results] == [place == 5 for place in range(11)]
    for place, run in enumerate(runs):
        assert await inside(seqs)(run) == ([] if place == 5 else [1, 2])


async def test_no_value_reaches_the_database_that_one_of_the_databases_refuses(writer: Writer, bob: Person) -> None:
    run = await inside(make_run)(bob)
    journal = journal_of(writer, run)
    value = {"nul": "a\x00b", "lone": "\ud800", "nan": float("nan"), "inf": [float("inf")], "ok": "中文"}
    journal.append(Entry(node="n", type="STEP_LOG", data=value, record="emit", key="k\x00\ud800"))
    await journal.barrier()
    line = await inside(LogLine.objects.get)(run=run)
    line.data.encode()
    assert "\x00" not in line.data and "NaN" not in line.data and "Infinity" not in line.data
    line.key.encode()
    assert "\x00" not in line.key
    [entry] = await inside(rows.read_history)(run.pk)
    assert entry.data == {"nul": "a\x00b", "lone": "\ud800", "nan": None, "inf": [None], "ok": "中文"}


async def test_a_large_value_is_a_blob_once_and_comes_back_whole(writer: Writer, bob: Person) -> None:
    run = await inside(make_run)(bob)
    journal = journal_of(writer, run)
    large = "x" * 50_000
    shown = {"output": large, "small": 1}
    journal.append(Entry(node="n", type="STEP_OUTPUT", data=shown, record="outcome", value=large))
    await journal.barrier()
    line = await inside(LogLine.objects.get)(run=run)
    data = decode(line.data)
    assert set(data["output"]) == {"$ref", "size", "preview"} and data["small"] == 1
    assert data["output"]["size"] == 50_002 and data["output"]["preview"] == "x" * 200
    assert await inside(Blob.objects.filter(size=50_002).count)() == 1
    [entry] = await inside(rows.read_history)(run.pk)
    assert entry.data == shown and entry.value == large


async def test_a_reference_in_somebodys_own_value_stays_what_it_is(writer: Writer, bob: Person) -> None:
    run = await inside(make_run)(bob)
    journal = journal_of(writer, run)
    value = {"output": {"$ref": "#/definitions/a", "size": 1, "preview": ""}}
    journal.append(Entry(node="n", type="STEP_OUTPUT", data=value, record="outcome"))
    await journal.barrier()
    [entry] = await inside(rows.read_history)(run.pk)
    assert entry.data == value


async def test_a_question_is_written_with_its_record(writer: Writer, bob: Person) -> None:
    run = await inside(make_run)(bob)
    journal = journal_of(writer, run)
    question = Question("approval", "Send mail?", proposal={"to": "a\ud800"}, expires_in_s=60, on_expire="decline")
    ask = Entry(node="n", type="STEP_WAITING_FOR_START", record="ask", key="q", question=question, interaction="int_1")
    journal.append(ask)
    await journal.barrier()
    row = await inside(Interaction.objects.get)(pk="int_1")
    assert (row.state, row.title, row.run_id, row.on_expire) == ("open", "Send mail?", run.pk, "decline")
    await inside(run.refresh_from_db)()
    assert decode(run.waiting) == [{"kind": "person", "interaction": "int_1"}]


async def test_suspending_fails_when_a_message_came_in_between(
    writer: Writer, published: Published, bob: Person
) -> None:
    run = await inside(make_run)(bob, inbox_seq=1)
    journal = journal_of(writer, run)
    stop = Entry(type="FLOW_STOP", data={"waiting": []})
    assert await journal.commit_state("WAITING", [stop], row={}, inbox_seq=0) is False
    assert await inside(seqs)(run) == [] == published.seqs(run.pk)
    await inside(InboxMessage.objects.create)(id=7, run=run, kind="answer")
    assert await journal.commit_state("WAITING", [stop], row={}, inbox_seq=1, consumed=7) is True
    await inside(run.refresh_from_db)()
    assert (run.state, run.owner, run.last_seq) == ("WAITING", "", 1)
    assert not await inside(InboxMessage.objects.exists)()


@pytest.mark.parametrize("wake_at", [1.0, 9e9])
async def test_a_timer_wakes_a_run_not_before_the_floor_between_two_resumes(
    writer: Writer, bob: Person, wake_at: float
) -> None:
    run = await inside(make_run)(bob)
    journal = journal_of(writer, run)
    before = CLOCK.now()
    assert await journal.commit_state("WAITING", [], row={"wake_at": wake_at}, inbox_seq=0)
    await inside(run.refresh_from_db)()
    assert run.wake_at is not None
    assert run.wake_at == wake_at if wake_at > before else run.wake_at >= before + FLOOR_S - 0.01


async def test_an_end_without_questions_and_messages_is_four_statements(bob: Person) -> None:
    """Its fence, all its lines, its row, what it used: what a run never had needs no clearing away."""
    asked: list[list[str]] = []

    def keep(_: list[Committed]) -> None:  # in the writer's thread, whose connection this is
        asked.append([query["sql"] for query in connection.queries_log])
        connection.force_debug_cursor = True

    writer = Writer(keep)
    writer.start()
    for run in [await inside(make_run)(bob) for _ in range(2)]:
        journal = journal_of(writer, run, workflow=run.workflow_id, asks=False)
        journal.append(event("x"))
        end = Entry(type="FLOW_SUCCESS", data={"outputs": {}})
        assert await journal.commit_state("SUCCESS", [end], row={"outputs": "{}", "usage": "{}"})
    await inside(writer.stop)()
    found = (re.search(r"\b(SELECT|INSERT|UPDATE|DELETE|COPY)\b.*?\b(runs_\w+)", sql, re.DOTALL) for sql in asked[-1])
    assert [match.groups() for match in found if match] == [
        ("SELECT", "runs_run"),
        ("INSERT", "runs_logline"),
        ("UPDATE", "runs_run"),
        ("INSERT", "runs_usage"),
    ]


async def test_the_end_closes_questions_and_inbox(writer: Writer, bob: Person) -> None:
    run = await inside(make_run)(bob)
    journal = journal_of(writer, run)
    journal.append(Entry(node="n", record="ask", question=Question("form", "?"), interaction="int_2"))
    await inside(enqueue_message)(run.pk, "pause", {})
    assert await journal.commit_state(
        "SUCCESS", [Entry(type="FLOW_SUCCESS", data={"outputs": {}})], row={"outputs": "{}"}
    )
    row = await inside(Interaction.objects.get)(pk="int_2")
    assert row.state == "cancelled"
    assert not await inside(InboxMessage.objects.exists)()
    journal.append(event("too late"))
    with pytest.raises(LeaseLost):
        await journal.barrier()


async def test_runs_share_commits(writer: Writer, bob: Person) -> None:
    runs = [await inside(make_run)(bob) for _ in range(20)]
    journals = [journal_of(writer, run) for run in runs]
    before = writer.commits
    for _ in range(10):
        for journal in journals:
            journal.append(event("x"))
    await asyncio.gather(*(journal.barrier() for journal in journals))
    assert writer.commits - before <= 3
