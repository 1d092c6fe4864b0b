"""Places in a node's config, as node types name them: `server`, `tools.servers.*.server` (`*` = each member). Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from backend.engine.language.expressions import ValueTemplate, compile_value
from backend.tools.types import JsonValue

Place = tuple[str, ...]


def paths_below(places: Iterable[Place], key: str) -> list[Place]:
    """The places as seen from the member `key`; the empty one is the member itself."""
    return [place[1:] for place in places if place and place[0] in (key, "*")]


def places(names: Iterable[str]) -> list[Place]:
    """The places of these names."""
    return [tuple(name.split(".")) for name in names]


def is_covered(names: Iterable[str], pointer: str) -> bool:
    """Whether a JSON pointer into a config (`/tools/servers/0/server/env`) lies at or under one of the places."""
    parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    left = places(names)
    for part in parts:
        left = paths_below(left, part)
        if () in left:
            return True
    return False


def compile_around(value: JsonValue, raw: list[Place]) -> ValueTemplate:
    """`compile_value` with what lies at the `raw` places taken as it stands. Raises ExpressionInvalid."""
    if () in raw:
        return ValueTemplate("constant", value)
    if not raw or not isinstance(value, dict | list):
        return compile_value(value)
    if isinstance(value, dict):
        members = {key: compile_around(item, paths_below(raw, key)) for key, item in value.items()}
        if all(member.kind == "constant" for member in members.values()):
            return ValueTemplate("constant", value)
        return ValueTemplate("object", [(key, *_member(member)) for key, member in members.items()])
    items = [compile_around(item, paths_below(raw, str(index))) for index, item in enumerate(value)]
    if all(item.kind == "constant" for item in items):
        return ValueTemplate("constant", value)
    return ValueTemplate("list", [_member(item) for item in items])


def _member(template: ValueTemplate) -> tuple[Any, bool]:
    return (template.value, True) if template.kind == "constant" else (template, False)
