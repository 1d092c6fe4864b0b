"""JSON Schema of TypedDicts, for what the API's document says besides answers: events by type, frames of the websocket.

`Schemas.of(hint)` gives the schema of a type and keeps those of the TypedDicts in it as components.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from backend.accounts.described import SUFFIX, Help
from backend.json_types import JsonObject

_PLAIN: dict[Any, JsonObject] = {
    NoneType: {"type": "null"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
}


class Schemas:
    """Components by name. `taken` = names that others have: a TypedDict of such a name gets its room's before it."""

    def __init__(self, root: str, taken: frozenset[str] = frozenset(), *, closed: bool = False) -> None:
        """`root` = where components lie ("#/components/schemas/"); `closed`: no other members than those named."""
        self.components: dict[str, JsonObject] = {}
        self._root, self._taken, self._closed = root, taken, closed
        self._names: dict[Any, str] = {}

    def of(self, hint: Any) -> JsonObject:
        """The schema of a type: of a TypedDict a reference."""
        origin, args = get_origin(hint), get_args(hint)
        if origin is Annotated:
            notes = [note.text for note in args[1:] if isinstance(note, Help)]
            return {**self.of(args[0]), "description": notes[0]} if notes else self.of(args[0])
        if origin in {NotRequired, Required}:
            return self.of(args[0])
        if origin in {Union, UnionType}:
            return {"anyOf": [self.of(arg) for arg in args]}
        if origin is Literal:
            return {"enum": list(args)}
        if origin is list:
            return {"type": "array", "items": self.of(args[0])}
        if origin is not None and issubclass(origin, Mapping):
            return {"type": "object", "additionalProperties": self.of(args[1])}
        if is_typeddict(hint):
            return {"$ref": f"{self._root}{self._component(hint)}"}
        return dict(_PLAIN.get(hint, {}))

    def _component(self, shape: Any) -> str:
        known = self._names.get(shape)
        if known is not None:
            return known
        name: str = shape.__name__.removesuffix(SUFFIX)
        if name in self._taken or name in self.components:
            name = f"{shape.__module__.split('.')[1].capitalize()}{name}"
        self._names[shape] = name
        self.components[name] = {}
        hints = get_type_hints(shape, include_extras=True)
        optional = shape.__optional_keys__
        required = [key for key, hint in hints.items() if get_origin(hint) is not NotRequired and key not in optional]
        text = inspect.cleandoc(shape.__doc__ or "")
        self.components[name] = {
            "type": "object",
            "description": text.split("\n\n")[0],
            "properties": {key: self.of(hint) for key, hint in hints.items()},
            "required": [*required],
            **({"additionalProperties": False} if self._closed else {}),
        }
        return name
