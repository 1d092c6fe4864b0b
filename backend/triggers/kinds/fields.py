"""Fields that configurations of several kinds have."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from rest_framework import serializers

from backend.errors import ValidationFailed
from backend.json_types import JsonObject, JsonValue
from backend.triggers import expressions
from backend.web.lookup import storable
from backend.web.rest import as_patchbay

MOST_INPUTS = 100


class Values(serializers.DictField):
    """{name: any JSON, with expressions} or null."""

    def __init__(self, roots: Collection[str], **kwargs: Any) -> None:
        self.roots = roots
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """The checked object."""
        values: dict[str, Any] = super().to_internal_value(data)
        if len(values) > MOST_INPUTS:
            raise serializers.ValidationError(f"must have at most {MOST_INPUTS} names")
        if any(not storable(name) for name in values):
            raise serializers.ValidationError("has a name with characters that cannot be stored")
        refuse_expressions(values, self.roots)
        return values


class Expressed(serializers.JSONField):
    """Any JSON with expressions."""

    def __init__(self, roots: Collection[str], **kwargs: Any) -> None:
        self.roots = roots
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> Any:
        """The checked value."""
        value: Any = super().to_internal_value(data)
        refuse_expressions(value, self.roots)
        return value


def refuse_expressions(value: JsonValue, roots: Collection[str]) -> None:
    """Raise DRF's ValidationError that says where expressions cannot be read or refer to what is not there."""
    wrong = expressions.problems(value, roots, "")
    if not wrong:
        return
    if "" in wrong:
        raise serializers.ValidationError(wrong[""])
    raise serializers.ValidationError({name.lstrip("."): texts for name, texts in wrong.items()})


def read_config(serializer: type[serializers.Serializer[Any]], data: JsonObject) -> JsonObject:
    """The configuration with its defaults. Raises ValidationFailed naming `config.<field>`."""
    unknown = sorted(data.keys() - serializer().fields.keys())
    checked = serializer(data=data)
    if unknown:
        raise ValidationFailed(fields={f"config.{name}": ["is not a setting of this kind"] for name in unknown})
    try:
        checked.is_valid(raise_exception=True)
    except serializers.ValidationError as error:
        known = as_patchbay(error)
        fields = known.fields if known is not None else {}
        raise ValidationFailed(
            fields={f"config.{name}" if name else "config": texts for name, texts in fields.items()}
        ) from error
    config: JsonObject = dict(checked.validated_data)
    return config
