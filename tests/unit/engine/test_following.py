"""Tasks at servers: followed without a worker, over any crash, and ended where nobody wants them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from backend.engine.execution.ports import Message
from backend.engine.testing import Disk, past_of
from backend.errors import McpProtocolError, McpUnreachable
from backend.llm.testing import ScriptedModel, wants
from backend.tools.calls.journaling import answered, journaled_json
from backend.tools.types import (
    AtWork,
    CallContext,
    EffectHandle,
    EffectKind,
    FollowedTask,
    JsonObject,
    OpenTask,
    Question,
    ToolResult,
    ToolResultJson,
    ToolSpec,
)
from tests.unit.engine.engine_run import EngineRun, answer, flow

Seen = ToolResultJson | AtWork | Exception
EMPTY = ToolResult([]).as_json()
DONE = ToolResult([{"type": "text", "text": "42"}], text="42").as_json()
ASKED: ToolResultJson = {**EMPTY, "input_required": {"q": {"method": "elicitation/create"}}}


@dataclass
class Tasks:
    """A server whose calls become tasks; `script` = what looks at one see, the last again and again."""

    script: list[Seen]
    kind: EffectKind = "write"
    calls: int = 0
    looks: int = 0
    cancelled: list[str] = field(default_factory=list)
    disk: Disk = field(default_factory=Disk)
    first_s: float = 10.0

    async def list_tools(self) -> list[ToolSpec]:
        return [ToolSpec("far", "go")]

    async def call_tool(self, name: str, arguments: JsonObject, call: CallContext) -> ToolResult:
        """A call, its task, a question where it asks one, once more where it is lost."""
        call = CallContext(call.effects, call.key, cleared=self.kind)
        for number in (1, 2):
            key = call.key if number == 1 else f"{call.key}/again:{number}"
            value = await journaled_json(call, key, "far", name, arguments, self._became)
            for step in (1, 2):
                seen = await self._followed(call, f"{key}/task:{step}", key, value["task"]["id"])
                if "input_required" not in seen:
                    break
                await call.effects.ask(f"{key}/elicit", Question("elicitation", "Which?"))
            if not seen.get("lost"):
                return ToolResult.from_json(seen)
            if self.kind == "read":
                break
        raise McpUnreachable(params={"reason": "task_lost"})

    async def _became(self, handle: EffectHandle) -> ToolResultJson:
        self.calls += 1
        await asyncio.sleep(0)
        return {**EMPTY, "task": {"id": f"t{self.calls}", "at": 0.0, "poll_ms": None, "ttl_ms": None}}

    async def _followed(self, call: CallContext, key: str, shown: str, task: str) -> ToolResultJson:
        about: OpenTask = {"server": "far", "id": task}

        async def cancel() -> None:
            self.cancelled.append(task)

        return await call.effects.follow(
            key,
            FollowedTask(about, self._look, cancel, self.first_s if key.endswith(":1") else 0.0, 0.0),
            self.kind,
            target="far/go",
            arguments={},
            started=("TOOL_REQUEST", {"call": shown, "server": "far", "tool": "go", "arguments": {}}),
            ended=partial(answered, shown),
        )

    async def _look(self) -> ToolResultJson | AtWork:
        self.looks += 1
        handles = [line for line in self.disk.lines if line.record == "end" and "task" in line.value["result"]]
        assert handles, "the handle is on disk"
        await asyncio.sleep(0)
        seen = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(seen, Exception):
            raise seen
        return seen


def engine_run(far: Tasks, **more: Any) -> EngineRun:
    document = flow("start -> far -> fin", far=("tool", {"server": "far", "tool": "go"}, more), fin=("end", {
        "outputs": {"said": "{{ far.result }}"},
    }))  # fmt: skip
    return EngineRun(document, servers={"far": far}, disk=far.disk)


def tools_of(run_: EngineRun) -> list[str]:
    return [line.type or "" for line in run_.events if (line.type or "").startswith("TOOL_")]


async def to_rest(run_: EngineRun, message: Message | None = None) -> Any:
    """New segments, each as in another process, until the run ends; time passes to each timer."""
    if hasattr(run_, "segment"):
        await run_.segment.close()
    segment = run_.open()
    if message is not None:
        segment.deliver(message)
    end = await segment.run()
    await run_.journal.barrier()
    for _ in range(20):
        timers = [w.until for w in end.waiting if w.until is not None]
        if end.state != "WAITING" or not timers:
            break
        run_.clock.advance(min(timers) - run_.clock.now())
        await run_.segment.close()
        end = await run_.run()
    await run_.segment.close()
    return end


async def test_a_task_is_parked_and_looked_at_by_whatever_process_comes() -> None:
    far = Tasks([AtWork(20.0, "half"), AtWork(30.0, "half"), DONE])
    created = engine_run(far)
    end = await created.run()
    assert (end.state, [w.kind for w in end.waiting], far.looks) == ("WAITING", ["timer"], 0)
    end = await to_rest(created)
    assert (end.state, end.outputs) == ("SUCCESS", {"said": "42"})
    assert (far.calls, far.looks, far.cancelled) == (1, 3, [])
    assert tools_of(created) == ["TOOL_REQUEST", "TOOL_RESPONSE"]
    texts = [line.data["message"] for line in created.events if line.type == "STEP_PROGRESS"]
    assert texts[1:] == [texts[1], "half"] and "every 10 s" in texts[1]
    assert len(created.disk.lines) < 20, "looks that find it at work leave nothing behind"


async def test_nothing_asks_for_it_before_its_handle_is_on_disk() -> None:
    created = engine_run(Tasks([DONE], kind="read", first_s=0.5))
    assert (await created.run(lossy=True)).state == "SUCCESS"


@pytest.mark.parametrize("lossy", [True, False])
async def test_no_crash_makes_the_call_twice(lossy: bool) -> None:
    lines = 2
    while True:
        far = Tasks([AtWork(20.0, "half"), ASKED, AtWork(20.0), DONE], kind="read")
        created = engine_run(far)
        crashed = await created.dies(lines, lossy=lossy)
        called = len([line for line in created.disk.lines if line.record == "end" and line.key == "call"])
        end = await to_rest(created)
        if end.state == "WAITING":
            (question,) = [line.interaction for line in created.disk.lines if line.record == "ask"]
            end = await to_rest(created, answer(question, "accept"))
        assert (end.state, end.outputs) == ("SUCCESS", {"said": "42"})
        assert far.calls == 1 or not called, "what had a handle is not called again"
        assert tools_of(created)[-1] == "TOOL_RESPONSE" and far.cancelled == []
        if not crashed:
            break
        lines += 1
    assert lines > 8


async def test_a_lost_write_is_for_a_person_a_lost_read_is_made_again() -> None:
    lost: ToolResultJson = {**EMPTY, "lost": "unknown"}
    reads = Tasks([lost, DONE], kind="read")
    assert (await to_rest(engine_run(reads))).state == "SUCCESS" and reads.calls == 2, "a retry, as the node says"
    for action, calls, state in (("retry", 2, "SUCCESS"), ("skip", 1, "SUCCESS"), ("fail", 1, "ERROR")):
        far = Tasks([lost, DONE])
        created = engine_run(far)
        end = await to_rest(created)
        request = next(line for line in created.disk.lines if line.record == "ask")
        assert end.state == "WAITING" and request.question is not None
        assert (request.question.kind, request.question.cause) == ("recovery", "outcome")
        end = await to_rest(created, answer(request.interaction, action))
        assert (end.state, far.calls, far.cancelled) == (state, calls, [])


async def test_its_server_is_told_when_nobody_wants_it() -> None:
    far = Tasks([AtWork(1.0)])
    created = engine_run(far)
    await created.run()
    end = await to_rest(created, Message("cancel", value={"by": "u"}))
    assert (end.state, created.runs.unwanted, far.cancelled) == ("CANCELLED", ["t1"], [])
    held = Tasks([AtWork(1.0)])
    created = engine_run(held)
    await created.run()
    end = await created.on(Message("cancel", value={"by": "u"}))
    assert (end.state, created.runs.unwanted, held.cancelled) == ("CANCELLED", [], ["t1"])
    asking = Tasks([ASKED])
    created = engine_run(asking)
    assert (await to_rest(created)).state == "WAITING"
    end = await to_rest(created, Message("cancel", value={"by": "u"}))
    assert (end.state, created.runs.unwanted, asking.cancelled) == ("CANCELLED", ["t1"], [])


async def test_the_time_limit_of_the_node_ends_it() -> None:
    far = Tasks([AtWork(20.0)])
    created = engine_run(far, timeout_s=50)
    end = await to_rest(created)
    assert end.state == "ERROR" and end.error is not None and end.error["code"] == "NODE_TIMEOUT"
    assert (far.cancelled, created.runs.unwanted) == (["t1"], [])
    assert created.last("far").data["unknown"] == ["call/task:1"]


async def test_the_time_limit_is_the_steps_own_also_where_a_model_called() -> None:
    """It is no failure of the call that a model is told of."""
    model = ScriptedModel(wants(("far__go", {})), "gave up")
    far = Tasks([AtWork(20.0)], kind="read")
    config = {"provider": "p", "model": "m", "query": "?", "tools": {"servers": [{"server": "far"}]}}
    run = EngineRun(flow("start -> ask", ask=("agent", config, {"timeout_s": 50})), servers={"far": far}, disk=far.disk)
    run.models["p"] = model
    end = await to_rest(run)
    assert end.error is not None and end.error["code"] == "NODE_TIMEOUT" and far.cancelled == ["t1"]


async def test_what_a_look_raises_ends_it() -> None:
    far = Tasks([AtWork(20.0, trouble=McpUnreachable(params={"reason": "refused"})), McpProtocolError()])
    created = engine_run(far)
    end = await to_rest(created)
    assert end.error is not None and end.error["code"] == "MCP_PROTOCOL_ERROR" and far.cancelled == ["t1"]
    assert "check the host and port" in str([line.data for line in created.events if line.type == "STEP_PROGRESS"])
    assert not [step for step in created.segment.state.replay.steps.values() if step.tasks]
    assert past_of(created.disk.lines)
