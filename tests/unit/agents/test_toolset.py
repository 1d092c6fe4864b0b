"""The tools of an agent: several servers, workflows, functions, selected tools, settled parameters."""

from __future__ import annotations

from typing import Any

import pytest

from backend.engine.testing import ScriptedTools
from backend.llm.testing import ScriptedModel, wants
from backend.tools.calls.gate import GatedToolSource, ToolRules
from backend.tools.calls.selected import SelectedToolSource, without
from backend.tools.calls.testing import PlainEffects, PolicyTable, ScriptedToolSource
from backend.tools.types import CallContext, ToolSpec
from tests.unit.engine.engine_run import EngineRun, answer, flow

Json = Any


def played(model: ScriptedModel, tools: Json, inputs: Json = None, chosen: str = "m", **servers: Any) -> EngineRun:
    """start → a, an agent with these tools."""
    config = {"provider": "llm", "model": chosen, "query": "?", "tools": tools}
    return EngineRun(flow("start -> a", a=("agent", config)), inputs or {}, dict(servers), models={"llm": model})


def offered(model: ScriptedModel, request: int = 0) -> list[str]:
    """Names of the tools that the model was offered."""
    return [tool.name for tool in model.requests[request].tools]


def logged(engine_run: EngineRun) -> list[str]:
    """The lines of the agent's log."""
    return [line.data["text"] for line in engine_run.events if line.type == "STEP_LOG"]


async def test_tools_of_several_servers_have_names_of_their_own() -> None:
    mail, news = ScriptedTools({"search": ["a mail"]}), ScriptedTools({"search": ["a story"], "read": ["all of it"]})
    model = ScriptedModel(wants(("mail__search", {}), ("news__search", {}), ("read", {}), ("search", {})), "done")
    engine_run = played(model, {"servers": [{"server": "mail"}, {"server": "news"}]}, mail=mail, news=news)
    await engine_run.run()
    assert offered(model) == ["mail__search", "news__search", "news__read"]
    calls = engine_run.output("a")["tool_calls"]
    assert [(c["server"], c["tool"], c["result"]) for c in calls[:3]] == [
        ("mail", "search", "a mail"), ("news", "search", "a story"), ("news", "read", "all of it"),
    ]  # fmt: skip
    assert calls[3]["is_error"] is True  # two tools are named so


async def test_one_server_twice_keeps_both_selections() -> None:
    kb = ScriptedTools({"one": ["1"], "two": ["2"]})
    tools = {"servers": [{"server": "kb", "include": ["one"]}, {"server": "kb", "include": ["two"]}]}
    model = ScriptedModel("done")
    await played(model, tools, kb=kb).run()
    assert offered(model) == ["kb__one", "kb_2__two"]


async def test_only_selected_tools_are_offered_and_callable() -> None:
    kb = ScriptedTools({"one": ["1"], "two": ["2"]})
    model = ScriptedModel(wants(("kb__two", {})), "done")
    engine_run = played(model, {"servers": [{"server": "kb", "include": ["one", "three"]}]}, kb=kb)
    await engine_run.run()
    assert offered(model) == ["kb__one"]
    assert kb.calls == []
    assert logged(engine_run) == ["There is no tool named kb/three."]


async def test_long_names_of_tools_and_models_are_no_long_keys() -> None:
    model, kb = ScriptedModel("done"), ScriptedTools({"one": ["1"]})
    tools = {"servers": [{"server": "kb", "include": ["one", "x" * 300, "x" * 299]}]}
    engine_run = played(model, tools, chosen="m" * 300, kb=kb)
    assert (await engine_run.run()).state == "SUCCESS"
    assert len(logged(engine_run)) == 2


