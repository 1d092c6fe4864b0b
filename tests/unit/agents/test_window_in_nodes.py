"""Planners and LLM nodes within their model's context: what is shortened, what stays, also after a kill at records."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from backend.agents.behaviour import BEHAVIOUR
from backend.engine.testing import TestClock
from backend.errors import LlmBadResponse
from backend.llm.testing import ScriptedModel
from backend.llm.types import ChatReply, ChatRequest, Usage
from backend.llm.usage import tokens_of
from tests.looking import text_of
from tests.unit.agents.planner_run import Brain
from tests.unit.agents.windows import logged, pages
from tests.unit.engine.engine_run import EngineRun, flow
from tests.wide import besides

Json = Any
SUMMARY = "SUMMARY of the steps"
FEATURES = frozenset({"json_schema"})
PLANNER = {"provider": "llm", "model": "m", "goal": "Read all pages.", "tools": {"servers": [{"server": "kb"}]}}


class Planning(ScriptedModel):
    """A model that plans to read page after page, by the number it is asked for, and notes a fact of each.

    `refuses` = tokens from which on it refuses a request as an endpoint does; `said` = whether it names them."""

    def __init__(self, last: int, context: int | None, refuses: int | None = None, *, said: bool = True) -> None:
        super().__init__(self.turn, features=FEATURES, context=context)
        self.last, self.refuses, self.said, self.brain = last, refuses, said, Brain(summary="All read.")

    def turn(self, request: ChatRequest) -> ChatReply:
        if self.refuses and tokens_of(request) > self.refuses:
            limit = f"maximum context length is {self.refuses} tokens" if self.said else "prompt is too long"
            raise LlmBadResponse(params={"reason": "context", "why": limit})
        usage = Usage(input_tokens=tokens_of(request), output_tokens=5, cost=0.5)
        return ChatReply(self.words(request), usage=usage, ms=1.0)

    def words(self, request: ChatRequest) -> str:
        text = str(request.messages[-1]["content"])
        if "Summarise it for yourself" in text:
            return SUMMARY
        question = self.brain.question(request)
        if question == "parameters":
            step = re.search(r"Step: Read page (\d+)", text)
            assert step, text
            return json.dumps({"n": int(step[1])})
        if question != "next_step":
            reply = self.brain.answer(question, request)
            return reply if isinstance(reply, str) else json.dumps(reply)
        result = re.search(r"next step \(number (\d+)\)", text)
        assert result, text
        number = int(result[1])
        facts = {"facts": [f"page {number - 1} is read"]} if number > 1 else {}
        tool = "kb__page" if number <= self.last else "FINAL"
        return json.dumps({"tool": tool, "description": f"Read page {number}", **facts})


def plan(model: ScriptedModel, size: int, **config: Json) -> EngineRun:
    """start → a, a planner that reads pages of this size."""
    document = flow("start -> a", a=("planner", PLANNER | config))
    return EngineRun(document, {}, {"kb": pages(size)}, models={"llm": model}, clock=TestClock())


async def test_results_of_old_steps_are_shortened_and_facts_stay() -> None:
    model = Planning(6, context=12_000)
    played = plan(model, 12_000)
    end = await played.run()
    assert end.state == "SUCCESS", end.error
    assert [step["state"] for step in played.output("a")["steps"]] == ["SUCCESS"] * 6
    assert all(len(step["result"]) > 11_000 for step in played.output("a")["steps"]), "outputs and log keep all"
    assert all(tokens_of(request) < 12_000 for request in model.requests)
    last = model.requests[-1].messages
    assert sum("characters are left out" in str(item["content"]) for item in last) >= 3
    assert all(f"- page {number} is read" in last[-1]["content"] for number in range(1, 7))
    assert "Answer the person's goal now" in last[-1]["content"], "the question stands whole"
    assert len(last[-1]["content"]) > 11_000, "what was not read yet is whole"
    assert any("steps were shortened" in text for text in logged(played))


async def test_old_steps_are_summarised_where_that_is_not_enough() -> None:
    model = Planning(20, context=4_000)
    played = plan(model, 1_000)
    end = await played.run()
    assert end.state == "SUCCESS", end.error
    assert len(played.output("a")["steps"]) == 20
    assert played.output("a")["text"] == "All read."
    assert all(tokens_of(request) < 4_000 for request in model.requests)
    rounds = [line.data["call"] for line in played.events if line.type == "LLM_REQUEST"]
    assert any(call.endswith("/summary") for call in rounds), rounds
    last = model.requests[-1].messages
    assert str(last[1]["content"]).startswith("Goal:\nRead all pages.")
    assert str(last[1]["content"]).count(SUMMARY) == 1
    assert [item["role"] for item in last[:4]] == ["system", "user", "assistant", "user"]
    assert played.output("a")["usage"]["cost"] == pytest.approx(0.5 * len(rounds)), "summaries are paid for"


@pytest.mark.parametrize("said", [True, False])
async def test_a_refusal_leads_a_planner_to_a_shorter_conversation(said: bool) -> None:
    model = Planning(6, None, refuses=8_000, said=said)
    played = plan(model, 8_000)
    end = await played.run()
    assert end.state == "SUCCESS", end.error
    assert len(played.output("a")["steps"]) == 6
    assert any("steps were shortened" in text for text in logged(played))


async def test_a_planner_that_nothing_helps_says_so() -> None:
    model = Planning(2, None, refuses=10)
    end = await plan(model, 100).run()
    assert end.state == "ERROR"
    assert end.error is not None
    assert (end.error["code"], end.error["params"]["reason"]) == ("LLM_BAD_RESPONSE", "context")


@pytest.mark.parametrize(
    ("size", "context", "refuses"), [(1000, 3500, None), *besides((6000, 7000, None), (8000, None, 6000))]
)
@pytest.mark.parametrize("lossy", [False, True])
async def test_a_kill_at_records_changes_nothing(
    size: int, context: int | None, refuses: int | None, lossy: bool
) -> None:
    whole_model = Planning(8, context, refuses)
    whole = plan(whole_model, size)
    assert (await whole.run()).state == "SUCCESS"
    assert any("is close to the model's context length" in text for text in logged(whole))
    expected = sorted(json.dumps([event.type, event.data]) for event in whole.events if event.type != "TEXT_ADD")
    known = {json.dumps(request.as_json()) for request in whole_model.requests}
    for line in range(1, len(whole.disk.lines) + 1, 11):
        model = Planning(8, context, refuses)
        played = plan(model, size)
        assert await played.dies(line, lossy=lossy)
        assert (await played.run()).state == "SUCCESS"
        assert played.output("a") == whole.output("a")
        assert len([event for event in played.events if event.type != "TEXT_ADD"]) == len(expected)
        assert {json.dumps(request.as_json()) for request in model.requests} <= known


async def test_a_planner_of_before_goes_on_as_it_began() -> None:
    """Its journal holds the version of before, so nothing is shortened."""
    free = Planning(4, context=None)
    expected = plan(free, 6000)
    await expected.run()
    model = Planning(4, context=None)
    played = plan(model, 6000)
    assert await played.dies(len(expected.disk.lines) // 2)
    older = False
    for line in played.disk.lines:
        if line.record == "value" and isinstance(held := (line.value or {}).get("value"), dict) and "context" in held:
            held["context"] = 4000
        elif line.record == "value" and (line.value or {}).get("value") == BEHAVIOUR:
            line.value["value"] = 2
            older = True
    assert older
    model.context = 4000
    assert (await played.run()).state == "SUCCESS"
    assert played.output("a") == expected.output("a")
    assert not any("nears" in text for text in logged(played))


# -- LLM node ----------------------------------------------------------------------------------------------------------

PROMPT = "Now answer. " + "prompt " * 400


def chat(model: ScriptedModel, *messages: tuple[str, str], models: Json = None, **config: Json) -> EngineRun:
    """start → a, an LLM node with these messages."""
    texts = [{"role": role, "content": content} for role, content in messages]
    about = {"provider": "llm", "model": "m", "messages": texts, **config}
    return EngineRun(flow("start -> a", a=("llm", about)), {}, {}, models={"llm": model, **(models or {})},
                clock=TestClock())  # fmt: skip


def earlier(count: int, words: int) -> list[tuple[str, str]]:
    """So many rounds that were said before."""
    each = [(("user", f"question {n} " + "word " * words), ("assistant", f"answer {n} " + "word " * words))
            for n in range(count)]  # fmt: skip
    return [message for pair in each for message in pair]


def bounded(context: int | None, refuses: int | None = None, text: str = "Done.") -> ScriptedModel:
    """A model of this context, which refuses more tokens than that."""

    def turn(request: ChatRequest) -> Json:
        if refuses and tokens_of(request) > refuses:
            return LlmBadResponse(params={"reason": "context", "why": f"maximum context length is {refuses} tokens"})
        return ChatReply(text, usage=Usage(input_tokens=tokens_of(request), output_tokens=5), ms=1.0)

    return ScriptedModel(turn, features=FEATURES, context=context)


@pytest.mark.parametrize(("context", "refuses"), [(5_000, None), (None, 5_000)])
async def test_earlier_messages_are_shortened_and_the_prompt_is_not(context: int | None, refuses: int | None) -> None:
    model = bounded(context, refuses)
    system = "Rules. " + "rule " * 400
    played = chat(model, ("system", system), *earlier(3, 1000), ("user", PROMPT))
    end = await played.run()
    assert end.state == "SUCCESS", end.error
    sent = model.requests[-1].messages
    assert tokens_of(model.requests[-1]) < 5_000
    assert (sent[0]["content"], sent[-1]["content"]) == (system, PROMPT)
    assert len(sent) == 8
    assert "characters are left out" in sent[1]["content"]
    assert any("earlier messages were shortened" in text for text in logged(played))


async def test_the_oldest_messages_are_left_out_where_that_is_not_enough() -> None:
    model = bounded(3_000)
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    model.turns = ["no json", '{"a": 1}', '{"a": 1}']
    played = chat(model, *earlier(30, 100), ("user", PROMPT), output_schema=schema)
    end = await played.run()
    assert end.state == "SUCCESS", end.error
    assert all(tokens_of(request) < 3_000 for request in model.requests)
    sent = model.requests[0].messages
    assert sent[0]["role"] == "user"
    assert text_of(sent[0]).startswith("question")
    assert sent[-1]["content"] == PROMPT
    assert text_of(sent[-2]).startswith("answer 29 ")
    assert any("oldest messages were left out" in text for text in logged(played))


@pytest.mark.parametrize("messages", [[("user", PROMPT * 4)], [*earlier(1, 1), ("user", PROMPT * 4)]])
async def test_a_prompt_that_does_not_fit_is_told(messages: list[tuple[str, str]]) -> None:
    model = bounded(None, 1_000)
    end = await chat(model, *messages).run()
    assert end.state == "ERROR"
    assert end.error is not None
    assert (end.error["code"], end.error["params"]["reason"]) == ("LLM_BAD_RESPONSE", "context")
    assert model.requests[-1].messages[-1]["content"] == PROMPT * 4


async def test_a_fallback_of_longer_context_is_asked_where_nothing_can_be_shortened() -> None:
    first, other = bounded(None, 1_000), bounded(None, 20_000, "By the other.")
    fallback = {"provider": "far", "model": "m"}
    played = chat(first, *earlier(2, 10), ("user", PROMPT * 4), models={"far": other}, fallback=fallback)
    end = await played.run()
    assert end.state == "SUCCESS", end.error
    assert played.output("a")["text"] == "By the other."


@pytest.mark.parametrize(("context", "refuses"), [(2_500, None), (None, 2_500)])
@pytest.mark.parametrize("lossy", [False, True])
async def test_a_kill_at_every_record_of_an_llm_node(context: int | None, refuses: int | None, lossy: bool) -> None:
    messages = [*earlier(4, 500), ("user", PROMPT)]
    whole_model = bounded(context, refuses)
    whole = chat(whole_model, *messages)
    assert (await whole.run()).state == "SUCCESS"
    known = {json.dumps(request.as_json()) for request in whole_model.requests}
    for line in range(1, len(whole.disk.lines) + 1):
        model = bounded(context, refuses)
        played = chat(model, *messages)
        assert await played.dies(line, lossy=lossy)
        assert (await played.run()).state == "SUCCESS", line
        assert played.output("a") == whole.output("a")
        assert {json.dumps(request.as_json()) for request in model.requests} <= known
