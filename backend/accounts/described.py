"""Responses described once: a TypedDict says what the code returns and what the OpenAPI document promises.

A view names it (`responses=RunJson`), the function that builds the answer returns it, and mypy holds the two together;
nothing is looked at when an answer is sent. What a type cannot say stands beside it: `Annotated[int, Help("…")]`.
A component is called as its TypedDict without `Json`, and is described by its docstring.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import Direction
from rest_framework import serializers

SUFFIX = "Json"


@dataclass(frozen=True, eq=False, slots=True)
class Help:
    """What the document says of a member."""

    text: str


@dataclass(frozen=True, eq=False, slots=True)
class Choices:
    """The texts that a member can be, where its type is only `str`."""

    values: Iterable[Any]


@dataclass(frozen=True, eq=False, slots=True)
class AtLeast:
    """The least that a number can be."""

    value: int


@dataclass(frozen=True, eq=False, slots=True)
class Between:
    """The least and the most that a number can be."""

    least: float
    most: float


Timestamp = Annotated[str | datetime, serializers.DateTimeField]
"""A moment: as a row has it, or already written as the API writes it."""
EmailAddress = Annotated[str, serializers.EmailField]
Day = Annotated[str, serializers.DateField]

_FIELDS: dict[Any, type[serializers.Field[Any, Any, Any, Any]]] = {
    bool: serializers.BooleanField,
    int: serializers.IntegerField,
    float: serializers.FloatField,
    str: serializers.CharField,
}


def serializer_of(shape: Any) -> type[serializers.Serializer[Any]]:
    """The serializer that describes a TypedDict to drf-spectacular; it serializes nothing."""
    return _serializer_of(shape)


@cache
def _serializer_of(shape: type) -> type[serializers.Serializer[Any]]:
    hints = get_type_hints(shape, include_extras=True)

    def get_fields(self: Any) -> dict[str, Any]:
        required: frozenset[str] = getattr(shape, "__required_keys__", frozenset())
        return {name: _field(hint, {} if name in required else {"required": False}) for name, hint in hints.items()}

    name = f"{shape.__name__.removesuffix(SUFFIX)}Serializer"
    return type(name, (serializers.Serializer,), {"__doc__": shape.__doc__, "get_fields": get_fields})


def _field(hint: Any, options: dict[str, Any]) -> serializers.Field[Any, Any, Any, Any]:
    """The field that describes a member's type. `options` = what is already known of it."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is NotRequired:
        return _field(args[0], {**options, "required": False})
    if origin is Annotated:
        return _annotated(args[0], args[1:], options)
    if origin in {Union, UnionType} and NoneType in args:
        rest = tuple(arg for arg in args if arg is not NoneType)
        return _field(rest[0] if len(rest) == 1 else Union[rest], {**options, "allow_null": True})  # noqa: UP007 - made here
    if is_typeddict(hint):
        return serializer_of(hint)(**options)
    if origin is Literal:
        return serializers.ChoiceField(choices=list(args), **options)
    if origin in {list, Sequence}:
        if is_typeddict(args[0]):
            return serializer_of(args[0])(many=True, **options)
        return serializers.ListField(child=_field(args[0], {}), **options)
    if origin is dict or hint is dict:
        if args and args[1] is not Any:
            options = {**options, "child": _field(args[1], {})}
        return serializers.DictField(**options)
    return _FIELDS.get(hint, serializers.JSONField)(**options)


def _annotated(hint: Any, notes: tuple[Any, ...], options: dict[str, Any]) -> serializers.Field[Any, Any, Any, Any]:
    named: type[serializers.Field[Any, Any, Any, Any]] | None = None
    for note in notes:
        match note:
            case Help(text):
                options = {**options, "help_text": text}
            case Choices(values):
                named, options = serializers.ChoiceField, {**options, "choices": values}
            case AtLeast(value):
                options = {**options, "min_value": value}
            case Between(least, most):
                options = {**options, "min_value": least, "max_value": most}
            case _ if inspect.isclass(note) and issubclass(note, serializers.Field):
                named = note
    if named is None:
        return _field(hint, options)
    if get_origin(hint) is list and issubclass(named, serializers.Serializer):
        options = {**options, "many": True}
    return named(**options)


class TypedDictExtension(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]  # drf-spectacular's, untyped
    """Lets a view name a TypedDict where drf-spectacular wants a serializer."""

    @classmethod
    def _matches(cls, target: Any) -> bool:
        return is_typeddict(target)

    def get_name(self, auto_schema: AutoSchema, direction: Direction) -> str:
        """The TypedDict's, without its suffix."""
        return str(self.target.__name__.removesuffix(SUFFIX))

    def get_identity(self, auto_schema: AutoSchema, direction: Direction) -> Any:
        """That of the serializer which stands for it inside others."""
        return serializer_of(self.target)

    def map_serializer(self, auto_schema: AutoSchema, direction: Direction) -> dict[str, Any]:
        """The schema of the serializer which describes it."""
        schema: dict[str, Any] = auto_schema._map_serializer(serializer_of(self.target)(), direction)  # type: ignore[no-untyped-call]  # likewise
        return schema