async def test_settled_parameters_leave_the_schema_and_cannot_be_overruled() -> None:
    schema: Json = {
        "type": "object",
        "properties": {"q": {"type": "string"}, "limit": {"type": "integer"}},
        "required": ["q", "limit"],
    }
    inner = ScriptedToolSource("kb", specs=[ToolSpec("kb", "find", input_schema=schema)], find=["found"])
    kb = GatedToolSource(inner, PolicyTable({"find": ToolRules(policy="ask")}))
    model = ScriptedModel(wants(("find", {"q": "x", "limit": 9})), "done")
    tools = {"servers": [{"server": "kb", "fixed": {"find": {"limit": "{{ start.n }}"}}}]}
    engine_run = played(model, tools, {"n": 3}, kb=kb)
    await engine_run.run()
    assert model.requests[0].tools[0].parameters == {
        "type": "object",
        "properties": {"q": {"type": "string"}},
        "required": ["q"],
    }
    question = engine_run.question().question
    assert question and question.proposal == {"q": "x", "limit": 3}  # the person sees the whole call
    await engine_run.on(answer(engine_run.question().interaction))
    assert inner.calls == [("find", {"q": "x", "limit": 3})]
    assert engine_run.output("a")["tool_calls"][0]["arguments"] == {"q": "x", "limit": 3}  # what ran
    assert "requested" not in engine_run.output("a")["tool_calls"][0]  # nobody changed what the model may know


def test_a_schema_without_some_parameters() -> None:
    assert without({"type": "object"}, {"x": 1}) == {"type": "object"}
    assert without({"properties": {"x": {}, "y": {}}, "required": ["x"]}, {"x": 1}) == {
        "properties": {"y": {}},
        "required": [],
    }


async def test_selected_sources_say_how_calls_are_journaled() -> None:
    inner = ScriptedToolSource("kb", one=["1"])
    rules = PolicyTable({"one": ToolRules(effect_override="idempotent")})
    source = SelectedToolSource(GatedToolSource(inner, rules), ["one"], {"one": {"x": 1}})
    assert await source.effect_of("one") == "idempotent"
    assert (await source.call_tool("one", {"x": 2}, CallContext(PlainEffects(), "c"))).text == "1"
    assert inner.calls == [("one", {"x": 1})]
    assert await SelectedToolSource(inner).effect_of("one") == "write"  # who does not say counts as one that writes


async def test_functions_of_the_installation_are_tools() -> None:
    model = ScriptedModel(wants(("local__calculate", {"expression": "6*7"})), "It is 42.")
    engine_run = played(model, {"local": ["calculate", "gone"]})
    await engine_run.run()
    assert offered(model) == ["local__calculate"]
    [call] = engine_run.output("a")["tool_calls"]
    assert (call["server"], call["tool"], call["result"]) == ("local", "calculate", '{"value": 42}')
    assert logged(engine_run) == ["There is no tool named local/gone."]


async def test_workflows_are_tools() -> None:
    model = ScriptedModel(wants(("workflow__tidy_up", {"n": 1})), "Tidy.")
    engine_run = played(model, {"workflows": ["tidy_up"]})
    end = await engine_run.run()
    assert end.state == "WAITING"
    assert [item.kind for item in end.waiting] == ["child"]
    [child] = engine_run.runs.started.values()
    assert (child.workflow, child.inputs) == ("tidy_up", {"n": 1})


async def test_the_tools_are_those_of_the_first_look() -> None:
    """A server that lists something else after a restart does not change what the model is offered."""
    specs = [ToolSpec("kb", "send")]
    inner = ScriptedToolSource("kb", specs=specs, send=["sent"])
    model = ScriptedModel(wants(("send", {})), "done")
    engine_run = played(model, {"servers": [{"server": "kb"}]}, kb=GatedToolSource(inner, PolicyTable()))
    assert (await engine_run.run()).state == "WAITING"
    await engine_run.segment.close()
    inner.specs.insert(0, ToolSpec("kb", "new", description="x"))
    segment = engine_run.open()
    segment.deliver(answer(engine_run.question().interaction))
    assert (await engine_run.on()).state == "SUCCESS"
    assert [offered(model, n) for n in (0, 1)] == [["kb__send"], ["kb__send"]]


async def test_a_server_that_cannot_be_listed_fails_the_step() -> None:
    end = await played(ScriptedModel("x"), {"servers": [{"server": "nowhere"}]}).run()
    assert end.error and end.error["code"] == "NOT_FOUND"


@pytest.mark.parametrize("server", ["{{ start.which }}", {"url": "https://{{ start.which }}/mcp"}])
async def test_no_expression_is_read_in_the_name_of_a_server(server: Json) -> None:
    engine_run = played(
        ScriptedModel("x"), {"servers": [{"server": server}]}, {"which": "kb"}, kb=ScriptedTools({"x": ["1"]})
    )
    end = await engine_run.run()
    assert end.error and end.error["code"] == "NOT_FOUND"
