"""Deaths of the process are not a run's fault: however often it loses its worker, it goes on."""

from __future__ import annotations

import pytest

from tests.live.kills import graphs
from tests.live.kills.conftest import KILLED
from tests.live.kills.forked import ForkedInstance
from tests.live.kills.house import House


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
