"""Killed between a task's handle and the first look at it, whose agent is another's: its message is sent once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.api.runs.conftest import graph, node
from tests.instance import until
from tests.live.kills.conftest import KILLED
from tests.live.kills.forked import ForkedInstance
from tests.live.kills.harness import ENDED, House, Started
from tests.live.kills.own import OwnScaled
from tests.live.kills.points import alone
from tests.sample_agents import SampleAgents

pytestmark = pytest.mark.timeout(400)
POINT = "task.followed"
CONFIG = {"server": "sample", "tool": "work", "arguments": {"message": "{{ start.name }}"}}
START = node("start", "start", {"inputs": {"type": "object", "properties": {"name": {"type": "string"}}}})
END = node("end", "end", {"outputs": {"said": "{{ far.result }}"}})
WORK = graph([START, node("far", "tool", CONFIG), END], "start -> far", "far -> end")


@pytest.fixture(scope="module")
def process() -> Iterator[SampleAgents]:
    with SampleAgents() as agents:
        yield agents


@pytest.fixture
def agents(process: SampleAgents) -> SampleAgents:
    """With nothing on their books."""
    process.do("reset")
    return process


def begun(house: House, agents: SampleAgents, name: str) -> Started:
    """A run whose message becomes a task."""
    found = house.ask("GET", "/api/mcp/servers?kind=agent")["results"]
    if not found:
        house.ask("POST", "/api/mcp/servers", {"name": "Sample", "transport": "a2a", "url": f"{agents.url}/kit"})
        house.ask("GET", "/api/mcp/servers/sample/tools?refresh=1")
        house.ask("PATCH", "/api/mcp/servers/sample/tools/work", {"policy": "allow"})
    workflow = house.workflow("far", WORK)
    body = {"version": "draft", "inputs": {"name": name}}
    made: Any = house.ask("POST", f"/api/workflows/{workflow}/runs", body, **{"Idempotency-Key": name})
    return Started(made["id"], name, "far")


def came_through(house: House, agents: SampleAgents, run: Started) -> None:
    """Whoever has the run looks at the task that was there before, and nobody is asked anything."""
    until(lambda: house.state(run) and agents.log("get"), 90)
    agents.do("finish")
    until(lambda: house.state(run) in ENDED, 90)
    whole = house.ask("GET", f"/api/runs/{run.id}")
    assert (whole["state"], whole["outputs"]) == ("SUCCESS", {"said": "42"}), whole["error"]
    assert len(agents.log("send")) == 1 and agents.log("cancel") == []
    assert len({entry["task"] for entry in agents.log("get")}) == 1


def test_killed_before_the_first_look(house: House, instance: ForkedInstance, agents: SampleAgents) -> None:
    deaths: list[int] = []

    def revive() -> None:
        if not instance.alive:
            deaths.append(instance.died())
            instance.start()

    instance.start(POINT)
    house.revive = revive
    try:
        run = begun(house, agents, "embedded")
        until(lambda: revive() or deaths, 90)
        came_through(house, agents, run)
    finally:
        house.revive = None
    assert deaths == [KILLED]


def test_a_worker_killed_before_the_first_look(scaled: House, agents: SampleAgents) -> None:
    instance = scaled.instance
    assert isinstance(instance, OwnScaled)
    victim, heir = instance.workers
    with alone(instance, victim):
        instance.arm(victim, POINT)
        victim.start()
        run = begun(scaled, agents, "scaled")
        until(lambda: not victim.running, 90)
        assert victim.ended() == KILLED
        heir.start()
        came_through(scaled, agents, run)
