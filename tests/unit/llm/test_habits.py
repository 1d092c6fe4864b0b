"""What an endpoint refuses, and for how long that is remembered: only where the refusal names it."""

from __future__ import annotations

from typing import Any

import pytest

from backend.engine.testing import ScriptedTools
from backend.errors import LlmBadResponse
from backend.llm.config import Prices
from backend.llm.types import ToolDefinition
from tests.dialects import ARGUMENTS, chunk, gemini, mistral, refused, used
from tests.llm_server import Call, LlmServer
from tests.unit.engine.engine_run import EngineRun, flow
from tests.unit.llm.conftest import Opener, ask, asking

Json = Any
ADD = ToolDefinition("add", "Adds.", {"type": "object", "properties": {}})
CALLED: Json = {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "name": "add", "arguments": ARGUMENTS}]}
ANSWERED: Json = {"role": "tool", "tool_call_id": "c1", "content": "3"}


def conversation(*more: Json, **fields: Json) -> Any:
    """A request whose model has called a tool already."""
    request = asking(**fields)
    request.messages.extend([CALLED, ANSWERED, *more])
    return request


async def test_a_stray_400_switches_nothing_off_for_good(llm: LlmServer, opened: Opener) -> None:
    llm.reply(status=400, body={"error": {"message": "Bad request"}})
    llm.say("one", usage={"prompt_tokens": 5, "completion_tokens": 5})
    llm.say("two", usage={"prompt_tokens": 5, "completion_tokens": 5})
    endpoint = await opened()
    assert (await ask(endpoint)).text == "one"
    second = await ask(endpoint)
    assert (second.text, second.usage.output_tokens, second.usage.estimated) == ("two", 5, False)
    assert ["stream_options" in request.body for request in llm.requests] == [True, False, True]


async def test_a_refusal_that_guesses_do_not_help_against_is_the_first_one(llm: LlmServer, opened: Opener) -> None:
    llm.reply(status=400, body=refused("the moon is full"))
    llm.reply(status=400, body=refused("something else"), times=None)
    with pytest.raises(LlmBadResponse) as raised:
        await ask(await opened())
    assert raised.value.params["why"] == "the moon is full"


async def test_usage_that_nobody_says_is_estimated_and_marked(llm: LlmServer, opened: Opener) -> None:
    llm.say("A word or two. " * 20, usage=None)
    llm.say("你好世界" * 10, usage={"prompt_tokens": 0, "completion_tokens": 0})
    endpoint = await opened(prices={"scripted-1": Prices(2.0, 8.0)})
    replies = [await ask(endpoint, asking("word " * 400)) for _ in range(2)]
    assert all(reply.usage.estimated and reply.usage.as_json()["estimated"] for reply in replies)
    assert 300 < replies[0].usage.input_tokens < 700
    assert 50 < replies[0].usage.output_tokens < 120
    assert 30 < replies[1].usage.output_tokens <= 40
    assert replies[0].usage.cost > 0


async def test_a_budget_bites_where_usage_is_estimated(llm: LlmServer, opened: Opener) -> None:
    llm.reply(calls=[Call("add", {"a": 1})], usage=None, times=None)
    config = {"provider": "llm", "model": "m", "query": "word " * 400, "tools": {"servers": [{"server": "kb"}]}}
    model = (await opened()).model("m")
    graph = flow("start -> a", a=("agent", config | {"budgets": {"tokens": 1500}, "max_iterations": 50}))
    engine_run = EngineRun(graph, {}, {"kb": ScriptedTools({"add": ["3"]})}, models={"llm": model})
    assert (await engine_run.run()).state == "SUCCESS"
    out = engine_run.output("a")
    assert (out["stopped"], out["usage"]["estimated"]) == ("budget", True)
    assert out["iterations"] < 5


async def test_an_attached_field_that_is_refused_by_name_is_left_out_from_then_on(
    llm: LlmServer, opened: Opener
) -> None:
    def check(body: Json) -> Json:
        odd = any("reasoning_content" in message for message in body["messages"])
        return refused("property 'reasoning_content' is unsupported") if odd else None

    llm.check = check
    llm.reply(chunks=[chunk({"reasoning_content": "hm"}), chunk({"content": "one"}, "stop"), used()])
    endpoint = await opened()
    first = await ask(endpoint)
    request = asking()
    request.messages.extend([first.message(), {"role": "user", "content": "and?"}])
    for text in ("two", "three"):
        llm.say(text)
        assert (await ask(endpoint, request)).text == text
    sent = [any("reasoning_content" in message for message in sent_request.messages) for sent_request in llm.requests]
    assert sent == [False, True, False, False]


async def test_a_conversation_of_before_gets_the_field_that_thinking_models_want(
    llm: LlmServer, opened: Opener
) -> None:
    def check(body: Json) -> Json:
        missing = any(message.get("tool_calls") and "reasoning_content" not in message for message in body["messages"])
        return (
            refused("The `reasoning_content` in the thinking mode must be passed back to the API.") if missing else None
        )

    llm.check = check
    llm.say("fine")
    assert (await ask(await opened(), conversation(tools=[ADD]))).text == "fine"
    assert llm.requests[-1].messages[1]["reasoning_content"] == ""


