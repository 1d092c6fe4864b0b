"""Conditions of if, switch and list: `{left, op, right}`, compared without surprises.

Numbers compare as numbers, also where one of the two is a text that is a number; everything else compares with its own
kind only, and what cannot be compared is false. `matches` uses an engine whose time grows with the text only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, TypedDict, TypeGuard

import jsonschema_rs
from pydantic import Field

from backend.engine.document.types import AnyValue, NodeConfig, words
from backend.errors import ValidationFailed
from backend.tools.types import JsonValue

Op = Literal[
    "eq",
    "ne",
    "gt",
    "ge",
    "lt",
    "le",
    "contains",
    "not_contains",
    "starts_with",
    "ends_with",
    "in",
    "not_in",
    "empty",
    "not_empty",
    "is_true",
    "matches",
]
Match = Literal["all", "any"]

_OPS: Final = [
    ("=", "="),
    ("≠", "≠"),
    (">", ">"),
    ("≥", "≥"),
    ("<", "<"),
    ("≤", "≤"),
    ("contains", "包含"),
    ("does not contain", "不包含"),
    ("starts with", "开头是"),
    ("ends with", "结尾是"),
    ("is one of", "属于"),
    ("is none of", "不属于"),
    ("is empty", "为空"),
    ("is not empty", "不为空"),
    ("is true", "为真"),
    ("matches the pattern", "匹配模式"),
]


class ConditionValue(TypedDict):
    """A comparison with its values."""

    left: JsonValue
    op: Op
    right: JsonValue


class Condition(NodeConfig):
    """One comparison."""

    left: AnyValue = Field(default=None, **words("Value", "值"))
    op: Op = Field(default="eq", **words("Comparison", "比较", choices=_OPS))
    right: AnyValue = Field(default=None, **words("Compared with", "与之比较"))


def match_field() -> dict[str, Any]:
    """Keywords of the field that says whether all or any condition must hold."""
    return {"default": "all"} | words("Match", "满足", choices=[("all", "全部"), ("any", "任一")])


def hold(match: Match, conditions: list[ConditionValue]) -> bool:
    """Whether all (or any) of the conditions hold; no condition at all holds."""
    if not conditions:
        return True
    results = (_OPERATIONS[condition["op"]](condition["left"], condition["right"]) for condition in conditions)
    return any(results) if match == "any" else all(results)


def number_of(value: JsonValue) -> float | int | None:
    """The number that a value is or, as a text, stands for."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    if isinstance(value, str) and len(value) <= 40:
        try:
            number = float(value)
        except ValueError:
            return None
        return number if number == number and abs(number) != float("inf") else None
    return None


def _is_number(value: JsonValue) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _equal(left: JsonValue, right: JsonValue) -> bool:
    if _is_number(left) or _is_number(right):
        a, b = number_of(left), number_of(right)
        return a is not None and b is not None and a == b
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right or str(left).lower() == str(right).lower()
    return bool(left == right)


def _ordered(compare: Callable[[Any, Any], bool]) -> Callable[[JsonValue, JsonValue], bool]:
    def apply(left: JsonValue, right: JsonValue) -> bool:
        if _is_number(left) or _is_number(right):
            a, b = number_of(left), number_of(right)
            return a is not None and b is not None and compare(a, b)
        return isinstance(left, str) and isinstance(right, str) and compare(left, right)

    return apply


def _contains(left: JsonValue, right: JsonValue) -> bool:
    if isinstance(left, str):
        return right is not None and str(right) in left
    if isinstance(left, list):
        return any(_equal(item, right) for item in left)
    return isinstance(left, dict) and isinstance(right, str) and right in left


def _affix(test: Callable[[str, str], bool]) -> Callable[[JsonValue, JsonValue], bool]:
    return lambda left, right: isinstance(left, str) and isinstance(right, str) and test(left, right)


def _empty(value: JsonValue) -> bool:
    return value is None or value == "" or value == [] or value == {}


def _is_true(value: JsonValue) -> bool:
    if isinstance(value, str):
        return value.strip().lower() == "true"
    return value is True or (_is_number(value) and value != 0)


def _matches(left: JsonValue, right: JsonValue) -> bool:
    if not isinstance(left, str) or not isinstance(right, str):
        return False
    try:
        options = jsonschema_rs.RegexOptions(size_limit=1_000_000)
        return jsonschema_rs.validator_for({"pattern": right}, pattern_options=options).is_valid(left)
    except (jsonschema_rs.ValidationError, ValueError) as error:
        raise ValidationFailed(
            params={"reason": "value", "field": "right", "expected": "pattern", "got": right[:80]},
            fields={"right": ["must be a pattern"]},
        ) from error


_OPERATIONS: Final[dict[Op, Callable[[JsonValue, JsonValue], bool]]] = {
    "eq": _equal,
    "ne": lambda left, right: not _equal(left, right),
    "gt": _ordered(lambda a, b: bool(a > b)),
    "ge": _ordered(lambda a, b: bool(a >= b)),
    "lt": _ordered(lambda a, b: bool(a < b)),
    "le": _ordered(lambda a, b: bool(a <= b)),
    "contains": _contains,
    "not_contains": lambda left, right: not _contains(left, right),
    "starts_with": _affix(str.startswith),
    "ends_with": _affix(str.endswith),
    "in": lambda left, right: _contains(right, left),
    "not_in": lambda left, right: not _contains(right, left),
    "empty": lambda left, _: _empty(left),
    "not_empty": lambda left, _: not _empty(left),
    "is_true": lambda left, _: _is_true(left),
    "matches": _matches,
}
