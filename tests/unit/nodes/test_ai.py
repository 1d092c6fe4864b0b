"""The nodes with a model besides the agent: llm, classifier, extractor; and what all of them take and refuse."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from backend.engine.testing import ScriptedTools
from backend.errors import GraphInvalid, LlmRateLimited, LlmUnreachable
from backend.llm.testing import ScriptedModel, wants
from backend.llm.types import ChatReply
from backend.nodes import node_types
from backend.tools.calls.gate import GatedToolSource
from backend.tools.calls.testing import PolicyTable, ScriptedToolSource
from backend.tools.types import ToolSource, ToolSpec
from tests.looking import inside, text_of
from tests.unit.engine.engine_run import EngineRun, answer, flow

Json = Any
MODEL = {"provider": "llm", "model": "m"}


def played(node: Json, model: ScriptedModel, inputs: Json = None, **servers: ToolSource) -> EngineRun:
    """start → a."""
    return EngineRun(flow("start -> a", a=node), inputs or {}, dict(servers), models={"llm": model})


def llm(*messages: Json, **more: Json) -> Json:
    """An llm node."""
    return ("llm", MODEL | {"messages": list(messages)} | more)


def user(content: Json) -> Json:
    """A message of the user."""
    return {"role": "user", "content": content}


async def test_one_round() -> None:
    model = ScriptedModel(ChatReply(text="Hello Ada.", reasoning="Be kind."))
    node = llm({"role": "system", "content": "Greet."}, user("I am {{ start.name }}"), params={"temperature": 0})
    engine_run = played(node, model, {"name": "Ada"})
    assert (await engine_run.run()).state == "SUCCESS"
    assert engine_run.output("a") == {
        "text": "Hello Ada.",
        "tool_calls": [],
        "structured": None,
        "reasoning": "Be kind.",
        "usage": {"input_tokens": 0, "output_tokens": 0, "cached_tokens": 0, "reasoning_tokens": 0, "cost": 0.0},
        "finish": "stop",
        "model": "parrot",
    }
    [request] = model.requests
    assert [m["content"] for m in request.messages] == ["Greet.", "I am Ada"]
    assert request.params == {"temperature": 0}
    assert engine_run.types_of("a")[2:] == ["LLM_REQUEST", "TEXT_ADD", "TEXT_ADD", "LLM_RESPONSE", "STEP_OUTPUT"]


async def test_one_round_of_calls_at_most() -> None:
    kb = ScriptedTools({"search": ["found"]})
    model = ScriptedModel(wants(("kb__search", {"q": 1}), ("kb__search", {"q": 2}), text="I look."), "never asked")
    engine_run = played(llm(user("?"), tools={"servers": [{"server": "kb"}]}), model, kb=kb)
    await engine_run.run()
    assert len(model.requests) == 1
    assert engine_run.output("a")["text"] == "I look."
    assert [call["result"] for call in engine_run.output("a")["tool_calls"]] == ["found", "found"]
    assert kb.calls == [("search", {"q": 1}), ("search", {"q": 2})]


async def test_what_a_person_changed_in_its_calls_is_what_they_show() -> None:
    inner = ScriptedToolSource("kb", specs=[ToolSpec("kb", "send")], send=["sent"])
    model = ScriptedModel(wants(("kb__send", {"to": "bob"})), "never asked")
    tools = {"servers": [{"server": "kb"}]}
    engine_run = played(llm(user("?"), tools=tools), model, kb=GatedToolSource(inner, PolicyTable()))
    await engine_run.run()
    await engine_run.on(answer(engine_run.question().interaction, values={"to": "eve"}))
    [call] = engine_run.output("a")["tool_calls"]
    assert inner.calls == [("send", {"to": "eve"})]
    assert (call["arguments"], call["requested"]) == ({"to": "eve"}, {"to": "bob"})


async def test_a_structured_answer() -> None:
    schema = {"type": "object", "properties": {"n": {"const": 7}}, "required": ["n"]}
    model = ScriptedModel("seven", '{"n": 7}')
    engine_run = played(llm(user("?"), output_schema=schema), model)
    await engine_run.run()
    assert engine_run.output("a")["structured"] == {"n": 7}
    assert model.requests[0].output_schema == schema


@pytest.mark.parametrize(
    ("content", "sent"),
    [
        ("{{ start.x }}", '{"a": [1]}'),
        ({"a": "{{ start.x.a }}"}, '{"a": [1]}'),
        (None, ""),
        (7, "7"),
        ("{{ start.parts }}", [{"type": "text", "text": "look"}, {"type": "image", "url": "https://a.example/b.png"}]),
        (
            {"type": "image", "mime": "image/png", "data": "aGk="},
            [{"type": "image", "mime": "image/png", "data": "aGk="}],
        ),
    ],
)
async def test_contents_may_be_any_value_and_pictures(content: Json, sent: Json) -> None:
    parts = [{"type": "text", "text": "look"}, {"type": "image", "url": "https://a.example/b.png"}]
    model = ScriptedModel("ok")
    await played(llm(user(content)), model, {"x": {"a": [1]}, "parts": parts}).run()
    assert model.requests[0].messages == [user(sent)]


PNG = base64.b64encode(b"\x89PNG").decode()
SHOWN = {"type": "image", "mime": "image/png", "data": PNG}


@pytest.mark.parametrize(
    ("features", "content", "sent"),
    [
        (None, "{{ start.photo }}", [SHOWN]),
        (frozenset({"vision"}), ["Look:", "{{ start.photo }}"], [{"type": "text", "text": "Look:"}, SHOWN]),
        (frozenset({"tools"}), "{{ start.photo }}", [{"type": "text", "text": "[a.png: image/png]"}]),
        (None, "{{ start.note }}", [{"type": "text", "text": "n.txt:\nHello {{ env.x }}"}]),
        (None, "{{ start.zip }}", [{"type": "text", "text": "[z.zip: application/zip]"}]),
        (None, "It is {{ start.note.name }}", "It is n.txt"),
    ],
)
async def test_files_in_messages(features: Json, content: Json, sent: Json) -> None:
    files = {
        "file_1": (b"\x89PNG", "image/png", "a.png"),
        "file_2": (b"Hello {{ env.x }}", "text/plain", "n.txt"),
        "file_3": (b"PK", "application/zip", "z.zip"),
    }
    inputs = {
        name: {"$file": f"file_{n}", "name": files[f"file_{n}"][2]}
        for n, name in enumerate(("photo", "note", "zip"), 1)
    }
    for type_, config in (("llm", {"messages": [user(content)]}), ("agent", {"query": content})):
        if type_ == "agent" and not isinstance(content, str):
            continue
        model = ScriptedModel("ok", features=features)
        engine_run = EngineRun(
            flow("start -> a", a=(type_, MODEL | config)), inputs, models={"llm": model}, files=files
        )
        assert (await engine_run.run()).state == "SUCCESS"
        assert model.requests[0].messages == [user(sent)]


async def test_a_file_that_the_team_has_not() -> None:
    engine_run = played(llm(user("{{ start.photo }}")), ScriptedModel("x"), {"photo": {"$file": "file_other"}})
    end = await engine_run.run()
    assert end.error and end.error["code"] == "NOT_FOUND"


async def test_messages_may_be_one_expression() -> None:
    model = ScriptedModel("ok")
    reply = [user("one"), {"role": "assistant", "content": "two"}, user("three")]
    engine_run = played(("llm", MODEL | {"messages": "{{ start.said }}"}), model, {"said": reply})
    await engine_run.run()
    assert model.requests[0].messages == reply
    end = await played(("llm", MODEL | {"messages": "{{ start.said }}"}), model, {"said": "words"}).run()
    assert end.error and end.error["code"] == "VALIDATION_ERROR"


async def test_an_unknown_provider_fails_the_step() -> None:
    engine_run = EngineRun(flow("start -> a", a=llm(user("?"))))
    end = await engine_run.run()
    assert end.error and end.error["code"] == "NOT_FOUND"


async def test_repeats_are_visible_and_journaled() -> None:
    model = ScriptedModel([LlmUnreachable(), LlmRateLimited(params={"retry_after": 3}), LlmUnreachable(), "at last"])
    engine_run = played(llm(user("?")), model)
    assert (await engine_run.run()).state == "SUCCESS"
    retries = [line.data for line in engine_run.events if line.type == "STEP_RETRY"]
    assert [(r["attempt"], r["delay_ms"], r["code"], r["call"]) for r in retries] == [
        (2, 1000, "LLM_UNREACHABLE", "round:1"),
        (3, 3000, "LLM_RATE_LIMITED", "round:1"),
        (4, 4000, "LLM_UNREACHABLE", "round:1"),
    ]
    failed = [line.data for line in engine_run.events if line.type == "LLM_RESPONSE" and line.data.get("error")]
    assert [item["error"]["code"] for item in failed] == ["LLM_UNREACHABLE", "LLM_RATE_LIMITED", "LLM_UNREACHABLE"]


async def test_three_repeats_at_most_and_none_for_a_used_up_quota() -> None:
    model = ScriptedModel(LlmUnreachable())
    end = await played(llm(user("?")), model).run()
    assert end.error and end.error["code"] == "LLM_UNREACHABLE"
    assert len(model.requests) == 4
    model = ScriptedModel(LlmRateLimited(params={"reason": "quota"}))
    await played(llm(user("?")), model).run()
    assert len(model.requests) == 1


# -- classifier, extractor --------------------------------------------------------------------------------------------

CLASSES = [{"id": "praise", "description": "Somebody is {{ start.mood }}"}, {"id": "complaint"}]


async def test_a_classifier_goes_the_way_of_the_class() -> None:
    model = ScriptedModel('{"class": "complaint"}')
    node = ("classifier", MODEL | {"text": "{{ start.text }}", "classes": CLASSES})
    graph = flow("start -> a", "a:praise -> thank", "a:complaint -> sorry", a=node)
    engine_run = EngineRun(graph, {"text": "It broke {{ env.x }}", "mood": "happy"}, models={"llm": model})
    await engine_run.run()
    assert engine_run.ran() >= {"sorry"} and "thank" not in engine_run.ran()
    assert (engine_run.output("a")["class"], engine_run.output("a")["usage"]["input_tokens"]) == ("complaint", 10)
    system, text = model.requests[0].messages
    assert "- praise: Somebody is happy\n- complaint" in system["content"]
    assert text == user("It broke {{ env.x }}")
    assert model.requests[0].output_schema and model.requests[0].output_schema["properties"] == {
        "class": {"enum": ["praise", "complaint"]}
    }


async def test_a_class_that_does_not_exist_is_asked_again() -> None:
    model = ScriptedModel('{"class": "neutral"}', "praise", '{"class": "praise"}')
    engine_run = played(("classifier", MODEL | {"text": "x", "classes": CLASSES}), model, {"mood": "x"})
    await engine_run.run()
    assert engine_run.output("a")["class"] == "praise"
    model = ScriptedModel("I cannot say.")
    end = await played(("classifier", MODEL | {"text": "x", "classes": CLASSES}), model, {"mood": "x"}).run()
    assert end.error and end.error["code"] == "LLM_BAD_RESPONSE"
    assert len(model.requests) == 3


@pytest.mark.parametrize(
    "classes", [[], [{"id": "a"}, {"id": "a"}], [{"id": "error"}], [{"id": "A b"}], [{"description": "x"}]]
)
def test_classes_that_cannot_be_ports(classes: Json) -> None:
    with pytest.raises(GraphInvalid):
        played(("classifier", MODEL | {"text": "x", "classes": classes}), ScriptedModel("x"))


SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name"],
}


async def test_an_extractor_gives_the_values_by_name() -> None:
    model = ScriptedModel('{"name": "Ada"}')
    node = ("extractor", MODEL | {"text": "I am Ada", "schema": SCHEMA, "instructions": "Read {carefully}."})
    graph = flow("start -> a -> t", a=node, t=("template", {"template": "{{ a.name }} {{ a.age }}"}))
    engine_run = EngineRun(graph, models={"llm": model})
    await engine_run.run()
    assert engine_run.output("a") == {"name": "Ada", "age": None}
    assert engine_run.output("t") == {"text": "Ada "}
    assert text_of(model.requests[0].messages[0]).startswith("Read {carefully}.")


# -- configs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("type_", "config"),
    [
        ("llm", {"messages": []}),
        ("llm", {"messages": [{"role": "robot", "content": "x"}]}),
        ("llm", {"messages": ["x"]}),
        ("llm", {"messages": [user("x")], "provider": " "}),
        ("llm", {"messages": [user("x")], "output_schema": {"type": 5}}),
        ("agent", {}),
        ("agent", {"query": "x", "max_iterations": 0}),
        ("agent", {"query": "x", "budgets": {"tokens": 0}}),
        ("agent", {"query": "x", "budgets": {"on_limit": "cry"}}),
        ("agent", {"query": "x", "memory": {"window": -1}}),
        ("agent", {"query": "x", "tools": []}),
        ("agent", {"query": "x", "tools": {"servers": [{"include": ["x"]}]}}),
        ("agent", {"query": "x", "tools": {"servers": [{"server": "kb", "fixed": {"t": 1}}]}}),
        ("extractor", {"text": "x"}),
        ("extractor", {"text": "x", "schema": {"type": "array"}}),
    ],
)
def test_configs_that_are_problems(type_: str, config: Json) -> None:
    with pytest.raises(GraphInvalid) as refused:
        played((type_, MODEL | config), ScriptedModel("x"))
    assert {problem["node"] for problem in refused.value.detail["problems"]} == {"a"}


@pytest.mark.parametrize(
    "config",
    [
        {"tools": None, "memory": None, "budgets": None, "output_schema": None},
        {"tools": {}, "memory": {}, "budgets": {}, "output_schema": {}},
    ],
)
async def test_what_is_left_open_is_nothing(config: Json) -> None:
    engine_run = played(("agent", MODEL | {"query": "x"} | config), ScriptedModel("done"))
    assert (await engine_run.run()).state == "SUCCESS"


def test_marks_for_the_form() -> None:
    marks: Json = {}
    for name in ("llm", "agent", "classifier", "extractor"):
        fields = inside(node_types()[name].describe("zh"))["config_schema"]["properties"]
        assert all(not about["title"].isascii() for about in fields.values()), name
        marks[name] = {key: about["x-widget"] for key, about in fields.items() if "x-widget" in about}
    model = {"provider": "provider", "model": "model", "params": "params", "fallback": "fallback"}
    tools = {"tools": "tools", "tool_search": "tool-search"}
    assert marks["llm"] == model | tools | {"messages": "messages", "output_schema": "json-schema"}
    assert marks["agent"] == model | tools | {
        "output_schema": "json-schema",
        "memory": "memory",
        "budgets": "budgets",
        "prompts": "prompts",
    }
    assert marks["classifier"] == model | {"classes": "classes", "instructions": "prompt"}
    assert marks["extractor"] == model | {"schema": "json-schema", "instructions": "prompt"}
