"""Killed at random: every run ends, nothing finished runs twice, no page misses or doubles an event.

The same for hours and hundreds of kills: `python -m tests.bench soak`.
"""

from __future__ import annotations

import pytest

from tests.live.kills import faults
from tests.live.kills.forked import ForkedInstance
from tests.live.kills.harness import Harness
from tests.live.kills.own import OwnScaled
from tests.live.kills.storm import Storm


@pytest.mark.timeout(300)
def test_the_one_process_is_killed_again_and_again(harness: Harness, instance: ForkedInstance) -> None:
    instance.start()
    with Storm(harness, 20261122, [instance.url]) as storm:
        storm.rage(10, faults.on_one_process(instance), fallen=instance.fallen)
        figures = storm.end(180)
    print(figures)
    assert figures.kills == 10 and figures.runs and not figures.problems


@pytest.mark.timeout(300)
def test_web_workers_redis_and_postgres_are_killed_again_and_again(scaled: Harness) -> None:
    instance = scaled.instance
    assert isinstance(instance, OwnScaled)
    with Storm(scaled, 20261123, scaled.urls) as storm:
        storm.rage(12, faults.on_many_processes(instance))
        figures = storm.end(180)
    print(figures)
    assert figures.kills == 12 and figures.runs and not figures.problems
