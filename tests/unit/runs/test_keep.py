"""Keeping calls as a workflow: what becomes an expression, what stays a constant, and that it does the same again."""

from __future__ import annotations

from typing import Any

import pytest

from backend.agents.tool_search import SEARCH_TOOLS
from backend.engine.document.compile import compile_graph
from backend.json_types import JsonObject, JsonValue
from backend.llm.testing import ScriptedModel, wants
from backend.nodes import node_types
from backend.runs.rerun.save_as_workflow import finished, successful_calls
from backend.runs.rerun.trace_to_workflow import SuccessfulCall, telling, trace_to_workflow
from backend.tools.calls.gate import GatedToolSource, ToolRules
from backend.tools.calls.testing import PolicyTable, ScriptedToolSource
from backend.tools.types import ToolResult
from tests.unit.agents.planner_run import READ, Brain, Stage, spec
from tests.unit.engine.engine_run import EngineRun, flow

Json = Any

GRAPH: Json = flow(
    "start -> work -> done",
    start=("start", {"inputs": {"type": "object", "properties": {"city": {"type": "string"}}}}),
    work=("set_variable", {"values": {}}),
    done=("end", {"outputs": {}}),
) | {"language": "zh", "mcp_servers": {"kb": {"transport": "stdio", "command": "kb"}, "unused": {}}}


def kept(*calls: SuccessfulCall, inputs: Json = None) -> Json:
    """The document, which must be one that runs."""
    graph = trace_to_workflow(GRAPH, list(calls), inputs or {})
    compile_graph(graph, node_types())
    return graph


def arguments(graph: Json, node: str) -> Json:
    config = next(item for item in graph["nodes"] if item["id"] == node)["config"]
    return config.get("arguments", config.get("inputs"))


def test_a_chain_of_calls_with_the_start_kept_and_the_last_result_at_its_end() -> None:
    graph = kept(SuccessfulCall("kb", "search", {"q": "cats"}), SuccessfulCall("box", "read", {}, title="Read it."))
    assert [(node["id"], node["type"]) for node in graph["nodes"]] == [
        ("start", "start"),
        ("search", "tool"),
        ("read", "tool"),
        ("end", "end"),
    ]
    assert graph["nodes"][0]["config"] == GRAPH["nodes"][0]["config"] and graph["language"] == "zh"
    assert graph["nodes"][2]["title"] == "Read it." and graph["mcp_servers"] == {"kb": GRAPH["mcp_servers"]["kb"]}
    assert graph["nodes"][-1]["config"] == {"outputs": {"result": "{{ read.result }}"}}
    assert [(edge["source"], edge["target"]) for edge in graph["edges"]] == [
        ("start", "search"),
        ("search", "read"),
        ("read", "end"),
    ]


def test_values_are_read_where_they_came_from_the_newest_place_first() -> None:
    graph = kept(
        SuccessfulCall(
            "box", "first", {"where": "Berlin"}, structured={"id": "abcd-1", "n": 12345, "list": [{"odd key": "wxyz"}]}
        ),
        SuccessfulCall("box", "second", {"id": "abcd-1"}, text="the whole text\n", structured=None),
        SuccessfulCall(
            "box",
            "third",
            {"id": "abcd-1", "n": 12345, "o": ["wxyz"], "t": "the whole text"},
            structured={"id": "abcd-1"},
        ),
        SuccessfulCall("box", "fourth", {"id": "abcd-1", "deep": {"text": "the whole text\n"}}),
        inputs={"city": "Berlin"},
    )
    assert arguments(graph, "first") == {"where": "{{ start.city }}"}
    assert arguments(graph, "second") == {"id": "{{ first.structured.id }}"}
    assert arguments(graph, "third") == {
        "id": "{{ first.structured.id }}",
        "n": "{{ first.structured.n }}",
        "o": ['{{ first.structured.list[0]["odd key"] }}'],
        "t": "{{ second.result | trim }}",
    }
    assert arguments(graph, "fourth") == {
        "id": "{{ third.structured.id }}",
        "deep": {"text": "{{ second.result }}"},
    }


