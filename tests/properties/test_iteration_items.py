"""An iteration that goes on behind the items that it wrote down as over ends as one that is followed from its first.

Iterations one item after the other and several at once, with items that fail, that ask, with a loop, an iteration and a
child run inside, and inside a loop whose variables they set, are killed at drawn lines of their log.
"""

from __future__ import annotations

import asyncio
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from backend.engine.execution.items import NOTHING, Items
from backend.engine.execution.needed import Needed
from backend.engine.testing import ScriptedTools
from backend.errors import McpUnreachable
from tests.exhaustive import few
from tests.properties.rounds import NEVER, Environment, events_of, played
from tests.unit.engine.engine_run import EngineRun, flow

COUNT = 14


class Refusing(Environment):
    """Some calls fail."""

    def tools(self) -> ScriptedTools:
        def go(arguments: Any) -> Any:
            self.calls.append(arguments)
            if arguments["n"] in (2, 9):
                raise McpUnreachable
            return {"n": arguments["n"], "long": "x" * (3000 if arguments["n"] == 4 else 3)}

        return ScriptedTools({"go": [go]}, kind="read")


def document() -> Any:
    """An iteration that sets variables, one with three items at once of which one asks, one in each round of a loop."""

    def inside(type_: str, config: Any, parent: str) -> Any:
        return (type_, config, {"parent": parent})

    numbers = list(range(COUNT))
    call = {"server": "own", "tool": "go", "arguments": {"n": "{{ item }}", "at": "{{ index }}"}}
    return flow(
        "start -> one -> round -> after -> agree",
        "agree:approved -> end",
        "start -> many -> end_2",
        "call -> keep -> deep -> below",
        "asks:true -> ask",
        "asks:false -> other",
        one=(
            "iteration",
            {"items": numbers, "output": "{{ call.structured.long }}{{ deep.output }}", "on_item_error": "keep_null"},
        ),
        call=inside("tool", call, "one"),
        keep=inside("set_variable", {"values": {"seen": "{{ item }}"}}, "one"),
        deep=inside("loop", {"vars": {"m": 0}, "max": 3, "output": "{{ loop.vars.m }}{{ vars.seen }}"}, "one"),
        more=inside("set_variable", {"values": {"m": "{{ loop.vars.m }}{{ loop.index }}"}}, "deep"),
        below=inside("workflow", {"workflow": "other", "inputs": {"n": "{{ item }}"}}, "one"),
        many=(
            "iteration",
            {"items": numbers, "output": "{{ item }}", "concurrency": 3, "on_item_error": "skip"},
        ),
        asks=inside("if", {"conditions": [{"left": "{{ item }}", "op": "in", "right": [0, 8]}]}, "many"),
        ask=inside("approval", {"title": "On?"}, "many"),
        other=inside("tool", call, "many"),
        round=("loop", {"vars": {"text": ""}, "max": 3, "output": "{{ loop.vars.text }}"}),
        each=("iteration", {"items": numbers, "output": "{{ item }}"}, {"parent": "round"}),
        put=inside("set_variable", {"values": {"text": "{{ loop.vars.text }}{{ item }}"}}, "each"),
        after=("template", {"template": "{{ round.output }} {{ vars.seen }} {{ one['items'] }}"}),
        agree=("approval", {"title": "On?"}),
        end=("end", {"outputs": {"text": "{{ after.text }}"}}),
        end_2=("end", {"outputs": {"many": "{{ many['items'] }}"}}),
    )


async def gone_through(crashes: list[tuple[int, bool]], **how: Any) -> tuple[EngineRun, Environment]:
    return await played(crashes, graph=document, environment=Refusing(), **how)


@cache
def undisturbed() -> Any:
    engine_run, environment = asyncio.run(gone_through([], whole=True, after=NEVER))
    outputs = engine_run.ended.outputs  # type: ignore[attr-defined]
    assert outputs["many"] == [n for n in range(COUNT) if n not in (2, 9)]
    assert outputs["text"].startswith("".join(map(str, [*range(COUNT)] * 3)))
    return events_of(engine_run, environment)


CRASHES = st.lists(st.tuples(st.integers(1, 250), st.booleans()), min_size=1, max_size=6)


@settings(max_examples=few(30), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(CRASHES, st.sampled_from([0, 1, 10, 37]), st.booleans())
@example([(60, False)] * 6, 0, False)
def test_who_goes_on_behind_items_that_are_over_ends_the_same(
    crashes: list[tuple[int, bool]], after: int, whole: bool
) -> None:
    engine_run, environment = asyncio.run(gone_through(crashes, whole=whole, after=after))
    assert events_of(engine_run, environment) == undisturbed()


def test_a_crash_after_any_line_changes_nothing() -> None:
    for line in range(3, 500, 23):
        engine_run, environment = asyncio.run(gone_through([(line, False)], after=5))
        assert events_of(engine_run, environment) == undisturbed(), line


@pytest.mark.parametrize("earlier", [1, 3])
def test_items_of_an_earlier_version_are_followed_and_then_skipped(earlier: int) -> None:
    for line in range(20, 400, 40):
        engine_run, environment = asyncio.run(gone_through([(line, False), (30, False), (10, False)], earlier=earlier))
        assert events_of(engine_run, environment) == undisturbed(), line


@pytest.mark.parametrize("concurrency", [1, 7])
def test_what_is_needed_does_not_grow_with_the_items(concurrency: int) -> None:
    config = {"items": list(range(2000)), "output": "{{ item }}", "concurrency": concurrency}
    inside = ("set_variable", {"values": {"r": "{{ item }}"}}, {"parent": "each"})
    engine_run = EngineRun(
        flow("start -> each -> end", each=("iteration", config), one=inside, end=("end", {"outputs": {}}))
    )
    asyncio.run(engine_run.run())
    needed, most = Needed(), 0
    for position, line in enumerate(engine_run.disk.lines):
        needed.add(position, line)
        most = max(most, len(needed.positions()))
    assert len(engine_run.disk.lines) > 8_000 and most < 110
    assert len(needed.positions()) < 20, "of an iteration that is over there is its end, and what was set inside"


@given(st.permutations(range(40)), st.integers(1, 9))
def test_what_is_written_of_items_says_all_that_are_over(order: list[int], every: int) -> None:
    """Also where the pieces that were put together are read no more."""
    gave = {item: "x" * (3000 if item % 7 == 0 else item * 20) for item in order if item % 5}
    items = Items()
    records: list[Any] = []
    for number, item in enumerate(order, 1):
        items.add(item)
        if number % every == 0:
            value = items.record(lambda item: gave.get(item, NOTHING))
            records = [*records[: value["depth"]], value]
            read, results = Items(), {}
            for record in records:
                read.written(record)
                results.update(record["gave"])
            over = set(order[:number])
            assert {index for index in range(41) if index in read} == over
            assert results == {item: gave[item] for item in over if item in gave and item % 7}
            items = read if number % 2 else items
