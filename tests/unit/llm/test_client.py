"""What the client makes of an endpoint that behaves: words, thoughts, calls, usage, images, structured answers."""

from __future__ import annotations

import asyncio
import json

import pytest

from backend.errors import LlmBadResponse
from backend.json_types import JsonObject
from backend.llm import client
from backend.llm.config import Prices
from backend.llm.types import ChatRequest, Message, ToolDefinition
from tests.llm_server import Call, Gate, LlmServer
from tests.unit.llm.conftest import KEY, Opener, Received, ask, asking

ADD = ToolDefinition("add", "Adds.", {"type": "object", "properties": {"a": {"type": "integer"}}})
SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"n": {"type": "integer"}},
    "required": ["n"],
    "additionalProperties": False,
}


async def test_words_arrive_one_by_one(llm: LlmServer, opened: Opener) -> None:
    gate, received = Gate(), Received()
    llm.say("one two three", gate=gate)
    endpoint = await opened()
    round_ = asyncio.create_task(endpoint.model("m").chat(asking(), received))
    gate.release(2)
    assert await received.first(2) == [("text", "one"), ("text", " two")]
    await asyncio.to_thread(gate.wait_sent, 2)
    assert not round_.done()
    gate.open()
    reply = await round_
    assert reply.text == "one two three"
    assert reply.finish == "stop"
    assert reply.ms > 0


async def test_the_request_is_what_was_asked(llm: LlmServer, opened: Opener) -> None:
    llm.say("fine")
    endpoint = await opened(headers={"X-Team": "blue"})
    request = asking("hello", params={"temperature": 0.2, "seed": 7}, tools=[ADD], parallel_tool_calls=False)
    await ask(endpoint, request, "scripted-9")
    sent_request = llm.requests[0]
    assert sent_request.body["model"] == "scripted-9"
    assert sent_request.body["stream"] is True
    assert sent_request.body["temperature"] == 0.2
    assert sent_request.body["seed"] == 7
    assert sent_request.body["parallel_tool_calls"] is False
    assert sent_request.messages == [{"role": "user", "content": "hello"}]
    assert sent_request.body["tools"][0]["function"] == ADD.as_json()
    assert sent_request.headers["authorization"] == f"Bearer {KEY}"
    assert sent_request.headers["x-team"] == "blue"
    assert not any(name.startswith(("x-stainless-os", "openai-")) for name in sent_request.headers)


async def test_no_key_no_authorization(llm: LlmServer, opened: Opener) -> None:
    llm.say("fine")
    await ask(await opened(key=""))
    assert "authorization" not in llm.requests[0].headers


@pytest.mark.parametrize("with_choice", [False, True])
async def test_usage_and_cost(llm: LlmServer, opened: Opener, with_choice: bool) -> None:
    usage = {
        "prompt_tokens": 1000,
        "completion_tokens": 500,
        "prompt_tokens_details": {"cached_tokens": 200},
        "completion_tokens_details": {"reasoning_tokens": 100},
    }
    llm.say("fine", usage=usage, usage_with_choice=with_choice)
    reply = await ask(await opened(prices={"scripted-1": Prices(2.0, 8.0)}))
    assert reply.usage.as_json() == {
        "input_tokens": 1000,
        "output_tokens": 500,
        "cached_tokens": 200,
        "reasoning_tokens": 100,
        "cost": pytest.approx(0.006),
    }


@pytest.mark.parametrize(("cached", "cost"), [(None, 0.006), (0.5, 0.0057), (0.0, 0.0056)])
async def test_cached_tokens_cost_their_own_price(
    llm: LlmServer, opened: Opener, cached: float | None, cost: float
) -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 500, "prompt_cache_hit_tokens": 200}
    llm.say("fine", usage=usage)
    reply = await ask(await opened(prices={"scripted-1": Prices(2.0, 8.0, cached)}))
    assert reply.usage.cached_tokens == 200
    assert reply.usage.cost == pytest.approx(cost)


async def test_an_endpoint_that_refuses_stream_options_is_asked_without_from_then_on(
    llm: LlmServer, opened: Opener
) -> None:
    llm.refuses = {"stream_options"}
    llm.say("one")
    llm.say("two")
    endpoint = await opened()
    assert (await ask(endpoint)).text == "one"
    assert (await ask(endpoint)).text == "two"
    assert ["stream_options" in request.body for request in llm.requests] == [True, False, False]


async def test_chunks_with_empty_choices_are_read_over(llm: LlmServer, opened: Opener) -> None:
    llm.say("still here", empty_choices=True)
    reply = await ask(await opened())
    assert reply.text == "still here"
    assert reply.usage.input_tokens == 11


async def test_parallel_tool_calls_come_together(llm: LlmServer, opened: Opener) -> None:
    llm.reply(text="Let me see.", calls=[Call("add", {"a": 1, "b": 2}, "c1"), Call("sub", {"a": 9}, "c2")])
    reply = await ask(await opened(), asking(tools=[ADD]))
    assert [(call.id, call.name, json.loads(call.arguments)) for call in reply.tool_calls] == [
        ("c1", "add", {"a": 1, "b": 2}),
        ("c2", "sub", {"a": 9}),
    ]
    assert reply.finish == "tool_calls"
    assert reply.text == "Let me see."


