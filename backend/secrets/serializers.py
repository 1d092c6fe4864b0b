"""What requests about a member's own credentials may hold, the same at servers and providers."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from backend.web.fields import HEADER_NAME, HEADER_VALUE, LONGEST_TEXT, secret_texts


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