def test_whole_objects_and_lists_are_found_too() -> None:
    tags: list[JsonValue] = ["one tag", "two tags"]
    graph = kept(
        SuccessfulCall("box", "first", {}, structured={"tags": tags}),
        SuccessfulCall("box", "second", {"tags": tags, "more": [tags]}),
    )
    assert arguments(graph, "second") == {
        "tags": "{{ first.structured.tags }}",
        "more": ["{{ first.structured.tags }}"],
    }


def test_json_in_a_text_is_read_by_a_node_of_its_own_only_where_it_is_needed() -> None:
    text = '{"items": [{"path": "/srv/a.txt"}]}'
    graph = kept(SuccessfulCall("box", "list", {}, text=text), SuccessfulCall("box", "read", {"path": "/srv/a.txt"}))
    assert [node["id"] for node in graph["nodes"]] == ["start", "list", "list_data", "read", "end"]
    assert graph["nodes"][2]["config"] == {"values": {"data": "{{ list.result | fromjson }}"}}
    assert arguments(graph, "read") == {"path": "{{ list_data.data.items[0].path }}"}
    assert len(kept(SuccessfulCall("box", "list", {}, text=text), SuccessfulCall("box", "read", {}))["nodes"]) == 4


@pytest.mark.parametrize(
    "value", [True, None, 0, 7, 1.5, 999, "", "abc", "12", "   ", "1.5", [], {}, [1, 2], {"a": "b"}]
)
def test_trivial_values_stay_constants(value: Json) -> None:
    assert not telling(value)
    graph = kept(
        SuccessfulCall("box", "first", {}, structured={"v": value}), SuccessfulCall("box", "second", {"v": value})
    )
    assert arguments(graph, "second") == {"v": value}


def test_a_number_is_not_a_text_and_one_is_not_true() -> None:
    graph = kept(
        SuccessfulCall("box", "first", {}, structured={"n": 48213}), SuccessfulCall("box", "second", {"n": "48213"})
    )
    assert arguments(graph, "second") == {"n": "48213"}


def test_braces_in_constants_come_out_as_they_are() -> None:
    graph = kept(SuccessfulCall("box", "first", {"text": "say {{ env.x }} {%"}))
    assert arguments(graph, "first") == {"text": "say \\{{ env.x }} {%"}


def test_ids_are_free_and_allowed() -> None:
    graph = kept(
        SuccessfulCall("box", "start", {}),
        SuccessfulCall("box", "Read File!", {}),
        SuccessfulCall("box", "read_file", {}),
        SuccessfulCall("x", "7", {}),
    )
    assert [node["id"] for node in graph["nodes"]] == ["start", "start_2", "read_file", "read_file_2", "n_7", "end"]


def test_workflows_become_workflow_nodes_and_inline_servers_stay_inline() -> None:
    inline: JsonObject = {"transport": "stdio", "command": "x"}
    graph = kept(
        SuccessfulCall("workflow", "make-report", {"topic": "cats"}, structured={"url": "file://report"}),
        SuccessfulCall(inline, "open", {"url": "file://report"}),
    )
    assert graph["nodes"][1]["config"] == {"workflow": "make-report", "inputs": {"topic": "cats"}}
    assert graph["nodes"][2]["config"]["server"] == inline
    assert arguments(graph, "open") == {"url": "{{ make_report.url }}"}


def test_built_in_tools_are_left_out_with_a_note() -> None:
    graph = kept(
        SuccessfulCall("local", "calculate", {}, structured={"value": 123456}),
        SuccessfulCall("box", "send", {"n": 123456}),
    )
    assert [node["id"] for node in graph["nodes"]] == ["start", "send", "end"] and arguments(graph, "send") == {
        "n": 123456
    }
    assert "calculate" in graph["annotations"][0]["text"]


