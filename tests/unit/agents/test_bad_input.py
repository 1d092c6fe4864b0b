"""What models, endpoints and tools send that they should not: none of it breaks the agent, none of it is believed."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from backend.agents.shorten import MAX_CHARACTERS
from backend.engine.testing import ScriptedTools
from backend.llm.client import Endpoint, open_endpoint
from backend.llm.config import EndpointConfig
from backend.llm.testing import ScriptedModel, wants
from backend.llm.types import ChatModel, ChatReply, ToolCall
from backend.net.rules import NetworkRules
from backend.tools.calls.gate import GatedToolSource
from backend.tools.calls.testing import PolicyTable, ScriptedToolSource
from backend.tools.types import ToolSource, ToolSpec
from tests.llm_server import Call, LlmServer, has_result
from tests.looking import inside, text_of
from tests.unit.agents.marked_results import data
from tests.unit.engine.engine_run import EngineRun, flow

Json = Any

AGENT = {"provider": "llm", "model": "m", "query": "{{ start.q }}", "tools": {"servers": [{"server": "kb"}]}}


def played(model: ChatModel, kb: ToolSource, inputs: Json = None, **config: Json) -> EngineRun:
    """start → a, an agent with the tools of `kb`."""
    graph = flow("start -> a", a=("agent", AGENT | config))
    graph["env"] = {"x": "the environment"}
    return EngineRun(graph, inputs or {"q": "?"}, {"kb": kb}, models={"llm": model})


def search(*replies: Json) -> ScriptedTools:
    """A server with the tool `search`."""
    return ScriptedTools({"search": list(replies) or ["found"]})


def source(*specs: ToolSpec) -> GatedToolSource:
    """A gated server that lists just these and answers `ok`."""
    replies: Json = {spec.name: ["ok"] for spec in specs}
    return GatedToolSource(ScriptedToolSource("kb", specs=list(specs), **replies), PolicyTable())


def spec(name: str, **more: Json) -> ToolSpec:
    """A tool that only reads."""
    return ToolSpec("kb", name, annotations={"readOnlyHint": True}, **more)


def warnings(engine_run: EngineRun) -> list[str]:
    """The warnings in the agent's log."""
    return [
        line.data["text"] for line in engine_run.events if line.type == "STEP_LOG" and line.data["level"] == "warning"
    ]


# -- models -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("written", ['{"q": ', "[1]", "q=x", '{"q": NaN}', "7", "[" * 100_000])
async def test_malformed_arguments_go_back_to_the_model(written: str) -> None:
    kb = search()
    model = ScriptedModel(wants(("search", written)), wants(("search", {"q": "x"})), "done")
    engine_run = played(model, kb)
    await engine_run.run()
    bad, good = engine_run.output("a")["tool_calls"]
    assert (bad["is_error"], bad["arguments"], good["is_error"]) == (True, written, False)
    assert "not a JSON object" in model.requests[1].messages[-1]["content"]
    assert kb.calls == [("search", {"q": "x"})]


async def test_arguments_that_were_encoded_twice_or_left_out_are_read() -> None:
    kb = search()
    model = ScriptedModel(wants(("search", json.dumps(json.dumps({"q": 1}))), ("search", "")), "done")
    await played(model, kb).run()
    assert kb.calls == [("search", {"q": 1}), ("search", {})]


async def test_an_unknown_tool_is_told_with_the_names_that_exist() -> None:
    model = ScriptedModel(wants(("delete_all", {"x": 1}), ("", {})), "done")
    engine_run = played(model, search())
    assert (await engine_run.run()).state == "SUCCESS"
    calls = engine_run.output("a")["tool_calls"]
    assert [(c["server"], c["tool"], c["is_error"]) for c in calls] == [("", "delete_all", True), ("", "", True)]
    assert "kb__search" in model.requests[1].messages[-1]["content"]


async def test_the_same_call_for_ever_is_noticed_and_ends() -> None:
    model = ScriptedModel(lambda request: wants(("search", {"q": "x"})) if request.tools else "I give up.")
    engine_run = played(model, search("nothing"), max_iterations=5)
    await engine_run.run()
    texts = [text_of(request.messages[-1]) for request in model.requests[1:5]]
    assert [text.startswith("[You have made this very call") for text in texts] == [False, False, True, True]
    assert "4 times" in texts[3]
    assert engine_run.output("a")["stopped"] == "max_iterations"
    assert engine_run.output("a")["text"] == "I give up."


async def test_the_same_call_with_other_results_is_not_complained_about() -> None:
    model = ScriptedModel(lambda request: wants(("search", {})) if len(request.messages) < 9 else "done")
    engine_run = played(model, search("1", "2", "3", "4"))
    await engine_run.run()
    assert model.requests[-1].messages[-1]["content"] == data("search", "4")


