"""The tool node: arguments, results, errors and repeats; the seed's cases by their names."""

from __future__ import annotations

import pytest

from backend.engine.testing import ScriptedTools
from backend.errors import (
    GraphInvalid,
    McpAuthFailed,
    McpInvalidParams,
    McpTimeout,
    McpToolNotFound,
    McpUnreachable,
)
from backend.tools.types import ToolResult
from tests.looking import inside
from tests.unit.engine.engine_run import flow, played


def call(arguments: object = None, **more: object) -> tuple[object, ...]:
    """A tool node of the server `kb`."""
    return ("tool", {"server": "kb", "tool": "search", "arguments": arguments or {}}, dict(more))


async def test_tool_node_basic() -> None:
    search = ScriptedTools({"search": ["found it"]})
    engine_run = played(flow("start -> t", t=call({"q": "x"})), kb=search)
    end = await engine_run.run()
    assert end.state == "SUCCESS"
    assert search.calls == [("search", {"q": "x"})]
    assert engine_run.output("t") == {
        "result": "found it",
        "content": [{"type": "text", "text": "found it"}],
        "structured": None,
        "is_error": False,
    }
    assert engine_run.types_of("t") == ["STEP_INIT", "STEP_INPUT", "TOOL_REQUEST", "TOOL_RESPONSE", "STEP_OUTPUT"]


def test_tool_node_missing_server() -> None:
    with pytest.raises(GraphInvalid) as refused:
        played(flow("start -> t", t=("tool", {"tool": "search", "arguments": {}})))
    problem = refused.value.detail["problems"][0]
    assert (problem["code"], problem["node"], problem["path"]) == ("config_missing", "t", "/nodes/1/config/server")


async def test_tool_node_unknown_server_ends_the_run() -> None:
    engine_run = played(flow("start -> t", t=call()))
    end = await engine_run.run()
    assert (end.state, end.error and end.error["code"]) == ("ERROR", "NOT_FOUND")
    assert engine_run.types_of("t") == ["STEP_INIT", "STEP_INPUT", "STEP_ERROR"]


async def test_tool_node_template_args() -> None:
    search = ScriptedTools({"search": ["ok"]})
    graph = flow("start -> t", t=call({"id": "{{start.id}}", "text": "no. {{#start.id#}}", "all": "{{ start }}"}))
    await played(graph, {"id": 7}, kb=search).run()
    assert search.calls == [("search", {"id": 7, "text": "no. 7", "all": {"id": 7}})]


async def test_case_130_tool_node_basic() -> None:
    search = ScriptedTools({"search": [{"hits": [{"title": "Patchbay"}]}]})
    graph = flow("start -> search_ -> fin", search_=call({"q": "{{ start.q }}"}), fin=("end", {"outputs": {}}))
    graph["nodes"][2]["config"]["outputs"] = {"result": "{{ search_.result }}", "hits": "{{ search_.structured.hits }}"}
    end = await played(graph, {"q": "p"}, kb=search).run()
    assert end.outputs == {"result": '{"hits": [{"title": "Patchbay"}]}', "hits": [{"title": "Patchbay"}]}


async def test_an_error_result_is_never_success() -> None:
    bad = ScriptedTools({"search": [ToolResult([{"type": "text", "text": "no such index"}], text="no", is_error=True)]})
    engine_run = played(flow("start -> t -> after", t=call()), kb=bad)
    end = await engine_run.run()
    assert end.error and end.error["code"] == "MCP_EXECUTION_ERROR"
    assert inside(end.error["detail"])["content"] == [{"type": "text", "text": "no such index"}]
    assert len(bad.calls) == 1
    assert engine_run.types_of("t")[-2:] == ["TOOL_RESPONSE", "STEP_ERROR"]
    assert "after" not in engine_run.ran()


async def test_an_error_goes_by_the_error_port() -> None:
    bad = ScriptedTools({"search": [McpAuthFailed()]})
    graph = flow(
        "start -> t", "t:out -> fine", "t:error -> sorry", t=call(on_error="port"),
        sorry=("template", {"template": "{{ t.error.code }} {{ t.result }}"}),
    )  # fmt: skip
    engine_run = played(graph, kb=bad)
    assert (await engine_run.run()).state == "SUCCESS"
    assert engine_run.output("sorry") == {"text": "MCP_AUTH_FAILED "}
    assert engine_run.types_of("fine") == ["STEP_SKIP"]


async def test_an_error_can_be_passed_over() -> None:
    bad = ScriptedTools({"search": [McpAuthFailed()]})
    graph = flow("start -> t -> after", t=call(on_error="continue"))
    engine_run = played(graph, kb=bad)
    assert (await engine_run.run()).state == "SUCCESS"
    assert "after" in engine_run.ran()


@pytest.mark.parametrize("error", [McpUnreachable, McpTimeout])
async def test_a_lost_connection_is_tried_again(error: type[Exception]) -> None:
    shaky = ScriptedTools({"search": [error(), error(), "at last"]})
    engine_run = played(flow("start -> t", t=call()), kb=shaky)
    assert (await engine_run.run()).state == "SUCCESS"
    retries = [line.data for line in engine_run.events if line.type == "STEP_RETRY"]
    assert [(r["attempt"], r["delay_ms"]) for r in retries] == [(2, 1000), (3, 2000)]
    assert engine_run.types_of("t").count("TOOL_REQUEST") == engine_run.types_of("t").count("TOOL_RESPONSE") == 3


async def test_it_is_tried_three_times_more_at_most() -> None:
    dead = ScriptedTools({"search": [McpUnreachable()]})
    engine_run = played(flow("start -> t", t=call()), kb=dead)
    end = await engine_run.run()
    assert (end.state, end.error and end.error["code"]) == ("ERROR", "MCP_UNREACHABLE")
    assert len(dead.calls) == 4


@pytest.mark.parametrize("error", [McpAuthFailed, McpToolNotFound, McpInvalidParams])
async def test_what_trying_again_cannot_help_is_not_tried_again(error: type[Exception]) -> None:
    bad = ScriptedTools({"search": [error()]})
    end = await played(flow("start -> t", t=call(retry={"max": 5})), kb=bad).run()
    assert end.state == "ERROR"
    assert len(bad.calls) == 1


async def test_a_write_that_timed_out_is_not_tried_again() -> None:
    slow = ScriptedTools({"search": [McpTimeout()]}, kind="write")
    engine_run = played(flow("start -> t", t=call(retry={"max": 5})), kb=slow)
    end = await engine_run.run()
    assert end.error and end.error["code"] == "MCP_TIMEOUT"
    assert len(slow.calls) == 1
    assert engine_run.last("t").data["unknown"] == ["call"]


async def test_a_write_that_was_not_sent_is_tried_again_where_the_node_says_so() -> None:
    down = ScriptedTools({"search": [McpUnreachable(params={"sent": False}), "ok"]}, kind="write")
    end = await played(flow("start -> t", t=call(retry={"max": 1})), kb=down).run()
    assert end.state == "SUCCESS"
    assert len(down.calls) == 2


async def test_arguments_may_be_one_expression() -> None:
    search = ScriptedTools({"search": ["ok"]})
    await played(flow("start -> t", t=call("{{ start.all }}")), {"all": {"q": 1}}, kb=search).run()
    assert search.calls == [("search", {"q": 1})]
    end = await played(flow("start -> t", t=call("{{ start.all }}")), {"all": [1]}, kb=search).run()
    assert end.error and end.error["code"] == "VALIDATION_ERROR"
