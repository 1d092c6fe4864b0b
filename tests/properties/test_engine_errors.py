"""Errors, repeats and the log of requests (seed properties 8 and 9), over drawn courses of failing tools.

8: a transient failure is repeated up to the configured number of times, a permanent one never, a write whose outcome
is unknown never; what stays is reported with its code and a sentence. 9: every request has its line before the call,
and every response its line, with what was sent and what came.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from backend.engine.document.types import Retry
from backend.engine.execution.retry import PERMANENT, REFUSED, may_have_happened, repeat_after
from backend.engine.testing import ScriptedTools
from backend.errors import (
    CODES,
    McpAuthFailed,
    McpExecutionError,
    McpInvalidParams,
    McpParseError,
    McpProtocolError,
    McpTimeout,
    McpToolNotFound,
    McpUnreachable,
    PatchbayError,
    error_for,
    text_for,
)
from backend.tools.types import EffectKind, ToolResult
from tests.exhaustive import few
from tests.unit.engine.engine_run import EngineRun, flow

TRANSIENT: list[type[PatchbayError]] = [McpUnreachable, McpTimeout]
LASTING: list[type[PatchbayError]] = [
    McpAuthFailed,
    McpInvalidParams,
    McpToolNotFound,
    McpProtocolError,
    McpParseError,
    McpExecutionError,
]
KINDS = st.sampled_from(["read", "idempotent", "write"])
ANSWERS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
ARGUMENTS = st.dictionaries(st.text(max_size=5), st.integers() | st.booleans() | st.text(max_size=5), max_size=3)


def play_of(replies: list[Any], kind: EffectKind, **more: Any) -> tuple[EngineRun, ScriptedTools]:
    kb = ScriptedTools({"go": replies}, kind=kind)
    arguments = more.pop("arguments", {})
    graph = flow("start -> t", t=("tool", {"server": "kb", "tool": "go", "arguments": arguments}, more))
    return EngineRun(graph, {}, {"kb": kb}), kb


@settings(max_examples=few(150), deadline=None)
@given(st.lists(st.sampled_from(TRANSIENT), max_size=6), st.sampled_from([*LASTING, None]), KINDS)
def test_property_8_transient_failures_are_repeated_and_lasting_ones_are_not(
    failures: list[type[PatchbayError]], last: type[PatchbayError] | None, kind: EffectKind
) -> None:
    replies: list[Any] = [*(error() for error in failures), last() if last else "ok"]
    engine_run, kb = play_of(replies, kind)
    end = asyncio.run(engine_run.run())
    code: str | None
    if kind == "write" and failures:
        calls, code = 1, failures[0].code
    elif len(failures) > 3:
        calls, code = 4, failures[3].code
    else:
        calls, code = len(failures) + 1, last.code if last else None
    assert len(kb.calls) == calls
    assert (end.error["code"] if end.error else None) == code
    assert engine_run.types_of("t").count("STEP_RETRY") == calls - 1
    if code:
        error = engine_run.last("t").data
        message, hint = text_for(error["code"], error["params"], "en")
        assert message and hint and engine_run.last("t").type == "STEP_ERROR"


@settings(max_examples=few(150), deadline=None)
@given(
    st.integers(0, 5),
    st.floats(0, 5),
    st.floats(1, 3),
    st.floats(0, 20),
    st.sampled_from([*TRANSIENT, *LASTING]),
    st.booleans(),
)
def test_property_8_a_policy_of_the_node_says_how_often_and_how_soon(
    times: int, delay: float, factor: float, most: float, error: type[PatchbayError], sent: bool
) -> None:
    retry = {"max": times, "delay_s": delay, "factor": factor, "max_delay_s": most}
    engine_run, kb = play_of([error(params={} if sent else {"sent": False})], "write", retry=retry)
    engine_run.options = {"hold_s": 1e9}
    end = asyncio.run(engine_run.run())
    unknown = sent and error.code not in REFUSED
    repeats = 0 if unknown or error.code in PERMANENT else times
    assert (end.state, len(kb.calls)) == ("ERROR", repeats + 1)
    delays = [line.data["delay_ms"] for line in engine_run.events if line.type == "STEP_RETRY"]
    assert delays == [round(min(delay * factor**i, most) * 1000) for i in range(repeats)]
    assert ("unknown" in engine_run.last("t").data) == unknown


@settings(max_examples=few(150), deadline=None)
@given(ARGUMENTS, st.lists(st.sampled_from(TRANSIENT), max_size=3), ANSWERS, st.booleans())
def test_property_9_every_request_and_every_response_is_in_the_log(
    arguments: Any, failures: list[type[PatchbayError]], text: str, bad: bool
) -> None:
    answer = ToolResult([{"type": "text", "text": text}], text=text, is_error=bad)
    engine_run, kb = play_of([*(error() for error in failures), answer], "read", arguments=arguments)
    seen: list[int] = []
    requests: Callable[[], int] = lambda: [line.type for line in _lines(engine_run)].count("TOOL_REQUEST")  # noqa: E731 - one expression, named

    async def count(_: str, __: Any) -> None:
        seen.append(requests())

    kb.on_call = count
    asyncio.run(engine_run.run())
    assert seen == list(range(1, len(failures) + 2)), "the request is logged before the call"
    log = [line for line in engine_run.events if line.type in ("TOOL_REQUEST", "TOOL_RESPONSE")]
    assert [line.type for line in log] == ["TOOL_REQUEST", "TOOL_RESPONSE"] * (len(failures) + 1)
    for line, called in zip(log[::2], kb.calls, strict=True):
        assert (line.data["tool"], line.data["arguments"]) == called
    for line, error in zip(log[1::2], failures, strict=False):
        assert line.data["is_error"] and line.data["error"]["code"] == error.code
    assert (log[-1].data["content"], log[-1].data["is_error"]) == (answer.content, bad)


def _lines(engine_run: EngineRun) -> Any:
    return [*engine_run.disk.lines, *engine_run.journal.pending]


@settings(max_examples=few(100), deadline=None)
@given(st.sampled_from(sorted(CODES)), st.integers(1, 9), st.integers(0, 9), st.booleans(), st.booleans())
def test_property_8_no_policy_repeats_what_may_have_happened(
    code: str, attempt: int, times: int, wrote: bool, known: bool
) -> None:
    error = error_for(code, {"sent": False} if known else {})
    unknown = wrote and may_have_happened(error)
    delay = repeat_after(Retry(max=times), attempt, error, unknown=unknown, wrote=wrote)
    if unknown or code in PERMANENT or attempt > times:
        assert delay is None
    else:
        assert delay is not None and 0 <= delay <= 10
    if wrote:
        assert repeat_after(Retry(max=times, writes=False), attempt, error, unknown=False, wrote=True) is None