async def test_ids_that_are_missing_or_doubled_and_names_with_odd_letters_are_mended() -> None:
    calls = [ToolCall("", "search", "{}"), ToolCall("a", "search", "{}"), ToolCall("a", "se arch!", "{}")]
    model = ScriptedModel(ChatReply(tool_calls=calls), "done")  # the twin refuses what an endpoint would
    engine_run = played(model, search())
    assert (await engine_run.run()).state == "SUCCESS"
    names = [call["name"] for call in model.requests[1].messages[1]["tool_calls"]]
    assert names == ["search", "search", "se_arch_"]


@pytest.mark.parametrize("literal", ["${secret:x}", "{{ env.x }}", "{{#env.x#}}", "\\{{ env.x }}"])
async def test_what_looks_like_a_secret_or_an_expression_stays_as_it_is(literal: str) -> None:
    kb = search(f"result {literal}")
    model = ScriptedModel(wants(("search", {"q": literal}), text=literal), f"answer {literal}")
    reply = ("template", {"template": "{{ a.text }}"})
    graph = flow("start -> a -> t -> fin", a=("agent", AGENT), t=reply, fin=("end", {"outputs": {"t": "{{ t.text }}"}}))
    graph["env"] = {"x": "the environment"}
    engine_run = EngineRun(graph, {"q": f"input {literal}"}, {"kb": kb}, models={"llm": model})
    end = await engine_run.run()
    assert end.outputs == {"t": f"answer {literal}"}
    assert kb.calls == [("search", {"q": literal})]
    assert model.requests[0].messages[-1]["content"] == f"input {literal}"
    assert model.requests[1].messages[-1]["content"] == data("search", f"result {literal}")
    assert "the environment" not in json.dumps([line.data for line in engine_run.events])


# -- tools ------------------------------------------------------------------------------------------------------------


async def test_a_result_of_200k_tokens_is_shortened_and_kept_whole_in_the_log() -> None:
    text = "".join(f"line {n}\n" for n in range(80_000))
    model = ScriptedModel(wants(("search", {})), "done")
    engine_run = played(model, search(text))
    assert (await engine_run.run()).state == "SUCCESS"
    seen = text_of(model.requests[1].messages[-1])
    assert len(text) > 800_000 > MAX_CHARACTERS + 500 > len(seen)
    assert seen.startswith(data("search", "line 0\n"))
    assert seen.endswith("line 79999\n")
    assert f"{len(text) - MAX_CHARACTERS} of {len(text)} characters are left out" in seen
    [whole] = [line.data["content"] for line in engine_run.events if line.type == "TOOL_RESPONSE"]
    assert whole == [{"type": "text", "text": text}]


async def test_names_that_endpoints_refuse_and_names_that_are_doubled() -> None:
    odd = [spec("read file!"), spec("读取"), spec("x" * 80), spec("read_file"), spec("read_file")]
    model = ScriptedModel("done")
    engine_run = played(model, source(*odd))
    assert (await engine_run.run()).state == "SUCCESS"  # the twin refuses names and doubles as an endpoint would
    assert len(model.requests[0].tools) == 4
    assert warnings(engine_run) == ["Tool kb/read_file is listed twice; the first one is used."]


async def test_a_tool_with_an_odd_name_is_called_by_its_own() -> None:
    kb = ScriptedToolSource("kb", specs=[spec("读取 文件")], **{"读取 文件": ["ok"]})
    model = ScriptedModel(lambda request: wants((request.tools[0].name, {})), "done")
    engine_run = played(model, GatedToolSource(kb, PolicyTable()))
    await engine_run.run()
    assert kb.calls == [("读取 文件", {})]
    assert engine_run.output("a")["tool_calls"][0]["tool"] == "读取 文件"


@pytest.mark.parametrize(
    "schema",
    [
        {"type": 5},
        {"$ref": "https://example.org/schema.json"},
        {"type": "object", "properties": {"a": {"pattern": "("}}},
        {"type": "array"},
        {"type": "object", "x-patchbay-problem": "schema_too_large"},
    ],
)
async def test_a_tool_with_an_invalid_schema_is_left_out(schema: Json) -> None:
    model = ScriptedModel("done")
    engine_run = played(model, source(spec("good"), spec("bad", input_schema=schema)))
    assert (await engine_run.run()).state == "SUCCESS"
    assert [tool.name for tool in model.requests[0].tools] == ["kb__good"]
    assert warnings(engine_run) == ["Tool kb/bad is left out: its schema cannot be used."]


async def test_a_long_description_is_shortened() -> None:
    model = ScriptedModel("done")
    await played(model, source(spec("talks", description="words " * 5_000))).run()
    assert len(model.requests[0].tools[0].description) == 1024


async def test_arguments_that_do_not_fit_are_told_field_by_field() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n", "m"]}
    model = ScriptedModel(wants(("add", {"n": "two"})), "done")
    engine_run = played(model, source(spec("add", input_schema=schema)))
    await engine_run.run()
    content = model.requests[1].messages[-1]["content"]
    assert "MCP_INVALID_PARAMS" in content
    assert "arguments.n" in content
    assert "arguments.m" in content


# -- endpoints --------------------------------------------------------------------------------------------------------


