"""The cost of schemas is counted before they are used: the worst are refused, what is not plain is checked apart."""

from __future__ import annotations

import time
from typing import Any

import pytest

from backend.demo import server as demo
from backend.errors import McpProtocolError
from backend.json_types import JsonObject
from backend.sandbox.pool import POOL
from backend.tools import schemas
from backend.tools.schema_cost import MOST, cost_of
from backend.tools.schemas import errors_in, problem
from tests.unit.sandbox.costly import doubled, nested

TREE: JsonObject = {
    "$ref": "#/$defs/node",
    "$defs": {
        "node": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "below": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
        }
    },
}


@pytest.mark.parametrize(
    "schema",
    [
        doubled(40, below=False),
        {"allOf": [{"$ref": "#"}]},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"not": {"$ref": "#/$defs/a"}}}},
        {"properties": {"x": doubled(40, below=False) | {"$ref": "#/properties/x/$defs/d0"}}},
        {"anyOf": [{"const": n} for n in range(MOST + 1)]},
    ],
)
async def test_what_explodes_at_one_place_is_not_used(schema: dict[str, Any]) -> None:
    assert problem({"type": "object", **schema}) is not None
    with pytest.raises(McpProtocolError) as caught:
        await errors_in({"type": "object", **schema}, {"x": {}})
    if "properties" not in schema:
        assert caught.value.params["reason"] == "schema_too_costly"


async def test_what_explodes_with_the_depth_of_a_value_is_killed_and_not_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    schema = doubled(40, below=True)
    assert problem(schema) is None and not cost_of(schema).plain
    assert await errors_in(schema, nested(3)) == {}, "it can be used where it costs nothing"
    monkeypatch.setattr(POOL, "longest_s", 1.0)
    with pytest.raises(McpProtocolError) as caught:
        await errors_in(schema, nested(40))
    assert caught.value.params["reason"] == "schema_too_costly"
    before = time.process_time()
    with pytest.raises(McpProtocolError):
        await errors_in(schema, nested(40))
    assert problem(schema) == ("schema_too_costly", "") and time.process_time() - before < 1


@pytest.mark.parametrize("pattern", ["^(?=a)a+$", r"(a+)\1", "(a*)*b", "a{1000}"])
async def test_patterns_that_can_be_costly_are_checked_apart_and_go_on_working(pattern: str) -> None:
    schema: JsonObject = {"properties": {"x": {"type": "string", "pattern": pattern}}}
    assert not cost_of(schema).plain
    assert await errors_in(schema, {"x": "!"}) and await errors_in(schema, {"x": 3})
    right = {"^(?=a)a+$": "aaa", r"(a+)\1": "aa", "(a*)*b": "aab", "a{1000}": "a" * 1000}[pattern]
    assert await errors_in(schema, {"x": right}) == {}


async def test_plain_schemas_are_plain_whatever_their_size() -> None:
    wide: JsonObject = {
        "type": "object",
        "properties": {f"p{n}": {"type": "string", "pattern": "^[a-z]+$"} for n in range(2000)},
    }
    plain: list[JsonObject] = [TREE, wide, {"type": "object"}, {}]
    for schema in plain:
        cost = cost_of(schema)
        assert cost.plain and not cost.too_much and cost.heaviest <= 3
    deep: dict[str, Any] = {"name": "n"}
    for _ in range(50):
        deep = {"name": "n", "below": [deep, deep] if len(str(deep)) < 2000 else [deep]}
    assert await errors_in(TREE, deep) == {}
    assert await errors_in(TREE, {"below": [{"name": 1}]}) == {"below[0].name": ['1 is not of type "string"']}


async def test_what_fits_no_alternative_is_told_what_the_closest_one_expected() -> None:
    schema: JsonObject = {
        "properties": {
            "at": {"anyOf": [{"type": "object", "properties": {"day": {"type": "integer"}}}, {"type": "null"}]}
        }
    }
    result = await errors_in(schema, {"at": {"day": "Monday"}})
    assert result["at"][1] == 'closest: at.day: "Monday" is not of type "integer"'


async def test_the_tools_of_our_own_servers_stay_far_below_the_bound() -> None:
    tools = await demo.server.list_tools()
    assert tools
    for tool in tools:
        assert cost_of(tool.input_schema).heaviest < MOST / 100 and cost_of(tool.input_schema).plain


def test_counting_is_quick() -> None:
    tool: JsonObject = {
        "type": "object",
        "properties": {f"p{n}": {"type": "string", "description": "x"} for n in range(6)},
    }
    spent = time.process_time()
    for n in range(2000):
        cost_of({**tool, "title": str(n)})
    assert time.process_time() - spent < 1.0, "two thousand tools"


def test_the_cache_holds_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = doubled(30, below=False)
    assert problem(schema) == ("schema_too_costly", "")
    monkeypatch.setattr(schemas, "cost_of", None)
    assert problem(schema) == ("schema_too_costly", "")


@pytest.mark.parametrize(
    "schema", [{"patternProperties": True}, {"items": {"$ref": "#/items/²"}}, {"pattern": 5}, {"allOf": {"$ref": []}}]
)
async def test_a_schema_of_the_wrong_form_has_a_reason(schema: dict[str, Any]) -> None:
    assert (problem({"type": "object", **schema}) or ("schema_invalid",))[0] in {"schema_invalid", "schema_reference"}


async def test_a_text_that_is_none_does_not_fit() -> None:
    result = await errors_in({"properties": {"a": {"const": "b"}}}, {"a": "\ud800"})
    assert result == {"arguments": ["holds half of a surrogate pair, which is no text"]}
