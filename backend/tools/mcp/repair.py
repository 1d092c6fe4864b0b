"""Lists of tools as servers really send them: what one misshapen tool would cost the whole list is mended first.

The SDK checks a list as a whole and refuses all of it for one tool without `inputSchema`. So the answer is mended on
its way to the SDK: a field that is optional and wrong is left out, a schema that is missing or wrong is marked with its
reason (see `schemas.PROBLEM`), and what cannot be called at all is taken out and kept with its reason.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcp_types import Icon
from pydantic import TypeAdapter, ValidationError

from backend.tools.schemas import PROBLEM
from backend.tools.types import JsonObject, JsonValue

MAX_NAME = 255
SHOWN_NAME = 60
MAX_LEFT_OUT = 1000
_ICONS = TypeAdapter(list[Icon])
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")


def marked(reason: str) -> JsonObject:
    """What stands for a schema that cannot be used: anything is accepted by it, and calls are refused with `reason`."""
    return {"type": "object", PROBLEM: reason}


class ListRepair:
    """Mends the pages of one list; `left_out` = `[{tool, reason}]` of what cannot be called, in the server's order.

    `tool` is the beginning of the name, or the place in the list (counted from 1) of one that has none.
    """

    def __init__(self) -> None:
        self.left_out: list[JsonObject] = []
        self._names: set[str] = set()
        self._count = 0

    def restart(self) -> None:
        """The list begins anew."""
        self.left_out, self._names, self._count = [], set(), 0

    def page(self, result: JsonObject) -> JsonObject:
        """One answer to `tools/list`, mended. What is no list at all is left as it is, for the SDK to refuse."""
        tools = result.get("tools")
        if not isinstance(tools, list):
            return result
        return {**result, "tools": [mended for tool in tools if (mended := self._tool(tool)) is not None]}

    def _tool(self, tool: Any) -> JsonObject | None:
        self._count += 1
        reason, shown = self._refusal(tool)
        if reason:
            if len(self.left_out) < MAX_LEFT_OUT:
                self.left_out.append({"tool": shown, "reason": reason})
            return None
        self._names.add(tool["name"])
        kept = {key: value for key, value in tool.items() if key not in _OPTIONAL or _OPTIONAL[key](value)}
        kept["inputSchema"] = _input_schema(tool.get("inputSchema"))
        if "outputSchema" in kept:
            kept["outputSchema"] = _output_schema(kept["outputSchema"])
        return kept

    def _refusal(self, tool: Any) -> tuple[str, str]:
        """(why it cannot be called or "", how it is shown)."""
        if not isinstance(tool, dict):
            return "not_a_tool", str(self._count)
        name = tool.get("name")
        if not isinstance(name, str) or not name.strip():
            return "name_missing", str(self._count)
        if len(name) > MAX_NAME:
            return "name_too_long", f"{name[:SHOWN_NAME]}…"
        return ("name_twice" if name in self._names else ""), name


def _input_schema(schema: JsonValue) -> JsonObject:
    """An object's schema as it is; one that says nothing of its type is taken as an object's."""
    if schema is None:
        return marked("schema_missing")
    if not isinstance(schema, dict) or schema.get("type", "object") != "object":
        return marked("schema_not_object")
    return _checked({"type": "object", **schema})


def _output_schema(schema: JsonValue) -> JsonObject:
    return _checked(schema) if isinstance(schema, dict) else marked("schema_not_object")


def _checked(schema: JsonObject) -> JsonObject:
    """The schema, or a marked one where its parts have not the form that the SDK insists on."""
    properties, required = schema.get("properties"), schema.get("required")
    sound = (
        (properties is None or (isinstance(properties, dict) and all(map(_is_schema, properties.values()))))
        and (required is None or (isinstance(required, list) and all(isinstance(name, str) for name in required)))
        and isinstance(schema.get("$schema"), str | None)
    )
    return schema if sound else marked("schema_invalid")


def _is_schema(value: JsonValue) -> bool:
    return isinstance(value, dict | bool)


def _is_text(value: JsonValue) -> bool:
    return isinstance(value, str)


def _are_annotations(value: JsonValue) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("title"), str | None)
        and all(isinstance(value.get(hint), bool | None) for hint in _HINTS)
    )


def _are_icons(value: JsonValue) -> bool:
    try:
        _ICONS.validate_python(value)
    except ValidationError:
        return False
    return True


def _is_execution(value: JsonValue) -> bool:
    return isinstance(value, dict) and value.get("taskSupport") in (None, "forbidden", "optional", "required")


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


_OPTIONAL: dict[str, Callable[[JsonValue], bool]] = {
    "title": _is_text,
    "description": _is_text,
    "annotations": _are_annotations,
    "icons": _are_icons,
    "execution": _is_execution,
    "_meta": _is_object,
    "outputSchema": lambda value: value is not None,
}
"""Fields that a tool may have: one that is not of its form is left out."""