@pytest.fixture
async def endpoint(llm: LlmServer) -> AsyncIterator[Endpoint]:
    """The scripted endpoint, through the real client."""
    config = EndpointConfig(slug="llm", base_url=llm.url, key="sk-agent-1234", typed_address=True)
    opened = await open_endpoint(config, NetworkRules(loopback_for_typed=True))
    yield opened
    await opened.close()


def retries(engine_run: EngineRun) -> list[tuple[int, int, str]]:
    """The repeats that were announced: (attempt, delay, code)."""
    return [
        (d["attempt"], d["delay_ms"], d["code"]) for d in (e.data for e in engine_run.events if e.type == "STEP_RETRY")
    ]


async def test_chunks_with_empty_choices_are_passed_over(llm: LlmServer, endpoint: Endpoint) -> None:
    llm.reply(calls=[Call("kb__search", {"q": "x"})], empty_choices=True)
    llm.say("It was found.", empty_choices=True, when=has_result("found"))
    engine_run = played(endpoint.model("m"), search())
    await engine_run.run()
    assert engine_run.output("a")["text"] == "It was found."


async def test_an_answer_of_empty_choices_only_fails(llm: LlmServer, endpoint: Endpoint) -> None:
    llm.reply(chunks=[{"id": "x", "object": "chat.completion.chunk", "model": "m", "choices": []}])
    end = await played(endpoint.model("m"), search()).run()
    assert end.error and end.error["code"] == "LLM_BAD_RESPONSE"
    assert len(llm.requests) == 1


async def test_a_cut_stream_is_asked_again(llm: LlmServer, endpoint: Endpoint) -> None:
    llm.say("It was never to be", cut_after=3)
    llm.say("It is well.")
    engine_run = played(endpoint.model("m"), search())
    await engine_run.run()
    assert engine_run.output("a")["text"] == "It is well."
    assert engine_run.output("a")["iterations"] == 1
    assert [(attempt, delay) for attempt, delay, _ in retries(engine_run)] == [(2, 1000)]
    calls = [(line.type, line.data["call"]) for line in engine_run.events if (line.type or "").startswith("LLM_")]
    assert calls == [("LLM_REQUEST", "round:1"), ("LLM_RESPONSE", "round:1")] * 2


async def test_429_waits_as_long_as_it_is_told_to(llm: LlmServer, endpoint: Endpoint) -> None:
    llm.reply(status=429, body={"error": {"message": "slow down"}}, headers={"Retry-After": "4"})
    llm.reply(status=429, body={"error": {"message": "slow down"}}, headers={"Retry-After": "600"})
    llm.say("At last.")
    engine_run = played(endpoint.model("m"), search())
    end = await engine_run.run()
    assert end.state == "WAITING"  # nobody holds a worker for a minute
    engine_run.clock.advance(60)
    assert (await engine_run.run()).state == "SUCCESS"
    assert retries(engine_run) == [(2, 4000, "LLM_RATE_LIMITED"), (3, 60_000, "LLM_RATE_LIMITED")]
    assert len(llm.requests) == 3


async def test_500_is_asked_again_three_times(llm: LlmServer, endpoint: Endpoint) -> None:
    llm.reply(status=500, body={"error": {"message": "oh"}}, times=None)
    engine_run = played(endpoint.model("m"), search())
    end = await engine_run.run()
    assert end.error and end.error["params"]["status"] == 500
    assert [delay for _, delay, _ in retries(engine_run)] == [1000, 2000, 4000]
    assert len(llm.requests) == 4


async def test_401_is_not_asked_again(llm: LlmServer, endpoint: Endpoint) -> None:
    llm.reply(status=401, body={"error": {"message": "Incorrect API key: sk-agent-1234"}}, times=None)
    engine_run = played(endpoint.model("m"), search())
    end = await engine_run.run()
    assert end.error and end.error["code"] == "LLM_AUTH_FAILED"
    assert len(llm.requests) == 1
    assert "sk-agent-1234" not in json.dumps([line.data for line in engine_run.disk.lines])


async def test_a_wrong_content_type_fails_with_its_beginning(llm: LlmServer, endpoint: Endpoint) -> None:
    llm.reply(body="<html>Please sign in</html>", content_type="text/html", times=None)
    end = await played(endpoint.model("m"), search()).run()
    assert end.error and end.error["code"] == "LLM_BAD_RESPONSE"
    assert "Please sign in" in inside(end.error["detail"])["raw"]
    assert len(llm.requests) == 1


async def test_malformed_arguments_over_http(llm: LlmServer, endpoint: Endpoint) -> None:
    llm.reply(calls=[Call("kb__search", '{"q": '), Call("kb__search", {"q": "x"})])
    llm.say("Both are told.")
    kb = search()
    engine_run = played(endpoint.model("m"), kb)
    await engine_run.run()
    assert [call["is_error"] for call in engine_run.output("a")["tool_calls"]] == [True, False]
    assert kb.calls == [("search", {"q": "x"})]
    sent = [call["function"]["arguments"] for call in llm.requests[1].messages[1]["tool_calls"]]
    assert [json.loads(text) for text in sent] == [{}, {"q": "x"}]
