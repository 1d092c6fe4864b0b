"""Functions of this process as tools, for agents without a server: the time, arithmetic, and what packages add.

A package adds tools by the entry point group `patchbay.tools`; each entry point names a typed async function or a
`LocalTool` (a function with annotations). They stand behind the gate like every other tool: one that is not marked
read-only asks a person when a model chose it.
"""

from __future__ import annotations

import ast
import hashlib
import json
import math
import operator
from collections.abc import Callable
from datetime import datetime
from functools import cache
from importlib.metadata import entry_points
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import Field

from backend.tools.calls.gate import GatedToolSource, ToolRules
from backend.tools.calls.local import LocalTool, LocalToolSource, local_tool
from backend.tools.types import JsonObject, Remember, ToolResult, ToolSpec

GROUP = "patchbay.tools"
SERVER = "local"
READ_ONLY: JsonObject = {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False}

MAX_EXPRESSION = 1_000
MAX_POWER_BITS = 4_096


def _refused(why: str) -> ToolResult:
    return ToolResult(content=[{"type": "text", "text": why}], text=why, is_error=True)


async def current_time(
    timezone: Annotated[str, Field(description="IANA name, such as Europe/Berlin or Asia/Shanghai")] = "UTC",
) -> ToolResult | JsonObject:
    """The date and time now in a time zone."""
    try:
        zone = ZoneInfo(timezone)
    except (KeyError, ValueError, OSError):
        return _refused(f"no time zone is named {timezone!r}")
    now = datetime.now(zone)
    return {"time": now.isoformat(timespec="seconds"), "weekday": now.strftime("%A"), "timezone": timezone}


async def calculate(
    expression: Annotated[str, Field(description="Such as 2 * (3 + 4) ** 2, round(10 / 3, 2), sqrt(2) * pi")],
) -> ToolResult | JsonObject:
    """The value of an arithmetic expression: + - * / // % **, parentheses, pi, e, abs, round, min, max, sqrt, log,
    exp, floor, ceil, hypot, sin, cos, tan, asin, acos, atan, atan2, degrees, radians."""
    try:
        return {"value": evaluate(expression)}
    except (ValueError, ArithmeticError, SyntaxError, TypeError, RecursionError, MemoryError) as error:
        return _refused(f"{expression[:200]!r} cannot be calculated: {error}")


_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_NAMES = {"pi": math.pi, "e": math.e, "tau": math.tau}
_FUNCTIONS: dict[str, Callable[..., float]] = {
    "abs": abs,
    "round": round,
    "min": min,
    "max": max,
    **{name: getattr(math, name) for name in ("sqrt", "log", "log10", "log2", "exp", "floor", "ceil", "hypot")},
    **{name: getattr(math, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2")},
    **{name: getattr(math, name) for name in ("degrees", "radians")},
}


def evaluate(expression: str) -> float:
    """The value of an arithmetic expression; nothing else of the language is understood, nothing large is made.

    Raises ValueError, ArithmeticError, SyntaxError, TypeError.
    """
    if len(expression) > MAX_EXPRESSION:
        raise ValueError("too long")
    value = _value(ast.parse(expression.strip().replace("^", "**"), mode="eval").body)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("no finite number")
    return value


def _value(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.Name(id=name) if name in _NAMES:
            return _NAMES[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand_node):
            return -_value(operand_node)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand_node):
            return _value(operand_node)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _power(_value(left), _value(right))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _bounded(_BINARY[type(op)](_value(left), _value(right)))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](*(_value(arg) for arg in args))
    raise ValueError(f"{ast.unparse(node)[:80]} is not understood")


def _power(base: float, exponent: float) -> float:
    if isinstance(base, int) and isinstance(exponent, int):
        if exponent >= 0 and base.bit_length() * exponent > MAX_POWER_BITS:
            raise ValueError("the power is too large")
    elif abs(exponent) > MAX_POWER_BITS:
        raise ValueError("the power is too large")
    value = base**exponent
    if isinstance(value, complex):
        raise ValueError("no real number")
    return float(value) if isinstance(value, float) else value


def _bounded(value: float) -> float:
    if isinstance(value, int) and value.bit_length() > 2 * MAX_POWER_BITS:
        raise ValueError("the number is too large")
    return value


@cache
def local_tools() -> tuple[LocalTool, ...]:
    """All functions of this installation that agents may call. Raises TypeError for an entry point that is neither a
    function nor a LocalTool, ValueError where two have one name."""
    tools = [
        local_tool(SERVER, current_time, annotations={**READ_ONLY, "idempotentHint": False}),
        local_tool(SERVER, calculate, annotations=READ_ONLY),
    ]
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        loaded = point.load()
        if isinstance(loaded, LocalTool):
            tools.append(loaded)
        elif callable(loaded):
            tools.append(local_tool(SERVER, loaded))
        else:
            raise TypeError(f"the entry point {point.name} of {GROUP} is no function")
    names = [tool.spec.name for tool in tools]
    if len(set(names)) != len(names):
        raise ValueError(f"two local tools share a name: {sorted(names)}")
    return tuple(tools)


class LocalPolicies:
    """The rules of local tools: their own annotations count, since the installation's owner put them there."""

    def __init__(self) -> None:
        self._granted: set[tuple[str, str]] = set()

    async def rules(self, tool: ToolSpec, arguments: JsonObject) -> ToolRules:
        """`auto`, with the hints trusted; granted where a person said "for this run" or more in this step."""
        about = json.dumps([tool.name, tool.description, tool.input_schema, tool.annotations], sort_keys=True)
        grants = {(tool.name, ""), (tool.name, _digest(arguments))}
        granted = not grants.isdisjoint(self._granted)
        return ToolRules(trust_annotations=True, definition_hash=_sha(about), server_hash=SERVER, granted=granted)

    async def remember(self, tool: ToolSpec, arguments: JsonObject, rules: ToolRules, how: Remember, by: str) -> None:
        """Keep an approval as long as this step lives in this process; nothing of it is stored."""
        self._granted.add((tool.name, _digest(arguments) if how == "arguments" else ""))


def _digest(arguments: JsonObject) -> str:
    return _sha(json.dumps(arguments, sort_keys=True))


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def local_source() -> GatedToolSource:
    """The local tools behind their gate."""
    return GatedToolSource(LocalToolSource(SERVER, list(local_tools())), LocalPolicies())
