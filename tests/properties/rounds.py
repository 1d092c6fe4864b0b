"""Plays a run with containers, killed at given lines of its log, for tests of what a resume skips."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

from backend.engine.execution import rounds as containers
from backend.engine.execution.ports import Entry, JournalFailed, SegmentEnd
from backend.engine.testing import ScriptedTools, past_of
from tests.unit.engine import engine_run as plays
from tests.unit.engine.engine_run import EngineRun, answer, by_step

NEVER = 10**9


@dataclass
class Environment:
    """What is outside: a tool, child runs that end the next time the run goes on, a person who agrees."""

    calls: list[Any] = field(default_factory=list)

    def tools(self) -> ScriptedTools:
        def go(arguments: Any) -> Any:
            self.calls.append(arguments)
            return {"n": arguments["n"]}

        return ScriptedTools({"go": [go]}, kind="idempotent")


def everything(lines: list[Entry]) -> list[Entry]:
    """As a version without "rounds" records reads its past."""
    return [line for line in lines if line.record and line.record != "rounds"]


async def played(
    crashes: list[tuple[int, bool]],
    *,
    whole: bool = False,
    after: int = 10,
    earlier: int = 0,
    graph: Callable[[], Any],
    environment: Environment | None = None,
) -> tuple[EngineRun, Environment]:
    """`earlier` = how many segments are those of a version that did not write down where a container stands."""
    environment = environment or Environment()
    engine_run = EngineRun(graph(), {}, {"own": environment.tools()})
    left = list(crashes)
    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(plays, "past_of", everything if whole else past_of))
        for number in range(200):
            at, lossy = left.pop(0) if left else (None, False)
            segment = engine_run.open(crash_at=at, lossy=lossy)
            stack.enter_context(mock.patch.object(containers, "ROUNDS_AFTER", after if number >= earlier else NEVER))
            try:
                for run in list(engine_run.runs.started):
                    segment.deliver(engine_run.runs.end(run, {"n": 1}))
                for line in [line for line in engine_run.disk.lines if line.record == "ask"]:
                    segment.deliver(answer(line.interaction))
                end: SegmentEnd = await segment.run()
                await engine_run.journal.barrier()
            except JournalFailed:
                continue
            finally:
                await segment.close()
            if end.state != "WAITING":
                assert end.state == "SUCCESS", end.error
                engine_run.ended = end  # type: ignore[attr-defined]
                return engine_run, environment
    raise AssertionError("it never ended")


def events_of(engine_run: EngineRun, environment: Environment) -> Any:
    """What a person can see of it, and what arrived outside: the same however often it was interrupted."""
    calls = {repr(call) for call in environment.calls}
    return engine_run.ended.outputs, by_step(engine_run.disk.lines), calls, set(engine_run.runs.started)  # type: ignore[attr-defined]