async def test_tool_calls_without_an_index(llm: LlmServer, opened: Opener) -> None:
    llm.reply(calls=[Call("add", {"a": 1}, "c1"), Call("add", {"a": 2}, "c2")], tool_index=False, finish="stop")
    reply = await ask(await opened(), asking(tools=[ADD]))
    assert [(call.id, call.arguments) for call in reply.tool_calls] == [("c1", '{"a": 1}'), ("c2", '{"a": 2}')]
    assert reply.finish == "tool_calls"


async def test_tool_calls_that_all_say_index_0_and_repeat_an_id(llm: LlmServer, opened: Opener) -> None:
    def call(id_: str, arguments: object) -> dict[str, object]:
        delta = {"tool_calls": [{"index": 0, "id": id_, "function": {"name": "add", "arguments": arguments}}]}
        return {"choices": [{"delta": delta, "finish_reason": None}]}

    done = {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}
    llm.reply(chunks=[call("x", {"a": 1}), call("y", '{"a": 2}'), done])
    reply = await ask(await opened(), asking(tools=[ADD]))
    assert [call.arguments for call in reply.tool_calls] == ['{"a": 1}', '{"a": 2}']
    llm.reply(calls=[Call("add", {}, "same"), Call("add", {}, "same")])
    ids = [call.id for call in (await ask(await opened(), asking(tools=[ADD]))).tool_calls]
    assert ids[0] == "same"
    assert len(set(ids)) == 2


async def test_malformed_arguments_are_handed_on_as_they_are(llm: LlmServer, opened: Opener) -> None:
    llm.reply(calls=[Call("add", '{"a": 1,')])
    reply = await ask(await opened(), asking(tools=[ADD]))
    assert reply.tool_calls[0].arguments == '{"a": 1,'
    llm.say("sorry")
    messages: list[Message] = [
        reply.message(),
        {"role": "tool", "tool_call_id": reply.tool_calls[0].id, "content": "no JSON"},
    ]
    await ask(await opened(), ChatRequest(messages=messages))
    sent = llm.requests[1].messages[0]
    assert sent["content"] is None
    assert json.loads(sent["tool_calls"][0]["function"]["arguments"]) == {"invalid_json": '{"a": 1,'}


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_is_a_channel_of_its_own(llm: LlmServer, opened: Opener, field: str) -> None:
    llm.say("42", reasoning="six times seven", reasoning_field=field)
    received = Received()
    reply = await (await opened()).model("m").chat(asking(), received)
    assert (reply.text, reply.reasoning) == ("42", "six times seven")
    assert (received.all("text"), received.all("reasoning")) == ("42", "six times seven")


@pytest.mark.parametrize(
    ("pieces", "text", "reasoning"),
    [
        (["<think>\nhm", "m</think>\n\n42"], "42", "hmm"),
        (list("<think>hmm</think>\n42"), "42", "hmm"),
        (["<thi", "s is no thought"], "<this is no thought", ""),
        (["a <think>b</think>"], "a <think>b</think>", ""),
        (["<think>never ", "ends </th"], "", "never ends </th"),
        (["<th"], "<th", ""),
    ],
)
async def test_think_tags_at_the_start(
    llm: LlmServer, opened: Opener, pieces: list[str], text: str, reasoning: str
) -> None:
    llm.reply(pieces=pieces)
    received = Received()
    reply = await (await opened()).model("m").chat(asking(), received)
    assert (reply.text, reply.reasoning) == (text, reasoning)
    assert (received.all("text"), received.all("reasoning")) == (text, reasoning)


async def test_parts_of_content(llm: LlmServer, opened: Opener) -> None:
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "yes"}]
    llm.reply(chunks=[{"choices": [{"delta": {"content": parts}, "finish_reason": "stop"}]}])
    reply = await ask(await opened())
    assert (reply.text, reply.reasoning) == ("yes", "hm")


async def test_images_go_in(llm: LlmServer, opened: Opener) -> None:
    llm.say("a cat")
    content: list[JsonObject] = [
        {"type": "text", "text": "what is it?"},
        {"type": "image", "mime": "image/png", "data": "aGk="},
        {"type": "image", "url": "https://example.org/cat.png"},
    ]
    await ask(await opened(), ChatRequest(messages=[{"role": "user", "content": content}]))
    assert llm.requests[0].messages[0]["content"] == [
        {"type": "text", "text": "what is it?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
        {"type": "image_url", "image_url": {"url": "https://example.org/cat.png"}},
    ]


async def test_an_endpoint_that_does_not_stream(llm: LlmServer, opened: Opener) -> None:
    llm.reply(text="all at once", calls=[Call("add", {"a": 1})], reasoning="hm", whole=True)
    received = Received()
    reply = await (await opened()).model("m").chat(asking(tools=[ADD]), received)
    assert reply.text == received.all("text") == "all at once"
    assert reply.reasoning == "hm"
    assert reply.tool_calls[0].name == "add"
    assert reply.usage.output_tokens == 7


async def test_a_schema_by_the_endpoints_own_means(llm: LlmServer, opened: Opener) -> None:
    llm.say('{"n": 1}')
    await ask(await opened(), asking(output_schema=SCHEMA))
    form = llm.requests[0].body["response_format"]
    assert form == {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True}}
    llm.say('{"n": 1}')
    loose = {"type": "object", "properties": {"n": {"type": "integer"}}}
    await ask(await opened(), asking(output_schema=loose))
    assert llm.requests[1].body["response_format"]["json_schema"]["strict"] is False


