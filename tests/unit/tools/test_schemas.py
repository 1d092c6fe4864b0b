"""Schemas of servers: bounded, never fetched, checked with places that people can find."""

from __future__ import annotations

import contextlib
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.errors import McpInvalidParams, McpProtocolError
from backend.json_types import JsonObject
from backend.sandbox.pool import POOL
from backend.tools import schemas
from backend.tools.schemas import check_arguments, errors_in, kept, pointer, problem
from tests.exhaustive import few

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


async def test_errors_name_their_places() -> None:
    schema: JsonObject = {
        "type": "object",
        "properties": {
            "list": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}}
        },
        "required": ["name"],
    }
    result = await errors_in(schema, {"list": [{"n": 1}, {"n": "x"}]})
    assert result == {"list[1].n": ['"x" is not of type "integer"'], "arguments": ['"name" is a required property']}
    assert pointer([]) == "arguments" and pointer(["a", 0, "b"]) == "a[0].b"


async def test_an_empty_schema_and_one_without_properties_take_anything() -> None:
    schemas: list[JsonObject] = [{}, {"type": "object"}, kept(None)]
    for schema in schemas:
        await check_arguments(schema, {"anything": [1, None]})


@settings(max_examples=few(100))
@given(st.dictionaries(st.text(), JSON, max_size=5))
async def test_no_schema_whatever_it_holds_makes_us_stumble(schema: dict[str, Any]) -> None:
    with contextlib.suppress(McpInvalidParams, McpProtocolError):
        await check_arguments(kept(schema), {"a": 1})


@pytest.mark.parametrize(
    "uri",
    ["http://127.0.0.1:1/s.json", "https://example.org/s.json", "file:///etc/passwd", "//example.org/x", "other.json"],
)
async def test_references_to_other_documents_are_refused_and_never_fetched(uri: str) -> None:
    schema: JsonObject = {"type": "object", "properties": {"a": {"$ref": uri}}}
    assert (problem(schema) or ("",))[0] == "schema_reference"
    with pytest.raises(McpProtocolError) as caught:
        await check_arguments(schema, {})
    assert caught.value.params["reason"] == "schema_reference"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800", b"bytes", {1, 2}])
async def test_what_json_cannot_carry_is_refused(value: Any) -> None:
    with pytest.raises(McpInvalidParams) as caught:
        await check_arguments({"type": "object"}, {"a": [value]})
    assert caught.value.params["reason"] == "not_json"


async def test_endless_nesting_and_huge_numbers_do_not_hurt() -> None:
    nested: Any = 0
    for _ in range(100_000):
        nested = [nested]
    with pytest.raises(McpInvalidParams):
        await check_arguments({"type": "object"}, {"a": nested})
    while nested:
        nested = nested[0]  # take it down by hand: its own end would recurse
    await check_arguments({"type": "object", "properties": {"a": {"type": "integer"}}}, {"a": 10**400})


async def test_references_inside_the_document_and_recursion_work() -> None:
    node: JsonObject = {"type": "object", "properties": {"child": {"$ref": "#/$defs/node"}, "n": {"type": "integer"}}}
    schema: JsonObject = {"$ref": "#/$defs/node", "$defs": {"node": node}}
    assert problem(schema) is None
    await check_arguments(schema, {"child": {"child": {"n": 1}}})
    with pytest.raises(McpInvalidParams) as caught:
        await check_arguments(schema, {"child": {"child": {"n": "x"}}})
    assert list(caught.value.fields) == ["arguments.child.child.n"]


@pytest.mark.parametrize(
    "schema", [{"$ref": "#"}, {"allOf": [{"$ref": "#"}]}, {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}]
)
async def test_circles_end(schema: dict[str, Any]) -> None:
    began = time.process_time()
    with contextlib.suppress(McpInvalidParams, McpProtocolError):
        await check_arguments(schema, {"a": 1})
    assert time.process_time() - began < 1


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|a)*$", "^(?=(a+)+$)b", "(x+x+)+y"])
async def test_catastrophic_patterns_end_at_once(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(POOL, "longest_s", 1.0)
    schema: JsonObject = {"type": "object", "properties": {"a": {"type": "string", "pattern": pattern}}}
    began = time.process_time()
    with pytest.raises((McpInvalidParams, McpProtocolError)):
        await check_arguments(schema, {"a": "a" * 20_000 + "x" * 20_000 + "!"})
    assert time.process_time() - began < 2


async def test_look_ahead_that_real_servers_use_works() -> None:
    schema: JsonObject = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^(?!-)[a-z-]+$"}}}
    await check_arguments(schema, {"a": "ok-name"})
    with pytest.raises(McpInvalidParams):
        await check_arguments(schema, {"a": "-bad"})


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"type": "object", "description": "x" * 5_000_000}, "schema_too_large"),
        ({"type": "no such type"}, "schema_invalid"),
        ({"type": "object", "properties": {"a": {"pattern": "(("}}}, "schema_invalid"),
    ],
)
async def test_what_cannot_be_used_says_why(schema: dict[str, Any], reason: str) -> None:
    assert (problem(kept(schema)) or ("",))[0] == reason
    with pytest.raises(McpProtocolError) as caught:
        await check_arguments(kept(schema), {})
    assert caught.value.params["reason"] == reason


def test_a_schema_nested_beyond_reason_is_not_kept() -> None:
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(5000):
        schema = {"properties": {"a": schema}}
    assert kept(schema) == {"type": "object", schemas.PROBLEM: "schema_too_deep"}


def test_the_cache_of_compiled_schemas_is_bounded() -> None:
    for number in range(schemas._CACHE_SIZE + 50):
        assert problem({"type": "object", "title": str(number)}) is None
    assert len(schemas._validators) <= schemas._CACHE_SIZE
