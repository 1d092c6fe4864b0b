"""An open endpoint of the scripted server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from backend.llm.client import Endpoint, open_endpoint
from backend.llm.config import EndpointConfig
from backend.llm.types import Channel, ChatReply, ChatRequest
from backend.net.rules import NetworkRules
from tests.llm_server import LlmServer

RULES = NetworkRules(loopback_for_typed=True)
KEY = "sk-test-4711abcdefgh"

Opener = Callable[..., Awaitable[Endpoint]]


@pytest.fixture
async def opened(llm: LlmServer) -> AsyncIterator[Opener]:
    """`await opened(first_token_s=0.2)`: an endpoint of the scripted server with a key; closed after the test."""
    endpoints: list[Endpoint] = []

    async def make(**fields: Any) -> Endpoint:
        body = {"slug": "scripted", "base_url": llm.url, "key": KEY, "typed_address": True, **fields}
        endpoints.append(await open_endpoint(EndpointConfig(**body), RULES))
        return endpoints[-1]

    yield make
    for endpoint in endpoints:
        await endpoint.close()


class Received:
    """Collects what is streamed."""

    def __init__(self) -> None:
        self.pieces: list[tuple[Channel, str]] = []
        self._came = asyncio.Event()

    def __call__(self, channel: Channel, text: str) -> None:
        self.pieces.append((channel, text))
        self._came.set()

    async def first(self, number: int) -> list[tuple[Channel, str]]:
        """The first pieces, once they are there."""
        while len(self.pieces) < number:
            self._came.clear()
            await self._came.wait()
        return self.pieces[:number]

    def all(self, channel: Channel) -> str:
        """Everything said on a channel."""
        return "".join(text for where, text in self.pieces if where == channel)


def asking(text: str = "hi", **fields: Any) -> ChatRequest:
    """A request with one message."""
    return ChatRequest(messages=[{"role": "user", "content": text}], **fields)


async def ask(endpoint: Endpoint, request: ChatRequest | None = None, model: str = "scripted-1") -> ChatReply:
    """A round whose stream nobody hears."""
    return await endpoint.model(model).chat(request or asking(), Received())
