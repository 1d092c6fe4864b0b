"""Expressions in a trigger's configuration: the language of documents over what came (`request`, `event`, …)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from backend.engine.language.expressions import ExpressionInvalid, Reference, compile_value, scan
from backend.errors import PatchbayError, ValidationFailed
from backend.json_types import JsonObject, JsonValue

CREDENTIALS = frozenset({"authorization", "proxy-authorization", "cookie", "set-cookie"})
"""Headers that no expression is given and that nothing keeps."""


def problems(value: JsonValue, roots: Collection[str], field: str) -> dict[str, list[str]]:
    """What cannot be read in a value's expressions, or refers to what is not there, by field."""
    paths, errors = scan(value)
    wrong: dict[str, list[str]] = {}
    for place, error in errors:
        wrong.setdefault(_named(field, place), []).append(_unreadable(error))
    for path in paths:
        if (problem := _misplaced(path, roots)) is not None:
            wrong.setdefault(_named(field, path.pointer), []).append(problem)
    return wrong


def _named(field: str, pointer: str) -> str:
    return field + pointer.replace("/", ".").replace("~1", "/").replace("~0", "~")


def _unreadable(error: ExpressionInvalid) -> str:
    return f"has an expression that cannot be read: {error.params['expression']}"


def _misplaced(path: Reference, roots: Collection[str]) -> str | None:
    if path.root not in roots:
        return f"may only refer to {', '.join(sorted(roots))}"
    keys = path.keys
    if path.root == "request" and len(keys) > 1 and keys[0] == "headers" and str(keys[1]).lower() in CREDENTIALS:
        return "may not refer to Authorization or Cookie"
    return None


def rendered(values: Mapping[str, JsonValue], scope: JsonObject, field: str) -> JsonObject:
    """The values with their expressions replaced. Raises ValidationFailed naming `<field>.<name>`."""
    result: JsonObject = {}
    wrong: dict[str, list[str]] = {}
    for name, value in values.items():
        try:
            result[name] = compile_value(value).render(scope)
        except PatchbayError as error:
            wrong[f"{field}.{name}"] = [error.text("en")[0]]
    if wrong:
        raise ValidationFailed(fields=wrong)
    return result


def text_of(value: Any) -> str:
    """A rendered value as a text; null is no text at all."""
    if value is None:
        return ""
    return value if isinstance(value, str) else compile_value("{{ v | tojson }}").render({"v": value}).__str__()
