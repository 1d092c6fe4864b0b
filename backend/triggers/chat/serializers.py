"""What requests about chats may hold."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

LONGEST = 100_000
MOST_FILES = 20


class MessageSerializer(serializers.Serializer[Any]):
    """A message. Without `conversation` it begins one."""

    text = serializers.CharField(
        required=False,
        max_length=LONGEST,
        trim_whitespace=False,
        help_text="Left out only with `replaces`: the words of that turn once more.",
    )
    files = serializers.ListField(
        child=serializers.CharField(max_length=40), required=False, max_length=MOST_FILES, help_text="Ids of files."
    )
    conversation = serializers.CharField(required=False, allow_null=True, max_length=40)
    replaces = serializers.CharField(
        required=False,
        allow_null=True,
        max_length=40,
        help_text="A turn of the conversation of which this is another version.",
    )
    draft = serializers.BooleanField(
        default=False, help_text="A new conversation with the workflow's draft, in which the chat may be off."
    )


class ConversationChangesSerializer(serializers.Serializer[Any]):
    """What changes of a conversation."""

    title = serializers.CharField(required=False, max_length=200)
    shown = serializers.CharField(
        required=False, max_length=40, help_text="A turn that is to be shown, with what followed it last."
    )
