"""A loop that goes on from where it wrote down that it stands ends as one that is followed from its first round.

Loops with and without loops, iterations and calls inside are killed at drawn lines of their log. Each resume reads
what is needed (`engine.needed`), or every record, and ends with the same outputs, events and calls; nothing of what an
earlier version of it would read is missing from the log.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from backend.engine.execution.needed import Needed
from backend.engine.execution.ports import Entry
from backend.engine.testing import ScriptedTools
from backend.json_types import JsonObject, JsonValue
from tests.exhaustive import few
from tests.properties.rounds import NEVER, events_of, played
from tests.unit.engine.engine_run import EngineRun, flow

ROUNDS = 9


def document(until: str | bool = "{{ enough.result }}") -> Any:
    """A loop around a call, variables of its own and of the run, an iteration, a loop and a child run; beside it a
    question that stays open until the loop is over, and another loop."""

    def inside(type_: str, config: Any, parent: str = "round", **more: Any) -> Any:
        return (type_, config, {"parent": parent, **more})

    call = {"server": "own", "tool": "go", "arguments": {"n": "{{ loop.index }}", "all": "{{ loop.vars.text }}"}}
    inner = {"vars": {"m": 0}, "max": 4, "output": "{{ loop.vars.m }}{{ vars.seen }}"}
    return flow(
        "start -> before -> round -> after -> agree",
        "agree:approved -> end",
        "before -> beside -> end_2",
        "choose:true -> call -> keep -> each",
        "choose:false -> rare -> below",
        before=("set_variable", {"values": {"seen": "s", "own": 1}}),
        round=(
            "loop",
            {
                "vars": {"text": "", "it": ""},
                "until": until,
                "max": ROUNDS,
                "output": "{{ loop.vars.text }}{{ deep.output }} {{ loop.vars.it }}",
            },
        ),
        choose=inside("if", {"conditions": [{"left": "{{ loop.index }}", "op": "not_in", "right": [3, 7]}]}),
        call=inside("tool", call),
        keep=inside(
            "set_variable",
            {
                "values": {
                    "text": "{{ loop.vars.text }}{{ loop.last.call.structured.n | default('-') }}",
                    "seen": "{{ loop.index }}",
                }
            },
        ),
        each=inside("iteration", {"items": [1, 2], "output": "{{ item }}{{ loop.index }}"}),
        say=inside("template", {"template": "{{ item }}"}, "each"),
        put=inside("set_variable", {"values": {"it": "{{ loop.vars.it }}{{ item }}"}}, "each"),
        deep=inside("loop", inner),
        more=inside("set_variable", {"values": {"m": "{{ loop.vars.m }}{{ loop.index }}"}}, "deep"),
        rare=inside("set_variable", {"values": {"own": "{{ loop.index }}"}}),
        below=inside("workflow", {"workflow": "other", "inputs": {"n": "{{ loop.index }}"}}),
        enough=inside("if", {"conditions": [{"left": "{{ loop.index }}", "op": "ge", "right": ROUNDS - 2}]}),
        beside=("loop", {"vars": {"k": 0}, "max": 12, "output": "{{ loop.vars.k }}"}),
        one=inside("set_variable", {"values": {"k": "{{ loop.vars.k }}{{ loop.index }}"}}, "beside"),
        after=("template", {"template": "{{ round.output }} {{ vars.seen }} {{ vars.own }}"}),
        agree=("approval", {"title": "On?"}),
        end=("end", {"outputs": {"text": "{{ after.text }}", "vars": "{{ vars.seen }}{{ vars.own }}"}}),
        end_2=("end", {"outputs": {"beside": "{{ beside.output }}"}}),
    )


@cache
def undisturbed() -> Any:
    engine_run, environment = asyncio.run(played([], graph=document, whole=True, after=NEVER))
    assert len(environment.calls) == len({repr(call) for call in environment.calls})
    return events_of(engine_run, environment)


CRASHES = st.lists(st.tuples(st.integers(1, 150), st.booleans()), min_size=1, max_size=6)


@settings(max_examples=few(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(CRASHES, st.sampled_from([0, 1, 10, 37]), st.booleans())
@example([(60, False)] * 6, 0, False)
def test_who_goes_on_from_a_snapshot_ends_the_same(crashes: list[tuple[int, bool]], after: int, whole: bool) -> None:
    engine_run, environment = asyncio.run(played(crashes, graph=document, whole=whole, after=after))
    assert events_of(engine_run, environment) == undisturbed()


def test_a_crash_after_any_line_changes_nothing() -> None:
    for line in range(3, 300, 11):
        engine_run, environment = asyncio.run(played([(line, False)], graph=document, after=5))
        assert events_of(engine_run, environment) == undisturbed(), line


@pytest.mark.parametrize("earlier", [1, 3])
def test_rounds_of_an_earlier_version_are_followed_to_their_end_before_one_is_skipped(earlier: int) -> None:
    for line in range(20, 260, 20):
        engine_run, environment = asyncio.run(
            played([(line, False), (30, False), (10, False), (45, False)], graph=document, earlier=earlier)
        )
        assert events_of(engine_run, environment) == undisturbed(), line


def test_what_is_needed_does_not_grow_with_the_rounds() -> None:
    config = {"vars": {"n": 0}, "max": 400}
    inside = ("set_variable", {"values": {"n": "{{ loop.index }}", "r": "{{ loop.index }}"}}, {"parent": "round"})
    engine_run = EngineRun(
        flow("start -> round -> end", round=("loop", config), one=inside, end=("end", {"outputs": {}}))
    )
    asyncio.run(engine_run.run())
    needed, most = Needed(), 0
    for position, line in enumerate(engine_run.disk.lines):
        needed.add(position, line)
        most = max(most, len(needed.positions()))
    assert len(engine_run.disk.lines) > 2_000 and most < 80
    assert len(needed.positions()) < 20, "of a loop that is over there is its end, and what was set inside"


@pytest.mark.parametrize(("number", "asks"), [(8, True), (2, False)])
def test_a_record_under_another_name_is_asked_about_in_the_round_that_goes_on(number: int, asks: bool) -> None:
    """Behind what the loop wrote down as well as before it; of a round that is over nobody asks, as ever."""
    calls: list[Any] = []

    def go(arguments: JsonObject) -> JsonValue:
        calls.append(arguments)
        return {}

    tools = ScriptedTools({"go": [go]}, kind="write")
    call = ("tool", {"server": "own", "tool": "go", "arguments": {"n": "{{ loop.index }}"}}, {"parent": "round"})
    document = flow("start -> round -> end", round=("loop", {"max": 10}), call=call, end=("end", {"outputs": {}}))

    def of(line: Entry, index: int) -> bool:
        return line.path == (("round", index),) and line.record in ("start", "end")

    async def scene() -> str:
        engine_run = EngineRun(document, {}, {"own": tools})
        await engine_run.run()
        [_, last] = [at for at, line in enumerate(engine_run.disk.lines) if of(line, 8)]
        lines = [replace(line, key=f"other/{line.key}") if of(line, number) else line for line in engine_run.disk.lines]
        engine_run.disk.lines[:] = lines[: last + 1]  # it ends right behind the call of the round before the last
        assert any(line.record == "rounds" for line in engine_run.disk.lines)
        calls.clear()
        return (await engine_run.run()).state

    assert asyncio.run(scene()) == ("WAITING" if asks else "SUCCESS")
    assert [call["n"] for call in calls] == ([] if asks else [9])
