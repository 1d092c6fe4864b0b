"""The agent node on the in-memory twins; the seed's cases by their names, with the design's count of iterations."""

from __future__ import annotations

from typing import Any

from backend.engine.testing import ScriptedTools
from backend.errors import McpTimeout
from backend.llm.testing import ScriptedModel, wants
from backend.llm.types import ChatReply
from backend.tools.types import ToolResult, ToolSource
from tests.looking import inside
from tests.unit.agents.marked_results import data
from tests.unit.engine.engine_run import EngineRun, flow

Json = Any


def agent(**config: Json) -> tuple[str, Json]:
    """An agent with the tools of the server `kb`."""
    base = {"provider": "llm", "model": "parrot", "query": "{{ start.question }}"}
    return ("agent", base | {"tools": {"servers": [{"server": "kb"}]}} | config)


def played(model: ScriptedModel, node: Json, **servers: ToolSource) -> EngineRun:
    """start → a → fin."""
    outputs = {"text": "{{ a.text }}", "tool_calls": "{{ a.tool_calls }}", "iterations": "{{ a.iterations }}"}
    graph = flow("start -> a -> fin", a=node, fin=("end", {"outputs": outputs}))
    return EngineRun(graph, {"question": "What is known?"}, dict(servers), models={"llm": model})


def kb(*replies: Json) -> ScriptedTools:
    """A server with the tool `search`."""
    return ScriptedTools({"search": list(replies) or ["found it"]})


async def test_agent_no_tool_calls() -> None:
    model = ScriptedModel("Nothing to look up.")
    engine_run = played(model, agent(system_prompt="Be brief."), kb=kb())
    assert (await engine_run.run()).state == "SUCCESS"
    out = engine_run.output("a")
    assert (out["text"], out["tool_calls"], out["iterations"], out["stopped"]) == ("Nothing to look up.", [], 1, "done")
    assert out["usage"] == {
        "input_tokens": 10, "output_tokens": 5, "cached_tokens": 0, "reasoning_tokens": 0, "cost": 0.001,
    }  # fmt: skip
    [request] = model.requests
    assert request.messages == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "What is known?"},
    ]
    assert [tool.name for tool in request.tools] == ["kb__search"]


async def test_agent_single_iteration() -> None:
    model = ScriptedModel(wants(("kb__search", {"q": "x"})), "It was found.")
    search = kb("found it")
    engine_run = played(model, agent(), kb=search)
    await engine_run.run()
    out = engine_run.output("a")
    assert search.calls == [("search", {"q": "x"})]
    assert out["iterations"] == 2
    assert out["tool_calls"] == [
        {
            "iteration": 0,
            "server": "kb",
            "tool": "search",
            "arguments": {"q": "x"},
            "result": "found it",
            "is_error": False,
        }
    ]
    assert model.requests[1].messages[1:] == [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "call_0", "name": "kb__search", "arguments": '{"q": "x"}'}],
        },
        {"role": "tool", "tool_call_id": "call_0", "content": data("search", "found it")},
    ]


async def test_agent_max_iterations() -> None:
    model = ScriptedModel(lambda request: wants(("search", {})) if request.tools else "That is all I know.")
    engine_run = played(model, agent(max_iterations=3), kb=kb())
    await engine_run.run()
    out = engine_run.output("a")
    assert (out["iterations"], out["stopped"], out["text"]) == (3, "max_iterations", "That is all I know.")
    assert len(model.requests) == 4
    assert [bool(request.tools) for request in model.requests] == [True, True, True, False]
    assert [call["iteration"] for call in out["tool_calls"]] == [0, 1, 2]


async def test_agent_tool_error() -> None:
    model = ScriptedModel(wants(("search", {})), wants(("search", {"again": True})), "I could not look it up.")
    search = kb(
        ToolResult([{"type": "text", "text": "index is down"}], text="index is down", is_error=True), McpTimeout()
    )
    engine_run = played(model, agent(), kb=search)
    assert (await engine_run.run()).state == "SUCCESS"
    out = engine_run.output("a")
    assert out["text"] == "I could not look it up."
    assert [(call["is_error"], call["iteration"]) for call in out["tool_calls"]] == [(True, 0), (True, 1)]
    assert model.requests[1].messages[-1]["content"] == data("search", "Error: index is down")
    assert "MCP_TIMEOUT" in model.requests[2].messages[-1]["content"]


async def test_agent_empty_tools() -> None:
    model = ScriptedModel(ChatReply(text="Just words."))
    engine_run = played(model, agent(tools={}))
    await engine_run.run()
    assert engine_run.output("a") | {"usage": None} == {
        "text": "Just words.",
        "tool_calls": [],
        "iterations": 1,
        "structured": None,
        "usage": None,
        "stopped": "done",
        "finish": "stop",
        "model": "parrot",
    }
    assert model.requests[0].tools == []
    assert engine_run.types_of("a") == [
        "STEP_INIT",
        "STEP_INPUT",
        "LLM_REQUEST",
        "TEXT_ADD",
        "LLM_RESPONSE",
        "STEP_OUTPUT",
    ]


async def test_case_131_agent_node_basic() -> None:
    model = ScriptedModel(wants(("search", {"q": "patchbay"})), "Patchbay is a workbench.")
    engine_run = played(model, agent(), kb=kb({"hits": ["a workbench"]}))
    end = await engine_run.run()
    assert end.state == "SUCCESS"
    assert end.outputs["text"] == "Patchbay is a workbench."
    assert len(inside(end.outputs["tool_calls"])) == 1
    assert end.outputs["iterations"] == 2


async def test_case_132_agent_node_max_iterations() -> None:
    model = ScriptedModel(lambda request: wants(("search", {})) if request.tools else "forced")
    engine_run = played(model, agent(max_iterations=3), kb=kb())
    end = await engine_run.run()
    assert (end.outputs["iterations"], end.outputs["text"]) == (3, "forced")
