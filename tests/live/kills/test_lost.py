"""A run that ends its worker again and again without another record is given up; one that gets on is not."""

from __future__ import annotations

import pytest

from tests.instance import until
from tests.live.kills import graphs
from tests.live.kills.conftest import KILLED
from tests.live.kills.forked import ForkedInstance
from tests.live.kills.house import ENDED, House, check_log


def die(instance: ForkedInstance, point: str, times: int) -> None:
    for _ in range(times):
        assert instance.start(point, wait=False).died() == KILLED


@pytest.mark.timeout(180)
def test_five_workers_in_a_row_are_the_last(house: House, instance: ForkedInstance) -> None:
    instance.start("claim.loaded")
    run = house.start("slow", graphs.SLOW, "five-in-a-row")
    assert instance.died() == KILLED
    die(instance, "claim.loaded", 4)
    instance.start()
    until(lambda: house.state(run) in ENDED, 30)
    ended = house.ask("GET", f"/api/runs/{run.id}")
    assert (ended["state"], ended["error"]["code"]) == ("ERROR", "WORKER_LOST")
    check_log(house.events(run.id), ended)
    assert not house.ledger.called()[f"{run.name}/slow"]


@pytest.mark.timeout(180)
def test_a_record_between_them_counts_from_new(house: House, instance: ForkedInstance) -> None:
    instance.start("claim.loaded")
    run = house.start("slow", graphs.SLOW, "four-and-four")
    assert instance.died() == KILLED
    die(instance, "claim.loaded", 3)
    die(instance, "settled.committed", 1)
    die(instance, "claim.loaded", 3)
    instance.start()
    house.settle([run])
    house.verify(run)
