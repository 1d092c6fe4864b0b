"""A crash after any record, with parallel effects ending in any order, changes neither effects, outputs nor events.

The graph holds every node type without a model, a run of its own (a child), and a node with steps inside it and a round
whose text streams. A run is killed at drawn lines of its log, several times, with and without losing
what was not yet behind a barrier; each time a new segment goes on from what is on disk, and every answer given so far
is handed over again. A write that started and did not end is decided by a person who looked at the other side.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from backend.tools.types import EffectKind
from tests.exhaustive import few, some
from tests.properties.fixtures import BASE_END, BASE_PLAY, LINES, TOOLS, TYPES, WORDS, Environment, document, live
from tests.unit.engine.engine_run import EngineRun, by_step

WITH_A_MODEL = {"llm", "agent", "classifier", "extractor", "planner"}  # test_agent_crash, test_planner_crash

NEVER_RUNS = {"placeholder"}  # no document runs that reaches one


def test_the_graph_holds_every_node_type() -> None:
    assert {n["type"] for n in document()["nodes"]} == set(TYPES) - WITH_A_MODEL - NEVER_RUNS


BASE = {step: [line for line in lines if line[0] != "TEXT_ADD"] for step, lines in by_step(BASE_PLAY.events).items()}


def shown(engine_run: EngineRun) -> Any:
    """Events by step without what a recovery adds, which only a crash can bring, and without streamed text."""
    out: Any = {}
    for step, lines in by_step(engine_run.events).items():
        recovered = {d["interaction"] for _, _, d in lines if d.get("kind") == "recovery"}
        kept = [line for line in lines if line[2].get("interaction") not in recovered and line[0] != "TEXT_ADD"]
        out[step] = [line for line in kept if not (recovered and line[0].startswith("TOOL_"))]
    return out


def expected(engine_run: EngineRun) -> Any:
    """The undisturbed events, without tool lines of steps that were recovered."""
    recovered = {(q.path, q.node) for q in engine_run.disk.lines if q.question and q.question.kind == "recovery"}
    return {
        step: [line for line in lines if not (step in recovered and line[0].startswith("TOOL_"))]
        for step, lines in BASE.items()
    }


def read(engine_run: EngineRun) -> str:
    """The streamed text as a reader of the log has it in the end: each line replaces what is there from its offset."""
    text = ""
    for line in engine_run.events:
        if line.type == "TEXT_ADD":
            assert line.data["offset"] <= len(text), "nothing in between is missing"
            text = text[: line.data["offset"]] + line.data["text"]
    return text


def check(kinds: dict[str, EffectKind], delays: dict[str, int], crashes: list[tuple[int, bool]]) -> None:
    environment = Environment(kinds, delays)
    engine_run, end = asyncio.run(live(environment, crashes))
    assert (end.state, end.outputs, end.variables) == ("SUCCESS", BASE_END.outputs, BASE_END.variables)
    assert shown(engine_run) == expected(engine_run)
    assert [line.seq for line in engine_run.events] == list(range(1, len(engine_run.events) + 1))
    assert read(engine_run) == "".join(WORDS)
    assert len(environment.runs.started) == 1, "starting a child twice is starting it once"
    parts = {line.step for line in engine_run.events if line.data.get("parent")}
    assert parts == {line.step for line in BASE_PLAY.events if line.data.get("parent")} and len(parts) == 2
    for name in TOOLS:
        keys = environment.done[name]
        assert len(set(keys)) == 1, "a call that is repeated carries the same key"
        if kinds.get(name) == "write" or not crashes:
            assert len(keys) == 1, f"{name} happened {len(keys)} times"
    assert len(environment.done["post"]) == 1, "a request that writes is sent once"


KINDS = st.fixed_dictionaries({name: st.sampled_from(["read", "idempotent", "write"]) for name in TOOLS})
DELAYS = st.permutations([0, 1, 2]).map(lambda order: dict(zip(TOOLS, order, strict=True)))
CRASHES = st.lists(st.tuples(st.integers(1, LINES), st.booleans()), min_size=1, max_size=4)


@settings(max_examples=few(200), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(KINDS, DELAYS, CRASHES)
@example({}, {}, [(1, False)] * 5)
@example(dict.fromkeys(TOOLS, "write"), {"first": 2, "second": 1, "third": 0}, [(17, True)])
def test_crashes_change_nothing(
    kinds: dict[str, EffectKind], delays: dict[str, int], crashes: list[tuple[int, bool]]
) -> None:
    check(kinds, delays, crashes)


@pytest.mark.parametrize(
    ("kind", "lossy", "first"), [("read", False, 0), ("read", True, 1), ("write", False, 2), ("write", True, 3)]
)
def test_a_crash_after_each_record(kind: EffectKind, lossy: bool, first: int) -> None:
    for line in some(range(1, LINES + 1), first):
        check(dict.fromkeys(TOOLS, kind), {"first": 2, "second": 0, "third": 1}, [(line, lossy)])
