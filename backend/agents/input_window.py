"""Keeps messages that a node was given within its model's context: earlier ones are shortened, then left out.

What the person asks (the last message of the user and what follows it) and every system message stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from backend.agents.window import FULL, KEPT_CHARACTERS, ROOMY, Window, WindowContext
from backend.engine.document.types import Text
from backend.llm.types import ChatModel, ChatRequest, Message
from backend.llm.usage import tokens_of_messages
from backend.tools.types import JsonObject

_LEFT_OUT = Text(
    "The conversation is close to the model's context length ({limit} tokens): "
    "the {count} oldest messages were left out.",
    "对话接近模型的上下文长度（{limit} Token）：已略去最早的 {count} 条消息。",
)


class GivenWindow(Window):
    """The window of one node with these messages; requests go on from them as they were last shortened."""

    shortened_text = Text(
        "The conversation is close to the model's context length ({limit} tokens): "
        "{count} earlier messages were shortened.",
        "对话接近模型的上下文长度（{limit} Token）：已缩短 {count} 条较早的消息。",
    )

    def __init__(self, ctx: WindowContext, model: ChatModel, messages: Sequence[Message]) -> None:
        super().__init__(ctx, model, 0)
        self._earlier = _prompt_at(messages)

    async def fitted(self, key: str, request: ChatRequest) -> ChatRequest:
        """The request of the round `key`, with fewer words where it would not fit."""
        room = self._room(request)
        if room is None or self._tokens(request) <= room * FULL:
            return request
        request = self._shortened(key, request, room, spared=self._earlier)
        return request if self._tokens(request) <= room * FULL else self._without_oldest(key, request, room)

    def _without_oldest(self, key: str, request: ChatRequest, room: int) -> ChatRequest:
        """Without as many of the oldest as it takes; what is left begins with a message of the user."""
        over, kept, dropped = self._tokens(request) - room * ROOMY, list[Message](), 0
        begun = False  # whether the first that stays was seen
        for message in request.messages[: self._earlier]:
            begun = begun or (over <= 0 and message["role"] == "user")
            if begun or message["role"] == "system":
                kept.append(message)
                continue
            over -= tokens_of_messages([message]) * self.factor
            dropped += 1
        if dropped:
            self._say(f"window/{key}/left_out", _LEFT_OUT, dropped)
        messages = [*kept, *request.messages[self._earlier :]]
        self._earlier = len(kept)
        return replace(request, messages=messages)

    def _shorter(self, message: Message) -> Message:
        content = message["content"]
        if message["role"] == "system":
            return message
        if isinstance(content, list):
            parts = [self._shorter_part(part) for part in content]
            return message if parts == content else {**message, "content": parts}
        if len(content) > KEPT_CHARACTERS * 2:
            return {**message, "content": self._cut(content, KEPT_CHARACTERS)}
        return message

    def _shorter_part(self, part: JsonObject) -> JsonObject:
        if part.get("type") == "image":
            return {"type": "text", "text": "[image]"}
        text = str(part.get("text") or "")
        return {**part, "text": self._cut(text, KEPT_CHARACTERS)} if len(text) > KEPT_CHARACTERS * 2 else part


def has_earlier(messages: Sequence[Message]) -> bool:
    """Whether anything was said before what the person asks."""
    return any(message["role"] != "system" for message in messages[: _prompt_at(messages)])


def _prompt_at(messages: Sequence[Message]) -> int:
    return max((index for index, message in enumerate(messages) if message["role"] == "user"), default=0)
