"""The shapes of a member's own credentials, the same at servers and providers."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from backend.web.fields import HEADER_NAME, HEADER_VALUE, LONGEST_TEXT, secret_texts


class OwnSlotSerializer(serializers.Serializer[Any]):
    """One secret that each member enters for themself, as it is read: whether it is set, and its last characters."""

    kind = serializers.ChoiceField(["api_key", "header", "env"])
    name = serializers.CharField(allow_blank=True, help_text="Of the header or variable; empty for the key.")
    set = serializers.BooleanField()
    hint = serializers.CharField(allow_blank=True)

    def get_fields(self) -> dict[str, Any]:
        """`required` is a name of the base class, so it is added here."""
        return {**super().get_fields(), "required": serializers.BooleanField()}


class OwnCredentialsSerializer(serializers.Serializer[Any]):
    """What the reader entered for themself, where credentials are "user". Values are never read back."""

    state = serializers.ChoiceField(["set", "missing"])
    slots = OwnSlotSerializer(many=True)
    updated_at = serializers.DateTimeField(allow_null=True)


class OwnKeysSerializer(serializers.Serializer[Any]):
    """One's own key and secret headers. Absent is unchanged, null or empty removes."""

    api_key = serializers.CharField(
        max_length=LONGEST_TEXT, required=False, allow_blank=True, allow_null=True, write_only=True
    )
    secret_headers = secret_texts(HEADER_NAME, "a name of a header", HEADER_VALUE)

    def validate_api_key(self, value: str | None) -> str | None:
        """A key travels in a header."""
        if value and not HEADER_VALUE.fullmatch(value):
            raise serializers.ValidationError("must be printable ASCII without line breaks")
        return value
