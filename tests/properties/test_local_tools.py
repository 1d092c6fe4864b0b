"""Functions as tools: a LocalToolSource lists and calls exactly as the functions called directly; the built-in ones."""

from __future__ import annotations

import asyncio
import inspect
import math
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_core import to_jsonable_python

from backend.agents.local_tools import calculate, current_time, evaluate, local_source, local_tools
from backend.errors import McpPolicyDenied
from backend.tools.calls.gate import GatedToolSource
from backend.tools.calls.local import LocalToolSource, local_tool
from backend.tools.calls.testing import PlainEffects, PolicyTable
from backend.tools.types import CallContext, ToolResult
from tests.exhaustive import few
from tests.looking import inside


async def join(words: list[str], by: str = " ") -> str:
    """Put words together."""
    return by.join(words)


async def weigh(item: dict[str, int], unit: Literal["kg", "lb"] = "kg", times: int = 1) -> dict[str, Any]:
    """Weigh something."""
    return {"unit": unit, "total": sum(item.values()) * times}


async def count(text: str) -> int:
    """Count letters."""
    return len(text)


async def nothing() -> None:
    """Do nothing."""


FUNCTIONS = {function.__name__: function for function in (join, weigh, count, nothing)}
SOURCE = GatedToolSource(
    LocalToolSource("local", [local_tool("local", function) for function in FUNCTIONS.values()]), PolicyTable()
)
TEXT = st.text(st.characters(blacklist_categories=["Cs"]), max_size=10)
ARGUMENTS: st.SearchStrategy[tuple[str, Any]] = st.one_of(
    st.tuples(st.just("join"), st.fixed_dictionaries({"words": st.lists(TEXT)}, optional={"by": TEXT})),
    st.tuples(
        st.just("weigh"),
        st.fixed_dictionaries(
            {"item": st.dictionaries(TEXT, st.integers(-1000, 1000), max_size=3)},
            optional={"unit": st.sampled_from(["kg", "lb"]), "times": st.integers(0, 9)},
        ),
    ),
    st.tuples(st.just("count"), st.fixed_dictionaries({"text": TEXT})),
    st.tuples(st.just("nothing"), st.just({})),
)


async def test_it_lists_the_functions() -> None:
    specs = await SOURCE.list_tools()
    assert [(spec.name, spec.description) for spec in specs] == [
        (name, inspect.getdoc(function)) for name, function in FUNCTIONS.items()
    ]
    for spec in specs:
        parameters = inspect.signature(FUNCTIONS[spec.name]).parameters
        assert list(inside(spec.input_schema["properties"])) == list(parameters)
        required = [name for name, parameter in parameters.items() if parameter.default is inspect.Parameter.empty]
        assert spec.input_schema.get("required", []) == required


@settings(max_examples=few(100), deadline=None)
@given(ARGUMENTS)
def test_a_call_gives_what_the_function_gives(call: tuple[str, dict[str, Any]]) -> None:
    name, arguments = call
    direct = asyncio.run(FUNCTIONS[name](**arguments))
    result = asyncio.run(SOURCE.call_tool(name, arguments, CallContext(PlainEffects(), "call")))
    assert result.is_error is False
    if isinstance(direct, str):
        assert (result.text, result.structured) == (direct, None)
    else:
        assert result.structured == to_jsonable_python(direct)


# -- the built-in ones ------------------------------------------------------------------------------------------------


async def test_they_are_listed_behind_a_gate() -> None:
    names = [spec.name for spec in await local_source().list_tools()]
    assert names[:2] == ["current_time", "calculate"]
    assert names == [tool.spec.name for tool in local_tools()]


async def test_a_model_may_call_them_unasked() -> None:
    call = CallContext(PlainEffects(), "call", chosen_by="model")
    assert (await local_source().call_tool("calculate", {"expression": "6 * 7"}, call)).structured == {"value": 42}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3", 7), ("2 ** 10", 1024), ("2^3", 8), ("-(3 - 5) % 4", 2), ("7 // 2", 3), ("1 / 4", 0.25),
        ("sqrt(2) * sqrt(2)", 2.0), ("round(10 / 3, 2)", 3.33), ("max(1, 2, 3) - min(4, 5)", -1),
        ("cos(0) + pi", 1 + math.pi), ("hypot(3, 4)", 5.0), ("1_000", 1000),
    ],
)  # fmt: skip
def test_arithmetic(text: str, value: float) -> None:
    assert evaluate(text) == pytest.approx(value)


@pytest.mark.parametrize(
    "text",
    [
        "", "1 +", "x", "__import__('os')", "(1).__class__", "[1]", "'a' * 3", "True + 1", "1 if 1 else 2",
        "2 ** 99999999", "9 ** 9 ** 9",
        "(-8) ** 0.5", "1 / 0", "1e999", "log(-1)", "(" * 300 + "1" + ")" * 300, "1" * 1001,
        "*".join(["9" * 90] * 90), "round(1, ndigits=2)", "lambda: 1", "1; 2", "exp(10000)",
    ],
)  # fmt: skip
async def test_what_is_no_arithmetic_is_refused(text: str) -> None:
    result = await calculate(text)
    assert isinstance(result, ToolResult) and result.is_error


@settings(max_examples=few(100), deadline=None)
@given(st.recursive(st.integers(0, 99).map(str), lambda item: st.tuples(item, st.sampled_from("+-*"), item).map(
    lambda three: f"({three[0]} {three[1]} {three[2]})"), max_leaves=12))  # fmt: skip
def test_arithmetic_is_as_python_does_it(text: str) -> None:
    assert evaluate(text) == eval(text)  # noqa: S307 - a text of our own


async def test_the_time_somewhere() -> None:
    here = inside(await current_time("Asia/Shanghai"))
    assert isinstance(here, dict) and here["time"].endswith("+08:00") and here["timezone"] == "Asia/Shanghai"
    for wrong in ("Nowhere/Else", "../../etc/passwd", "", "/etc/passwd", "\x00"):
        refused = await current_time(wrong)
        assert isinstance(refused, ToolResult) and refused.is_error


async def test_past_the_gate_nothing_is_called() -> None:
    bare = LocalToolSource("local", list(local_tools()))
    with pytest.raises(McpPolicyDenied):
        await bare.call_tool("calculate", {"expression": "1"}, CallContext(PlainEffects(), "call"))
