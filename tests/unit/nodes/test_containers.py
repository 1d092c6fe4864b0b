"""Iteration and loop: rounds, what they read, what they give, and what happens when one fails."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from backend.engine.document.validate import validate
from backend.engine.execution.ports import Message
from backend.engine.testing import ScriptedTools
from backend.errors import McpAuthFailed
from backend.nodes import node_types
from backend.tools.types import JsonObject
from tests.unit.engine.engine_run import EngineRun, answer, flow, played, until


def go(server: str, arguments: Any, **more: Any) -> Any:
    return ("tool", {"server": server, "tool": "go", "arguments": arguments}, more)


def each(output: str = "{{ t.structured }}", **config: Any) -> Any:
    """start → each(t) → fin, where t calls a tool with the item."""
    more = config.pop("more", {})
    return flow(
        "start -> each -> fin",
        each=("iteration", {"items": "{{ start.items }}", "output": output, **config}, more),
        t=go("kb", {"item": "{{ item }}", "index": "{{ index }}"}, parent="each"),
        fin=("end", {"outputs": {"items": "{{ each.items | default(null) }}"}}),
    )


def echo(item: JsonObject) -> Any:
    """A tool that answers with its item, and cannot take the text "bad"."""
    if item["item"] == "bad":
        raise McpAuthFailed
    return [item["index"], item["item"]]


async def test_every_item_is_one_round_in_order() -> None:
    kb = ScriptedTools({"go": [echo]})
    engine_run = played(each(concurrency=3), {"items": ["a", "b", "c", "d"]}, kb=kb)
    assert (await engine_run.run()).outputs == {"items": [[0, "a"], [1, "b"], [2, "c"], [3, "d"]]}
    paths = [line.path for line in engine_run.events if line.type == "TOOL_REQUEST"]
    assert sorted(paths) == [(("each", i),) for i in range(4)]
    assert len({line.step for line in engine_run.events if line.node == "t"}) == 4


async def test_no_item_no_round() -> None:
    kb = ScriptedTools({"go": [echo]})
    assert (await played(each(), {"items": []}, kb=kb).run()).outputs == {"items": []}


@pytest.mark.parametrize("concurrency", [1, 2, 5])
async def test_so_many_rounds_at_a_time(concurrency: int) -> None:
    kb = ScriptedTools({"go": [echo]})
    engine_run = played(each(concurrency=concurrency), {"items": list(range(5))}, kb=kb)
    now, most = 0, 0

    async def count(_: str, __: JsonObject) -> None:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await engine_run.clock.sleep(1)
        now -= 1

    kb.on_call = count
    await engine_run.run()
    assert most == concurrency


@pytest.mark.parametrize(("mode", "items"), [("skip", [[0, "a"], [2, "c"]]), ("keep_null", [[0, "a"], None, [2, "c"]])])
async def test_a_failed_item_can_be_passed_over(mode: str, items: Any) -> None:
    kb = ScriptedTools({"go": [echo]})
    end = await played(each(on_item_error=mode), {"items": ["a", "bad", "c"]}, kb=kb).run()
    assert (end.state, end.outputs) == ("SUCCESS", {"items": items})


async def test_a_failed_item_fails_the_node() -> None:
    kb = ScriptedTools({"go": [echo]})
    engine_run = played(each(), {"items": ["a", "bad", "c"]}, kb=kb)
    end = await engine_run.run()
    assert end.error and (end.error["code"], end.error["node"]) == ("MCP_AUTH_FAILED", "each")
    assert len(kb.calls) == 2
    engine_run.open()
    assert (await engine_run.on()).error == end.error, "the end is the same when it is read again"


async def test_a_failed_node_with_rounds_can_be_passed_over() -> None:
    kb = ScriptedTools({"go": [echo]})
    end = await played(each(more={"on_error": "continue"}), {"items": ["bad"]}, kb=kb).run()
    assert (end.state, end.outputs) == ("SUCCESS", {"items": None})


async def test_other_rounds_are_cancelled_but_their_writes_may_end() -> None:
    kb = ScriptedTools({"go": [echo]}, kind="write")
    engine_run = played(each(concurrency=3), {"items": ["slow", "bad", "slower"]}, kb=kb)

    async def takes_time(_: str, item: JsonObject) -> None:
        await engine_run.clock.sleep({"slow": 5, "bad": 1, "slower": 100}[str(item["item"])])

    kb.on_call = takes_time
    before = engine_run.clock.now()
    end = await engine_run.run()
    assert end.error and end.error["code"] == "MCP_AUTH_FAILED"
    assert engine_run.clock.now() - before == 31
    last = {line.path[0][1]: line for line in engine_run.events if line.node == "t" and line.record == "outcome"}
    assert [last[i].type for i in range(3)] == ["STEP_OUTPUT", "STEP_ERROR", "STEP_CANCEL"]
    assert last[2].data == {"unknown": ["call"]}


async def test_a_round_may_ask_and_the_run_waits() -> None:
    graph = flow(
        "start -> each",
        each=("iteration", {"items": [1, 2], "output": "{{ ok.values }}", "concurrency": 2}),
        ok=("approval", {"title": "{{ item }}?", "proposal": "{{ item }}"}, {"parent": "each"}),
    )
    engine_run = played(graph)
    end = await engine_run.run()
    first, second = (line for line in engine_run.disk.lines if line.record == "ask")
    assert {w.interaction for w in end.waiting} == {first.interaction, second.interaction}
    engine_run.open()
    assert (await engine_run.on(answer(second.interaction, values="two"))).state == "WAITING"
    assert (await engine_run.on(answer(first.interaction))).state == "SUCCESS"
    assert engine_run.output("each") == {"items": [1, "two"]}


async def test_cancel_goes_down_into_the_rounds() -> None:
    kb = ScriptedTools({"go": [echo]})
    engine_run = played(each(), {"items": ["a"]}, kb=kb)
    hang = asyncio.Event()

    async def hangs(_: str, __: JsonObject) -> None:
        await hang.wait()

    kb.on_call = hangs
    task = asyncio.ensure_future(engine_run.run())
    await until(lambda: bool(kb.calls))
    engine_run.segment.deliver(Message("cancel", value={"by": "x"}))
    assert (await task).state == "CANCELLED"
    assert (engine_run.last("t").type, engine_run.last("each").type) == ("STEP_CANCEL", "STEP_CANCEL")


async def test_the_time_of_its_rounds_counts_for_a_container() -> None:
    kb = ScriptedTools({"go": [echo]})
    engine_run = played(each(more={"timeout_s": 25}), {"items": list(range(5))}, kb=kb)

    async def takes_time(_: str, __: JsonObject) -> None:
        await engine_run.clock.sleep(10)

    kb.on_call = takes_time
    end = await engine_run.run()
    assert end.error and end.error["code"] == "NODE_TIMEOUT"
    assert len(kb.calls) == 3
    assert engine_run.last("t").type == "STEP_CANCEL"


async def test_waiting_for_a_person_inside_does_not_count_for_a_container() -> None:
    graph = flow(
        "start -> each",
        each=("iteration", {"items": [1], "output": 1}, {"timeout_s": 5}),
        ok=("approval", {"title": "?"}, {"parent": "each"}),
    )
    engine_run = played(graph)
    await engine_run.run()
    engine_run.clock.advance(3600)
    assert (await engine_run.on(answer(engine_run.question().interaction))).state == "SUCCESS"


async def test_iterations_nest() -> None:
    graph = flow(
        "start -> outer",
        outer=("iteration", {"items": "{{ start.rows }}", "output": "{{ inner.items }}"}),
        inner=("iteration", {"items": "{{ item }}", "output": "{{ show.text }}"}, {"parent": "outer"}),
        show=("template", {"template": "{{ index }}={{ item }}"}, {"parent": "inner"}),
    )
    engine_run = played(graph, {"rows": [["a", "b"], ["c"]]})
    await engine_run.run()
    assert engine_run.output("outer") == {"items": [["0=a", "1=b"], ["0=c"]]}
    assert {line.path for line in engine_run.events if line.node == "show"} == {
        (("outer", 0), ("inner", 0)),
        (("outer", 0), ("inner", 1)),
        (("outer", 1), ("inner", 0)),
    }


# -- loop -----------------------------------------------------------------------------------------------------------


def counting(**config: Any) -> Any:
    return flow(
        "start -> again", "keep -> more",
        again=("loop", {"vars": {"text": ""}, **config}),
        keep=("template", {"template": "{{ loop.vars.text }}{{ loop.last.keep.text | length | default('-') }}"},
              {"parent": "again"}),
        more=("set_variable", {"values": {"text": "{{ keep.text }}"}}, {"parent": "again"}),
    )  # fmt: skip


async def test_a_loop_carries_its_variables_and_its_last_round() -> None:
    engine_run = played(counting(max=3))
    assert (await engine_run.run()).state == "SUCCESS"
    assert engine_run.output("again") == {"text": "-12"}


async def test_a_loop_ends_when_its_condition_holds() -> None:
    graph = counting(max=50, until="{{ done.result }}", output="{{ keep.text }} {{ loop.index }}")
    enough = {"conditions": [{"left": "{{ loop.index }}", "op": "ge", "right": 1}]}
    graph["nodes"].append({"id": "done", "type": "if", "config": enough, "parent": "again"})
    engine_run = played(graph)
    assert (await engine_run.run()).state == "SUCCESS"
    assert engine_run.output("again") == {"output": "-1 1"}


# -- checks ---------------------------------------------------------------------------------------------------------


def codes(document: Any) -> list[str]:
    return [p.code for p in validate(document, node_types())]


def test_what_is_inside_reads_item_and_what_lies_before_the_container() -> None:
    graph = flow(
        "start -> before -> each -> after",
        each=("iteration", {"items": [1], "output": "{{ a.text }} {{ item }} {{ before.before }}"}),
        a=("template", {"template": "{{ item }} {{ before.before }}"}, {"parent": "each"}),
    )
    assert codes(graph) == []


@pytest.mark.parametrize(
    ("where", "text", "code"),
    [
        ("after", "{{ a.text }}", "reference_inside"),
        ("after", "{{ item }}", "reference_unknown"),
        ("a", "{{ each.items }}", "reference_later"),
        ("a", "{{ after.text }}", "reference_later"),
        ("a", "{{ loop.vars.x }}", "reference_unknown"),
    ],
)
def test_what_is_not_in_sight_is_a_problem(where: str, text: str, code: str) -> None:
    graph = flow(
        "start -> each -> after",
        each=("iteration", {"items": [1], "output": 1}),
        a=("template", {"template": text if where == "a" else ""}, {"parent": "each"}),
        after=("template", {"template": text if where == "after" else ""}),
    )
    assert codes(graph) == [code]


def test_edges_stay_inside_a_container_and_ends_outside() -> None:
    graph = flow(
        "start -> each", "each -> a",
        each=("iteration", {"items": [1]}), a=("template", {"template": ""}, {"parent": "each"}),
    )  # fmt: skip
    assert codes(graph) == ["edge_crosses"]
    graph = flow("start -> each", each=("iteration", {"items": [1]}), e=("end", {}, {"parent": "each"}))
    assert codes(graph) == ["parent_wrong"]
    assert EngineRun(each(), {"items": []}).compiled.plans["each"].entries == ["t"]


@pytest.mark.parametrize("resumed", [False, True])
async def test_variables_of_a_loop_that_were_set_inside_an_iteration_outlive_it(resumed: bool) -> None:
    graph = flow(
        "start -> round -> end",
        "each -> ask",
        "ask:approved -> tell",
        round=("loop", {"vars": {"x": 0}, "max": 1, "output": "{{ tell.text }}"}),
        each=("iteration", {"items": [1, 2], "output": "{{ item }}"}, {"parent": "round"}),
        inner=("iteration", {"items": [3, 4], "output": "{{ item }}"}, {"parent": "each"}),
        put=("set_variable", {"values": {"x": "{{ item }}"}}, {"parent": "inner"}),
        ask=("approval", {"title": "On?"}, {"parent": "round"}),
        tell=("template", {"template": "{{ loop.vars.x }}"}, {"parent": "round"}),
        end=("end", {"outputs": {"text": "{{ round.output }}"}}),
    )
    engine_run = played(graph)
    assert (await engine_run.run()).state == "WAITING"
    question = answer(engine_run.question().interaction)
    if resumed:
        await engine_run.segment.close()
        engine_run.open()
    assert (await engine_run.on(question)).outputs == {"text": "4"}
