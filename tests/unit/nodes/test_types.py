"""Node types: what they say of themselves, and what the small ones do."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.engine.document.types import NodeType, NodeTypes, Text
from backend.nodes import node_types
from backend.nodes.conditions import ConditionValue, Op, hold
from tests.looking import inside
from tests.unit.engine.engine_run import answer, flow, played

CONTRACT = {
    "type", "v", "group", "title", "description", "config_schema", "output_schema", "ports", "dynamic_ports", "effect",
}  # fmt: skip


@pytest.mark.parametrize("language", ["en", "zh"])
def test_types_describe_themselves_as_the_contract_says(language: str) -> None:
    for about in node_types().describe(language):
        assert set(about) == CONTRACT
        assert about["title"] and about["description"]
        assert "x-zh" not in json.dumps(about)
        assert jsonschema_rs.meta.is_valid(inside(about["config_schema"]))
        assert jsonschema_rs.meta.is_valid(inside(about["output_schema"]))


def test_forms_speak_both_languages() -> None:
    titles = {
        language: {t["type"]: t["config_schema"]["properties"] for t in inside(node_types().describe(language))}
        for language in ("en", "zh")
    }
    assert titles["en"]["tool"]["arguments"]["title"] == "Arguments"
    assert titles["zh"]["tool"]["arguments"]["title"] == "参数"
    assert titles["zh"]["tool"]["arguments"]["x-expression"] is True
    for type_, fields in titles["en"].items():
        for name, field in fields.items():
            assert field["title"], f"{type_}.{name}"
            assert titles["zh"][type_][name]["title"]


def test_two_types_of_one_name_are_refused() -> None:
    (first, *_) = node_types().values()
    with pytest.raises(ValueError, match="two node types"):
        NodeTypes([first, first])


def test_a_type_may_raise_its_version_and_take_old_configs_along() -> None:
    def upgrade(config: Any, v: int) -> Any:
        return {"template": config["text"]} if v == 1 else config

    old = node_types()["template"]
    fields = {name: getattr(old, name) for name in NodeType.__dataclass_fields__}
    new = NodeType(**fields | {"v": 2, "upgrade": upgrade})
    types = NodeTypes([t for t in node_types().values() if t.name != "template"] + [new])
    from backend.engine.document.compile import compile_graph

    graph = flow("start -> t", t=("template", {"text": "hello"}))
    compiled = compile_graph(graph, types)
    assert compiled.plans[None].nodes["t"].config.render({}) == {"template": "hello"}
    assert graph["nodes"][1]["config"] == {"text": "hello"}


# -- conditions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "op", "right", "expected"),
    [
        (1, "eq", 1.0, True),
        (1, "eq", "1", True),
        (1, "eq", True, False),
        (True, "eq", True, True),
        (True, "eq", "true", True),
        ("a", "eq", "a", True),
        ([1], "eq", [1], True),
        (None, "eq", None, True),
        (None, "ne", 0, True),
        (2, "gt", "1.5", True),
        ("b", "gt", "a", True),
        ("b", "gt", 1, False),
        (None, "lt", 1, False),
        (2, "ge", 2, True),
        (2, "le", 1, False),
        ("abc", "contains", "b", True),
        ([1, "x"], "contains", "x", True),
        ({"k": 1}, "contains", "k", True),
        (None, "contains", "x", False),
        ("abc", "not_contains", "d", True),
        ("abc", "starts_with", "ab", True),
        ("abc", "ends_with", "ab", False),
        ("a", "in", ["a", "b"], True),
        ("c", "not_in", ["a", "b"], True),
        ("", "empty", None, True),
        ([], "empty", None, True),
        (0, "empty", None, False),
        ("x", "not_empty", None, True),
        ("TRUE", "is_true", None, True),
        ("no", "is_true", None, False),
        (0, "is_true", None, False),
        ("run 12", "matches", r"\d+", True),
        ("a" * 50_000 + "b", "matches", "^(a+)+$", False),
        (5, "matches", ".", False),
    ],
)
def test_conditions(left: Any, op: Op, right: Any, expected: bool) -> None:
    assert hold("all", [{"left": left, "op": op, "right": right}]) is expected


@given(st.lists(st.booleans(), max_size=5))
def test_all_and_any(values: list[bool]) -> None:
    conditions: list[ConditionValue] = [{"left": value, "op": "is_true", "right": None} for value in values]
    assert hold("all", conditions) is all(values)
    assert hold("any", conditions) is (any(values) or not values)


# -- what the small ones do ----------------------------------------------------------------------------------------


async def test_switch_takes_the_first_case_that_holds() -> None:
    cases = [
        {"id": id_, "conditions": [{"left": "{{ start.n }}", "op": "gt", "right": least}]}
        for id_, least in (("big", 100), ("middle", 10), ("small", 1))
    ]
    graph = flow(
        "start -> s", "s:big -> a", "s:middle -> b", "s:small -> c", "s:default -> d", s=("switch", {"cases": cases})
    )
    for n, expected in ((50, "b"), (500, "a"), (0, "d")):
        engine_run = played(graph, {"n": n})
        await engine_run.run()
        assert engine_run.ran() & {"a", "b", "c", "d"} == {expected}


async def test_a_pattern_that_cannot_be_read_is_an_error() -> None:
    graph = flow("start -> i", i=("if", {"conditions": [{"left": "x", "op": "matches", "right": "("}]}))
    end = await played(graph).run()
    assert end.error and end.error["code"] == "VALIDATION_ERROR"


async def test_variables_reach_later_nodes_and_survive_a_restart() -> None:
    graph = flow(
        "start -> set_it -> ok", "ok:approved -> show", set_it=("set_variable", {"values": {"total": "{{ start.n }}"}}),
        ok=("approval", {"title": "?"}), show=("template", {"template": "{{ vars.total }} {{ vars.other }}"}),
    )  # fmt: skip
    graph["variables"] = {"total": {"default": 0}, "other": {"default": "d"}}
    engine_run = played(graph, {"n": 5})
    await engine_run.run()
    engine_run.open()
    await engine_run.on(answer(engine_run.question().interaction))
    assert engine_run.output("show") == {"text": "5 d"}


async def test_a_declined_approval_goes_its_way() -> None:
    graph = flow(
        "start -> ok", "ok:approved -> yes", "ok:declined -> no", ok=("approval", {"title": "?", "proposal": 1})
    )
    engine_run = played(graph)
    await engine_run.run()
    await engine_run.on(answer(engine_run.question().interaction, "decline", reason="too much"))
    assert engine_run.output("ok") == {
        "approved": False, "reason": "too much", "values": 1, "by": "usr_bob", "port": "declined",
    }  # fmt: skip
    assert engine_run.ran() & {"yes", "no"} == {"no"}


async def test_a_form_gives_its_values_and_declining_is_an_error() -> None:
    schema = {"type": "object", "properties": {"x": {"type": "number"}}}
    graph = flow("start -> f -> fin", f=("form", {"title": "?", "schema": schema}), fin=("end", {"outputs": {}}))
    graph["nodes"][2]["config"]["outputs"] = {"x": "{{ f.x }}"}
    engine_run = played(graph)
    assert (await engine_run.run()).state == "WAITING"
    assert (await engine_run.on(answer(engine_run.question().interaction, values={"x": 5}))).outputs == {"x": 5}
    other = played(graph)
    await other.run()
    end = await other.on(answer(other.question().interaction, "decline", reason="no time"))
    assert end.error and (end.error["code"], end.error["params"]["why"]) == ("CANCELLED", "no time")


@pytest.mark.parametrize("seconds", [-1, "soon", "{{ start.x }}", 1e12])
async def test_wait_refuses_what_is_no_time(seconds: Any) -> None:
    graph = flow("start -> w", w=("wait", {"seconds": "{{ start.s }}"}))
    end = await played(graph, {"s": seconds}).run()
    assert end.error and end.error["code"] == "VALIDATION_ERROR"


def test_text_speaks_two_languages() -> None:
    assert (Text("a", "b").in_("zh-hans"), Text("a", "b").in_("fr")) == ("b", "a")
