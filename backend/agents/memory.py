"""What an agent remembers: the last rounds of the messages it was given, behind the system message. Pure."""

from __future__ import annotations

import json
from typing import TypeGuard

from backend.engine.language.filters import to_text
from backend.errors import ValidationFailed
from backend.llm.types import Content, Message
from backend.tools.types import JsonObject, JsonValue

ROLES = ("system", "user", "assistant")


def remembered(messages: JsonValue, window: int) -> list[Message]:
    """The last `window` rounds of `messages`; a round begins with a message of the user.

    Messages of other roles than user and assistant (system, tool) and empty ones are left out. `messages` may be a
    list of `{role, content}`, its JSON text, or nothing. Raises ValidationFailed.
    """
    if isinstance(messages, str) and messages.strip():
        try:
            messages = json.loads(messages)
        except ValueError:
            raise _misfit("memory.messages", messages) from None
    if messages is None or messages == "":
        return []
    kept = [
        message
        for message in checked_messages("memory.messages", messages)
        if message["role"] != "system" and message["content"]
    ]
    starts = [i for i, item in enumerate(kept) if item["role"] == "user"]
    if window <= 0 or not starts:
        return []
    return kept[starts[max(0, len(starts) - window)] :]


def checked_messages(field: str, messages: JsonValue) -> list[Message]:
    """Messages of a config as a model takes them: `{role, content}`. Raises ValidationFailed naming `field`."""
    if not isinstance(messages, list):
        raise _misfit(field, messages)
    out: list[Message] = []
    for index, message in enumerate(messages):
        if not isinstance(message, dict):
            raise _misfit(f"{field}[{index}]", message)
        role = message.get("role", "user")
        if role == "tool":
            continue
        if not isinstance(role, str) or role not in ROLES:
            raise _misfit(f"{field}[{index}].role", role)
        out.append({"role": role, "content": content_of(message.get("content"))})
    return out


def content_of(value: JsonValue) -> Content:
    """A value as the content of a message: parts where it is one or a list with one; anything else as its text.

    Parts are texts, images, and files (`{"$file": id, ...}`, which `attached` turns into texts and images).
    """
    if is_part(value):
        return [value]
    if isinstance(value, list) and any(is_part(item) for item in value):
        return [item if is_part(item) else {"type": "text", "text": to_text(item)} for item in value]
    return to_text(value)


def is_file(value: JsonValue) -> TypeGuard[JsonObject]:
    """Whether a value is a file."""
    return isinstance(value, dict) and isinstance(value.get("$file"), str)


def is_part(value: JsonValue) -> TypeGuard[JsonObject]:
    """Whether a value is a part of a message's content."""
    if is_file(value):
        return True
    if not isinstance(value, dict):
        return False
    if value.get("type") == "text":
        return isinstance(value.get("text"), str)
    if value.get("type") != "image":
        return False
    return isinstance(value.get("url"), str) or (
        isinstance(value.get("data"), str) and isinstance(value.get("mime"), str)
    )


def _misfit(field: str, value: JsonValue) -> ValidationFailed:
    expected = "system, user, assistant" if field.endswith(".role") else "[{role, content}]"
    return ValidationFailed(
        params={"reason": "value", "field": field, "expected": expected, "got": to_text(value)[:80]},
        fields={field: [f"must be {expected}"]},
    )
