"""Carries events, hints and control messages between the processes of a scaled installation.

Over the channel layer (Redis pub/sub): one channel per process, one group per topic that the process follows. What
comes after a pause is sent at once, the rest every 20 ms, from the process's long-lived loop; what is larger than 64 KB
travels as the number of its last event only and is read from the database. A message may be lost: hubs find by number
what they miss, owners read their inbox at the latest with their heartbeat.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from backend.runs.live.wire import RelayMessage
from backend.tools.loop import LOOP

log = logging.getLogger(__name__)

COLLECT_S = 0.02
MOST_BYTES = 64 * 1024
AGAIN_S = 1.0


class Layer(Protocol):
    """What is used of a channel layer."""

    async def new_channel(self) -> str: ...  # noqa: D102 - as channels documents them
    async def receive(self, channel: str) -> dict[str, Any]: ...  # noqa: D102 - as channels documents them
    async def group_add(self, group: str, channel: str) -> None: ...  # noqa: D102 - as channels documents them
    async def group_discard(self, group: str, channel: str) -> None: ...  # noqa: D102 - as channels documents them
    async def group_send(self, group: str, message: dict[str, Any]) -> None: ...  # noqa: D102 - as channels documents them


def group_of(topic: str) -> str:
    """A topic as a group's name."""
    return topic.replace(":", ".")


class LayerRelay:
    """`hub.Relay` over a channel layer. `deliver(message)` is called in the loop for what others sent."""

    def __init__(self, layer: Callable[[], Layer], deliver: Callable[[RelayMessage], None]) -> None:
        self._layer, self._deliver = layer, deliver
        self._me = secrets.token_hex(8)
        self._lock = threading.Lock()
        self._followed: Counter[str] = Counter()
        self._outbox: dict[str, list[RelayMessage]] = defaultdict(list)
        self._scheduled = False
        self._sent = 0.0  # when messages last left
        self._channel: asyncio.Task[str] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def send(self, message: RelayMessage) -> None:
        """Hand a message over; any thread, never waits."""
        with self._lock:
            self._outbox[message["topic"]].append(message)
            if self._scheduled:
                return
            self._scheduled = True
            wait = max(0.0, self._sent + COLLECT_S - time.monotonic())
        loop = LOOP.loop
        loop.call_soon_threadsafe(loop.call_later, wait, self._spawn, self._send_all)

    def follow(self, topic: str) -> None:
        """From now on, messages of this topic are wanted here; as often as it is called, `leave` must be."""
        with self._lock:
            self._followed[topic] += 1
            first = self._followed[topic] == 1
        if first:
            LOOP.loop.call_soon_threadsafe(self._spawn, lambda: self._join(topic))

    async def joined(self, topic: str) -> None:
        """Wait until what others say on a topic that is followed comes here, or the layer fails; on any loop."""
        done = asyncio.Event()
        loop = asyncio.get_running_loop()

        async def join() -> None:
            try:
                await self._join(topic)
            finally:
                loop.call_soon_threadsafe(done.set)

        LOOP.loop.call_soon_threadsafe(self._spawn, join)
        await done.wait()

    def leave(self, topic: str) -> None:
        """One of those who followed a topic does no more."""
        with self._lock:
            self._followed[topic] -= 1
            unfollowed = self._followed[topic] <= 0
            if unfollowed:
                del self._followed[topic]
        if unfollowed:
            LOOP.loop.call_soon_threadsafe(self._spawn, lambda: self._join(topic))

    # -- in the loop --------------------------------------------------------------------------------------------------

    def _spawn(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        task = asyncio.get_running_loop().create_task(work())
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.warning("the channel layer failed: %s", task.exception())

    async def _own_channel(self) -> str:
        """This process's channel, opened with its listener on first use."""
        if self._channel is None or self._channel.get_loop() is not asyncio.get_running_loop():
            self._channel = asyncio.get_running_loop().create_task(self._open())
        return await asyncio.shield(self._channel)

    async def _open(self) -> str:
        channel = await self._layer().new_channel()
        self._spawn(lambda: self._listen(channel))
        return channel

    async def _join(self, topic: str) -> None:
        """Be in the topic's group exactly when it is followed; later wishes count."""
        channel = await self._own_channel()
        if self._followed[topic] > 0:
            await self._layer().group_add(group_of(topic), channel)
        else:
            await self._layer().group_discard(group_of(topic), channel)

    async def _listen(self, channel: str) -> None:
        while True:
            try:
                envelope = await self._layer().receive(channel)
            except (OSError, RuntimeError) as error:
                log.warning("the channel layer does not answer: %s", error)
                await asyncio.sleep(AGAIN_S)
                continue
            if envelope.get("from") != self._me:
                for message in envelope.get("messages", ()):
                    self._deliver(message)

    async def _send_all(self) -> None:
        with self._lock:
            outbox, self._outbox = self._outbox, defaultdict(list)
            self._scheduled = False
            self._sent = time.monotonic()
        for topic, messages in outbox.items():
            envelope = {"type": "relay", "from": self._me, "messages": [_light(message) for message in messages]}
            await self._layer().group_send(group_of(topic), envelope)


def _light(message: RelayMessage) -> RelayMessage:
    """The message, or its last number alone where its events are heavy."""
    events = message.get("events")
    if events and sum(len(text) for _, text in events) > MOST_BYTES:
        return {"topic": message["topic"], "newest": events[-1][0]}
    return message
