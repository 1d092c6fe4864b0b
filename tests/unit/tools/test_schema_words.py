"""Why a value does not fit: the place and what was expected, in words, whatever the schema and the value are like."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import psutil
import pytest

from backend.agents.rounds import misfits
from backend.errors import McpInvalidParams
from backend.json_types import JsonObject
from backend.tools import schema_words
from backend.tools.schemas import check_arguments, errors_in

ALTERNATIVES: JsonObject = {
    "anyOf": [
        {"properties": {"kind": {"const": "file"}, "path": {"type": "string"}}, "required": ["kind", "path"]},
        {"properties": {"kind": {"const": "text"}, "text": {"type": "string"}}, "required": ["kind", "text"]},
        {"type": "null"},
    ]
}
CLOSED = {"properties": {"a": {}, "b": {}}, "additionalProperties": False}
ROWS = {"items": {"items": {"type": "integer"}}}


@pytest.mark.parametrize(
    ("schema", "value", "field", "texts"),
    [
        ({"type": "integer"}, None, "x", ['null is not of type "integer"']),
        ({"type": ["integer", "null"]}, True, "x", ['true is not of types "integer", "null"']),
        ({"required": ["a"]}, {}, "x.a", ["is required"]),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, "x.b", ["is required"]),
        ({"enum": ["C", "F"]}, "K", "x", ['"K" is not one of "C" or "F"']),
        ({"enum": list(range(1000))}, -1, "x", ["-1 is not one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 or 990 more"]),
        ({"minimum": 3}, 2, "x", ["2 is less than the minimum of 3"]),
        ({"minLength": 2}, "ä", "x", ['"ä" is shorter than 2 characters']),
        ({"maxItems": 1}, [1, 2], "x", ["[1, 2] has more than 1 item"]),
        ({"pattern": r"^\d+$"}, "one", "x", [r'"one" does not match "^\\d+$"']),
        (CLOSED, {"c": 1}, "x", ['Additional properties are not allowed ("c" was unexpected; allowed: "a", "b")']),
        (ROWS, [[1], [2, "x"]], "x[1][1]", ['"x" is not of type "integer"']),
        (
            ALTERNATIVES,
            {"kind": "text", "text": 5},
            "x",
            [
                '{"kind": "text", "text": 5} is not valid under any of the schemas listed in the \'anyOf\' keyword',
                'closest: x.text: 5 is not of type "string"',
            ],
        ),
        ({"type": "integer"}, "a" * 5000, "x", ['"' + "a" * 159 + '… is not of type "integer"']),
    ],
)
async def test_the_gate_names_the_place_and_what_was_expected(
    schema: dict[str, Any], value: Any, field: str, texts: list[str]
) -> None:
    with pytest.raises(McpInvalidParams) as caught:
        await check_arguments({"type": "object", "properties": {"x": schema}}, {"x": value})
    assert caught.value.fields == {f"arguments.{field}": texts}


async def test_what_a_model_is_told_has_the_same_words() -> None:
    schema: JsonObject = {"properties": {"x": ALTERNATIVES, "n": {"enum": [True, None]}}}
    reply = await misfits(schema, {"x": {"kind": "file"}, "n": 1})
    assert 'closest: "path" is a required property' in reply and "n: 1 is not one of true or null" in reply


async def test_messages_are_bounded_in_number_and_length_and_the_nearest_come_first() -> None:
    schema: JsonObject = {"properties": {"rows": {"items": ALTERNATIVES}, "n": {"type": "integer"}}, "required": ["m"]}
    result = await errors_in(schema, {"rows": [{"kind": "x" * 100}] * 900, "n": "x"})
    texts = [text for some in result.values() for text in some]
    assert len(texts) == 20 and max(map(len, texts)) <= 500
    assert list(result)[:2] == ["arguments", "n"]


@pytest.mark.parametrize("keyword", ["pattern", "patternProperties"])
async def test_what_takes_too_long_to_explain_is_killed_and_told_in_the_quick_words(
    monkeypatch: pytest.MonkeyPatch, keyword: str
) -> None:
    """A pattern that is linear for the quick engine, and takes Python longer than the sun has left."""
    monkeypatch.setattr(schema_words, "TIME_S", 0.5)
    name = "a" * 300 + "!"
    bad: dict[str, Any] = {"pattern": "^(a|a)*$"} if keyword == "pattern" else {keyword: {"^(a|a)*$": {}}}
    schema: JsonObject = {"properties": {"x": bad, "n": {"type": "integer"}}}
    value: JsonObject = {"x": name if keyword == "pattern" else {name: 1}, "n": "y" * 300}
    before = {child.pid for child in psutil.Process().children()}
    for _ in range(2):  # the second time nobody waits
        result = await errors_in(schema, value)
        assert result["n"] == ['"' + "y" * 300 + '" is not of type "integer"'], "uncut: the quick engine's own words"
    assert {child.pid for child in psutil.Process().children()} <= before, "the process is gone"


async def test_a_value_the_explainer_stumbles_over_is_told_in_the_quick_words() -> None:
    value: Any = "x" * 300
    for _ in range(400):
        value = {"a": value}
    result = await errors_in({"type": "object", "properties": {"a": {"$ref": "#"}}}, value)
    assert result == {".".join(["a"] * 400): ['"' + "x" * 300 + '" is not of type "object"']}


def test_what_fits_costs_no_explainer() -> None:
    program = (
        "import asyncio, sys\n"
        "from backend.tools.schemas import errors_in\n"
        "before = 'jsonschema' in sys.modules\n"
        "schema = {'properties': {'x': {'type': 'string', 'pattern': 'a'}}}\n"
        "assert asyncio.run(errors_in(schema, {'x': 'a'})) == {}\n"
        "assert ('jsonschema' in sys.modules) == before\n"
        "print(before)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n", "the package is loaded by the first value that does not fit"
