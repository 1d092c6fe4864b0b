"""Not killed but cut off, locked, full, slow, stopped or in another time: the same must be true at the end.

Each kind of fault once, in an order that a seed gives; the same a thousand times: `python -m tests.bench soak`.
"""

from __future__ import annotations

import pytest

from tests.live.kills import outages
from tests.live.kills.forked import ForkedInstance
from tests.live.kills.harness import Harness
from tests.live.kills.own import OwnScaled
from tests.live.kills.storm import Figures, Storm

MOST_S = 240


def came_through(figures: Figures, kinds: int) -> None:
    """Nothing was lost, doubled, asked without a reason or shown wrong."""
    print(figures)
    for name, why in outages.left_out.items():
        print(f"left out: {name} ({why})")
    assert figures.kills == kinds and figures.runs and not figures.problems, figures.problems


@pytest.mark.timeout(420)
def test_every_outage_of_the_one_process(harness: Harness, instance: ForkedInstance) -> None:
    instance.start()
    assert instance.shim is not None and harness.wire is not None
    faults = outages.on_one_process(instance, harness.wire, instance.shim)
    harness.one_clock = False
    with Storm(harness, 20261124, [instance.url]) as storm:
        storm.rage(len(faults), faults, fallen=instance.fallen)
        came_through(storm.end(MOST_S), len(faults))
    harness.one_clock = True


@pytest.mark.timeout(420)
def test_every_outage_of_several_processes(scaled: Harness) -> None:
    instance = scaled.instance
    assert isinstance(instance, OwnScaled) and scaled.wire is not None
    faults = outages.on_many_processes(instance, scaled.wire)
    scaled.one_clock = False
    with Storm(scaled, 20261125, scaled.urls) as storm:
        storm.rage(len(faults), faults)
        came_through(storm.end(MOST_S), len(faults))
    scaled.one_clock = True
