"""Comparisons of Dify as conditions of ours."""

from __future__ import annotations

from typing import Any

from backend.workflows.dify.files import FILE_KEYS
from backend.workflows.dify.mapping import Ref
from backend.workflows.dify.reading import dict_in, dicts_in, selector_of, text_in
from backend.workflows.report import Line

_OPS = {
    "contains": "contains",
    "not contains": "not_contains",
    "start with": "starts_with",
    "end with": "ends_with",
    "is": "eq",
    "is not": "ne",
    "=": "eq",
    "==": "eq",
    "≠": "ne",
    "!=": "ne",
    ">": "gt",
    "<": "lt",
    "≥": "ge",
    ">=": "ge",
    "≤": "le",
    "<=": "le",
    "in": "in",
    "not in": "not_in",
    "empty": "empty",
    "not empty": "not_empty",
    "null": "empty",
    "not null": "not_empty",
    "exists": "not_empty",
    "not exists": "empty",
}
_ALONE = frozenset({"empty", "not_empty"})
_TYPES = {"image": "image/", "audio": "audio/", "video": "video/", "document": "text/|application/"}
"""How the media types begin of what Dify calls the type of a file."""
_NEGATED = frozenset({"ne", "not_in", "not_contains"})


def match_of(data: dict[str, Any], key: str = "conditions") -> str:
    """`all` or `any`: what a case says, or what the conditions on a file say that are all it has."""
    items = dicts_in(data, key)
    below = dict_in(items[0], "sub_variable_condition") if len(items) == 1 else {}
    return _logical_operator(below if len(dicts_in(below, "conditions")) > 1 else data)


def _logical_operator(data: dict[str, Any]) -> str:
    return "any" if text_in(data, "logical_operator").lower() == "or" else "all"


def conditions_of(data: dict[str, Any], line: Line, key: str = "conditions") -> list[dict[str, Any]]:
    """The conditions of a case; what cannot be compared here is noted."""
    out: list[dict[str, Any]] = []
    match = match_of(data, key)
    for item in dicts_in(data, key):
        selector = selector_of(item.get("variable_selector"))
        group = dict_in(item, "sub_variable_condition")
        below = dicts_in(group, "conditions")
        if below:
            line.note("only the first file is looked at", "只查看第一个文件")
            if len(below) > 1 and _logical_operator(group) != match:
                line.note(
                    f"the conditions on the file count like the others: {match} must hold",
                    f"文件的条件与其他条件同等对待：{'满足任一' if match == 'any' else '须全部满足'}",
                )
            out += [_condition((*selector, "0", text_in(inner, "key")), inner, line, maybe=True) for inner in below]
        else:
            out.append(_condition(selector, item, line))
    return out


def _condition(selector: tuple[str, ...], item: dict[str, Any], line: Line, *, maybe: bool = False) -> dict[str, Any]:
    file_key = selector[-1] if len(selector) > 2 else ""
    op, right = comparison(item, line, file_key)
    if file_key in FILE_KEYS:
        selector = (*selector[:-1], FILE_KEYS[file_key])
    return {"left": Ref(selector, maybe=maybe), "op": op, "right": right}


def comparison(item: dict[str, Any], line: Line, file_key: str = "") -> tuple[str, Any]:
    """The operation and what is compared with. `file_key` = the part of a file that is compared, in Dify's words."""
    operator = text_in(item, "comparison_operator")
    op = _OPS.get(operator.strip().lower())
    if op is None:
        line.note(f"the comparison “{operator[:20]}” became =", f"比较方式“{operator[:20]}”改为 =")
        op = "eq"
    value = item.get("value")
    if isinstance(value, dict):
        value = value.get("value")
    if isinstance(value, list) and selector_of(value) and text_in(item, "numberVarType") == "variable":
        value = Ref(selector_of(value))
    types = [value] if isinstance(value, str) else value
    if file_key == "type" and isinstance(types, list) and types and all(name in _TYPES for name in types):
        meant = [begin for name, begin in _TYPES.items() if (name in types) != (op in _NEGATED)]
        return "matches", f"^({'|'.join(meant)})"
    return op, None if op in _ALONE else value
