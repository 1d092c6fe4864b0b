"""A machine's clock that is wrong for a moment: what is waited for then lasts no longer than it was meant to."""

from __future__ import annotations

import pytest

from tests.instance import until
from tests.live.kills import graphs
from tests.live.kills.forked import ForkedInstance
from tests.live.kills.harness import Harness

HOUR_S = 3600.0


@pytest.mark.timeout(180)
@pytest.mark.parametrize("ahead_s", [HOUR_S, -HOUR_S])
def test_a_timer_that_begins_while_the_clock_is_wrong_is_over_in_time(
    harness: Harness, instance: ForkedInstance, ahead_s: float
) -> None:
    instance.start()
    assert instance.shim is not None
    if not instance.shim.works:
        pytest.skip("no C compiler for the shim")
    harness.ask("GET", "/api/runs")
    harness.one_clock = False
    with instance.shim.off(ahead_s=ahead_s):
        run = harness.start("waiting", graphs.WAITING, f"wrong-{ahead_s:.0f}")
        until(lambda: harness.state(run) == "WAITING", 30)
    until(lambda: harness.state(run) == "SUCCESS", 30)
    log = harness.events(run.id)
    assert sum(line["type"] == "FLOW_RESUME" for line in log) == 1
    harness.verify(run, shown={})
    harness.one_clock = True
