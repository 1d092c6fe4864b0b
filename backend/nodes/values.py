"""Checks of values that are known only once their expressions are: each raises VALIDATION_ERROR naming the field."""

from __future__ import annotations

from backend.engine.language.filters import json_type
from backend.errors import ValidationFailed
from backend.tools.types import JsonObject, JsonValue


def misfit(field: str, expected: str, value: JsonValue) -> ValidationFailed:
    """The error of a field whose value is of another kind than expected (both in JSON's words)."""
    return ValidationFailed(
        params={"reason": "value", "field": field, "expected": expected, "got": json_type(value)},
        fields={field: [f"must be {expected}"]},
    )


def an_object(field: str, value: JsonValue) -> JsonObject:
    """The value as an object."""
    if not isinstance(value, dict):
        raise misfit(field, "object", value)
    return value


def a_list(field: str, value: JsonValue) -> list[JsonValue]:
    """The value as a list."""
    if not isinstance(value, list):
        raise misfit(field, "array", value)
    return value


def a_number(field: str, value: JsonValue, least: float, most: float) -> float:
    """The value as a number within bounds; a text that is a number counts as one."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            raise misfit(field, "number", value) from None
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise misfit(field, f"number, {least:g} … {most:g}", value)
    return value
