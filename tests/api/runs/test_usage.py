"""Usage: what runs, models and tools used, by day, workflow, member, model and server; the queue; what is stored."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from backend.engine.ports import Entry
from backend.runs.journal import DatabaseJournal, Writer
from backend.runs.models import Run, Usage
from backend.runs.worker import Worker
from tests.api.runs.conftest import make_run, make_workflow, until
from tests.api.runs.test_api import start, state
from tests.cast import Person

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
