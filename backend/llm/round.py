"""One request to a model and its streamed answer, under three clocks: first token, idle, and the whole."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import TYPE_CHECKING

import httpx2

from backend.errors import LlmError, ResultTooLarge
from backend.llm.config import Prices
from backend.llm.faults import RAW_LIMIT, bad, timed_out
from backend.llm.habits import Habits
from backend.llm.payload import encoded, payload
from backend.llm.reading import Assembly, Events, Piece, parsed
from backend.llm.types import ChatReply, ChatRequest, OnDelta
from backend.llm.usage import estimated_usage
from backend.net.client import read_capped

if TYPE_CHECKING:
    from backend.llm.client import Endpoint

_KEPT = 2 * RAW_LIMIT
"""Bytes of an answer that are kept for whoever asks why: what is shown is cut after it was masked."""
MAX_REPLY_BYTES = 64 * 1024 * 1024
BIG = 64 * 1024
"""Characters of a request from which it is encoded in a thread."""
FAREWELL_S = 0.25
"""How long the end of the body may take after [DONE], so that the connection can be used again."""


class Round:
    """One try. Used once."""

    def __init__(self, endpoint: Endpoint, model: str, request: ChatRequest, on_delta: OnDelta) -> None:
        self._endpoint, self._model, self._request, self._on_delta = endpoint, model, request, on_delta
        self._config = endpoint.config
        self._to = f"{self._config.slug}/{model}"
        had_key = bool(self._config.key or self._config.headers)
        self._assembly = Assembly(endpoint.masker, had_key=had_key, model=self._to)
        self._raw = bytearray()
        self._size = 0
        self._phase, self._seconds = "first_token", self._config.first_token_s
        self._began = time.monotonic()
        self.streamed = False

    async def run(self, habits: Habits) -> ChatReply:
        """The reply. Raises LlmError, NetworkBlocked, ResultTooLarge."""
        limit = asyncio.timeout(None)
        try:
            async with limit:
                self._wait_for(limit, "first_token", self._config.first_token_s)
                content = await self._content(habits)
                response = await self._endpoint.send("post", "/chat/completions", content)
                try:
                    await self._read(response, limit)
                finally:
                    await response.aclose()
        except TimeoutError:
            raise timed_out(self._phase, self._seconds) from None
        prices = self._config.prices.get(self._model, Prices())
        reply = self._assembly.reply((time.monotonic() - self._began) * 1000, prices)
        reply = replace(reply, model=reply.model or self._model)
        if self._assembly.has_usage:
            return reply
        return replace(reply, usage=estimated_usage(self._request, reply, prices))

    async def _content(self, habits: Habits) -> bytes:
        texts = (message.get("content") for message in self._request.messages)
        size = sum(len(text) if isinstance(text, str) else BIG for text in texts)
        if size < BIG:
            return self._encoded(habits)
        return await asyncio.to_thread(self._encoded, habits)

    def _encoded(self, habits: Habits) -> bytes:
        return encoded(payload(self._model, self._request, habits, to=self._to))

    def _wait_for(self, limit: asyncio.Timeout, phase: str, seconds: float) -> None:
        """Give the next thing `seconds`, the whole no more than its own time."""
        now = time.monotonic()
        left = self._began + self._config.total_s - now
        self._phase, self._seconds = ("total", self._config.total_s) if left < seconds else (phase, seconds)
        limit.reschedule(asyncio.get_running_loop().time() + min(seconds, left))

    async def _read(self, response: httpx2.Response, limit: asyncio.Timeout) -> None:
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == "application/json":
            await self._whole(response)
        elif kind in ("text/event-stream", ""):
            self.streamed = True
            await self._stream(response, limit)
        else:
            with contextlib.suppress(httpx2.HTTPError, ResultTooLarge):
                self._raw += (await read_capped(response, MAX_REPLY_BYTES))[:_KEPT]
            raise bad("content_type", raw=self._beginning(), content_type=kind)
        self._tell(self._assembly.rest())
        if not self._assembly.chosen:
            raise bad("empty", raw=self._beginning())

    async def _whole(self, response: httpx2.Response) -> None:
        """An endpoint that does not stream."""
        try:
            body = await read_capped(response, MAX_REPLY_BYTES)
        except httpx2.HTTPError as error:
            raise bad("cut", why=str(error)) from None
        self._raw += body[:_KEPT]
        try:
            answer = parsed(body)
        except ValueError as error:
            raise bad("json", raw=self._beginning(), why=str(error)) from None
        self._tell(self._assembly.chunk(answer, self._beginning()))

    async def _stream(self, response: httpx2.Response, limit: asyncio.Timeout) -> None:
        events, done = Events(), False
        try:
            async with contextlib.aclosing(response.aiter_bytes()) as parts:
                async for part in parts:
                    self._note(part)
                    for event in events.feed(part):
                        done = done or self._event(event)
                        if self._assembly.begun:
                            self._wait_for(limit, "idle", self._config.idle_s)
                    if done:
                        await self._farewell(parts)
                        break
            for event in () if done else events.rest():
                done = done or self._event(event)
        except httpx2.HTTPError as error:
            if not self._assembly.finish:
                raise bad("cut", raw=self._beginning(), why=str(error)) from None
        except LlmError as error:
            error.detail = {**(error.detail or {}), "raw": self._beginning()}
            raise
        if not done and not self._assembly.finish and (self._assembly.chosen or not self._raw):
            raise bad("cut", raw=self._beginning())

    def _event(self, event: str) -> bool:
        """Take an event in; whether it was the last."""
        if event.strip() == "[DONE]":
            return True
        if event.strip():
            self._tell(self._assembly.event(event))
        return False

    @staticmethod
    async def _farewell(parts: AsyncIterator[bytes]) -> None:
        with contextlib.suppress(TimeoutError, httpx2.HTTPError, StopAsyncIteration):
            async with asyncio.timeout(FAREWELL_S):
                await anext(parts)

    def _note(self, part: bytes) -> None:
        """Count a part and keep the beginning of all."""
        self._size += len(part)
        if self._size > MAX_REPLY_BYTES:
            raise ResultTooLarge(params={"limit": MAX_REPLY_BYTES // (1024 * 1024)})
        if len(self._raw) < _KEPT:
            self._raw += part[: _KEPT - len(self._raw)]

    def _beginning(self) -> str:
        """The beginning of the answer, masked."""
        return self._endpoint.masker.head(self._raw.decode("utf-8", "replace"), RAW_LIMIT)

    def _tell(self, pieces: list[Piece]) -> None:
        for channel, text in pieces:
            self._on_delta(channel, text)
