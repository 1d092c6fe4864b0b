"""A message that arrives while the run comes to stand is heard, not lost with its row."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from backend.database.thread_pool import DatabaseThreads
from backend.runs.log.journal import Writer
from backend.runs.models import InboxMessage, RunState
from backend.runs.queue import inbox, leases
from backend.runs.queue.leases import Terms
from backend.runs.worker.active_run import ActiveRun
from backend.runs.worker.loading import load, read_inbox
from backend.runs.worker.segments import execute
from backend.tools.loop import LOOP
from tests.api.runs.children import APPROVAL
from tests.api.runs.conftest import make_run, make_workflow
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

TURNS = 200
"""Turns of the loop after which a segment with one question certainly stands still."""


def test_a_cancel_that_is_read_while_the_segment_comes_to_stand_ends_the_run(writer: Writer, bob: Person) -> None:
    run = make_run(bob, make_workflow(bob, APPROVAL), state=RunState.QUEUED, fence=0, last_seq=1, inputs='{"n": 3}')
    threads = DatabaseThreads(1, "test-db")
    reads = 0

    def cancel() -> None:
        with inbox.durable_transaction():
            inbox.enqueue_message(run.pk, "cancel", {"by": bob.user.id})

    async def in_thread(call: Callable[..., Any], *args: Any) -> Any:
        nonlocal reads
        if call is read_inbox:
            reads += 1
            if reads == 1:
                for _ in range(TURNS):
                    await asyncio.sleep(0)
                await threads.run(cancel)
        return await threads.run(call, *args)

    async def story() -> None:
        terms = Terms(owner="test:1", limit=5, lease_s=None)
        claimed = (await threads.run(leases.claim, terms, run.pk)).taken[0]
        live = ActiveRun(run.pk)
        live.notice()
        live.attach(asyncio.get_running_loop())
        await execute(live, await threads.run(load, claimed), writer, in_thread)

    try:
        LOOP.run(story(), 30)
    finally:
        threads.close()
        LOOP.stop()
    run.refresh_from_db()
    assert (reads, run.state) == (1, RunState.CANCELLED)
    assert not InboxMessage.objects.exists()
