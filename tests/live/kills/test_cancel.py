"""Cancel reaches what is under way, wherever it is: a tool over HTTP, a tool in a process, a model that streams."""

from __future__ import annotations

import time

import pytest

from tests.api.runs.conftest import graph, node
from tests.instance import until
from tests.live.kills.forked import ForkedInstance
from tests.live.kills.graphs import START, tool
from tests.live.kills.harness import Harness, check_log
from tests.llm_server import Gate, mentions

MOST_S = 5.0
"""On a machine that does other things as well; `cancelled within` of the bench has the figure for one that does not."""

SPEAKING = {"provider": "scripted", "model": "m", "messages": [{"role": "user", "content": "{{ start.name }}"}]}
BRANCHES = graph(
    [
        START,
        tool("far", "look", "ledger", seconds=60),
        tool("near", "look", "local", seconds=60),
        node("speaks", "llm", SPEAKING),
    ],
    "start -> far",
    "start -> near",
    "start -> speaks",
)


def cancelled_everywhere(harness: Harness) -> None:
    gate = Gate()
    name = f"cancelled-{time.time_ns()}"
    harness.llm.reply(text="one two three", gate=gate, when=mentions(name))
    run = harness.start("branches", BRANCHES, name)
    gate.release(1)
    until(lambda: harness.ledger.has(f"{name}/far") and harness.ledger.has(f"{name}/near"), 60)
    request = until(lambda: next((item for item in harness.llm.requests if name in item.text), None), 60)
    began = time.time()
    harness.ask("POST", f"/api/runs/{run.id}/cancel", {})
    assert request.gone.wait(30), "the model went on speaking"
    hung_up = time.time() - began
    until(lambda: harness.state(run) == "CANCELLED", 30)
    until(
        lambda: harness.ledger.has(f"{name}/far", "cancelled") and harness.ledger.has(f"{name}/near", "cancelled"), 30
    )
    noted = [line["at"] - began for line in harness.ledger.lines(name) if line["phase"] == "cancelled"]
    print(f"cancelled within {max(*noted, hung_up):.3f} s")
    assert max(*noted, hung_up) < MOST_S
    check_log(harness.events(run.id), harness.ask("GET", f"/api/runs/{run.id}"))


@pytest.mark.timeout(180)
def test_in_one_process(harness: Harness, instance: ForkedInstance) -> None:
    instance.start()
    cancelled_everywhere(harness)


@pytest.mark.timeout(180)
def test_in_many_processes(scaled: Harness) -> None:
    cancelled_everywhere(scaled)
