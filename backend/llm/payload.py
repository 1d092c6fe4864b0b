"""From our words to the wire: the JSON of a chat request, as the model's habits want it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypeAlias

from backend.llm.habits import REASONING, SIGNATURE, Habits, calls_without_tools
from backend.llm.types import ChatRequest, Content, JsonLike, JsonObject, JsonValue, Message, ToolCallJson

Wire: TypeAlias = dict[str, JsonLike]
"""An object of the request as it is sent."""

BRIDGE = "OK."
"""What the assistant says between a tool's answer and a user's message, where endpoints want somebody there."""
_UNSIGNED: JsonObject = {"google": {SIGNATURE: "skip_thought_signature_validator"}}
"""What Google's documents name for calls that another model made, in place of a signature."""
_OF_TOOLS = ("tool_choice", "parallel_tool_calls")
"""Parameters that endpoints refuse where no tools are offered."""


def payload(model: str, request: ChatRequest, habits: Habits, to: str = "") -> Wire:
    """The body of the request, always streaming. `to` = who it goes to (`slug/id`): others get no attachments."""
    params = {name: value for name, value in request.params.items() if request.tools or name not in _OF_TOOLS}
    body: Wire = {**params, "model": model, "stream": True}
    if habits.completion_tokens and "max_tokens" in body:
        body["max_completion_tokens"] = body.pop("max_tokens")
    messages = [_message(message, habits, to) for message in request.messages]
    messages = _bridged(messages) if habits.bridge else messages
    if request.output_schema is not None:
        if habits.schema == "json_schema":
            body["response_format"] = {"type": "json_schema", "json_schema": _named(request.output_schema)}
        elif habits.schema == "json_object":
            body["response_format"] = {"type": "json_object"}
        if habits.schema != "json_schema":
            messages = _with_schema(messages, request.output_schema)
    body["messages"] = messages
    if request.tools:
        body["tools"] = [{"type": "function", "function": tool.as_json()} for tool in request.tools]
        if not request.parallel_tool_calls and habits.parallel:
            body["parallel_tool_calls"] = False
    elif habits.declare and calls_without_tools(request):
        body["tools"], body["tool_choice"] = _declared(request.messages), "none"
    if habits.effortless and request.tools:
        body["reasoning_effort"] = "none"
    if habits.usage:
        body["stream_options"] = {"include_usage": True}
    return body


def encoded(body: Mapping[str, JsonLike]) -> bytes:
    """As bytes; lone surrogates, which no endpoint takes, become replacement characters. Raises ValueError (NaN)."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8", "replace")


def _message(message: Message, habits: Habits, to: str) -> Wire:
    wire: Wire = {"role": message.get("role"), "content": _content(message.get("content"))}
    attached = message.get("attached")
    sent = attached if attached and not habits.bare and attached.get("model") == to else None
    calls = message.get("tool_calls")
    if calls:
        wire["content"] = wire["content"] or None
        called = [_call(call, habits, attached=sent is not None) for call in calls]
        if habits.sign:
            called[0].setdefault("extra_content", _UNSIGNED)
        wire["tool_calls"] = called
    if message.get("tool_call_id"):
        wire["tool_call_id"] = message["tool_call_id"]
    if message.get("name"):
        wire["name"] = message["name"]
    wire |= _allowed(sent.get("fields") if sent else None, habits)
    if habits.fill and calls:
        wire.setdefault(REASONING, "")
    return wire


def _call(call: ToolCallJson, habits: Habits, *, attached: bool) -> Wire:
    return {
        "id": call["id"],
        "type": "function",
        "function": {"name": call["name"], "arguments": _arguments(call["arguments"])},
        **_allowed(call.get("attached") if attached else None, habits),
    }


def _allowed(fields: JsonObject | None, habits: Habits) -> JsonObject:
    """Attached fields without those that the model refused."""
    return {name: value for name, value in (fields or {}).items() if name not in habits.without}


def _bridged(messages: list[Wire]) -> list[Wire]:
    """The messages with a word of the assistant between each tool's answer and a user's message."""
    wire: list[Wire] = []
    for message in messages:
        if wire and wire[-1]["role"] == "tool" and message["role"] == "user":
            wire.append({"role": "assistant", "content": BRIDGE})
        wire.append(message)
    return wire


def _declared(messages: list[Message]) -> list[Wire]:
    """The tools that the conversation called, by name: for endpoints that want to see them again."""
    names = dict.fromkeys(call["name"] for message in messages for call in message.get("tool_calls") or [])
    schema: JsonObject = {"type": "object", "properties": {}}
    return [{"type": "function", "function": {"name": name, "parameters": schema}} for name in names]


def _arguments(text: str) -> str:
    """A call's arguments as the model wrote them; what is no JSON object is wrapped, for servers that read it again."""
    try:
        if isinstance(json.loads(text), dict):
            return text
    except (ValueError, RecursionError):
        pass
    return json.dumps({"invalid_json": text}) if text.strip() else "{}"


def _content(content: Content | None) -> JsonLike:
    if not isinstance(content, list):
        return "" if content is None else content
    parts: list[JsonLike] = []
    for part in content:
        if part.get("type") == "image":
            url = part.get("url") or f"data:{part.get('mime') or 'image/png'};base64,{part.get('data') or ''}"
            parts.append({"type": "image_url", "image_url": {"url": url}})
        else:
            parts.append(part)
    return parts


def _named(schema: JsonObject) -> JsonObject:
    return {"name": "answer", "schema": schema, "strict": is_strict(schema)}


def is_strict(schema: JsonValue) -> bool:
    """Whether strict mode takes a schema: every object in it is closed and requires all of its properties."""
    if isinstance(schema, list):
        return all(is_strict(item) for item in schema)
    if not isinstance(schema, dict):
        return True
    if schema.get("type") == "object" or "properties" in schema:
        names, required = schema.get("properties") or {}, schema.get("required") or []
        closed = schema.get("additionalProperties") is False
        if not closed or not isinstance(names, dict) or not isinstance(required, list) or {*names} != {*required}:
            return False
    return all(is_strict(value) for key, value in schema.items() if key not in ("enum", "const", "default", "examples"))


def _with_schema(messages: list[Wire], schema: JsonObject) -> list[Wire]:
    """The messages with the schema in words, in the first system message."""
    words = (
        "Answer with one JSON value that fits this JSON Schema, and with nothing else, no code fence:\n"
        + json.dumps(schema, ensure_ascii=False)
    )
    for index, message in enumerate(messages):
        if message["role"] == "system" and isinstance(message["content"], str):
            joined: Wire = {**message, "content": f"{message['content']}\n\n{words}".strip()}
            return [*messages[:index], joined, *messages[index + 1 :]]
    return [{"role": "system", "content": words}, *messages]
