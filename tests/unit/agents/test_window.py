"""A conversation longer than its model's context: results shortened, rounds summarised, overflow survived, also after
a kill at every record."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from backend.engine.testing import TestClock
from backend.llm.testing import ScriptedModel, wants
from backend.llm.types import ChatReply, ChatRequest, Usage
from backend.llm.usage import tokens_of
from tests.dialects import chunk, refused, used
from tests.llm_server import Call, LlmServer, ModelRequest, Reply
from tests.unit.agents.windows import logged, pages
from tests.unit.engine.engine_run import EngineRun, flow
from tests.unit.llm.conftest import Opener, opened
from tests.wide import besides

__all__ = ["opened"]

Json = Any
CONFIG = {
    "provider": "llm",
    "model": "m",
    "system_prompt": "Be brief.",
    "query": "Read all pages.",
    "max_iterations": 40,
    "tools": {"servers": [{"server": "kb"}]},
}
SUMMARY = "SUMMARY of what was read"
PAGE = r"page (\d+) word"


class Reader(ScriptedModel):
    """A model that reads page after page, by the last that it sees, and sums up when it is asked to."""

    def __init__(self, last: int, context: int | None) -> None:
        super().__init__(self.turn, context=context)
        self.last = last

    def turn(self, request: ChatRequest) -> ChatReply:
        usage = Usage(input_tokens=tokens_of(request), output_tokens=5, cost=0.5)
        if "Summarise it for yourself" in str(request.messages[0]["content"]):
            return ChatReply(SUMMARY, usage=usage, ms=1.0)
        read = [int(number) for message in request.messages for number in re.findall(PAGE, str(message["content"]))]
        if (read or [0])[-1] == self.last:
            return ChatReply("All read.", usage=usage, ms=1.0)
        return wants(("kb__page", {"n": (read or [0])[-1] + 1}), usage=usage)


def engine_run(model: Any, size: int, **config: Json) -> EngineRun:
    """start → a, an agent that reads pages of this size."""
    return EngineRun(flow("start -> a", a=("agent", CONFIG | config)), {}, {"kb": pages(size)}, models={"llm": model},
                clock=TestClock())  # fmt: skip


async def test_old_results_are_shortened_before_they_overflow() -> None:
    model = Reader(5, context=12_000)
    played = engine_run(model, 12_000)
    assert (await played.run()).state == "SUCCESS"
    assert played.output("a")["text"] == "All read."
    assert all(tokens_of(request) < 12_000 for request in model.requests)
    results = [message["content"] for message in model.requests[-1].messages if message["role"] == "tool"]
    assert len(results) == 5, "every call keeps its answer"
    assert len(results[0]) < 2000
    assert "characters are left out" in results[0]
    assert len(results[-1]) > 11_000, "what was not read yet is whole"
    assert any("older tool results were shortened" in text for text in logged(played))
    whole = [line.data for line in played.events if line.type == "TOOL_RESPONSE"]
    assert all(len(json.dumps(data)) > 11_000 for data in whole), "the log keeps all"
    assert len(played.output("a")["tool_calls"][0]["result"]) > 11_000


async def test_earlier_rounds_are_summarised_where_that_is_not_enough() -> None:
    model = Reader(30, context=4_000)
    played = engine_run(model, 800)
    assert (await played.run()).state == "SUCCESS"
    assert played.output("a")["text"] == "All read."
    assert all(tokens_of(request) < 4_000 for request in model.requests)
    rounds = [line.data["call"] for line in played.events if line.type == "LLM_REQUEST"]
    summaries = [call for call in rounds if call.endswith("/summary")]
    assert summaries, rounds
    last = model.requests[-1].messages
    assert [item["role"] for item in last[:3]] == ["system", "user", "assistant"]
    assert str(last[1]["content"]).startswith("Read all pages.")
    assert str(last[1]["content"]).count(SUMMARY) == 1, "one summary, not one on another"
    assert played.output("a")["usage"]["cost"] == pytest.approx(0.5 * len(rounds)), "summaries are paid for"
    assert played.output("a")["iterations"] == 31
    assert any("were summarised" in text for text in logged(played))


@pytest.mark.parametrize(
    ("size", "context", "last", "lossy"),
    [(6000, 6000, 5, False), (800, 3000, 14, True), *besides((6000, 6000, 5, True), (800, 3000, 14, False))],
)
async def test_a_kill_at_every_record_changes_nothing(size: int, context: int, last: int, lossy: bool) -> None:
    whole_model = Reader(last, context)
    whole = engine_run(whole_model, size)
    await whole.run()
    assert any("is close to the model's context length" in text for text in logged(whole))
    expected = [(line.type, line.data) for line in whole.events if line.type != "TEXT_ADD"]
    for line in range(1, len(whole.disk.lines) + 1, 3):
        model = Reader(last, context)
        played = engine_run(model, size)
        assert await played.dies(line, lossy=lossy)
        assert (await played.run()).state == "SUCCESS"
        assert played.output("a") == whole.output("a")
        assert [(event.type, event.data) for event in played.events if event.type != "TEXT_ADD"] == expected
        requests = {json.dumps(request.as_json()) for request in model.requests}
        assert requests <= {json.dumps(request.as_json()) for request in whole_model.requests}


async def test_a_run_of_before_goes_on_as_it_began() -> None:
    """Its journal holds what the model can do as a bare list; nothing is shortened, so every request is as it was."""
    free = Reader(4, context=None)
    expected = engine_run(free, 6000)
    await expected.run()
    model = Reader(4, context=6000)
    played = engine_run(model, 6000)
    assert await played.dies(12)
    for line in played.disk.lines:
        held = (line.value or {}).get("value") if line.record == "value" else None
        if isinstance(held, dict) and set(held) == {"features", "context"}:
            line.value["value"] = held["features"]
    assert (await played.run()).state == "SUCCESS"
    assert played.output("a") == expected.output("a")
    assert [request.as_json() for request in model.requests[-2:]] == [
        request.as_json() for request in free.requests[-2:]
    ]


def too_long(limit: int, text: str) -> Any:
    """An endpoint that takes so many characters."""
    return lambda body: refused(text) if len(json.dumps(body["messages"])) > limit else None


@pytest.mark.parametrize(
    "said",
    [
        "This model's maximum context length is 3000 tokens. However, your messages resulted in 4000 tokens.",
        "the request exceeds the available context size (3000 tokens), try increasing it",
        "prompt is too long",
    ],
)
async def test_an_overflow_leads_to_a_shorter_conversation(llm: LlmServer, opened: Opener, said: str) -> None:
    llm.check = too_long(14_000, said)

    def answer(request: ModelRequest) -> Reply:
        if "Summarise it for yourself" in request.text:
            return Reply(text=SUMMARY)
        read = re.findall(PAGE, request.text)
        done = int(read[-1]) if read else 0
        return (
            Reply(chunks=[chunk({"content": "All read."}, "stop"), used()])
            if done == 5
            else Reply(calls=[Call("kb__page", {"n": done + 1}, f"call_{done}")])
        )

    llm.otherwise = answer
    played = engine_run((await opened()).model("m"), 4000)
    end = await played.run()
    assert end.state == "SUCCESS", end.error
    assert played.output("a")["text"] == "All read."
    failed = [line.data for line in played.events if line.type == "LLM_RESPONSE" and line.data.get("error")]
    assert failed, "the endpoint refused, and the log says so"
    assert any("is close to the model's context length" in text for text in logged(played))


async def test_an_overflow_that_nothing_helps_against_is_told(llm: LlmServer, opened: Opener) -> None:
    llm.check = too_long(10, "This model's maximum context length is 4096 tokens.")
    played = engine_run((await opened()).model("m"), 10)
    end = await played.run()
    assert end.state == "ERROR"
    assert end.error is not None
    assert (end.error["code"], end.error["params"]["reason"]) == ("LLM_BAD_RESPONSE", "context")
