"""Deaths of the process are not a run's fault: however often it loses its worker, it goes on."""

from __future__ import annotations

import pytest

from tests.instance import until
from tests.live.kills import graphs
from tests.live.kills.conftest import KILLED
from tests.live.kills.forked import ForkedInstance
from tests.live.kills.harness import House


@pytest.mark.timeout(180)
def test_workers_that_die_without_a_record_between_are_not_the_runs_fault(
    house: House, instance: ForkedInstance
) -> None:
    instance.start("claim.loaded")
    run = house.start("slow", graphs.SLOW, "seven-in-a-row")
    assert instance.died() == KILLED
    for _ in range(6):
        assert instance.start("claim.loaded", wait=False).died() == KILLED
    instance.start()
    house.settle([run])
    house.verify(run)


@pytest.mark.timeout(180)
def test_a_step_that_holds_the_loop_at_two_deaths_is_asked_about(house: House, instance: ForkedInstance) -> None:
    instance.start()
    healthy = house.start("asks", graphs.line(graphs.approval(), outputs={}, ok="approved"), "bystander")
    until(lambda: house.state(healthy) == "WAITING", 30)
    run = ""
    for number in (1, 2):
        instance.kill()
        instance.start("effect.read.before=hold")  # answers requests, whatever the run does
        if not run:
            run = house.start("slow", graphs.SLOW, "held").id
        until(lambda: sum("holds the event loop" in line for line in instance.lines) >= number, 60)  # noqa: B023 - called within this round
    instance.kill()
    instance.start()
    until(lambda: [question for question in house.questions() if question["run"] == run], 30)
    [question] = [question for question in house.questions() if question["run"] == run]
    assert question["kind"] == "recovery" and "ended 2 times" in question["message"]
    assert house.give(question["id"], {"action": "retry"}) == 200
    until(lambda: house.ask("GET", f"/api/runs/{run}")["state"] == "SUCCESS", 30)
    house.answer_all()
    until(lambda: house.state(healthy) == "SUCCESS", 30)
