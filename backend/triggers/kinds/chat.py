"""Chat: members write messages, and each is a run in the name of whoever writes it.

`greeting` = what a conversation shows before its first message.
"""

from __future__ import annotations

from typing import Any, TypedDict

from rest_framework import serializers

from backend.json_types import JsonObject, JsonValue
from backend.triggers.kinds.fields import read_config


class ChatConfigJson(TypedDict):
    """Configuration of a chat."""

    greeting: str


class ChatConfig(serializers.Serializer[Any]):
    """The configuration of a chat."""

    greeting = serializers.CharField(default="", allow_blank=True, max_length=2000)

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """The checked object; null is the default."""
        return dict(super().to_internal_value({name: value for name, value in data.items() if value is not None}))


def read(config: JsonObject) -> JsonObject:
    """The configuration with its defaults. Raises ValidationFailed (`config.…`)."""
    return read_config(ChatConfig, config)


def sample() -> JsonValue:
    """What a test is given where nothing was written."""
    return {"text": "Hello"}