@pytest.mark.parametrize(
    ("refuses", "kinds"),
    [
        ({"json_schema"}, ["json_schema", "json_object", "json_object"]),
        ({"json_schema", "json_object"}, ["json_schema", "json_object", None, None]),
    ],
)
async def test_a_refused_schema_falls_back_and_is_remembered(
    llm: LlmServer, opened: Opener, refuses: set[str], kinds: list[str | None]
) -> None:
    llm.refuses = refuses
    llm.say('{"n": 1}')
    llm.say('{"n": 2}')
    endpoint = await opened()
    request = ChatRequest(
        messages=[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "count"}],
        output_schema=SCHEMA,
    )
    assert (await ask(endpoint, request)).text == '{"n": 1}'
    assert (await ask(endpoint, request)).text == '{"n": 2}'
    assert [(sent_request.body.get("response_format") or {}).get("type") for sent_request in llm.requests] == kinds
    assert llm.requests[0].messages[0]["content"] == "Be brief."
    system = llm.requests[-1].messages[0]["content"]
    assert system.startswith("Be brief.")
    assert json.dumps(SCHEMA) in system


async def test_a_model_known_to_lack_schemas_is_not_asked_for_one(llm: LlmServer, opened: Opener) -> None:
    llm.say("{}")
    await ask(await opened(features={"scripted-1": frozenset({"tools"})}), asking(output_schema=SCHEMA))
    assert [request.body["response_format"]["type"] for request in llm.requests] == ["json_object"]


async def test_max_tokens_under_its_other_name(llm: LlmServer, opened: Opener) -> None:
    refusal = {"error": {"message": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}}
    llm.reply(status=400, body=refusal)
    llm.say("short")
    llm.say("short again")
    endpoint = await opened()
    await ask(endpoint, asking(params={"max_tokens": 5}))
    await ask(endpoint, asking(params={"max_tokens": 5}))
    assert "max_completion_tokens" not in llm.requests[0].body
    assert [request.body.get("max_completion_tokens") for request in llm.requests[1:]] == [5, 5]


async def test_a_plain_400_is_tried_twice_at_most_and_told(llm: LlmServer, opened: Opener) -> None:
    llm.reply(status=400, body={"error": {"message": "temperature out of range"}}, times=None)
    with pytest.raises(LlmBadResponse) as caught:
        await ask(await opened())
    assert caught.value.params["why"] == "temperature out of range"
    assert len(llm.requests) == 2


async def test_too_long_a_context_is_not_asked_again(llm: LlmServer, opened: Opener) -> None:
    llm.reply(status=400, body={"error": {"message": "maximum context length is 8192 tokens"}}, times=None)
    with pytest.raises(LlmBadResponse):
        await ask(await opened(), asking(output_schema=SCHEMA))
    assert len(llm.requests) == 1


async def test_a_long_conversation_arrives_whole(llm: LlmServer, opened: Opener) -> None:
    text = "длинный 文本 " * 30_000
    llm.say("read")
    await ask(await opened(), asking(text))
    assert llm.requests[0].messages[0]["content"] == text


async def test_lone_surrogates_do_not_end_a_round(llm: LlmServer, opened: Opener) -> None:
    llm.say("fine")
    await ask(await opened(), asking("a\ud800b"))
    assert llm.requests[0].messages[0]["content"] == "a?b"


async def test_many_rounds_at_once(llm: LlmServer, opened: Opener) -> None:
    for _ in range(50):
        llm.say("fine")
    endpoint = await opened()
    replies = await asyncio.gather(*(ask(endpoint) for _ in range(50)))
    assert [reply.text for reply in replies] == ["fine"] * 50


async def test_a_retired_endpoint_ends_its_rounds_first(llm: LlmServer, opened: Opener) -> None:
    gate = Gate()
    llm.say("to the end", gate=gate)
    endpoint = await opened()
    round_ = asyncio.create_task(ask(endpoint))
    await asyncio.to_thread(llm.wait_for_request, 1)
    await endpoint.retire()
    gate.open()
    assert (await round_).text == "to the end"
    await asyncio.gather(*client.closing)
    assert endpoint.closed


async def test_the_models_an_endpoint_lists(llm: LlmServer, opened: Opener) -> None:
    llm.key = KEY
    llm.models = ["b", "a"]
    models = await (await opened()).models()
    assert models[0].as_json() == {
        "id": "a",
        "context": None,
        "input_price": None,
        "cached_price": None,
        "output_price": None,
        "features": None,
    }
    assert [model.id for model in models] == ["a", "b"]
