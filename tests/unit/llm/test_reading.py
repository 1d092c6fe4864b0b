"""The pure half of the client: events out of bytes however they are cut, replies out of chunks, masks over pieces."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.errors import LlmError
from backend.json_types import JsonObject
from backend.llm.config import Prices
from backend.llm.habits import Habits
from backend.llm.payload import is_strict, payload
from backend.llm.reading import Assembly, Events
from backend.llm.types import ChatReply, ChatRequest
from backend.llm.usage import usage_of
from backend.net.masking import HIDDEN, MaskedStream, Masker

SECRET = "sk-0123456789"


def cut(data: bytes, places: list[int]) -> list[bytes]:
    """`data` in pieces."""
    bounds = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[a:b] for a, b in pairwise(bounds)]


@given(
    st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), min_size=1), max_size=5),
    st.lists(st.integers(0, 5000), max_size=20),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_events_come_out_whole_however_the_bytes_are_cut(
    texts: list[str], places: list[int], newline: str, ended: bool
) -> None:
    raw = "".join(f": hum{newline}event: x{newline}data: {text}{newline}{newline}" for text in texts)
    if not ended:
        raw = raw.removesuffix(newline)
    events = Events()
    matches = [event for part in cut(raw.encode(), places) for event in events.feed(part)]
    matches += list(events.rest())
    assert matches == texts


def test_data_of_several_lines_is_one_event() -> None:
    assert list(Events().feed(b"data: {\ndata:}\n\n")) == ["{\n}"]


@given(st.lists(st.sampled_from(["sk-", "0123", "456789", SECRET, "sk", "-", "x ", "sk-01"]), max_size=12))
def test_a_secret_in_pieces_is_masked_and_nothing_else_is_lost(pieces: list[str]) -> None:
    stream, masker = MaskedStream(Masker([SECRET])), Masker([SECRET])
    text = "".join(stream.feed(piece) for piece in pieces) + stream.rest()
    assert SECRET not in text
    assert text == masker.text("".join(pieces))
    assert text.replace(HIDDEN, SECRET) == "".join(pieces)


def assembled(*chunks: dict[str, Any]) -> ChatReply:
    """The reply of some chunks."""
    assembly = Assembly(Masker(), had_key=True)
    for chunk in chunks:
        assembly.event(json.dumps(chunk))
    assembly.rest()
    return assembly.reply(1.0, Prices())


def delta(**fields: Any) -> dict[str, Any]:
    """A chunk."""
    return {"choices": [{"delta": fields, "finish_reason": None}]}


def test_a_name_that_is_said_again_and_one_that_comes_in_pieces() -> None:
    def call(name: str, arguments: str, id_: str = "") -> dict[str, Any]:
        return delta(tool_calls=[{"index": 0, "id": id_, "function": {"name": name, "arguments": arguments}}])

    assert assembled(call("add", "{", "c"), call("add", "}", "c")).tool_calls[0].as_json() == {
        "id": "c",
        "name": "add",
        "arguments": "{}",
    }
    assert assembled(call("get_", "", "c"), call("time", "{}")).tool_calls[0].name == "get_time"


def test_a_last_chunk_with_the_whole_message_again_says_nothing_twice() -> None:
    last = {"choices": [{"delta": {}, "message": {"content": "hello"}, "finish_reason": "stop"}]}
    assert assembled(delta(content="hel"), delta(content="lo"), last).text == "hello"


@pytest.mark.parametrize(
    "odd",
    [
        {"choices": [None]},
        {"choices": [{}]},
        {"choices": [{"delta": None}]},
        {"choices": [{"delta": {"content": 5, "tool_calls": [None, {"function": None}]}}]},
        {"choices": [{"delta": {"content": [None, {"text": 1}, {"thinking": []}]}}]},
        {"usage": {"prompt_tokens": "many"}, "choices": {}},
    ],
)
def test_odd_chunks_do_no_harm(odd: dict[str, Any]) -> None:
    assert assembled(delta(content="a"), odd, delta(content="b")).text == "ab"


def test_letters_that_are_cut_in_half_come_together_and_halves_alone_are_marked() -> None:
    """Endpoints that count UTF-16 cut an emoji between two chunks, and JSON lets them."""
    whole = [delta(reasoning_content="\ud83d"), delta(reasoning_content="\ude00", content="a\ud83d")]
    reply = assembled(*whole, delta(content="\ude00b\udc00c"), delta(content="\ud83d"))
    assert (reply.reasoning, reply.text) == ("\U0001f600", "a\U0001f600b\ufffdc\ufffd")
    call = {"index": 0, "id": "c", "function": {"name": "say", "arguments": '{"a": "\ud83d'}}
    more = {"index": 0, "function": {"arguments": '\ude00"}'}}
    assert assembled(delta(tool_calls=[call]), delta(tool_calls=[more])).tool_calls[0].arguments == (
        '{"a": "\U0001f600"}'
    )


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a": \\ud83d}', '"\\ud83d'])
def test_what_is_no_json_is_no_answer(text: str) -> None:
    with pytest.raises(LlmError):
        Assembly(Masker(), had_key=True).event(text)


@pytest.mark.parametrize("odd", [-5, 1e999, float("nan"), "many", None, True])
def test_odd_numbers_of_tokens_count_as_none(odd: Any) -> None:
    usage = usage_of({"prompt_tokens": odd, "completion_tokens": 7}, Prices(1e6, 1e6))
    assert (usage.input_tokens, usage.output_tokens, usage.cost) == (0, 7, 7)


def test_usage_in_its_dialects() -> None:
    assert usage_of({"prompt_cache_hit_tokens": 3, "prompt_tokens": 4.0}, Prices()).cached_tokens == 3
    assert usage_of({"input_tokens": 4, "output_tokens": 2}, Prices(1e6, 2e6)).cost == 8
    assert usage_of({"prompt_tokens": True, "prompt_tokens_details": None}, Prices(1, 1)).input_tokens == 0


@given(
    st.recursive(
        st.none() | st.booleans() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_any_schema_can_be_asked_for(schema: Any) -> None:
    request = ChatRequest([{"role": "user", "content": "x"}], output_schema={"properties": {"a": schema}})
    for by in ("json_schema", "json_object", "words"):
        json.dumps(payload("m", request, Habits(schema=by)))


def test_strict_only_where_every_object_is_closed_and_complete() -> None:
    inner: JsonObject = {"type": "object", "properties": {"x": {}}, "required": ["x"], "additionalProperties": False}
    assert is_strict({**inner, "properties": {"x": {"type": "array", "items": inner}}})
    assert not is_strict({**inner, "properties": {"x": {"type": "array", "items": {**inner, "required": []}}}})
