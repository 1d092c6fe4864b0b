"""What a model attaches to its message besides words and calls, so that it can go back untouched with the next round.

Thinking models refuse a conversation in which their own message lacks what they attached to it: `reasoning_content`
(DeepSeek, Kimi), `extra_content` with a thought signature (Gemini), `reasoning_details` (OpenRouter), content in parts
of which some are thoughts (Mistral), thoughts in tags within the content (MiniMax). Nothing here knows what they mean:
pieces of a stream are joined, and the whole is kept as it came.
"""

from __future__ import annotations

from backend.llm.types import JsonObject, JsonValue

NOT_RETURNED = frozenset(
    {
        "role",
        "content",
        "tool_calls",
        "function_call",
        "refusal",
        "audio",
        "annotations",
        "citations",
        "search_results",
        "executed_tools",
        "obfuscation",
    }
)
"""Fields of a message that have a place of their own or that endpoints say and do not take back."""
_OF_CALL = frozenset({"id", "index", "type", "function"})
_JOINED = frozenset({"text", "summary", "data", "thinking"})
"""Fields of an item in a list that a stream cuts in pieces."""


class Attachments:
    """What one message carries, out of its deltas."""

    def __init__(self) -> None:
        self._fields: JsonObject = {}
        self._parts: list[JsonValue] = []
        self._text: list[str] = []
        self._in_parts = False

    def delta(self, delta: JsonObject) -> None:
        """Take in one delta, or a whole message."""
        content = delta.get("content")
        if isinstance(content, list):
            self._in_parts = True
            self._parts = join_lists(self._parts, content)
        elif isinstance(content, str) and content:
            self._text.append(content)
            self._parts = join_lists(self._parts, [{"type": "text", "text": content}])
        for name, value in delta.items():
            if name not in NOT_RETURNED and value is not None:
                self._fields[name] = join(self._fields.get(name), value)

    def fields(self, *, thought_in_text: bool) -> JsonObject:
        """What goes back. `thought_in_text`: thoughts were taken out of the content, so it goes back as it came."""
        fields = dict(self._fields)
        if "reasoning_content" in fields or "reasoning_details" in fields:
            fields.pop("reasoning", None)  # the same once more, in words
        if self._in_parts and any(not _is_text(part) for part in self._parts):
            fields["content"] = self._parts
        elif thought_in_text:
            fields["content"] = "".join(self._text)
        return fields


def of_call(part: JsonObject) -> JsonObject:
    """What a piece of a tool call carries besides the call."""
    return {name: value for name, value in part.items() if name not in _OF_CALL and value is not None}


def join(known: JsonValue, more: JsonValue) -> JsonValue:
    """A value with the next piece of it: texts are appended, objects merged, items of lists joined by their index."""
    if known is None:
        return more
    if isinstance(known, str) and isinstance(more, str):
        return known + more
    if isinstance(known, dict) and isinstance(more, dict):
        return join_objects(known, more)
    if isinstance(known, list) and isinstance(more, list):
        return join_lists(known, more)
    return more


def join_objects(known: JsonObject, more: JsonObject) -> JsonObject:
    """An object with the next piece of it."""
    return {**known, **{name: _within(known.get(name), value) for name, value in more.items()}}


def join_lists(known: list[JsonValue], more: list[JsonValue]) -> list[JsonValue]:
    """A list with the next piece of it."""
    joined = list(known)
    for item in more:
        _add(joined, item)
    return joined


def _within(known: JsonValue, more: JsonValue) -> JsonValue:
    """A field of an object: a later text stands for the earlier one (a signature comes whole)."""
    if more is None:
        return known
    return join(known, more) if isinstance(more, dict | list) else more


def _add(items: list[JsonValue], item: JsonValue) -> None:
    """Append an item, or join it to the one that it goes on with."""
    place = next((n for n in range(len(items) - 1, -1, -1) if _goes_on(items, n, item)), None)
    known = None if place is None else items[place]
    if place is None or not isinstance(known, dict) or not isinstance(item, dict):
        items.append(item)
        return
    items[place] = {
        **known,
        **{
            name: join(known.get(name), value) if name in _JOINED else _within(known.get(name), value)
            for name, value in item.items()
        },
    }


def _goes_on(items: list[JsonValue], place: int, item: JsonValue) -> bool:
    """Whether `item` is the next piece of the item at `place`: of its kind and index; without one, the last of all."""
    known = items[place]
    if not isinstance(known, dict) or not isinstance(item, dict) or known.get("type") != item.get("type"):
        return False
    if "index" in item or "index" in known:
        return known.get("index") == item.get("index")
    if known.get("id") != item.get("id") and item.get("id") is not None:
        return False
    return place == len(items) - 1 and item.get("type") in ("text", "thinking", "reasoning.text", "reasoning.summary")


def _is_text(part: JsonValue) -> bool:
    return isinstance(part, dict) and part.get("type") == "text"
