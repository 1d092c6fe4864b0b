"""Killed at each point that a message to an external agent passes, and the answer to what its task asks.

A message goes out once, or again by a person's word alone; an answer goes out once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.api.runs.conftest import graph, node
from tests.instance import until
from tests.live.kills.conftest import KILLED
from tests.live.kills.forked import ForkedInstance
from tests.live.kills.harness import ENDED, Harness, Started
from tests.live.kills.own import OwnScaled
from tests.live.kills.points import alone
from tests.sample_agents import SampleAgents

pytestmark = pytest.mark.timeout(400)
FOLLOWED, ANSWERED = "task.followed", "effect.read.after:2"
"""Between a task's handle and the first look at it; between a person's answer, which the agent has, and its note. (The
first look that ends is the one that sees the question.)"""
SENT = ["effect.write.before", "effect.write.after"]
"""Before a message goes out, and when the agent has answered it."""
START = node("start", "start", {"inputs": {"type": "object", "properties": {"name": {"type": "string"}}}})
END = node("end", "end", {"outputs": {"said": "{{ far.result }}"}})


def message(tool: str) -> Any:
    """A workflow of one message."""
    config = {"server": "sample", "tool": tool, "arguments": {"message": "{{ start.name }}"}}
    return graph([START, node("far", "tool", config), END], "start -> far", "far -> end")


@pytest.fixture(scope="module")
def process() -> Iterator[SampleAgents]:
    with SampleAgents() as agents:
        yield agents


@pytest.fixture
def agents(process: SampleAgents) -> SampleAgents:
    """With nothing on their books."""
    process.do("reset")
    return process


@pytest.fixture
def deaths(harness: Harness, instance: ForkedInstance) -> Iterator[list[int]]:
    """How the process ended, each time it was found dead; it is started again then."""
    matches: list[int] = []

    def revive() -> None:
        if not instance.alive:
            matches.append(instance.died())
            instance.start()

    harness.revive = revive
    yield matches
    harness.revive = None


def begun(harness: Harness, agents: SampleAgents, tool: str, name: str) -> Started:
    """A run whose message becomes a task."""
    result = harness.ask("GET", "/api/mcp/servers?kind=agent")["results"]
    if not result:
        harness.ask("POST", "/api/mcp/servers", {"name": "Sample", "transport": "a2a", "url": f"{agents.url}/kit"})
        harness.ask("GET", "/api/mcp/servers/sample/tools?refresh=1")
        for skill in ("work", "ask"):
            harness.ask("PATCH", f"/api/mcp/servers/sample/tools/{skill}", {"policy": "allow"})
    workflow = harness.workflow(f"far-{tool}", message(tool))
    body = {"version": "draft", "inputs": {"name": name}}
    key: dict[str, Any] = {"Idempotency-Key": name}
    created: Any = harness.ask("POST", f"/api/workflows/{workflow}/runs", body, **key)
    return Started(created["id"], name, f"far-{tool}")


def question(harness: Harness, run: Started) -> dict[str, Any]:
    """What the run asks, once it does."""

    def open_ones() -> list[dict[str, Any]]:
        if harness.revive is not None:
            harness.revive()
        return [open_question for open_question in harness.questions() if open_question["run"] == run.id]

    return dict(until(open_ones, 90)[0])


def over(harness: Harness, run: Started, text: str) -> None:
    """The run ends well, with this."""

    def has_ended() -> bool:
        if harness.revive is not None:
            harness.revive()
        return harness.state(run) in ENDED

    until(has_ended, 90)
    whole = harness.ask("GET", f"/api/runs/{run.id}")
    assert (whole["state"], whole["outputs"]) == ("SUCCESS", {"said": text}), whole["error"]


def came_through(harness: Harness, agents: SampleAgents, run: Started) -> None:
    """Whoever has the run looks at the task that was there before, and nobody is asked anything."""
    until(lambda: harness.state(run) and agents.log("get"), 90)
    agents.do("finish")
    over(harness, run, "42")
    assert len(agents.log("send")) == 1 and agents.log("cancel") == []
    assert len({entry["task"] for entry in agents.log("get")}) == 1


def sent_again(harness: Harness, agents: SampleAgents, run: Started, point: str) -> None:
    """Nobody knows whether the message arrived, so a person says whether it goes out again."""
    open_question = question(harness, run)
    assert (open_question["kind"], open_question["tool"]["name"]) == ("recovery", "work")
    arrived = 0 if point == "effect.write.before" else 1
    assert len(agents.log("send")) == arrived
    assert harness.give(open_question["id"], {"action": "retry"}) == 200
    until(lambda: len(agents.log("send")) == arrived + 1 and agents.log("get"), 90)
    agents.do("finish")
    over(harness, run, "42")
    assert len(agents.log("send")) == arrived + 1 and len({entry["task"] for entry in agents.log("get")}) == 1


def answered(harness: Harness, agents: SampleAgents, run: Started) -> None:
    """A person answers what the agent asks; a process that had sent it died before it could say so."""
    open_question = question(harness, run)
    assert harness.give(open_question["id"], {"action": "accept", "values": {"answer": "3"}}) == 200
    over(harness, run, "You want 3.")
    assert [entry["text"] for entry in agents.log("answer")] == ["3"] and len(agents.log("send")) == 1


def test_killed_before_the_first_look(
    harness: Harness, instance: ForkedInstance, deaths: list[int], agents: SampleAgents
) -> None:
    instance.start(FOLLOWED)
    run = begun(harness, agents, "work", "embedded")
    assert instance.died() == KILLED
    instance.start()
    came_through(harness, agents, run)


@pytest.mark.parametrize("point", SENT)
def test_killed_as_a_message_goes_out(
    harness: Harness, instance: ForkedInstance, deaths: list[int], agents: SampleAgents, point: str
) -> None:
    instance.start(point)
    run = begun(harness, agents, "work", f"embedded {point}")
    sent_again(harness, agents, run, point)
    assert deaths == [KILLED]


def test_killed_when_an_answer_has_gone_out(
    harness: Harness, instance: ForkedInstance, deaths: list[int], agents: SampleAgents
) -> None:
    instance.start(ANSWERED)
    answered(harness, agents, begun(harness, agents, "ask", "embedded answer"))
    assert deaths == [KILLED]


@pytest.mark.parametrize("point", [FOLLOWED, *SENT, ANSWERED])
def test_a_worker_is_killed(scaled: Harness, agents: SampleAgents, point: str) -> None:
    instance = scaled.instance
    assert isinstance(instance, OwnScaled)
    victim, heir = instance.workers
    deaths: list[int] = []

    def revive() -> None:
        if not deaths and not victim.running:
            deaths.append(victim.ended())
            heir.start()

    def died() -> bool:
        revive()
        return bool(deaths)

    with alone(instance, victim):
        instance.arm(victim, point)
        victim.start()
        scaled.revive = revive
        try:
            run = begun(scaled, agents, "ask" if point == ANSWERED else "work", f"scaled {point}")
            if point == FOLLOWED:
                until(died, 90)
                came_through(scaled, agents, run)
            elif point == ANSWERED:
                answered(scaled, agents, run)
            else:
                sent_again(scaled, agents, run, point)
        finally:
            scaled.revive = None
    assert deaths == [KILLED]
