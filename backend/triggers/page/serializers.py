"""What members' requests about pages may hold."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

_KEY = "43 to 64 random letters, digits, - and _, made anew by whoever sends it."


class VisitSerializer(serializers.Serializer[Any]):
    """What is sent: of a form `inputs`, of a chat `conversation` and `text`."""

    key = serializers.CharField(max_length=64, help_text=f"{_KEY} The same key, the same run; it leads to the answer.")
    inputs = serializers.DictField(
        required=False, help_text="A file is `{$upload: {name, mime, base64}}`; it is stored with the run."
    )
    conversation = serializers.CharField(
        required=False, max_length=64, help_text=f"{_KEY} A new one begins a conversation."
    )
    text = serializers.CharField(required=False, trim_whitespace=False, max_length=20_000)
