"""Nulls for optional arguments: templates and models give them where they mean "nothing", and many schemas forbid them.

Such a null is left out of the call. One for a required argument stays, and is refused by name.
"""

from __future__ import annotations

from typing import Any

from backend.tools.schemas import places_refused
from backend.tools.types import JsonObject, JsonValue

Place = list[str | int]


async def forbidden_nulls(schema: JsonObject, arguments: JsonObject) -> list[Place]:
    """Where in `arguments` a null of an optional member stands that the schema forbids."""
    if not _holds_null(arguments):
        return []
    refused = await places_refused(schema, arguments)
    nulls = [list(place) for place in refused if place and isinstance(place[-1], str) and _at(arguments, place) is None]
    if not nulls:
        return []
    missing = set(await places_refused(schema, without(arguments, nulls)))
    return [place for place in nulls if tuple(place[:-1]) not in missing]


def without(arguments: JsonObject, places: list[Place]) -> JsonObject:
    """`arguments` without the members at these places; itself where there are none."""
    out = arguments
    for place in places:
        out = _copied_object(out, place)
    return out


def _copied_object(value: JsonObject, place: Place) -> JsonObject:
    step, *rest = place
    if not isinstance(step, str) or step not in value:
        return value
    if not rest:
        return {key: item for key, item in value.items() if key != step}
    return {**value, step: _copied(value[step], rest)}


def _copied(value: JsonValue, place: Place) -> JsonValue:
    step, *rest = place
    if isinstance(value, dict):
        return _copied_object(value, place)
    if isinstance(value, list) and isinstance(step, int) and step < len(value) and rest:
        return [_copied(item, rest) if index == step else item for index, item in enumerate(value)]
    return value


def _at(value: Any, place: tuple[str | int, ...]) -> Any:
    for step in place:
        value = value[step]
    return value


def _holds_null(value: JsonValue) -> bool:
    todo = [value]
    while todo:
        item = todo.pop()
        if item is None:
            return True
        if isinstance(item, dict):
            todo += item.values()
        elif isinstance(item, list):
            todo += item
    return False
