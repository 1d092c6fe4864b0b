"""One clock decides: the database's. Workers whose own clocks are wrong, or stood still, do no harm."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.api.runs.conftest import node
from tests.clocks import Clocks
from tests.instance import ScaledInstance, until
from tests.live.kills.graphs import approval, line, tool
from tests.live.kills.harness import Harness, Started, recorder
from tests.llm_server import LlmServer

pytestmark = pytest.mark.timeout(240)
TIMER = line(node("rest", "wait", {"seconds": 6}), outputs={})
"""Longer than a segment waits itself, so the run is left and claimed again."""


@dataclass
class Wrong:
    """An installation whose only worker has clocks that are set from here."""

    harness: Harness
    clocks: Clocks
    worker: list[str]

    def resumes(self, run: Started) -> int:
        """How often a worker took the run up again."""
        return sum(event["type"] == "FLOW_RESUME" for event in self.harness.events(run.id))


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wrong]:
    folder = tmp_path_factory.mktemp("clocks")
    clocks = Clocks(folder)
    clocks.set(wall=-60)
    instance = ScaledInstance(folder / "data", workers=0)
    worker = instance.add_worker(**clocks.environment)
    with recorder(folder / "ledger.jsonl") as url:
        try:
            harness = Harness(instance.start(), folder, LlmServer(), url)
            harness.token = instance.token()
            harness.server("ledger", transport="http", url=url)
            yield Wrong(harness, clocks, worker.lines)
        finally:
            instance.kill()
            clocks.close()


def test_a_worker_a_minute_behind_wakes_a_timer_once(wrong: Wrong) -> None:
    wrong.clocks.set(wall=-60)
    run = wrong.harness.start("timer", TIMER)
    until(lambda: wrong.harness.state(run) == "SUCCESS", 120)
    assert wrong.resumes(run) == 1
    whole = wrong.harness.ask("GET", f"/api/runs/{run.id}")
    assert whole["queued_at"] <= whole["started_at"] <= whole["finished_at"], "all of one clock"


def test_a_worker_hours_ahead_ends_no_question_and_no_timer_early(wrong: Wrong) -> None:
    wrong.clocks.set()
    harness = wrong.harness
    asking = harness.start("asking", line(approval(expires_s=3600), outputs={}, ok="approved"))
    resting = harness.start("resting", line(node("rest", "wait", {"seconds": 3600}), outputs={}))
    until(lambda: {harness.state(asking), harness.state(resting)} == {"WAITING"}, 60)
    wrong.clocks.set(wall=7200)
    run = harness.start("ahead", TIMER)  # while it rests, questions past their time are looked for several times
    until(lambda: harness.state(run) == "SUCCESS", 120)
    assert wrong.resumes(run) == 1
    assert [question["run"] for question in harness.questions()] == [asking.id]
    assert harness.state(resting) == "WAITING" and wrong.resumes(resting) == 0


def test_a_lease_runs_out_while_the_machine_sleeps(wrong: Wrong) -> None:
    """In suspend the monotonic clock stands still and the boot-time clock goes on: nothing may be sent after it."""
    wrong.clocks.set()
    harness, gate = wrong.harness, wrong.harness.folder / "gate"
    run = harness.start("asleep", line(tool("look", "look", gate=str(gate)), tool("pay", "pay"), outputs={}))
    until(lambda: harness.ledger.has(f"{run.name}/look"), 60)
    wrong.clocks.set(boot=1000)
    until(lambda: any("leases ran out with" in text for text in wrong.worker), 60)
    until(lambda: harness.ledger.called("read")[f"{run.name}/look"] == 2, 60)
    gate.touch()
    until(lambda: harness.state(run) == "SUCCESS", 60)
    assert harness.ledger.called("write")[f"{run.name}/pay"] == 1
