"""Trouble of ours is never a result: what was under way has no end and is tried again, then a person decides."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from backend.engine.document.types import NodeConfig, NodeTypes, Text, node_type
from backend.engine.execution.ports import JournalFailed, LeaseLost, SegmentFault
from backend.engine.execution.segment_state import MOST_FAULTS
from backend.engine.testing import ScriptedTools
from backend.nodes import node_types
from tests.unit.engine.engine_run import EngineRun, answer, flow

Node = Callable[[Any], Any]


def play_of(run: Node, *, on_error: str = "fail") -> EngineRun:
    """start → n → end, where n does `run`."""
    own = node_type("own", group="data", title=Text("", ""), description=Text("", ""), config=NodeConfig)(run)
    types = NodeTypes([*node_types().values(), own])
    return EngineRun(flow("start -> n", n=("own", {}, {"on_error": on_error})), types=types)


def called(error: Exception, kind: str, times: int) -> tuple[Node, list[int]]:
    """A node whose effect fails so many times, and how often it was called."""
    calls: list[int] = []

    async def run(ctx: Any) -> dict[str, Any]:
        async def body(_: Any) -> str:
            calls.append(1)
            if len(calls) <= times:
                raise error
            return "fine"

        return {"said": await ctx.effect("call", body, kind, target="x")}

    return run, calls


async def fault(engine_run: EngineRun) -> SegmentFault:
    """A segment that ends in trouble of ours, written down as `runs` does it."""
    with pytest.raises(SegmentFault) as caught:
        await engine_run.run()
    journal = engine_run.journal
    journal.append(replace(caught.value.entry, type="STEP_LOG", data={"level": "error", "text": "failed"}))
    await journal.barrier()
    return caught.value


@pytest.mark.parametrize("on_error", ["fail", "continue", "port"])
@pytest.mark.parametrize("error", [ValueError("ours"), MemoryError(), OSError(errno.EMFILE, "no descriptors")])
async def test_an_effect_that_meets_trouble_of_ours_has_no_end_and_runs_again(error: Exception, on_error: str) -> None:
    run, calls = called(error, "read", 1)
    engine_run = play_of(run, on_error=on_error)
    assert (await fault(engine_run)).entry.key == "call"
    assert not [line for line in engine_run.disk.lines if line.record in ("end", "outcome") and line.node == "n"]
    assert (await engine_run.run()).state == "SUCCESS"
    assert engine_run.output("n") == {"said": "fine"} and len(calls) == 2


async def test_a_node_that_meets_a_defect_has_no_end_and_runs_again() -> None:
    tries: list[int] = []

    async def run(ctx: Any) -> dict[str, Any]:
        tries.append(1)
        if len(tries) == 1:
            raise KeyError("ours")
        return {"said": "fine"}

    engine_run = play_of(run)
    assert (await fault(engine_run)).entry.key == ""
    assert (await engine_run.run()).state == "SUCCESS" and engine_run.output("n") == {"said": "fine"}


@pytest.mark.parametrize(
    ("action", "state", "output"),
    [("retry", "SUCCESS", {"said": "fine"}), ("skip", "SUCCESS", {"said": "given"}), ("fail", "ERROR", None)],
)
async def test_a_defect_that_repeats_is_a_persons_to_decide(action: str, state: str, output: Any) -> None:
    run, calls = called(ValueError("ours"), "read", MOST_FAULTS)
    engine_run = play_of(run)
    for _ in range(MOST_FAULTS):
        await fault(engine_run)
    end = await engine_run.run()
    assert end.state == "WAITING" and len(calls) == MOST_FAULTS
    question = engine_run.question()
    assert question.question and question.question.kind == "recovery"
    assert f"failed here {MOST_FAULTS} times" in question.question.message
    end = await engine_run.on(answer(question.interaction, action, values="given"))
    assert end.state == state
    if output is None:
        assert end.error and (end.error["code"], end.error["params"]["reason"]) == ("INTERNAL", "repeated")
    else:
        assert engine_run.output("n") == output
    assert (await engine_run.run()).state == state, "and a replay sees the same"


async def test_a_write_that_meets_a_defect_after_it_began_is_asked_about_at_once() -> None:
    run, calls = called(ValueError("ours"), "write", 1)
    engine_run = play_of(run)
    await fault(engine_run)
    assert (await engine_run.run()).state == "WAITING" and len(calls) == 1
    assert engine_run.question().question and engine_run.question().question.kind == "recovery"  # type: ignore[union-attr]


@pytest.mark.parametrize("trouble", [LeaseLost("r"), JournalFailed("r"), OSError(28, "no space"), ValueError("ours")])
async def test_trouble_of_one_call_is_not_the_end_of_the_one_beside_it(trouble: Exception) -> None:
    begun = asyncio.Event()

    async def run(ctx: Any) -> dict[str, Any]:
        async def waits(_: Any) -> str:
            begun.set()
            await asyncio.Event().wait()
            return ""

        async def fails(_: Any) -> str:
            await begun.wait()
            raise trouble

        async with asyncio.TaskGroup() as group:
            group.create_task(ctx.effect("waits", waits, "read", target="x"))
            group.create_task(ctx.effect("fails", fails, "read", target="y"))
        return {}

    engine_run = play_of(run)
    with pytest.raises((LeaseLost, JournalFailed)):
        await engine_run.run()
    assert not [line for line in engine_run.disk.lines if line.record in ("end", "outcome") and line.node == "n"]


async def test_a_step_that_nobody_cancelled_is_not_recorded_as_cancelled() -> None:
    """As when the loop of a process ends under it."""
    kb = ScriptedTools({"go": ["never"]})

    called = asyncio.Event()

    async def forever(*_: Any) -> None:
        called.set()
        await asyncio.Event().wait()

    kb.on_call = forever
    engine_run = EngineRun(
        flow("start -> t", t=("tool", {"server": "kb", "tool": "go", "arguments": {}})), servers={"kb": kb}
    )
    segment = engine_run.open()
    work = asyncio.ensure_future(segment.run())
    await called.wait()
    for task in asyncio.all_tasks():
        if task not in (work, asyncio.current_task()):
            task.cancel()
    with pytest.raises(SegmentFault):
        await work
    assert not [line for line in engine_run.disk.lines if line.record in ("end", "outcome") and line.node == "t"]
