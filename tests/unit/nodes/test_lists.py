"""List and aggregate: what is kept, in which order, and what is made of it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.engine.document.validate import validate
from backend.nodes import node_types
from tests.unit.engine.engine_run import flow, played

FRUITS = [
    {"name": "pear", "price": 3},
    {"name": "Fig", "price": "10"},
    {"name": "plum", "price": None},
    {"name": "apple", "price": 2},
]


async def run_list(config: dict[str, Any], items: Any = FRUITS, **inputs: Any) -> Any:
    graph = flow("start -> each -> fin", each=("list", {"items": "{{ start.items }}", **config}))
    engine_run = played(graph, {"items": items, **inputs})
    end = await engine_run.run()
    if end.error is not None:
        return end.error["code"]
    return engine_run.output("each")["items"]


def names(items: list[Any]) -> list[str]:
    return [item["name"] for item in items]


async def test_conditions_read_each_item() -> None:
    dear = {"left": "{{ item.price }}", "op": "gt", "right": "{{ start.least }}"}
    assert names(await run_list({"filter": [dear]}, least=2)) == ["pear", "Fig"]
    first = {"left": "{{ index }}", "op": "eq", "right": 0}
    assert names(await run_list({"filter": [dear, first], "match": "any"}, least=5)) == ["pear", "Fig"]
    assert names(await run_list({"filter": [dear, first]}, least=2)) == ["pear"]
    assert await run_list({"filter": []}) == FRUITS


async def test_sorting_by_numbers_and_texts() -> None:
    by_price = {"sort": {"by": "{{ item.price }}"}}
    assert names(await run_list(by_price)) == ["apple", "pear", "Fig", "plum"], "10 is a number, and nothing comes last"
    assert names(await run_list({"sort": {"by": "{{ item.price }}", "order": "desc"}})) == [
        "Fig",
        "pear",
        "apple",
        "plum",
    ]
    assert names(await run_list({"sort": {"by": "{{ item.name }}"}})) == ["apple", "Fig", "pear", "plum"]
    assert await run_list({"sort": {}}, [3, "10", 2]) == [2, 3, "10"]


async def test_slices_and_values() -> None:
    assert await run_list({"offset": 1, "limit": 2, "map": "{{ index }}:{{ item.name }}"}) == ["1:Fig", "2:plum"]
    assert await run_list({"offset": "{{ start.n }}"}, [1, 2, 3], n="2") == [3]
    assert await run_list({"limit": 0}) == [] and await run_list({"offset": 9}) == []
    assert await run_list({"map": {"n": "{{ item.name }}", "same": 1}}, FRUITS[:1]) == [{"n": "pear", "same": 1}]
    assert await run_list({}, "no list") == "VALIDATION_ERROR" and await run_list({"limit": -1}) == "VALIDATION_ERROR"


async def test_ten_thousand_items() -> None:
    config = {
        "filter": [{"left": "{{ item }}", "op": "matches", "right": "7$"}],
        "sort": {"by": "{{ item }}", "order": "desc"},
        "limit": 3,
    }
    assert await run_list(config, list(map(str, range(10_000)))) == ["9997", "9987", "9977"]


@given(st.lists(st.one_of(st.integers(-99, 99), st.text("ab1", max_size=3), st.none(), st.booleans())), st.booleans())
async def test_sorting_loses_nothing_and_is_stable(items: list[Any], descending: bool) -> None:
    order = "desc" if descending else "asc"
    pairs = [{"key": item, "place": i} for i, item in enumerate(items)]
    got = await run_list({"sort": {"by": "{{ item.key }}", "order": order}}, pairs)
    assert sorted(item["place"] for item in got) == list(range(len(items)))
    for left, right in pairwise(got):
        if left["key"] == right["key"] and type(left["key"]) is type(right["key"]):
            assert left["place"] < right["place"]


def test_item_is_only_there_where_items_are_asked() -> None:
    config = {"items": "{{ item }}", "map": "{{ item.a }}", "limit": "{{ index }}"}
    problems = validate(flow("start -> each", each=("list", config)), node_types())
    assert {p.path for p in problems if p.code == "reference_unknown"} == {
        "/nodes/1/config/items",
        "/nodes/1/config/limit",
    }


@pytest.mark.parametrize(
    ("mode", "values", "expected"),
    [
        ("first", ["{{ start.none }}", "{{ start.b }}", 3], {"x": 1}),
        ("first", ["{{ start.none }}"], None),
        ("list", ["{{ start.none }}", "{{ start.b }}", 3, [4]], [{"x": 1}, 3, [4]]),
        ("object", ["{{ start.b }}", "{{ start.none }}", {"y": 2}, {"x": 3}], {"x": 3, "y": 2}),
    ],
)
async def test_aggregates(mode: str, values: list[Any], expected: Any) -> None:
    graph = flow("start -> sum", sum=("aggregate", {"values": values, "mode": mode}))
    engine_run = played(graph, {"none": None, "b": {"x": 1}})
    await engine_run.run()
    assert engine_run.output("sum") == {"value": expected}


async def test_what_is_no_object_cannot_be_merged() -> None:
    graph = flow("start -> sum", sum=("aggregate", {"values": [{"x": 1}, "text"], "mode": "object"}))
    end = await played(graph).run()
    assert end.error is not None and end.error["code"] == "VALIDATION_ERROR"


def test_rounds_that_run_at_once_and_set_a_variable_are_warned_about() -> None:
    def problems(concurrency: int) -> list[Any]:
        graph = flow(
            "start -> each",
            each=("iteration", {"items": [1], "concurrency": concurrency}),
            inner=("loop", {"max": 2}, {"parent": "each"}),
            keep=("set_variable", {"values": {"n": "{{ index }}"}}, {"parent": "inner"}),
        )
        return [p for p in validate(graph, node_types()) if p.code == "variable_concurrent"]

    assert problems(1) == []
    (problem,) = problems(5)
    assert (problem.severity, problem.node, problem.path) == ("warning", "keep", "/nodes/3/config/values")
    assert problem.params == {"container": "each", "count": 5}
