"""How answers end, from the wire to a node's outputs: cut, filtered, refused, empty, a call written as text."""

from __future__ import annotations

from typing import Any

import pytest

from backend.engine.testing import ScriptedTools
from backend.llm.testing import ScriptedModel
from backend.llm.types import ChatReply
from backend.tools.calls.testing import ScriptedToolSource
from backend.tools.types import ToolSpec
from tests.dialects import chunk, used
from tests.llm_server import LlmServer
from tests.looking import inside
from tests.unit.engine.engine_run import EngineRun, flow
from tests.unit.llm.conftest import Opener

Json = Any
CONFIG: Json = {"provider": "llm", "model": "m", "query": "?", "tools": {"servers": [{"server": "kb"}]}}
WRITTEN = [
    '<tool_call>\n{"name": "kb__add", "arguments": {"a": 1}}\n</tool_call>',
    '```json\n{"name": "kb__add", "parameters": {"a": 1}}\n```',
    '[TOOL_CALLS][{"name": "kb__add", "arguments": {}}]',
    '{"type": "function", "function": {"name": "kb__add", "arguments": "{}"}}',
    "<function=kb__add>\n<parameter=a>1</parameter>\n</function>",
]


async def played(opened: Opener, type_: str = "agent", kb: Any = None, **config: Json) -> EngineRun:
    """start → a, at the scripted server."""
    about = CONFIG | config
    if type_ == "planner":
        about = {"provider": "llm", "model": "m", "goal": "Tidy up.", "tools": CONFIG["tools"]} | config
    if type_ == "llm":
        about = {"provider": "llm", "model": "m", "messages": [{"role": "user", "content": "?"}]} | config
    model = (await opened()).model("m")
    kb = kb or ScriptedTools({"add": ["3"]})
    engine_run = EngineRun(flow("start -> a", a=(type_, about)), {}, {"kb": kb}, models={"llm": model})
    assert (await engine_run.run()).state == "SUCCESS"
    return engine_run


def warnings(engine_run: EngineRun) -> list[str]:
    """What the step's log warns of."""
    return [
        line.data["text"] for line in engine_run.events if line.type == "STEP_LOG" and line.data["level"] == "warning"
    ]


@pytest.mark.parametrize(
    ("said", "finish"),
    [
        ("stop", "stop"),
        ("end_turn", "stop"),
        ("length", "length"),
        ("MAX_TOKENS", "length"),
        ("model_length", "length"),
        ("content_filter", "content_filter"),
        ("sensitive", "content_filter"),
        ("SAFETY", "content_filter"),
        ("something_new", "something_new"),
    ],
)
@pytest.mark.parametrize("type_", ["agent", "llm"])
async def test_the_end_of_an_answer_stands_beside_the_model_that_gave_it(
    llm: LlmServer, opened: Opener, said: str, finish: str, type_: str
) -> None:
    llm.reply(chunks=[chunk({"content": "It is"}), chunk({}, said), used()])
    engine_run = await played(opened, type_)
    out = engine_run.output("a")
    assert (out["finish"], out["model"], out["text"]) == (finish, "m-served", "It is")
    cut = finish in ("length", "content_filter")
    if type_ == "agent":
        assert out["stopped"] == (finish if cut else "done")
    assert len(warnings(engine_run)) == cut


async def test_a_refusal_is_no_answer(llm: LlmServer, opened: Opener) -> None:
    llm.reply(chunks=[chunk({"refusal": "I will not."}), chunk({}, "stop"), used()])
    out = (await played(opened)).output("a")
    assert (out["finish"], out["stopped"], out["text"]) == ("refusal", "refusal", "I will not.")


async def test_nothing_is_no_answer(llm: LlmServer, opened: Opener) -> None:
    llm.reply(chunks=[chunk({"content": " \n"}), chunk({}, "stop"), used()])
    engine_run = await played(opened)
    assert engine_run.output("a")["stopped"] == "empty"
    assert warnings(engine_run) == ["The model returned nothing."]


@pytest.mark.parametrize("text", WRITTEN)
@pytest.mark.parametrize("type_", ["agent", "llm"])
async def test_a_call_written_as_text_is_recognised_and_said(
    llm: LlmServer, opened: Opener, text: str, type_: str
) -> None:
    llm.say(text, pieces=[text])
    engine_run = await played(opened, type_, tools=CONFIG["tools"])
    assert "wrote a tool call as text" in warnings(engine_run)[0]
    if type_ == "agent":
        assert engine_run.output("a")["stopped"] == "written_call"


def planned(llm: LlmServer) -> None:
    """All that a planner asks before it sums up: a name, a risk, and that there is nothing to do."""
    for reply in ('{"name": "T"}', '{"risk": "LOW", "reason": "r"}', '{"tool": "FINAL", "description": "d"}'):
        llm.say(reply)


