"""A record of a run in the middle stands under another name: nothing is written twice, and a person is asked.

Graph and world are those of `test_engine_crash`. A run is killed at a drawn line, then the key of a record is altered,
or of all records of an effect as an update would name them, and the run goes on. A question about a mismatch is
answered with "fail", any other as ever.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.engine.execution.ports import Entry, JournalFailed
from backend.engine.execution.replay import fold
from tests.exhaustive import few
from tests.properties.fixtures import BASE_WORLD, LINES, TOOLS, Environment
from tests.unit.engine.engine_run import EngineRun, answer

WRITERS = (*TOOLS, "inner", "within")
ALL_WRITE: Any = dict.fromkeys(WRITERS, "write")
ONCE = {name: len(BASE_WORLD.done[name]) for name in WRITERS}
MOST_STOPS = 60


EFFECTS = ("start", "end")
ANY = (*EFFECTS, "ask", "answer", "sleep", "value", "emit")


def alter(lines: list[Entry], drawn: int, among: tuple[str, ...], *, whole: bool) -> Entry | None:
    """Rename one record of a step that has not ended, or all of its effect or question; gives the record."""
    steps = fold(line for line in lines if line.record).steps
    named = [
        at
        for at, line in enumerate(lines)
        if line.record in among and line.key != "init" and not steps[(line.path, line.node or "")].closed
    ]
    if not named:
        return None
    one = lines[named[drawn % len(named)]]
    same = {"start": "end", "end": "start", "ask": "answer", "answer": "ask"}
    for at in named:
        line = lines[at]
        of_it = (line.path, line.node, line.attempt, line.key) == (one.path, one.node, one.attempt, one.key)
        if line is one or (whole and of_it and line.record == same.get(one.record or "")):
            lines[at] = replace(line, key=f"altered/{line.key}")
    return one


async def killed(environment: Environment, crash_at: int) -> EngineRun:
    """A run that went on, questions answered, until it was killed at this line or ended."""
    engine_run = environment.engine_run()
    engine_run.open(crash_at=crash_at)
    with contextlib.suppress(JournalFailed):
        await on(environment, engine_run)
    return engine_run


async def on(environment: Environment, engine_run: EngineRun) -> list[Entry]:
    """Go on until the end, or until a mismatch is asked about; gives those questions."""
    end = await engine_run.on()
    for _ in range(MOST_STOPS):
        if end.state != "WAITING":
            return []
        questions = [
            line
            for line in engine_run.disk.lines
            if line.record == "ask" and line.interaction not in environment.questions
        ]
        matches = [line for line in questions if line.question is not None and line.question.kind == "mismatch"]
        if matches:
            return matches
        due = [item.until for item in end.waiting if item.until is not None]
        answers = environment.answers(engine_run)
        if not answers:
            assert due, f"it waits for nobody: {end.waiting}"
            environment.clock.advance(max(0.0, min(due) - environment.clock.now()))
        end = await engine_run.on(*answers)
    raise AssertionError("it does not come to an end")


def written(environment: Environment) -> Counter[str]:
    return Counter({name: len(environment.done.get(name, [])) for name in WRITERS})


async def scene(crash_at: int, drawn: int, among: tuple[str, ...] = ANY, *, whole: bool) -> None:
    environment = Environment(ALL_WRITE, {})
    engine_run = await killed(environment, crash_at)
    one = alter(engine_run.disk.lines, drawn, among, whole=whole)
    if one is None:
        return
    segment = engine_run.open()
    for message in environment.inbox:
        segment.deliver(message)
    result = await on(environment, engine_run)
    assert all(count <= ONCE[name] for name, count in written(environment).items()), (one, written(environment))
    if result:
        end = await engine_run.on(*(answer(each.interaction, "fail") for each in result))
        codes = [line.data["code"] for line in engine_run.events if line.type == "STEP_ERROR"]
        assert "REPLAY_MISMATCH" in codes, end
    assert all(count <= ONCE[name] for name, count in written(environment).items())


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=few(80), derandomize=True)
@given(st.integers(2, LINES - 1), st.integers(0, 40), st.sampled_from([EFFECTS, EFFECTS, ANY]), st.booleans())
def test_a_record_under_another_name_writes_nothing_twice(
    crash_at: int, drawn: int, among: tuple[str, ...], whole: bool
) -> None:
    """Without the watch (`Watch.doubts` always False) writes happen twice and this fails."""
    asyncio.run(scene(crash_at, drawn, among, whole=whole))


def test_the_watch_is_what_holds_it() -> None:
    """A write that ended, in a step that has not: named otherwise it is asked about, not made."""

    async def one() -> list[Entry]:
        for crash_at in range(2, LINES):
            environment = Environment(ALL_WRITE, {})
            engine_run = await killed(environment, crash_at)
            if engine_run.disk.lines[-1].record == "end" and engine_run.disk.lines[-1].effect_kind == "write":
                break
        assert alter(engine_run.disk.lines, 0, EFFECTS, whole=True) is not None
        segment = engine_run.open()
        for message in environment.inbox:
            segment.deliver(message)
        return await on(environment, engine_run)

    questions = asyncio.run(one())
    assert [question.question.kind for question in questions if question.question is not None] == ["mismatch"]