async def test_calls_of_another_model_get_the_signature_that_gemini_wants_in_place_of_its_own(
    llm: LlmServer, opened: Opener
) -> None:
    """A fallback in mid-conversation: what the first model called is signed as its documents say, its own untouched."""
    llm.check = gemini
    own = {"extra_content": {"google": {"thought_signature": "CukBAdHtim9+sig/=="}}}
    endpoint = await opened(slug="gemini")
    request = conversation(tools=[ADD])
    second = {"id": "c2", "name": "add", "arguments": ARGUMENTS}
    request.messages[1] = {**CALLED, "tool_calls": [*CALLED["tool_calls"], second]}
    request.messages.append({"role": "tool", "tool_call_id": "c2", "content": "3"})
    again = {**CALLED, "tool_calls": [{**second, "id": "c3", "attached": own}]}
    again["attached"] = {"model": "gemini/gemini-3", "fields": {}}
    request.messages.extend([again, {**ANSWERED, "tool_call_id": "c3"}])
    llm.say("fine", times=None)
    for _ in range(2):
        assert (await ask(endpoint, request, "gemini-3")).text == "fine"
    assert len(llm.requests) == 3, "it is remembered"
    _, foreign, _, _, known, _ = llm.requests[-1].messages
    first, other = foreign["tool_calls"]
    assert first["extra_content"] == {"google": {"thought_signature": "skip_thought_signature_validator"}}
    assert "extra_content" not in other, "only the first of calls made at once is signed"
    assert known["tool_calls"][0]["extra_content"] == own["extra_content"]


async def test_a_model_that_calls_tools_without_reasoning_only_is_asked_so(llm: LlmServer, opened: Opener) -> None:
    text = "Function tools are supported in Chat Completions only with reasoning_effort set to 'none'."
    llm.check = lambda body: refused(text) if body.get("tools") and body.get("reasoning_effort") != "none" else None
    llm.say("fine", times=None)
    endpoint = await opened()
    for _ in range(2):
        assert (await ask(endpoint, asking(tools=[ADD]))).text == "fine"
    assert (await ask(endpoint, asking())).text == "fine"
    assert [request.body.get("reasoning_effort") for request in llm.requests] == [None, "none", "none", None]


async def test_tools_that_a_conversation_called_are_declared_where_an_endpoint_wants_it(
    llm: LlmServer, opened: Opener
) -> None:
    def check(body: Json) -> Json:
        return None if body.get("tools") else refused("tools= param must be set when messages hold tool calls")

    llm.check = check
    llm.say("fine")
    assert (await ask(await opened(), conversation())).text == "fine"
    assert (llm.requests[-1].tools, llm.requests[-1].body["tool_choice"]) == (["add"], "none")


async def test_a_user_right_after_a_tool_gets_somebody_between_where_an_endpoint_wants_it(
    llm: LlmServer, opened: Opener
) -> None:
    llm.check = mistral
    llm.say("fine", times=None)
    endpoint = await opened()
    for _ in range(2):
        assert (await ask(endpoint, conversation({"role": "user", "content": "and?"}, tools=[ADD]))).text == "fine"
    assert [message["role"] for message in llm.requests[-1].messages] == [
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
    ]
    assert len(llm.requests) == 3, "the order is remembered"
    await ask(endpoint, conversation({"role": "user", "content": "and?"}, tools=[ADD]), "mistral-medium-3-5")
    assert len(llm.requests) == 4, "of Mistral's own models it is known"


@pytest.mark.parametrize("in_one", [True, False])
@pytest.mark.parametrize("given", [{"index": 0}, {}])
async def test_two_calls_with_one_index_and_no_ids_are_both_kept(
    llm: LlmServer, opened: Opener, in_one: bool, given: Json
) -> None:
    parts = [{**given, "function": {"name": "add", "arguments": f'{{"a": {n}}}'}} for n in (1, 2)]
    deltas = [{"tool_calls": parts}] if in_one else [{"tool_calls": [part]} for part in parts]
    llm.reply(chunks=[*(chunk(delta) for delta in deltas), chunk({}, "tool_calls"), used()])
    reply = await ask(await opened(), asking(tools=[ADD]))
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("add", '{"a": 1}'), ("add", '{"a": 2}')]
    assert len({call.id for call in reply.tool_calls}) == 2


async def test_a_name_said_again_with_every_piece_is_one_call(llm: LlmServer, opened: Opener) -> None:
    pieces = ['{"a"', ": 1", "}", ""]
    deltas = [{"tool_calls": [{"index": 0, "function": {"name": "add", "arguments": piece}}]} for piece in pieces]
    llm.reply(chunks=[*(chunk(delta) for delta in deltas), chunk({}, "tool_calls"), used()])
    reply = await ask(await opened(), asking(tools=[ADD]))
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("add", '{"a": 1}')]
