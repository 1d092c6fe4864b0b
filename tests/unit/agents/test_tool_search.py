"""Many tools: a model searches them, gets the definitions it needs, and a replay gives it the same."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from backend.agents.tool_lists import offered
from backend.agents.tool_search import MOST_TOKENS, MOST_TOOLS, SEARCH_TOOLS, ToolIndex, words_of, words_of_tool
from backend.agents.toolset import MAX_LOADED, MAX_TOOLS
from backend.llm.testing import ScriptedModel, wants
from backend.llm.types import ChatRequest
from backend.tools.calls.gate import GatedToolSource, ToolRules
from backend.tools.calls.testing import PolicyTable, ScriptedToolSource
from backend.tools.types import ToolSpec
from tests import tool_search
from tests.unit.engine.engine_run import EngineRun, answer, flow

Json = Any
READ: Json = {"readOnlyHint": True}
QUERY: Json = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}


def kb(count: int = MOST_TOOLS + 1, **rules: ToolRules) -> tuple[GatedToolSource, ScriptedToolSource]:
    """A gated server with `send_parcel` and so many others that only count."""
    names = [f"count_sheep_{number}" for number in range(count - 1)]
    specs = [ToolSpec("kb", name, "Counts sheep", annotations=READ) for name in names]
    specs.append(ToolSpec("kb", "send_parcel", "Ships goods to an address", input_schema=QUERY, annotations=READ))
    replies: Json = {spec.name: ["done"] for spec in specs}
    inner = ScriptedToolSource("kb", specs=specs, **replies)
    return GatedToolSource(inner, PolicyTable(rules)), inner


def played(model: ScriptedModel, source: GatedToolSource, type_: str = "agent", **config: Json) -> EngineRun:
    """start → a, a node with the tools of `source`."""
    asks: Json = {"agent": {"query": "?"}, "llm": {"messages": [{"content": "?"}]}, "planner": {"goal": "Send it."}}[
        type_
    ]
    about = {"provider": "llm", "model": "m", **asks, "tools": {"servers": [{"server": "kb"}]}, **config}
    return EngineRun(flow("start -> a", a=(type_, about)), {}, {"kb": source}, models={"llm": model})


def names(model: ScriptedModel) -> list[list[str]]:
    """The tools that each request offered."""
    return [[tool.name for tool in request.tools] for request in model.requests]


SEARCH: Json = (SEARCH_TOOLS, {"query": "ship a parcel", "limit": 1})
SEND: Json = ("kb__send_parcel", {"q": "x"})


async def test_beyond_the_limit_a_model_searches_and_what_it_loaded_stays() -> None:
    source, inner = kb()
    model = ScriptedModel(wants(SEARCH), wants(SEND), "done")
    engine_run = played(model, source)
    assert (await engine_run.run()).state == "SUCCESS"
    assert names(model) == [[SEARCH_TOOLS], [SEARCH_TOOLS, "kb__send_parcel"], [SEARCH_TOOLS, "kb__send_parcel"]]
    assert model.requests[1].tools[1].parameters["required"] == ["q"]
    assert inner.calls == [("send_parcel", {"q": "x"})]
    calls = [(call["server"], call["tool"], call["is_error"]) for call in engine_run.output("a")["tool_calls"]]
    assert calls == [("local", SEARCH_TOOLS, False), ("kb", "send_parcel", False)]


async def test_up_to_the_limit_all_are_offered() -> None:
    model = ScriptedModel("done")
    await played(model, kb(MOST_TOOLS)[0]).run()
    assert len(names(model)[0]) == MOST_TOOLS
    assert SEARCH_TOOLS not in names(model)[0]


async def test_few_tools_with_large_definitions_are_searched_too() -> None:
    large: Json = {"type": "object", "properties": {"x": {"description": "word " * MOST_TOKENS}}}
    inner = ScriptedToolSource("kb", specs=[ToolSpec("kb", "one", input_schema=large)], one=["1"])
    model = ScriptedModel("done")
    await played(model, GatedToolSource(inner, PolicyTable())).run()
    assert names(model) == [[SEARCH_TOOLS]]


async def test_the_node_says_how_its_tools_are_offered() -> None:
    few, many = ScriptedModel("done"), ScriptedModel("done")
    await played(few, kb(2)[0], tool_search="search").run()
    await played(many, kb(MAX_TOOLS + 9)[0], tool_search="all").run()
    assert names(few) == [[SEARCH_TOOLS]]
    assert len(names(many)[0]) == MAX_TOOLS
    assert "9 more tools exist" in many.requests[0].messages[0]["content"]


async def test_a_tool_that_was_not_loaded_is_loaded_and_not_called() -> None:
    source, inner = kb()
    model = ScriptedModel(wants(SEND), wants(SEND), "done")
    engine_run = played(model, source)
    await engine_run.run()
    assert "you had not loaded it" in model.requests[1].messages[-1]["content"]
    assert names(model)[1] == [SEARCH_TOOLS, "kb__send_parcel"]
    assert inner.calls == [("send_parcel", {"q": "x"})]  # once: the second time


async def test_calls_beside_a_search_see_the_tools_of_before() -> None:
    source, inner = kb()
    model = ScriptedModel(wants(SEARCH, SEND), "done")
    await played(model, source).run()
    assert inner.calls == []
    assert names(model)[1] == [SEARCH_TOOLS, "kb__send_parcel"]


async def test_the_gate_holds_for_what_was_loaded() -> None:
    source, inner = kb(send_parcel=ToolRules(policy="ask"))
    model = ScriptedModel(wants(SEARCH), wants(SEND), "done")
    engine_run = played(model, source)
    assert (await engine_run.run()).state == "WAITING"
    assert inner.calls == []
    await engine_run.on(answer(engine_run.question().interaction))
    assert inner.calls == [("send_parcel", {"q": "x"})]


async def test_after_a_restart_the_model_has_what_it_had_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    source, _ = kb(send_parcel=ToolRules(policy="ask"))
    model = ScriptedModel(wants(SEARCH), wants(SEND), "done")
    engine_run = played(model, source)
    await engine_run.run()
    await engine_run.segment.close()
    monkeypatch.setattr(ToolIndex, "search", lambda *_: ["kb__count_sheep_1"])  # words are compared otherwise by then
    engine_run.open().deliver(answer(engine_run.question().interaction))
    assert (await engine_run.on()).state == "SUCCESS"
    assert names(model)[-1] == [SEARCH_TOOLS, "kb__send_parcel"]


def without_field(value: Json, name: str) -> Json:
    """A value without a field, wherever it stands."""
    if isinstance(value, dict):
        return {key: without_field(item, name) for key, item in value.items() if key != name}
    return [without_field(item, name) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("type_", ["agent", "llm"])
async def test_an_attempt_of_before_is_offered_all(type_: str) -> None:
    """Its journal knows no such field, and an older version of the behaviour (of an LLM node none)."""
    source, inner = kb(send_parcel=ToolRules(policy="ask"))
    model = ScriptedModel(wants(SEND), "done")
    engine_run = played(model, source, type_, tool_search="all")
    assert (await engine_run.run()).state == "WAITING"
    await engine_run.segment.close()
    kept = []
    for line in engine_run.disk.lines:
        if line.record == "value" and line.key == "behaviour":
            if type_ == "llm":
                continue
            line = replace(line, value={"value": 3})
        kept.append(replace(line, data=without_field(line.data, "tool_search")))
    assert kept != engine_run.disk.lines
    engine_run.disk.lines[:] = kept
    del engine_run.document["nodes"][1]["config"]["tool_search"]
    engine_run.__post_init__()
    engine_run.open().deliver(answer(engine_run.question().interaction))
    assert (await engine_run.on()).state == "SUCCESS"
    assert inner.calls == [("send_parcel", {"q": "x"})]
    assert all(SEARCH_TOOLS not in listed for listed in names(model))


async def test_a_search_without_words_or_hits_says_what_to_do() -> None:
    model = ScriptedModel(wants((SEARCH_TOOLS, {}), (SEARCH_TOOLS, {"query": "zzz"})), "done")
    engine_run = played(model, kb()[0])
    await engine_run.run()
    texts = [str(message["content"]) for message in model.requests[1].messages if message["role"] == "tool"]
    assert texts[0].startswith("Error: A few words on what the tool does")
    assert texts[1].startswith("No tool fits these words.")
    assert "kb (41)" in texts[1]


async def test_an_unknown_tool_leads_to_the_search() -> None:
    model = ScriptedModel(wants(("frobnicate", {})), "done")
    await played(model, kb()[0]).run()
    assert "Use search_tools" in model.requests[1].messages[-1]["content"]


async def test_loading_has_an_end_that_the_model_is_told() -> None:
    def search(request: ChatRequest) -> Json:
        named = [f"count_sheep_{len(request.tools) + number}" for number in range(10)]
        return wants((SEARCH_TOOLS, {"query": " ".join(named), "limit": 10}))

    model = ScriptedModel(*[search] * 16, "done")
    await played(model, kb(200)[0], max_iterations=20).run()
    assert MAX_LOADED <= len(names(model)[-1]) <= MAX_TOOLS
    assert "no more can be" in model.requests[-1].messages[-1]["content"]


async def test_a_tool_of_the_same_name_keeps_its_own() -> None:
    specs = [ToolSpec("kb", SEARCH_TOOLS, "Finds hammers", annotations=READ)]
    inner = ScriptedToolSource("kb", specs=specs, search_tools=["a hammer"])
    source = GatedToolSource(inner, PolicyTable())
    searched = ScriptedModel(wants((SEARCH_TOOLS, {"query": "hammers"})), wants((f"kb__{SEARCH_TOOLS}", {})), "done")
    await played(searched, source, tool_search="search").run()
    assert names(searched)[1] == [SEARCH_TOOLS, f"kb__{SEARCH_TOOLS}"]
    plain = ScriptedModel(wants((SEARCH_TOOLS, {"q": 1})), "done")
    await played(plain, source).run()
    assert inner.calls == [(SEARCH_TOOLS, {}), (SEARCH_TOOLS, {"q": 1})]


async def test_an_llm_searches_before_its_one_round() -> None:
    source, inner = kb()
    model = ScriptedModel(wants(SEARCH), wants(SEND), "never asked")
    engine_run = played(model, source, "llm")
    await engine_run.run()
    assert len(model.requests) == 2
    assert inner.calls == [("send_parcel", {"q": "x"})]
    output = engine_run.output("a")
    assert [call["tool"] for call in output["tool_calls"]] == [SEARCH_TOOLS, "send_parcel"]
    assert output["usage"]["input_tokens"] == 20


async def test_an_llm_that_only_searches_must_come_to_an_end() -> None:
    def search(request: ChatRequest) -> Json:
        return wants((SEARCH_TOOLS, {"query": "sheep"})) if SEARCH_TOOLS in str(request.tools) else "nothing found"

    model = ScriptedModel(search)
    engine_run = played(model, kb()[0], "llm")
    await engine_run.run()
    assert engine_run.output("a")["text"] == "nothing found"
    assert len(model.requests) == 6


async def test_a_planner_searches_for_the_tool_of_a_step() -> None:
    source, inner = kb()
    listed: list[str] = []

    def brain(request: ChatRequest) -> Json:
        shape: Json = (request.output_schema or {}).get("properties", {})
        if "tool" in shape:
            listed.append(", ".join(shape["tool"]["enum"]))
            plan = [(SEARCH_TOOLS, "ship a parcel"), ("kb__send_parcel", "Send it."), ("FINAL", "")]
            return json.dumps(dict(zip(("tool", "description"), plan[len(listed) - 1], strict=True)))
        if "risk" in shape:
            return json.dumps({"risk": "LOW", "reason": ""})
        if "name" in shape:
            return json.dumps({"name": "Send"})
        return json.dumps({"q": "x"}) if request.output_schema else "Sent."

    model = ScriptedModel(brain)
    engine_run = played(model, source, "planner", auto_execute=True)
    assert (await engine_run.run()).state == "SUCCESS"
    assert listed[0] == "search_tools, FINAL"
    assert "kb__send_parcel" in listed[1]
    assert "kb__count_sheep_7" not in model.requests[0].messages[0]["content"]
    assert inner.calls == [("send_parcel", {"q": "x"})]
    assert [step["tool"] for step in engine_run.output("a")["steps"]] == ["kb__send_parcel"]


# -- how words find a tool --------------------------------------------------------------------------------------------


def test_the_right_tool_is_among_five_for_nine_questions_of_ten() -> None:
    questions = tool_search.questions()
    missed = tool_search.misses()
    assert len(tool_search.tools()) == 372
    assert len(questions) >= 200
    assert len(missed) <= len(questions) // 10, missed


def test_a_list_of_372_tools_costs_a_seventh_at_most() -> None:
    whole, searched = tool_search.tokens()
    assert searched <= 0.15 * whole


@pytest.mark.parametrize("query", ["create_issue", "forge__create_issue", "Create issue", "please load create_issue"])
def test_an_exact_name_comes_first(query: str) -> None:
    assert tool_search.index().search(query)[0] == "forge__create_issue"


def test_other_forms_of_a_word_find_it() -> None:
    forms = ["repositories", "creating", "creates", "cancelled", "refunds"]
    assert words_of(" ".join(forms)) == words_of("repository create created cancel refund")


def test_chinese_words_find_chinese_tools() -> None:
    specs = [ToolSpec("kb", "a", "查询天气预报"), ToolSpec("kb", "b", "发送电子邮件")]
    index = ToolIndex(words_of_tool(offered("kb", spec).name, "kb", spec) for spec in specs)
    assert index.search("给他发邮件") == ["kb__b"]
