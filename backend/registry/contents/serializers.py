"""What requests about resources and prompts may hold."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from backend.tools.uris import MOST_URI
from backend.web.fields import LONGEST_TEXT, Text
from backend.web.lookup import storable

LONGEST_NAME = 1000


class Arguments(serializers.DictField):
    """Values by the names of arguments. A name that no answer could repeat is refused without being repeated."""

    def to_internal_value(self, data: Any) -> Any:
        """The values, as their kind wants them."""
        if isinstance(data, dict) and not all(storable(name) and len(name) <= LONGEST_NAME for name in data):
            raise serializers.ValidationError(f"names must be valid Unicode of at most {LONGEST_NAME} characters")
        return super().to_internal_value(data)


class ResourceReadSerializer(serializers.Serializer[Any]):
    """Which resource to read."""

    uri = serializers.CharField(
        max_length=MOST_URI, help_text="A resource that the server lists, or one of its templates."
    )
    arguments = Arguments(required=False, default=dict, help_text="Values for a template's variables.")


class PromptGetSerializer(serializers.Serializer[Any]):
    """Which prompt to fill, and with what."""

    prompt = serializers.CharField(max_length=LONGEST_NAME)
    arguments = Arguments(child=Text(allow_blank=True), required=False, default=dict)


class CompleteSerializer(serializers.Serializer[Any]):
    """An argument that is being written, of a prompt or of a template."""

    prompt = serializers.CharField(max_length=LONGEST_NAME, required=False)
    uri_template = serializers.CharField(max_length=MOST_URI, required=False)
    argument = serializers.CharField(max_length=LONGEST_NAME)
    value = serializers.CharField(max_length=LONGEST_TEXT, allow_blank=True, trim_whitespace=False)
    arguments = Arguments(
        child=Text(allow_blank=True), required=False, default=dict, help_text="The other arguments, as far as given."
    )


class ContentsAcceptSerializer(serializers.Serializer[Any]):
    """What to accept as the server lists it now."""

    kind = serializers.ChoiceField(choices=["resource", "template", "prompt"])
    name = serializers.CharField(
        max_length=MOST_URI,
        required=False,
        trim_whitespace=False,
        help_text="The URI, the template or the prompt's name; absent = all that changed of the kind.",
    )
