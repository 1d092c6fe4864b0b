"""A long loop, or iteration, is killed after it wrote down where it stands: it goes on from there, no write, no round
and no item twice."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from tests.instance import until
from tests.live.kills import graphs
from tests.live.kills.forked import ForkedInstance
from tests.live.kills.harness import Harness
from tests.live.kills.own import OwnScaled

ROUNDS_BEFORE = (11, 17)
"""Rounds with five records of steps and more each: where it stands is written down before the first."""

ITEMS_BEFORE = (14, 22)
"""Items with ten records and more each: which are over is written down before the first."""


def has_paid(harness: Harness, key: str) -> bool:
    """Whether the ledger has a payment; whatever is asked meanwhile is answered."""
    harness.answer_all()
    return harness.ledger.has(key)


def killed_in_mid_loop(harness: Harness, kill: Callable[[], None]) -> None:
    run = harness.start("loop", graphs.LOOP)
    for number in ROUNDS_BEFORE:
        until(partial(has_paid, harness, f"{run.name}/{number}/below_pay"), 90)
        kill()
    harness.finish([run], seconds=120)
    harness.verify(run)
    outputs = harness.ask("GET", f"/api/runs/{run.id}")["outputs"]
    assert outputs["paid"].split("write ")[1:] == [
        f"{run.name}/{n}/below_pay" + (" " if n < graphs.ROUNDS - 1 else "") for n in range(graphs.ROUNDS)
    ]
    rounds = [
        event["path"][0]["index"] for event in harness.events(run.id) if event["node"] == "keep" and _ended(event)
    ]
    assert rounds == list(range(graphs.ROUNDS))


def killed_among_items(harness: Harness, kill: Callable[[], None]) -> None:
    run = harness.start("long-each", graphs.LONG_EACH)
    for number in ITEMS_BEFORE:
        until(partial(has_paid, harness, f"{run.name}/{number}/pay"), 90)
        kill()
    harness.finish([run], seconds=120)
    harness.verify(run)
    outputs = harness.ask("GET", f"/api/runs/{run.id}")["outputs"]
    assert outputs["paid"] == [f"write {run.name}/{n}/pay" for n in range(graphs.MORE_ITEMS)]
    items = [event["path"][0]["index"] for event in harness.events(run.id) if event["node"] == "look" and _ended(event)]
    assert sorted(items) == list(range(graphs.MORE_ITEMS))


def _ended(event: dict[str, object]) -> bool:
    return event["type"] == "STEP_OUTPUT"


@pytest.mark.timeout(300)
def test_in_one_process(harness: Harness, instance: ForkedInstance) -> None:
    instance.start()

    def kill() -> None:
        instance.kill()
        instance.start()

    killed_in_mid_loop(harness, kill)
    killed_among_items(harness, kill)


@pytest.mark.timeout(300)
def test_in_many_processes(scaled: Harness) -> None:
    instance = scaled.instance
    assert isinstance(instance, OwnScaled)

    def kill() -> None:
        for worker in instance.workers:
            worker.kill()  # and is started again

    killed_in_mid_loop(scaled, kill)
    killed_among_items(scaled, kill)
