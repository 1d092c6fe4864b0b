"""The events of a stream on their way to a client: as server-sent events, with a sign of life where nothing happens.

The SDK makes the events; its own response holds five tasks for each stream, and one that looks around twice a second.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator
from contextlib import suppress
from typing import Any

PING_S = 15.0
HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]
PING = b": ping\r\n\r\n"


async def streamed(events: AsyncIterable[Any], receive: Any, send: Any) -> None:
    """Send the events as they come, until they end or the client is gone; either way they are closed."""
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    coming = aiter(events)
    left = asyncio.ensure_future(_left(receive))
    following = asyncio.ensure_future(_next(coming))
    try:
        while not left.done():
            done, _ = await asyncio.wait({left, following}, timeout=PING_S, return_when=asyncio.FIRST_COMPLETED)
            if not done:
                await send({"type": "http.response.body", "body": PING, "more_body": True})
            elif following in done:
                event = following.result()
                if event is None:
                    await send({"type": "http.response.body", "body": b""})
                    return
                await send({"type": "http.response.body", "body": _written(event), "more_body": True})
                following = asyncio.ensure_future(_next(coming))
    finally:
        for task in (left, following):
            task.cancel()
        await asyncio.wait({left, following})
        with suppress(AttributeError):
            await coming.aclose()  # type: ignore[attr-defined]


async def _next(events: AsyncIterator[Any]) -> Any:
    return await anext(events, None)


async def _left(receive: Any) -> None:
    """Wait until the client is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _written(event: dict[str, str]) -> bytes:
    """An event as it is sent; its data are JSON, so they have no line breaks."""
    name = f"event: {event['event']}\r\n" if "event" in event else ""
    return f"{name}data: {event['data']}\r\n\r\n".encode()
