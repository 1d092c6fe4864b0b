"""Schemas that cost much more than their size."""

from __future__ import annotations

from typing import Any


def doubled(levels: int, below: bool) -> dict[str, Any]:
    """Twice as many subschemas with every level: at one place, or one level of the value deeper each."""
    defs: dict[str, Any] = {}
    for n in range(levels):
        ref: dict[str, Any] = {"$ref": f"#/$defs/d{n + 1}"}
        defs[f"d{n}"] = {"allOf": [{"properties": {"a": ref}}, {"properties": {"a": ref}}] if below else [ref, ref]}
    return {"$ref": "#/$defs/d0", "$defs": {**defs, f"d{levels}": {"type": "object"}}}


def nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"a": value}
    return value
