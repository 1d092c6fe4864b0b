"""Scheduling: the order in which nodes finish never changes what ran, and a drawn graph runs what its edges say."""

from __future__ import annotations

import asyncio
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from backend.engine.document.compile import Plan, compile_graph
from backend.engine.execution.schedule import Schedule
from backend.engine.testing import ScriptedTools
from backend.nodes import node_types
from tests.exhaustive import few
from tests.properties.graphs import graphs
from tests.unit.engine.engine_run import EngineRun


def should_run(graph: Any) -> set[str]:
    """What the words of the design say: a node runs once all edges in are settled and one fired."""
    ran = {"start"}
    for node in graph["nodes"][1:]:
        for edge in graph["edges"]:
            if edge["target"] != node["id"] or edge["source"] not in ran:
                continue
            source = next(n for n in graph["nodes"] if n["id"] == edge["source"])
            taken = source["type"] != "if" or str(source["config"]["conditions"][0]["left"]).lower()
            if taken in (True, edge["source_port"]):
                ran.add(node["id"])
    return ran


def played(graph: Any, delays: dict[str, int]) -> EngineRun:
    """A run in which each tool takes its own time."""
    engine_run = EngineRun(graph)

    def server(name: str) -> ScriptedTools:
        async def takes_its_time(_: str, __: Any) -> None:
            await engine_run.clock.sleep(delays[name])

        tools = ScriptedTools({"go": [name]})
        tools.on_call = takes_its_time
        return tools

    engine_run.servers = {name: server(name) for name in delays}
    return engine_run


@settings(max_examples=few(200), deadline=None)
@given(graphs(), st.permutations(list(range(9))), st.permutations(list(range(9))))
def test_the_order_of_finishing_does_not_change_what_ran(graph: Any, one: list[int], other: list[int]) -> None:
    ran = []
    for order in (one, other):
        engine_run = played(graph, {f"n{i}": delay for i, delay in enumerate(order)})
        assert asyncio.run(engine_run.run()).state == "SUCCESS"
        ran.append(engine_run.ran())
        settled = [str(line.node) for line in engine_run.events if line.record == "outcome"]
        assert sorted(settled) == sorted(n["id"] for n in graph["nodes"]), "each node is settled exactly once"
    assert ran[0] == ran[1] == should_run(graph)


@settings(max_examples=few(200), deadline=None)
@given(graphs(), st.randoms())
def test_the_pure_schedule_settles_everything_in_any_order(graph: Any, chance: Any) -> None:
    plan: Plan = compile_graph(graph, node_types()).plans[None]
    schedule = Schedule(plan)
    ready = schedule.begin()
    ran: set[str] = set()
    skipped: set[str] = set()
    while ready:
        node = ready.pop(chance.randrange(len(ready)))
        assert node.id not in ran | skipped
        ran.add(node.id)
        port = "out"
        if node.type.name == "if":
            about = next(n for n in graph["nodes"] if n["id"] == node.id)
            port = str(about["config"]["conditions"][0]["left"]).lower()
        moved = schedule.settle(node, port)
        ready += moved.ready
        skipped |= {item.id for item in moved.skipped}
    assert schedule.over
    assert ran == should_run(graph)
    assert ran | skipped == set(plan.nodes)
