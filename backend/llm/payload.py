"""From our words to the wire: the JSON of a chat request, and what an endpoint turned out not to take.

Endpoints that call themselves compatible refuse parts of a request with 400: the wish for usage in a stream, a JSON
schema, the name of a limit. `Habits` remembers per model what to leave out; `adapt` draws the next try from a refusal.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Literal

from backend.llm.types import ChatRequest, JsonObject, JsonValue

SchemaBy = Literal["json_schema", "json_object", "words"]

_TOO_LONG = ("context length", "context_length", "maximum context", "too many tokens", "too long")
_ABOUT_FORMAT = ("response_format", "json_schema", "json_object", "json schema", "guided", "structured")


@dataclass(frozen=True, slots=True)
class Habits:
    """How one model of one endpoint wants to be asked. `completion_tokens`: its limit is `max_completion_tokens`."""

    usage: bool = True
    schema: SchemaBy = "json_schema"
    completion_tokens: bool = False
    parallel: bool = True

    def adapt(self, said: str, request: ChatRequest) -> Habits | None:
        """What to try after a 400 with these words; None where nothing is left to leave out."""
        words = said.lower()
        if any(mark in words for mark in _TOO_LONG):
            return None
        if "max_completion_tokens" in words and not self.completion_tokens and "max_tokens" in request.params:
            return replace(self, completion_tokens=True)
        if "parallel_tool_calls" in words and self.parallel and not request.parallel_tool_calls:
            return replace(self, parallel=False)
        if self.usage and ("stream_options" in words or "include_usage" in words):
            return replace(self, usage=False)
        if request.output_schema is not None and any(mark in words for mark in _ABOUT_FORMAT):
            return self._plainer()
        if request.output_schema is not None and self.schema != "words":
            return self._plainer()
        return replace(self, usage=False) if self.usage else None

    def _plainer(self) -> Habits | None:
        if self.schema == "words":
            return None
        return replace(self, schema="json_object" if self.schema == "json_schema" else "words")


def payload(model: str, request: ChatRequest, habits: Habits) -> JsonObject:
    """The body of the request, always streaming."""
    body: JsonObject = {**request.params, "model": model, "stream": True}
    if habits.completion_tokens and "max_tokens" in body:
        body["max_completion_tokens"] = body.pop("max_tokens")
    messages = [_message(message) for message in request.messages]
    if request.output_schema is not None:
        if habits.schema == "json_schema":
            body["response_format"] = {"type": "json_schema", "json_schema": _named(request.output_schema)}
        elif habits.schema == "json_object":
            body["response_format"] = {"type": "json_object"}
        if habits.schema != "json_schema":
            messages = _told(messages, request.output_schema)
    body["messages"] = messages
    if request.tools:
        body["tools"] = [{"type": "function", "function": tool.as_json()} for tool in request.tools]
        if not request.parallel_tool_calls and habits.parallel:
            body["parallel_tool_calls"] = False
    if habits.usage:
        body["stream_options"] = {"include_usage": True}
    return body


def encoded(body: JsonObject) -> bytes:
    """As bytes; lone surrogates, which no endpoint takes, become replacement characters. Raises ValueError (NaN)."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8", "replace")


def _message(message: JsonObject) -> JsonObject:
    role, content = message.get("role"), message.get("content")
    wire: JsonObject = {"role": role, "content": _content(content)}
    calls = message.get("tool_calls")
    if calls:
        wire["content"] = wire["content"] or None
        wire["tool_calls"] = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": _arguments(call["arguments"])},
            }
            for call in calls
        ]
    for name in ("tool_call_id", "name"):
        if message.get(name):
            wire[name] = message[name]
    return wire


def _arguments(text: str) -> str:
    """A call's arguments as the model wrote them; what is no JSON object is wrapped, for servers that read it again."""
    try:
        if isinstance(json.loads(text), dict):
            return text
    except (ValueError, RecursionError):
        pass
    return json.dumps({"invalid_json": text}) if text.strip() else "{}"


def _content(content: JsonValue) -> JsonValue:
    if not isinstance(content, list):
        return "" if content is None else content
    parts: list[JsonValue] = []
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
        names = schema.get("properties")
        closed = schema.get("additionalProperties") is False
        if not closed or set(names or {}) != set(schema.get("required") or []):
            return False
    return all(is_strict(value) for key, value in schema.items() if key not in ("enum", "const", "default", "examples"))


def _told(messages: list[JsonObject], schema: JsonObject) -> list[JsonObject]:
    """The messages with the schema in words, in the first system message."""
    words = (
        "Answer with one JSON value that fits this JSON Schema, and with nothing else, no code fence:\n"
        + json.dumps(schema, ensure_ascii=False)
    )
    for index, message in enumerate(messages):
        if message["role"] == "system" and isinstance(message["content"], str):
            joined = {**message, "content": f"{message['content']}\n\n{words}".strip()}
            return [*messages[:index], joined, *messages[index + 1 :]]
    return [{"role": "system", "content": words}, *messages]
