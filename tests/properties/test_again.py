"""A run that takes over what an ended one has behind it ends as a fresh run would, and repeats nothing before it.

Graphs, the step that fails, the chosen step and a change of the document are drawn. Every tool answers by what it is
given, so an output shows all that it was made of.
"""

from __future__ import annotations

import asyncio
import json
from copy import deepcopy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from backend.engine.rerun.rerun import ended_steps, rerun_plan, top_of
from backend.engine.testing import Disk, ScriptedTools
from backend.errors import McpExecutionError
from backend.tools.types import JsonObject
from tests.exhaustive import few
from tests.properties.graphs import graphs
from tests.unit.engine.engine_run import EngineRun


@st.composite
def documents(draw: st.DrawFn) -> Any:
    """A drawn graph in which every tool is given what stands right before it; one of them may stand in a loop."""
    graph = draw(graphs())
    for node in graph["nodes"]:
        before = [edge["source"] for edge in graph["edges"] if edge["target"] == node["id"]]
        if node["type"] == "tool":
            node["config"]["arguments"] = {"n": "{{ start.n }}", **{item: f"{{{{ {item} }}}}" for item in before}}
    tools = [node["id"] for node in graph["nodes"] if node["type"] == "tool"]
    loops: bool = draw(st.booleans()) if tools else False
    if loops:
        inner = {"server": "inner", "tool": "go", "arguments": {"item": "{{ item }}"}}
        graph["nodes"] += [
            {"id": "each", "type": "iteration", "config": {"items": [1, 2], "output": "{{ inner.result }}"}},
            {"id": "inner", "type": "tool", "config": inner, "parent": "each"},
        ]
        graph["edges"].append({"id": "each", "source": draw(st.sampled_from(tools)), "target": "each"})
    return graph


class Environment:
    """The tools of a graph, and what was called. `fails` = the server that does not work for now."""

    def __init__(self, graph: Any, fails: str = "") -> None:
        self.called: list[str] = []
        self.servers = {
            node["config"]["server"]: self._server(node["config"]["server"], fails)
            for node in graph["nodes"]
            if node["type"] == "tool"
        }

    def _server(self, name: str, fails: str) -> ScriptedTools:
        def answer(arguments: JsonObject) -> str:
            self.called.append(name)
            if name == fails:
                raise McpExecutionError
            return f"{name}{json.dumps(arguments, sort_keys=True)}"

        return ScriptedTools({"go": [answer]}, kind="write")


def engine_run(graph: Any, environment: Environment, disk: Disk | None = None) -> EngineRun:
    """A run of the graph, whatever became of it."""
    run = EngineRun(graph, {"n": 7}, dict(environment.servers), disk=disk or Disk())
    asyncio.run(run.run())
    return run


def outputs(run_: EngineRun) -> dict[Any, Any]:
    """What every step gave, also those that were passed over."""
    return {
        (line.path, line.node): (line.type, line.data.get("output"))
        for line in run_.disk.lines
        if line.record == "outcome"
    }


@settings(max_examples=few(60), deadline=None)
@given(documents(), st.data())
def test_what_is_taken_over_and_what_runs_make_a_whole(graph: Any, data: st.DataObject) -> None:
    tops = [node["id"] for node in graph["nodes"] if not node.get("parent")]
    tools = [node["id"] for node in graph["nodes"] if node["type"] == "tool"]
    fails = data.draw(st.sampled_from(["", *tools]))
    before = engine_run(graph, Environment(graph, fails))
    now = deepcopy(graph)
    if data.draw(st.booleans()) and tools:
        changed = data.draw(st.sampled_from(tools))
        next(node for node in now["nodes"] if node["id"] == changed)["config"]["arguments"]["more"] = 1
    points = data.draw(st.lists(st.sampled_from(tops), max_size=2))

    again = rerun_plan(graph, now, ended_steps(before.disk.lines), points)
    lines = [line for line in before.disk.lines if top_of(line.path, line.node or "") in again.kept]
    environment = Environment(now)
    after = engine_run(now, environment, Disk(lines=list(lines), last_seq=sum(1 for line in lines if line.type)))

    fresh_world = Environment(now)
    fresh = engine_run(now, fresh_world)
    assert outputs(after) == outputs(fresh)
    kept = {"inner" if item == "each" else item for item in again.kept}
    assert not kept & set(environment.called), "nothing that was taken over is called again"
    assert sorted(environment.called) == sorted(item for item in fresh_world.called if item not in kept)
    assert set(again.kept) | set(again.runs) == set(tops) and not set(again.kept) & set(points)
