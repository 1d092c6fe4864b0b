"""How late events of one run reach many sockets: receivers that cost next to nothing, and what they noted.

A hundred clients in one process would be measured themselves: these only note what came and when, and the frames are
taken apart afterwards.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

LAST = b'"type":"FLOW_SUCCESS"'
TEXT = 1
PATIENCE_S = 120.0


class Receiver(asyncio.Protocol):
    """A websocket that subscribes to one topic and notes what it is sent, as it is on the wire."""

    def __init__(self, host: str, token: str, topic: str) -> None:
        self.chunks: list[tuple[float, bytes]] = []
        self.ended = asyncio.get_running_loop().create_future()
        self._host, self._token = host, token
        self._subscribe = json.dumps({"action": "subscribe", "topic": topic}).encode()
        self._transport: asyncio.Transport | None = None
        self._head = b""
        self._open = False
        self._tail = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the websocket."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        key = base64.b64encode(os.urandom(16)).decode()
        lines = ("GET /ws/ HTTP/1.1", f"Host: {self._host}", f"Authorization: Bearer {self._token}")
        wants = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}")
        transport.write("\r\n".join([*lines, *wants, "", ""]).encode())

    def data_received(self, data: bytes) -> None:
        """Note it."""
        if self._open:
            self.chunks.append((time.time(), data))
            if LAST in self._tail + data and not self.ended.done():
                self.ended.set_result(None)
            self._tail = data[-len(LAST) :]
            return
        self._head += data
        head, end, rest = self._head.partition(b"\r\n\r\n")
        if end and self._transport is not None:
            if b" 101 " not in head.split(b"\r\n", 1)[0]:
                self.ended.set_exception(ConnectionError(head.decode("latin-1")))
                return
            self._open = True
            mask = bytes(4)  # nothing is hidden by it, and the server takes it off all the same
            self._transport.write(bytes([0x80 | TEXT, 0x80 | len(self._subscribe)]) + mask + self._subscribe)
            if rest:
                self.data_received(rest)

    def connection_lost(self, exc: Exception | None) -> None:
        """The server closed."""
        if not self.ended.done():
            self.ended.set_exception(ConnectionError("closed before the run's end"))

    def close(self) -> None:
        """Leave."""
        if self._transport is not None:
            self._transport.abort()

    def frames(self) -> Iterator[tuple[float, str]]:
        """(when its last byte came, text) of each frame."""
        data, times = b"", []
        for at, chunk in self.chunks:
            data += chunk
            times.append((len(data), at))
        place, arrivals = 0, iter(times)
        until, at = next(arrivals, (0, 0.0))
        while place < len(data):
            size, place, opcode = data[place + 1], place + 2, data[place] & 0x0F
            if size >= 126:
                width = 2 if size == 126 else 8
                size, place = int.from_bytes(data[place : place + width], "big"), place + width
            text, place = data[place : place + size], place + size
            while until < place:
                until, at = next(arrivals)
            if opcode == TEXT:
                yield at, text.decode()


@dataclass(frozen=True)
class Watched:
    """What so many sockets saw of one run; times in ms."""

    late: list[float]
    """Of each event at each socket, from the event's own time to its arrival; of events from after all had theirs."""
    opening: float
    """From the first connection to the moment at which every socket had events."""
    seen: list[int]
    """How many events each socket got in all."""
    rate: float
    """Events per second among those that count."""


async def watch(port: int, token: str, run: str, watchers: int) -> Watched:
    """Open so many sockets at once, and watch the run to its end."""
    loop = asyncio.get_running_loop()
    began = time.time()
    made = await asyncio.gather(
        *(
            loop.create_connection(lambda: Receiver(f"127.0.0.1:{port}", token, f"run:{run}"), "127.0.0.1", port)
            for _ in range(watchers)
        )
    )
    receivers = [receiver for _, receiver in made]
    try:
        await asyncio.wait_for(asyncio.gather(*(receiver.ended for receiver in receivers)), PATIENCE_S)
    finally:
        for receiver in receivers:
            receiver.close()
    return _summed(began, [list(receiver.frames()) for receiver in receivers])


def _summed(began: float, sockets: list[list[tuple[float, str]]]) -> Watched:
    settled = max(frames[0][0] for frames in sockets)
    late: list[float] = []
    seen: list[int] = []
    counted: list[float] = []
    for frames in sockets:
        events = [(at, event) for at, text in frames for event in json.loads(text).get("events", [])]
        made = [(at, datetime.fromisoformat(event["ts"]).timestamp()) for at, event in events]
        seen.append(len(events))
        counted = [ts for _, ts in made if ts > settled]
        late += [(at - ts) * 1000 for at, ts in made if ts > settled]
    spent = max(counted) - min(counted)
    return Watched(late, (settled - began) * 1000, seen, len(counted) / spent)
