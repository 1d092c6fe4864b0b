"""What a round used: as the endpoint says it, or estimated and marked where it says nothing, so that budgets bite."""

from __future__ import annotations

import math

from backend.llm.config import Prices
from backend.llm.types import ChatReply, ChatRequest, JsonLike, JsonObject, JsonValue, Message, Usage

MOST_TOKENS = 10**12
"""No round has more; an endpoint that says so is wrong."""
PER_TOKEN = 4
"""ASCII characters of a token, about; other letters count as a token each."""
PER_MESSAGE = 4
PER_IMAGE = 1000
"""Tokens that surround a message, and those of a picture, about."""


def usage_of(usage: JsonObject, prices: Prices) -> Usage:
    """Usage in our words, with what it costs."""

    def number(*places: str) -> int:
        for place in places:
            value: JsonValue = usage
            for name in place.split("."):
                value = value.get(name) if isinstance(value, dict) else None
            if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
                return max(0, min(int(value), MOST_TOKENS))
        return 0

    prompt, generated = number("prompt_tokens", "input_tokens"), number("completion_tokens", "output_tokens")
    cached = min(prompt, number("prompt_tokens_details.cached_tokens", "prompt_cache_hit_tokens"))
    return Usage(
        input_tokens=prompt,
        output_tokens=generated,
        cached_tokens=cached,
        reasoning_tokens=number("completion_tokens_details.reasoning_tokens"),
        cost=cost(prompt, generated, prices, cached),
    )


def cost(prompt: int, generated: int, prices: Prices, cached: int = 0) -> float:
    """What so many tokens cost; `cached` of those `prompt` at their own price."""
    again = prices.input if prices.cached is None else prices.cached
    return ((prompt - cached) * prices.input + cached * again + generated * prices.output) / 1_000_000


def estimated_usage(request: ChatRequest, reply: ChatReply, prices: Prices) -> Usage:
    """Usage of a round of which the endpoint said nothing."""
    generated = tokens_in(reply.text) + tokens_in(reply.reasoning)
    generated += sum(tokens_in(call.name) + tokens_in(call.arguments) for call in reply.tool_calls)
    prompt = tokens_of(request)
    return Usage(prompt, generated, cost=cost(prompt, generated, prices), estimated=True)


def tokens_of(request: ChatRequest) -> int:
    """About how many tokens a request has."""
    tools = sum(
        tokens_in(tool.name) + tokens_in(tool.description) + tokens_in(tool.parameters) for tool in request.tools
    )
    return tools + tokens_of_messages(request.messages) + tokens_in(request.output_schema)


def tokens_of_messages(messages: list[Message]) -> int:
    """About how many tokens messages have, with what is attached to them."""
    return sum(PER_MESSAGE + tokens_in({**message, "role": ""}) for message in messages)


def tokens_in(value: JsonLike) -> int:
    """About how many tokens a JSON value has."""
    if isinstance(value, str):
        plain = len(value) if value.isascii() else len(value.encode("ascii", "ignore"))
        return -(-plain // PER_TOKEN) + len(value) - plain
    if isinstance(value, dict):
        if value.get("type") == "image":
            return PER_IMAGE
        tokens = 0
        for name, item in value.items():
            if item is not None and item != "":
                tokens += tokens_in(name) + tokens_in(item)
        return tokens
    if isinstance(value, list):
        return sum(map(tokens_in, value))
    return 0 if value is None else 1
