"""Calls that meet a sign-in which is missing or over: waited for, made once, over any crash, and let fail by people."""

from __future__ import annotations

from typing import Any

import pytest

from backend.engine.document.types import NodeTypes, Text, node_type
from backend.engine.execution.ports import JournalFailed, SegmentEnd
from backend.errors import McpAuthFailed
from backend.nodes import node_types
from backend.tools.signing_in import MARK, NeededSignIn, is_let_fail, needed_in
from backend.tools.types import (
    AtWork,
    EffectHandle,
    EffectKind,
    FollowedTask,
    JsonObject,
    OpenTask,
    ToolResult,
    ToolResultJson,
)
from tests.unit.engine.engine_run import EngineRun, answer, flow
from tests.unit.engine.segments import NoConfig

DONE = ToolResult([{"type": "text", "text": "42"}], text="42").as_json()


def signed_out(stamp: str = "", user: str | None = None) -> McpAuthFailed:
    expected: NeededSignIn = {"server": "srv_1", "slug": "octo", "user": user, "stamp": stamp}
    return McpAuthFailed(params={"reason": "signed_out", "server": "octo", MARK: expected})


class Octo:
    """A server at which the sign-ins of `over` do not hold any more; `made` = the calls that got through."""

    def __init__(self, *over: McpAuthFailed, kind: EffectKind = "write") -> None:
        self.over, self.kind, self.calls = list(over), kind, 0

    async def run(self, ctx: Any) -> JsonObject:
        async def body(_: EffectHandle) -> str:
            if self.over:
                raise self.over[0]
            self.calls += 1
            return "made"

        return {"said": await ctx.effect("call", body, self.kind, target="octo/write", arguments={"n": 1})}

    def engine_run(self) -> EngineRun:
        own = node_type("own", group="data", title=Text("", ""), description=Text("", ""), config=NoConfig)(self.run)
        return EngineRun(flow("start -> n", n=("own", {}, {})), types=NodeTypes([*node_types().values(), own]))


def questions_of(engine_run: EngineRun) -> list[str]:
    return [line.key for line in engine_run.disk.lines if line.record == "ask"]


async def gone_on(engine_run: EngineRun, interaction: str, action: str = "accept") -> SegmentEnd:
    """Another process, with the answer."""
    await engine_run.segment.close()
    segment = engine_run.open()
    segment.deliver(answer(interaction, action))
    end = await segment.run()
    await engine_run.journal.barrier()
    return end


async def test_the_call_is_made_once_the_person_is_back() -> None:
    octo = Octo(signed_out(), signed_out("sgn_1"))
    engine_run = octo.engine_run()
    end = await engine_run.run()
    for _ in range(2):
        assert end.state == "WAITING"
        question = engine_run.question().question
        assert question is not None and (question.kind, question.title, question.assignees) == ("server", "octo", [])
        assert question.evidence == {"sign_in": octo.over[0].params[MARK]}
        octo.over.pop(0)
        end = await gone_on(engine_run, engine_run.question().interaction)
    assert (end.state, octo.calls) == ("SUCCESS", 1)
    assert questions_of(engine_run) == ["sign_in:call", "sign_in:call@2"]
    await engine_run.segment.close()
    assert (await engine_run.run()).state == "SUCCESS" and octo.calls == 1, "a replay finds it made"


async def test_it_is_for_the_person_whose_own_credentials_they_are() -> None:
    engine_run = Octo(signed_out(user="usr_bob")).engine_run()
    await engine_run.run()
    question = engine_run.question().question
    assert question is not None and question.assignees == ["usr_bob"]
    assert "personal sign-in at the server octo" in question.message


async def test_who_does_not_wait_lets_the_step_fail_and_nothing_waits_for_it_above() -> None:
    octo = Octo(signed_out())
    engine_run = octo.engine_run()
    await engine_run.run()
    end = await gone_on(engine_run, engine_run.question().interaction, "decline")
    assert end.state == "ERROR" and end.error is not None and end.error["code"] == "MCP_AUTH_FAILED"
    params = engine_run.last("n").data["params"]
    assert needed_in("MCP_AUTH_FAILED", params) is None and is_let_fail(McpAuthFailed(params=params))
    assert octo.calls == 0