async def test_a_kept_plan_makes_the_same_calls() -> None:
    tools = [
        spec("find", annotations=READ, name={"type": "string"}),
        spec("read", "path", annotations=READ, path={"type": "string"}),
        spec("send", "to", to={"type": "string"}, text={"type": "string"}),
    ]
    replies: dict[str, list[Json]] = {
        "find": [{"hits": [{"path": "/srv/notes.txt", "size": 4211}]}],
        "read": ["all is well"],
        "send": [ToolResult([], text="no such argument", is_error=True), "sent"],
    }
    brain = Brain(
        [("box__find", "Find it."), ("box__read", "Read it."), ("box__send", "Send it.")],
        {1: {"name": "notes"}, 2: {"path": "/srv/notes.txt"}, 3: {"to": "b", "text": "all is well"}},
        mends={'{"to": "b", "text": "all is well"}': {"to": "bob@example.org", "text": "all is well"}},
    )
    one = Stage(brain, tools, replies, auto=True)
    assert (await one.run()).state == "SUCCESS"
    lines = finished(line for line in one.engine_run.disk.lines if line.record and line.node == "plan")
    graph = trace_to_workflow(one.engine_run.document, successful_calls(lines, None), one.engine_run.inputs)
    titles = [node.get("title") for node in graph["nodes"]]
    assert titles == [None, "Find it.", "Read it.", "Send it.", None]
    again = ScriptedToolSource("box", specs=tools, **{**replies, "send": ["sent"]})
    rules = {"send": ToolRules(policy="allow")}
    engine_run = EngineRun(graph, one.engine_run.inputs, {"box": GatedToolSource(again, PolicyTable(rules))})
    end = await engine_run.run()
    assert (end.state, end.outputs) == ("SUCCESS", {"result": "sent"})
    assert again.calls == [call for call in one.tools.calls if call[1] != {"to": "b", "text": "all is well"}]
    sent = next(node for node in graph["nodes"] if node["id"] == "send")["config"]["arguments"]
    assert sent == {"to": "bob@example.org", "text": "{{ read.result }}"}


async def test_a_kept_agent_makes_the_same_calls_without_those_that_failed() -> None:
    tools = [
        spec("find", annotations=READ, what={"type": "string"}),
        spec("read", "path", annotations=READ, path={"type": "string"}),
    ]
    replies: dict[str, list[Json]] = {
        "find": [{"hits": ["/srv/notes.txt", "/srv/more.txt"]}],
        "read": ["all is well", ToolResult([], text="no such file", is_error=True)],
    }
    model = ScriptedModel(
        wants((SEARCH_TOOLS, {"query": "find read"})),
        wants(("box__find", {"what": "notes of Monday"})),
        wants(("box__read", {"path": "/srv/notes.txt"}), ("box__read", {"path": "/srv/none.txt"})),
        "All is well.",
    )
    tools_of = {"tools": {"servers": [{"server": "box"}]}, "tool_search": "search"}
    about = {"provider": "p", "model": "m", "query": "{{ start.q }}", **tools_of}
    document = flow("start -> a", a=("agent", about))

    def gated(source: ScriptedToolSource) -> GatedToolSource:
        return GatedToolSource(source, PolicyTable())

    first = ScriptedToolSource("box", specs=tools, **replies)
    engine_run = EngineRun(document, {"q": "notes of Monday"}, {"box": gated(first)}, models={"p": model})
    assert (await engine_run.run()).state == "SUCCESS"
    lines = finished(line for line in engine_run.disk.lines if line.record and line.node == "a")
    graph = trace_to_workflow(document, successful_calls(lines, None), engine_run.inputs)
    again = ScriptedToolSource("box", specs=tools, **replies)
    end = await EngineRun(graph, {"q": "notes of Monday"}, {"box": gated(again)}).run()
    assert (end.state, end.outputs) == ("SUCCESS", {"result": "all is well"})
    assert again.calls == first.calls[:2]
    assert graph["annotations"] == []  # nothing is said of the search
    assert arguments(graph, "find") == {"what": "{{ start.q }}"}
    assert arguments(graph, "read") == {"path": "{{ find.structured.hits[0] }}"}


def test_a_step_that_did_not_succeed_cannot_be_kept() -> None:
    assert finished([]) == []
