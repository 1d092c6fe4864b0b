"""An agent at the services of the presets: two rounds with a tool, on the wire, and after a kill at every record.

The dialects are made from the services' documents (`tests/dialects.py`), so they say what those promise, no more.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from backend.engine.testing import ScriptedTools
from backend.llm.types import Message
from tests.dialects import ARGUMENTS, DIALECTS, Dialect, chunk, used
from tests.llm_server import LlmServer
from tests.unit.engine.engine_run import EngineRun, flow
from tests.unit.llm.conftest import Opener, ask, asking

Json = Any
CONFIG = {"provider": "llm", "model": "m", "query": "Add 1 and 2.", "tools": {"servers": [{"server": "kb"}]}}

spoken = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda item: item.name)


def one_of_each() -> list[Any]:
    """The dialects; of those that want the same back all but the first are left to `make test-wide`."""
    met, params = set[str](), []
    for dialect in DIALECTS:
        kind = repr((dialect.returned, dialect.returned_call))
        params.append(pytest.param(dialect, marks=[pytest.mark.wide] if kind in met else []))
        met.add(kind)
    return params


def test_every_preset_has_a_dialect() -> None:
    presets = json.loads(Path("backend/providers/presets.json").read_text(encoding="utf-8"))
    assert {preset["id"] for preset in presets} == {dialect.name for dialect in DIALECTS}
    assert all(dialect.source.startswith("https://") for dialect in DIALECTS)


def speak(llm: LlmServer, dialect: Dialect) -> None:
    """Let the server speak so: the call first, the answer once it has the tool's result."""
    llm.check = dialect.check
    later: Json = lambda asked: any(message["role"] == "tool" for message in asked.messages)  # noqa: E731 - one expression, named
    llm.reply(chunks=dialect.answers, when=later, times=None)
    llm.reply(chunks=dialect.calls, times=None)


async def agent(llm: LlmServer, opened: Opener, dialect: Dialect, **config: Json) -> EngineRun:
    """A run with one agent whose model speaks this dialect."""
    speak(llm, dialect)
    model = (await opened(slug=dialect.name)).model("m")
    return EngineRun(flow("start -> a", a=("agent", CONFIG | config)), {}, {"kb": ScriptedTools({"add": ["3"]})},
                models={"llm": model})  # fmt: skip


def assistant_message(messages: Json) -> Json:
    """The assistant's message with the call."""
    return next(message for message in messages if message.get("tool_calls"))


@spoken
async def test_two_rounds_with_a_tool(llm: LlmServer, opened: Opener, dialect: Dialect) -> None:
    engine_run = await agent(llm, opened, dialect)
    end = await engine_run.run()
    assert end.state == "SUCCESS", end.error
    out = engine_run.output("a")
    assert out["text"] == "It is 3."
    assert out["usage"]["input_tokens"] + out["usage"]["output_tokens"] == 2 * dialect.tokens
    assert [json.loads(json.dumps(call["arguments"])) for call in out["tool_calls"]] == [json.loads(ARGUMENTS)]
    assert len(llm.requests) == 2, "no request was refused"
    message = assistant_message(llm.requests[1].messages)
    if dialect.returned is not None:
        assert {name: message[name] for name in dialect.returned} == dialect.returned
    if dialect.returned_call is not None:
        assert {name: message["tool_calls"][0][name] for name in dialect.returned_call} == dialect.returned_call


@pytest.mark.parametrize("dialect", one_of_each(), ids=lambda item: item.name)
async def test_after_a_kill_at_every_record(llm: LlmServer, opened: Opener, dialect: Dialect) -> None:
    whole = await agent(llm, opened, dialect)
    await whole.run()
    expected = llm.requests[1].messages
    for line in range(1, len(whole.disk.lines) + 1):
        llm.clear()
        engine_run = await agent(llm, opened, dialect)
        assert await engine_run.dies(line)
        end = await engine_run.run()
        assert end.state == "SUCCESS", (line, end.error)
        for request in llm.requests:
            if any(message["role"] == "tool" for message in request.messages):
                assert request.messages == expected


@spoken
async def test_the_forced_last_round(llm: LlmServer, opened: Opener, dialect: Dialect) -> None:
    engine_run = await agent(llm, opened, dialect, max_iterations=1, params={"tool_choice": "auto"})
    end = await engine_run.run()
    assert end.state == "SUCCESS", end.error
    assert (engine_run.output("a")["text"], engine_run.output("a")["stopped"]) == ("It is 3.", "max_iterations")
    assert "tool_choice" not in llm.requests[-1].body or llm.requests[-1].body.get("tools")


@spoken
async def test_another_model_gets_no_attachments(llm: LlmServer, opened: Opener, dialect: Dialect) -> None:
    speak(llm, dialect)
    endpoint = await opened(slug=dialect.name)
    reply = await ask(endpoint, asking(), "m")
    llm.check = None
    llm.reply(chunks=[chunk({"content": "fine"}, "stop"), used()], when=lambda asked: asked.body["model"] == "other")
    answered: Message = {"role": "tool", "tool_call_id": reply.tool_calls[0].id, "content": "3"}
    request = asking()
    request.messages.extend([reply.message(), answered])
    await ask(endpoint, request, "other")
    message = assistant_message(llm.requests[-1].messages)
    assert set(message) == {"role", "content", "tool_calls"}
    assert set(message["tool_calls"][0]) == {"id", "type", "function"}
    assert isinstance(message["content"], str | None)
