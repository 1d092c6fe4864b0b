"""What a node reads of its config is what its type declares: its TypedDict and the schema of its form agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from backend.engine.document.types import NodeType
from backend.nodes import BUILT_IN


def values_of(type_: NodeType) -> Any:
    """The TypedDict that a node type names for the values of its config: of `run(ctx: NodeContext[…])`."""
    (values,) = get_args(get_type_hints(type_.run)["ctx"])
    return values


def plain(hint: Any) -> Any:
    """The type without NotRequired, and without None beside it."""
    args = [arg for arg in get_args(hint) if arg is not type(None)]
    if get_origin(hint) is not list and get_origin(hint) not in (Literal, dict) and len(args) == 1:
        return plain(args[0])
    return hint


def differences(hint: Any, schema: Mapping[str, Any], root: Mapping[str, Any], place: str) -> Iterator[str]:
    """Where the keys of a TypedDict are not those of an object's schema, at any depth."""
    hint = plain(hint)
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    if get_origin(hint) is list and "items" in schema:
        yield from differences(get_args(hint)[0], schema["items"], root, f"{place}[]")
    if not is_typeddict(hint):
        return
    hints, properties = get_type_hints(hint), schema.get("properties", {})
    if hints.keys() != properties.keys():
        yield f"{place}: {sorted(hints)} is not {sorted(properties)}"
    for name in hints.keys() & properties.keys():
        yield from differences(hints[name], properties[name], root, f"{place}.{name}")


def of_choices(hint: Any, schema: Mapping[str, Any], root: Mapping[str, Any]) -> list[Any] | None:
    """The choices of a schema where the type names others."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    hint = plain(hint)
    if get_origin(hint) is not Literal or "enum" not in schema or set(get_args(hint)) == set(schema["enum"]):
        return None
    return list(schema["enum"])


@pytest.mark.parametrize("type_", BUILT_IN, ids=lambda type_: type_.name)
def test_the_values_that_a_node_reads_are_the_fields_of_its_form(type_: NodeType) -> None:
    schema = type_.config.model_json_schema(by_alias=True)
    outer = {name: about for name, about in schema["properties"].items() if name not in type_.inner}
    values = values_of(type_)

    assert list(differences(values, {"properties": outer}, schema, type_.name)) == []
    for name, hint in get_type_hints(values).items():
        assert of_choices(hint, outer[name], schema) is None, f"{type_.name}.{name}"