@pytest.mark.parametrize(
    ("delta", "said", "finish", "stopped"),
    [
        ({"content": "It is tidy."}, "stop", "stop", "done"),
        ({"content": "It is"}, "length", "length", "length"),
        ({"content": "It is"}, "sensitive", "content_filter", "content_filter"),
        ({"refusal": "I will not."}, "stop", "refusal", "refusal"),
        ({"content": WRITTEN[0]}, "stop", "stop", "written_call"),
        ({"content": " "}, "stop", "stop", "empty"),
    ],
)
async def test_a_planner_whose_summary_is_no_whole_answer_is_not_done(
    llm: LlmServer, opened: Opener, delta: Json, said: str, finish: str, stopped: str
) -> None:
    planned(llm)
    llm.reply(chunks=[chunk(delta), chunk({}, said), used()], times=None)
    engine_run = await played(opened, "planner")
    out = engine_run.output("a")
    assert (out["finish"], out["model"], out["stopped"]) == (finish, "m-served", stopped)
    assert len(warnings(engine_run)) == (stopped != "done")
    assert out["text"] == str(delta.get("content", "I will not.")).strip()


@pytest.mark.parametrize("text", ['{"n": 7}', '{"name": "Ada", "arguments": "none"}', "Call add(1)."])
async def test_json_that_names_no_tool_is_an_answer(llm: LlmServer, opened: Opener, text: str) -> None:
    llm.say(text, pieces=[text])
    assert (await played(opened)).output("a")["stopped"] == "done"


async def test_an_answer_that_breaks_off_by_its_own_word_is_asked_again(llm: LlmServer, opened: Opener) -> None:
    llm.reply(chunks=[chunk({"content": "It"}), chunk({}, "insufficient_system_resource")])
    llm.say("It is 3.")
    model = (await opened()).model("m")
    graph = flow("start -> a", a=("agent", CONFIG))
    engine_run = EngineRun(graph, {}, {"kb": ScriptedTools({"add": ["3"]})}, models={"llm": model})
    end = await engine_run.run()
    while end.state == "WAITING":
        engine_run.clock.advance(2.0)
        end = await engine_run.on()
    assert engine_run.output("a")["text"] == "It is 3."


async def test_an_answer_cut_in_a_structure_that_came_whole_when_asked_again(llm: LlmServer, opened: Opener) -> None:
    llm.reply(chunks=[chunk({"content": '{"n": '}), chunk({}, "length"), used()])
    llm.say('{"n": 7}')
    schema = {"type": "object", "required": ["n"]}
    out = (await played(opened, output_schema=schema)).output("a")
    assert (out["structured"], out["stopped"], out["finish"]) == ({"n": 7}, "done", "length")


async def test_the_error_of_a_structured_answer_holds_the_raw_one(llm: LlmServer, opened: Opener) -> None:
    llm.say("I would rather write a poem.", times=None)
    config = {"provider": "llm", "model": "m", "messages": [{"role": "user", "content": "?"}]}
    graph = flow("start -> a", a=("llm", config | {"output_schema": {"type": "object", "required": ["n"]}}))
    engine_run = EngineRun(graph, {}, {}, models={"llm": (await opened()).model("m")})
    end = await engine_run.run()
    assert end.state == "ERROR"
    assert end.error is not None
    assert end.error["code"] == "LLM_BAD_RESPONSE"
    assert inside(end.error["detail"])["raw"] == "I would rather write a poem."


async def test_beyond_128_tools_the_conversation_says_so(llm: LlmServer, opened: Opener) -> None:
    llm.say("fine")
    specs = [ToolSpec("kb", f"tool_{n}") for n in range(131)]
    kb = ScriptedToolSource("kb", specs=specs)
    engine_run = await played(opened, kb=kb, tool_search="all")
    system = llm.requests[0].messages[0]
    assert system["role"] == "system"
    assert "3 more tools exist" in system["content"]
    assert "kb__tool_128, kb__tool_129, kb__tool_130" in system["content"]
    assert len(llm.requests[0].tools) == 128
    assert [text[:30] for text in warnings(engine_run)] == ["3 tools are left out because a"]


async def test_a_reply_journaled_before_endings_were_looked_at_counts_as_whole() -> None:
    """As a journal of before holds it: a reply that names no model."""
    model = ScriptedModel(ChatReply(text="It is", finish="length", model="parrot"))
    engine_run = EngineRun(flow("start -> a", a=("agent", CONFIG)), {}, {"kb": ScriptedTools({"add": ["3"]})},
                models={"llm": model})  # fmt: skip
    lines = 1
    while await engine_run.dies(lines):
        if any(line.type == "LLM_RESPONSE" for line in engine_run.disk.lines):
            break
        engine_run.disk.lines.clear()
        lines += 1
    count = len(model.requests)
    for line in engine_run.disk.lines:
        if line.type == "LLM_RESPONSE":
            line.data.pop("model")
            (line.value or {}).get("result", {}).pop("model", None)
    assert (await engine_run.run()).state == "SUCCESS"
    assert (engine_run.output("a")["stopped"], engine_run.output("a")["model"]) == ("done", "parrot")
    assert len(model.requests) == count
