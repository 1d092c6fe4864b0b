"""A scripted model for tests: answers by the turn of the conversation, so that a round asked again gets the same.

It objects: a request whose messages no endpoint would take (a tool's answer to no call, a call without its answer,
arguments that are no JSON, two tools of one name) raises AssertionError.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from backend.llm.types import ChatReply, ChatRequest, JsonObject, OnDelta, ToolCall, Usage

Turn = Any
"""What the model does in a turn: a ChatReply, a text, an error to raise, a function of the request that gives one of
these (awaited where it must be), or a list of them for the first, second … time that this turn is asked for."""

USAGE = Usage(input_tokens=10, output_tokens=5, cost=0.001)
"""What a scripted round costs where its reply says nothing."""


def wants(*calls: tuple[str, JsonObject | str], text: str = "", usage: Usage = USAGE) -> ChatReply:
    """A reply that calls tools: (name, arguments); arguments as text are sent as they stand."""
    scripted = [
        ToolCall(f"call_{n}", name, arguments if isinstance(arguments, str) else json.dumps(arguments))
        for n, (name, arguments) in enumerate(calls)
    ]
    return ChatReply(text=text, tool_calls=scripted, usage=usage, finish="tool_calls", ms=1.0)


class ScriptedModel:
    """A ChatModel by script. A request with n messages of the assistant gets turn n, the last turn again and again.

    `requests` = what really arrived, in order; `on_chat` is awaited before each answer.
    """

    def __init__(
        self,
        *turns: Turn,
        provider: str = "scripted",
        model: str = "parrot",
        features: frozenset[str] | None = None,
        context: int | None = None,
        on_chat: Callable[[ChatRequest], Awaitable[None]] | None = None,
    ) -> None:
        self.turns = list(turns)
        self._provider, self._model, self._features = provider, model, features
        self.context = context
        self.on_chat = on_chat
        self.requests: list[ChatRequest] = []
        self._requests: dict[int, int] = {}

    @property
    def provider(self) -> str:
        """Slug of the provider."""
        return self._provider

    @property
    def model(self) -> str:
        """Id of the model."""
        return self._model

    @property
    def features(self) -> frozenset[str] | None:
        """What it can do."""
        return self._features

    async def chat(self, request: ChatRequest, on_delta: OnDelta) -> ChatReply:
        """The reply of this turn, its text in two pieces before."""
        acceptable(request)
        self.requests.append(replace(request, messages=list(request.messages)))
        if self.on_chat is not None:
            await self.on_chat(request)
        number = sum(message["role"] == "assistant" for message in request.messages)
        turn = self.turns[min(number, len(self.turns) - 1)]
        if isinstance(turn, list):
            count = self._requests[number] = self._requests.get(number, 0) + 1
            turn = turn[min(count, len(turn)) - 1]
        reply = await self._reply(turn, request)
        for channel, text in (("reasoning", reply.reasoning), ("text", reply.text)):
            for piece in (text[: len(text) // 2], text[len(text) // 2 :]):
                if piece:
                    on_delta("reasoning" if channel == "reasoning" else "text", piece)
        return reply

    @staticmethod
    async def _reply(turn: Turn, request: ChatRequest) -> ChatReply:
        if callable(turn) and not isinstance(turn, type):
            turn = turn(request)
            if asyncio.iscoroutine(turn):
                turn = await turn
        if isinstance(turn, BaseException):
            raise turn
        if isinstance(turn, ChatReply):
            return turn
        return ChatReply(text=str(turn), usage=USAGE, ms=1.0)


def acceptable(request: ChatRequest) -> None:
    """Raise AssertionError for what an endpoint would refuse with 400."""
    names = [tool.name for tool in request.tools]
    assert len(names) == len(set(names)), f"two tools of one name: {names}"
    for name in names:
        fine = 0 < len(name) <= 64 and all(c.isascii() and (c.isalnum() or c in "_-") for c in name)
        assert fine, f"a name that endpoints refuse: {name!r}"
    open_calls: list[str] = []
    for message in request.messages:
        role = message["role"]
        assert role in ("system", "user", "assistant", "tool"), role
        if role == "tool":
            assert message["tool_call_id"] in open_calls, "an answer to no call"
            assert isinstance(message["content"], str), "a tool's answer is a text"
            open_calls.remove(message["tool_call_id"])
            continue
        assert not open_calls, f"calls without an answer: {open_calls}"
        for call in message.get("tool_calls") or []:
            assert isinstance(json.loads(call["arguments"]), dict), "arguments that are no object"
            assert call["id"] and call["id"] not in open_calls, "ids of calls must differ"
            open_calls.append(call["id"])
    assert not open_calls, f"calls without an answer: {open_calls}"
