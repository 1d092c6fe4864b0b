"""Deaths of the process are not a run's fault: however often it loses its worker, it goes on."""

from __future__ import annotations

import signal
import sqlite3
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from tests.browser import Browser
from tests.instance import until
from tests.live.kills import graphs
from tests.live.kills.conftest import KILLED
from tests.live.kills.forked import ForkedInstance
from tests.live.kills.harness import Harness


@pytest.mark.timeout(180)
def test_workers_that_die_without_a_record_between_are_not_the_runs_fault(
    harness: Harness, instance: ForkedInstance
) -> None:
    instance.start("claim.loaded")
    run = harness.start("slow", graphs.SLOW, "seven-in-a-row")
    assert instance.died() == KILLED
    for _ in range(6):
        assert instance.start("claim.loaded", wait=False).died() == KILLED, instance.lines[-30:]
    instance.start()
    harness.finish([run])
    harness.verify(run)


@pytest.mark.timeout(180)
def test_a_step_that_holds_the_loop_at_two_deaths_is_asked_about(harness: Harness, instance: ForkedInstance) -> None:
    instance.start()
    healthy = harness.start("asks", graphs.line(graphs.approval(), outputs={}, ok="approved"), "bystander")
    until(lambda: harness.state(healthy) == "WAITING", 30)
    run = ""
    for number in (1, 2):
        instance.kill()
        instance.start("effect.read.before=hold")  # answers requests, whatever the run does
        if not run:
            run = harness.start("slow", graphs.SLOW, "held").id
        held = f"of run {run} holds the event loop"  # a busy machine may hold it elsewhere as well
        until(lambda: sum(held in line for line in instance.lines) >= number, 60)  # noqa: B023 - called within this round
    instance.kill()
    instance.start()
    until(lambda: [question for question in harness.questions() if question["run"] == run], 30)
    [question] = [question for question in harness.questions() if question["run"] == run]
    assert question["kind"] == "recovery" and "died 2 times" in question["message"]
    assert harness.give(question["id"], {"action": "retry"}) == 200
    until(lambda: harness.ask("GET", f"/api/runs/{run}")["state"] == "SUCCESS", 30)
    harness.answer_all()
    until(lambda: harness.state(healthy) == "SUCCESS", 30)


def losses(instance: ForkedInstance, run: str) -> int:
    """What speaks against the run, as its row has it."""
    with closing(sqlite3.connect(instance.data / "patchbay.sqlite3")) as database:
        [[count]] = database.execute("SELECT losses FROM runs_run WHERE id = ?", [run])
    return int(count)


@pytest.mark.timeout(180)
def test_requests_are_answered_before_a_run_that_something_speaks_against_begins(
    harness: Harness, instance: ForkedInstance
) -> None:
    instance.start("effect.read.before=hold")
    link = harness.ask("POST", "/api/teams/invitations", {"role": "editor"})["url"]
    Browser(instance).join(link, "Mara")
    run = harness.start("slow", graphs.SLOW, "against")
    until(lambda: any(f"of run {run.id} holds the event loop" in line for line in instance.lines), 60)
    instance.kill()
    instance.start("claim.committed", wait=False)
    assert instance.died() == KILLED and losses(instance, run.id) >= 1, "it was begun, and ended the process at once"
    assert instance.was_up, "requests were answered before"
    instance.start("effect.read.before=hold")
    until(lambda: sum(f"of run {run.id} holds the event loop" in line for line in instance.lines) == 2, 60)
    status, answer = instance.request("GET", "/api/health")
    assert (status, answer["status"]) == (200, "ok"), "it has the loop, and requests are answered"
    person = Browser(instance)
    assert person.get("/")[0] == 200
    known = {"email": "mara@example.org", "password": "a long enough phrase"}
    assert person.post("/_allauth/browser/v1/auth/login", known)[0] == 200
    instance.kill()
    instance.start()
    harness.finish([run])
    harness.verify(run)


@pytest.mark.timeout(180)
def test_a_long_read_that_every_deployment_interrupts_goes_on_being_repeated(
    harness: Harness, instance: ForkedInstance, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    look = {**graphs.tool("look", "look", gate=str(gate)), "timeout_s": 600}
    instance.start()
    run = harness.start("long-read", graphs.line(look, outputs={"seen": "{{ look.result }}"}), "long-read")
    for number in range(1, 7):
        until(lambda: harness.ledger.called("read")[f"{run.name}/look"] == number, 30)  # noqa: B023 - called within this round
        assert instance.stop(signal.SIGTERM) == 0
        assert losses(instance, run.id) == 0
        instance.start()
    until(lambda: harness.ledger.called("read")[f"{run.name}/look"] == 7, 30)
    gate.touch()
    until(lambda: harness.state(run) in ("SUCCESS", "ERROR", "CANCELLED"), 30)
    assert (harness.state(run), losses(instance, run.id)) == ("SUCCESS", 0)
    assert [event["type"] for event in harness.events(run.id)].count("TOOL_REQUEST") == 1, (
        "one call, however often made"
    )


@pytest.mark.timeout(180)
def test_a_write_that_still_lies_on_the_wire_is_not_made_again(harness: Harness, instance: ForkedInstance) -> None:
    """What the fence cannot hold back, and what the question says: careful people wait until it has arrived."""
    instance.start()
    wire = harness.wire
    assert wire is not None
    pay = graphs.line(
        graphs.tool("look", "look"), graphs.approval(), graphs.tool("pay", "pay"), outputs={}, ok="approved"
    )
    before, run = Counter(harness.recoveries), harness.start("late", pay, "late")
    until(lambda: harness.state(run) == "WAITING", 30)  # connected by now
    wire.cut()
    try:
        harness.answer_all()
        until(lambda: not wire.is_clear(), 30)
        instance.kill()
        instance.start()
        until(lambda: [question["kind"] for question in harness.questions()] == ["recovery"], 30)
        harness.answer_all()
        assert harness.questions(), "nobody answers while it may be on its way"
    finally:
        mended = time.time()
        wire.mend()
    until(lambda: harness.ledger.called("write")["late/pay"] == 1, 30)
    harness.finish([run])
    assert (harness.state(run), harness.ledger.called("write")["late/pay"]) == ("SUCCESS", 1)
    assert harness.recoveries - before == {"skip": 1}
    [sent], [arrived] = wire.sent("pay", "late/pay"), harness.ledger.lines("late")[-2:-1]
    assert arrived["kind"] == "write" and sent < mended < arrived["at"], (
        "the wire knows when it was sent, not when it came"
    )
