"""The kernel drops what a worker and one of its servers send each other for longer than its lease, then lets go.

The worker lives in a network namespace; no end of any connection is told. Left out where that cannot be made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.instance import Process, until
from tests.live.kills import graphs
from tests.live.kills.harness import Harness, Started
from tests.live.kills.namespace import Namespace
from tests.live.kills.outages import hold
from tests.live.kills.own import OwnScaled
from tests.live.kills.points import seen_whole, watched

LONG_S = 600
KNOWS = pytest.mark.parametrize("forgotten", [False, True], ids=["silent", "forgotten"])


@dataclass
class Alone:
    """A scaled installation of which only the worker in a namespace runs; `other` is the second one."""

    harness: Harness
    worker: Process
    other: Process
    namespace: Namespace
    ports: dict[str, int]
    lease_s: float


@pytest.fixture
def alone(scaled: Harness) -> Iterator[Alone]:
    instance = scaled.instance
    assert isinstance(instance, OwnScaled) and scaled.wire is not None
    if instance.apart is None:
        pytest.skip(f"no network namespace for a worker: {instance.left_out}")
    apart = instance.apart
    [other] = [worker for worker in instance.workers if worker is not apart.worker]
    instance.keep = [*instance.web]
    instance.wait_until_idle()
    for worker in instance.workers:
        worker.kill()
    apart.worker.start()
    ports = {**apart.ports, "the tool server": scaled.wire.port}
    yield Alone(scaled, apart.worker, other, apart.namespace, ports, instance.lease_s)
    instance.keep = instance.processes


def writing(harness: Harness, gate: Path) -> Started:
    """A run whose write has reached the recorder and lasts until the gate is there."""
    pay = {**graphs.tool("pay", "pay", gate=str(gate)), "timeout_s": LONG_S}
    slug = f"dropped-{len(harness.runs)}"
    graphs.WRITES[slug] = {"pay"}
    run = harness.start(slug, graphs.line(pay, outputs={"paid": "{{ pay.result }}"}), slug)
    until(lambda: harness.ledger.has(f"{run.name}/pay"), 30)
    return run


@KNOWS
@pytest.mark.timeout(240)
def test_a_worker_that_postgres_does_not_hear_loses_its_runs_and_says_nothing_of_them(
    alone: Alone, tmp_path: Path, forgotten: bool
) -> None:
    harness, gate = alone.harness, tmp_path / "gate"
    run = writing(harness, gate)
    watcher = watched(harness, run)
    before = alone.namespace.dropped
    with alone.namespace.drop(alone.ports["postgres"], forgotten=forgotten):
        alone.other.start()
        [question] = until(harness.questions, 60)
        assert question["kind"] == "recovery"
        until(lambda: any("leases ran out" in line for line in alone.worker.lines), 60)
        gate.touch()
    assert alone.namespace.dropped > before
    harness.finish([run], watcher)
    harness.verify(run)
    seen_whole(harness, watcher, run)


@KNOWS
@pytest.mark.timeout(240)
def test_a_worker_that_redis_does_not_hear_keeps_its_runs(alone: Alone, tmp_path: Path, forgotten: bool) -> None:
    harness, gate = alone.harness, tmp_path / "gate"
    run = writing(harness, gate)
    watcher = watched(harness, run)
    before = alone.namespace.dropped
    with alone.namespace.drop(alone.ports["redis"], forgotten=forgotten):
        begun = harness.start("slow", graphs.SLOW, f"{run.name}-begun")
        gate.touch()
        harness.finish([run, begun])
    assert alone.namespace.dropped > before
    for value in (run, begun):
        harness.verify(value)
        assert not any(event["type"] == "FLOW_RESUME" for event in harness.events(value.id))
    seen_whole(harness, watcher, run)


@KNOWS
@pytest.mark.timeout(240)
def test_calls_of_a_worker_that_its_tool_server_does_not_hear_are_made_once(
    alone: Alone, tmp_path: Path, forgotten: bool
) -> None:
    harness = alone.harness
    run = harness.start("slower", graphs.SLOWER, f"dropped-{len(harness.runs)}")
    until(lambda: harness.ledger.has(f"{run.name}/slow"), 30)
    watcher = watched(harness, run)
    before = alone.namespace.dropped
    with alone.namespace.drop(alone.ports["the tool server"], forgotten=forgotten):
        hold(alone.lease_s * 2)  # its answer, and the write after it, fall into that
    harness.finish([run], watcher)
    assert alone.namespace.dropped > before
    harness.verify(run)
    seen_whole(harness, watcher, run)