async def test_a_failure_of_another_kind_waits_for_nobody() -> None:
    engine_run = Octo(McpAuthFailed(params={"reason": "http_401"})).engine_run()
    assert (await engine_run.run()).state == "ERROR" and questions_of(engine_run) == []


@pytest.mark.parametrize("lossy", [False, True])
async def test_a_crash_at_any_line_neither_loses_the_call_nor_makes_it_twice(lossy: bool) -> None:
    calm = Octo(signed_out())
    lines = await _lived(calm, 0, lossy=False)
    for crash_at in range(1, lines + 1):
        octo = Octo(signed_out(), kind="read")
        await _lived(octo, crash_at, lossy=lossy)
        assert octo.calls in (1, 2), crash_at  # a read may be made again where its end was lost
    for crash_at in range(1, lines + 1):
        octo = Octo(signed_out())
        await _lived(octo, crash_at, lossy=lossy)
        assert octo.calls <= 1, crash_at


async def _lived(octo: Octo, crash_at: int, *, lossy: bool) -> int:
    """Play to the end; the process dies at a line, and the person is back when the question is there."""
    engine_run, end = octo.engine_run(), None
    crashes = crash_at
    written = 0
    for _ in range(8):
        segment = engine_run.open(crash_at=crashes or None, lossy=lossy)
        open_ = engine_run.question() if questions_of(engine_run) else None
        if open_ is not None and not any(line.record == "answer" for line in engine_run.disk.lines):
            octo.over.clear()
            segment.deliver(answer(open_.interaction, "retry" if _kind(open_) == "recovery" else "accept"))
        try:
            end = await segment.run()
            await engine_run.journal.barrier()
        except JournalFailed:
            end = None
        written += engine_run.journal.appended
        crashes = max(0, crashes - engine_run.journal.appended) if crashes and end is not None else 0
        await segment.close()
        if end is not None and end.state != "WAITING":
            break
        if end is not None and _kind(engine_run.question()) == "recovery":
            return written  # a person decides
    assert end is not None and end.state == "SUCCESS", crash_at
    return written


def _kind(entry: Any) -> str:
    return str(entry.question.kind)


class Task:
    """A server whose call became a task; one look at it meets a sign-in that is over."""

    def __init__(self) -> None:
        self.looks: list[ToolResultJson | AtWork | McpAuthFailed] = [AtWork(5.0), signed_out("sgn_1"), DONE]
        self.cancels = 0

    async def run(self, ctx: Any) -> JsonObject:
        about: OpenTask = {"server": "octo", "id": "t1"}
        task = FollowedTask(about, self._look, self._cancel, 5.0, 0.0)
        began: Any = ("TOOL_REQUEST", {"call": "call", "server": "octo", "tool": "go", "arguments": {}})
        value = await ctx.follow(
            "call/task:1", task, "write", target="octo/go", arguments={}, started=began, ended=lambda _: (None, {})
        )
        return {"said": value["text"]}

    async def _look(self) -> ToolResultJson | AtWork:
        seen = self.looks.pop(0)
        if isinstance(seen, McpAuthFailed):
            raise seen
        return seen

    async def _cancel(self) -> None:
        self.cancels += 1


async def test_a_task_at_a_server_goes_on_there_and_is_looked_at_when_the_person_is_back() -> None:
    task = Task()
    own = node_type("own", group="data", title=Text("", ""), description=Text("", ""), config=NoConfig)(task.run)
    engine_run = EngineRun(flow("start -> n", n=("own", {}, {})), types=NodeTypes([*node_types().values(), own]))
    end = await engine_run.run()
    for _ in range(3):
        if end.waiting[0].until is None:
            break
        engine_run.clock.advance(end.waiting[0].until - engine_run.clock.now())
        await engine_run.segment.close()
        end = await engine_run.run()
    assert (end.state, [wait.kind for wait in end.waiting], task.cancels) == ("WAITING", ["person"], 0)
    end = await gone_on(engine_run, engine_run.question().interaction)
    assert (end.state, engine_run.output("n"), task.cancels) == ("SUCCESS", {"said": "42"}, 0)
