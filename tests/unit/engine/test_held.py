"""Questions in the middle of a call that is held open: the run goes on, time stands still, nothing is left open."""

from __future__ import annotations

import asyncio
from typing import Any

from backend.engine.document.types import NodeTypes, Text, node_type
from backend.engine.execution.ports import WITHDRAWN, Message
from backend.nodes import node_types
from backend.tools.types import EffectHandle, EffectKind, JsonObject, JsonValue, Question
from tests.unit.engine.engine_run import EngineRun, answer, flow, until
from tests.unit.engine.segments import NoConfig

WHICH = Question("elicitation", "Which?", expires_in_s=600)


def play_of(run: Any, **more: Any) -> EngineRun:
    own = node_type("own", group="data", title=Text("", ""), description=Text("", ""), config=NoConfig)(run)
    return EngineRun(flow("start -> n", n=("own", {}, more)), types=NodeTypes([*node_types().values(), own]))


def asking(kind: EffectKind = "read", after: Any = None) -> Any:
    """A node whose one call asks in its middle."""

    async def run(ctx: Any) -> JsonObject:
        async def body(handle: EffectHandle) -> JsonValue:
            reply = await handle.ask("which", WHICH)
            if after is not None:
                await after()
            return reply.values

        return {"said": await ctx.effect("call", body, kind, target="x")}

    return run


async def held(engine_run: EngineRun) -> asyncio.Task[Any]:
    """The run, started, once its question is put and on disk."""
    task = asyncio.ensure_future(engine_run.segment.run())
    await until(lambda: any(line.record == "ask" for line in [*engine_run.disk.lines, *engine_run.journal.pending]))
    await engine_run.journal.barrier()
    return task


async def test_the_step_has_all_its_time_left_when_the_answer_comes() -> None:
    engine_run = play_of(asking(), timeout_s=5)
    engine_run.open()
    task = await held(engine_run)
    engine_run.clock.advance(3600)
    for _ in range(50):
        await asyncio.sleep(0)
    assert not task.done()
    engine_run.segment.deliver(answer(engine_run.question().interaction, values="this"))
    assert (await task).state == "SUCCESS"
    await engine_run.journal.barrier()
    assert engine_run.output("n") == {"said": "this"}


async def test_time_goes_on_with_the_call() -> None:
    engine_run: EngineRun = play_of(asking(after=lambda: engine_run.clock.sleep(6)), timeout_s=5)
    engine_run.open()
    task = await held(engine_run)
    engine_run.clock.advance(3600)
    engine_run.segment.deliver(answer(engine_run.question().interaction))
    end = await task
    assert end.error and end.error["code"] == "NODE_TIMEOUT"


async def test_a_question_whose_call_is_over_is_taken_back() -> None:
    async def run(ctx: Any) -> JsonObject:
        async def body(handle: EffectHandle) -> JsonValue:
            request = asyncio.ensure_future(handle.ask("which", WHICH))
            await until(lambda: any(line.record == "ask" for line in engine_run.journal.pending))
            request.cancel()
            await asyncio.wait({request})
            return "did without"

        return {"said": await ctx.effect("call", body, "read", target="x")}

    engine_run = play_of(run)
    assert (await engine_run.run()).state == "SUCCESS"
    (taken,) = [line for line in engine_run.events if line.type == "STEP_ANSWERED"]
    assert (taken.interaction, taken.data["reason"]) == (engine_run.question().interaction, WITHDRAWN)


async def test_after_a_crash_a_read_asks_the_same_question_again() -> None:
    engine_run = play_of(asking())
    engine_run.open()
    task = await held(engine_run)
    interaction = engine_run.question().interaction
    engine_run.journal.crash()
    task.cancel()
    await asyncio.wait({task})
    end = await _resumed(engine_run, answer(interaction, values="later"))
    assert end.state == "SUCCESS"
    assert [line.interaction for line in engine_run.disk.lines if line.record == "ask"] == [interaction]


async def test_after_a_crash_a_write_is_unknown_and_its_question_is_taken_back() -> None:
    engine_run = play_of(asking("write"))
    engine_run.open()
    task = await held(engine_run)
    interaction = engine_run.question().interaction
    engine_run.journal.crash()
    task.cancel()
    await asyncio.wait({task})
    assert (await engine_run.run()).state == "WAITING"
    question = engine_run.question().question
    assert question is not None and question.kind == "recovery"
    (taken,) = [line for line in engine_run.events if line.type == "STEP_ANSWERED"]
    assert (taken.interaction, taken.data["reason"]) == (interaction, WITHDRAWN)


async def test_it_is_answered_while_the_run_pauses_too() -> None:
    engine_run = play_of(asking())
    engine_run.open()
    task = await held(engine_run)
    engine_run.segment.deliver(Message("pause"))
    engine_run.segment.deliver(answer(engine_run.question().interaction, values="now"))
    end = await task
    assert end.state in ("SUCCESS", "PAUSED")
    await engine_run.journal.barrier()
    assert engine_run.output("n") == {"said": "now"}


async def _resumed(engine_run: EngineRun, *messages: Message) -> Any:
    segment = engine_run.open()
    for message in messages:
        segment.deliver(message)
    end = await segment.run()
    await engine_run.journal.barrier()
    return end
