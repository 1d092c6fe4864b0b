"""Live events: one hub per process takes what the journal made durable and gives it to the sockets that watch.

What comes after a pause is sent at once, the rest every 20 ms, put together as one frame per topic (at most 256 KB);
the same text goes to all watchers. A watcher that is not exactly where a frame begins (new, behind, slow) is brought up
from the database; a tick per second finds what no frame told. So a client gets every event once and in order, whatever
gets lost between.

`publish`, `preview` and `hint` may be called from any thread. Sockets live on the server's loop, which the hub learns
from the first of them; without sockets nothing is done. Scaled, `relay` carries everything between processes.
"""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable
from typing import Protocol

from django.db import DatabaseError, InterfaceError

from backend.engine.execution.ports import DatabaseUnavailable
from backend.notifications.clients import Hint, listen
from backend.runs.live.run_waiters import RunWaiter
from backend.runs.live.wire import HintFrameJson, RelayMessage, TextFrameJson
from backend.runs.log.batch import Committed
from backend.runs.log.events import TextPreviewJson
from backend.runs.models import TERMINAL, RunState

log = logging.getLogger(__name__)

FRAME_S = 0.02
TICK_S = 1.0
UNDER_WAY_S = 0.1
"""How long after its commit an event may still come as a frame, before a tick takes it for one that nobody told."""
MAX_FRAME = 256 * 1024

WORKERS = "workers"
"""The topic that every worker process follows."""

Numbered = list[tuple[int, str]]


class Watcher(Protocol):
    """A socket's interest in one topic (`consumers.Subscription`). All calls come on the server's loop."""

    topic: str

    async def frame(self, first: int, last: int, text: str) -> None:
        """Events `first` to `last` as a finished frame, to be sent when they follow on what was sent."""
        ...

    async def send(self, text: str) -> None:
        """A frame without numbers."""
        ...

    async def catch_up(self, newest: int) -> None:
        """The topic has events up to `newest` (0 = unknown)."""
        ...


class Relay(Protocol):
    """Carries what one process publishes to the hubs of the others."""

    def send(self, message: RelayMessage) -> None:
        """Hand a message over; any thread, never waits, may lose it."""
        ...

    def follow(self, topic: str) -> None:
        """From now on, messages of this topic are wanted here."""
        ...

    async def joined(self, topic: str) -> None:
        """Wait until they come, or cannot."""
        ...

    def leave(self, topic: str) -> None:
        """They are not wanted any more."""
        ...


class Hub:
    """One per process. `newest(runs)` gives the last durable seq of runs, read in a thread of its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tick: asyncio.Task[None] | None = None
        self._watchers: dict[str, set[Watcher]] = defaultdict(set)
        self._waits: dict[str, set[RunWaiter]] = defaultdict(set)
        self._events: dict[str, Numbered] = defaultdict(list)
        self._previews: dict[str, list[TextPreviewJson]] = defaultdict(list)
        self._hints: list[tuple[str, str]] = []
        self._scheduled = False
        self._flushed = 0.0  # when the last flush was through, by the loop's clock
        self.closing = False
        self._flush: asyncio.Task[None] | None = None
        self.relay: Relay | None = None
        self.on_inbox: Callable[[str], None] | None = None
        self.on_rights: Callable[[str], None] | None = None
        self.on_backlog: Callable[[], None] | None = None
        self.on_places: Callable[[], None] | None = None
        self.on_committed: Callable[[list[Committed]], None] | None = None
        self.newest: Callable[[list[str]], Awaitable[dict[str, int]]] | None = None

    # -- from any thread ----------------------------------------------------------------------------------------------

    def publish(self, committed: list[Committed]) -> None:
        """Show what a commit made durable."""
        if self.on_committed is not None:
            self.on_committed(committed)
        for item in committed:
            topic = f"run:{item.run}"
            if item.events and (self.relay is not None or topic in self._watchers):
                events = [(line.seq, line.event()) for line in item.events]
                self.take_events(topic, events)
                if self.relay is not None:
                    self.relay.send({"topic": topic, "events": events})
            if item.state is not None:
                self.state_changed(item.run, item.team, item.state)
            if item.conversation and (item.state is not None or item.questions):
                about: Hint = {"kind": "conversation", "id": item.conversation, "run": item.run, "change": "updated"}
                self.hint(f"conversation:{item.conversation}", about)
            if item.questions:
                self.hint(f"team:{item.team}", {"kind": "interaction", "run": item.run, "change": "updated"})

    def state_changed(self, run: str, team: str, state: str) -> None:
        """A run reached a state: wake who waits for it, tell the team's pages."""
        self._state(run, state)
        if self.relay is not None:
            self.relay.send({"topic": f"run:{run}", "state": state})
        change = "ended" if state in TERMINAL else "updated"
        self.hint(f"team:{team}", {"kind": "run", "id": run, "state": state, "change": change})

    def preview(self, run: str, item: TextPreviewJson) -> None:
        """Show streamed text that is not stored yet."""
        topic = f"run:{run}"
        if self.relay is not None:
            self.relay.send({"topic": topic, "text": [item]})
        self.take_preview(topic, item)

    def hint(self, topic: str, hint: Hint) -> None:
        """Tell everyone on a topic without numbers that something changed."""
        if self.relay is not None:
            self.relay.send({"topic": topic, "hint": hint})
        self.take_hint(topic, hint)

    def _state(self, run: str, state: str) -> None:
        """Wake who waits for this run, where it may have come to stand."""
        if state in TERMINAL or state == RunState.WAITING:
            self.notify(run)

    def notify(self, run: str) -> None:
        """Wake who waits for this run."""
        if run in self._waits:
            with self._lock:
                waits = list(self._waits.get(run, ()))
            for wait in waits:
                wait.notify()

    def close(self) -> None:
        """The process is to end: let everyone who waits for a run go."""
        self.closing = True
        with self._lock:
            runs = list(self._waits)
        for run in runs:
            self.notify(run)

    def receive(self, message: RelayMessage) -> None:
        """What the hub of another process published."""
        topic: str = message["topic"]
        if "events" in message:
            self.take_events(topic, [(seq, text) for seq, text in message["events"]])
        if "newest" in message:
            self._behind(topic, message["newest"])
        for item in message.get("text", ()):
            self.take_preview(topic, item)
        if "hint" in message:
            self.take_hint(topic, message["hint"])
        if "state" in message:
            self._state(topic.removeprefix("run:"), message["state"])
        if "inbox" in message and self.on_inbox is not None:
            self.on_inbox(message["inbox"])
        if "rights" in message and self.on_rights is not None:
            self.on_rights(topic.removeprefix("person:"))
        if "backlog" in message and self.on_backlog is not None:
            self.on_backlog()
        if "places" in message and self.on_places is not None:
            self.on_places()

    def _behind(self, topic: str, newest: int) -> None:
        """Watchers of this topic lack events up to `newest`."""
        loop = self._loop
        if loop is None or loop.is_closed():
            return
        for watcher in list(self._watchers.get(topic, ())):
            asyncio.run_coroutine_threadsafe(watcher.catch_up(newest), loop)

    def message_waits(self, run: str, owner: str) -> None:
        """Something lies in this run's inbox: tell its owner, wherever that is."""
        if self.relay is not None:
            self.relay.send({"topic": f"worker:{owner}", "inbox": run})

    def backlog(self) -> None:
        """Runs wait for a place: whichever worker has one free next is to look for them."""
        if self.relay is not None:
            self.relay.send({"topic": WORKERS, "backlog": True})

    def places(self) -> None:
        """A server may have more places than before: every worker is to look for runs that wait for one."""
        if self.relay is not None:
            self.relay.send({"topic": WORKERS, "places": True})
        if self.on_places is not None:
            self.on_places()

    def take_events(self, topic: str, events: Numbered) -> None:
        """Events for the sockets of this process."""
        if topic in self._watchers:
            with self._lock:
                self._events[topic].extend(events)
            self._schedule()

    def take_preview(self, topic: str, item: TextPreviewJson) -> None:
        """Streamed text for the sockets of this process; pieces that follow on each other are joined."""
        if topic not in self._watchers:
            return
        with self._lock:
            items = self._previews[topic]
            last = items[-1] if items else None
            same = ("step", "call", "attempt", "channel")
            if (
                last is not None
                and all(last.get(name) == item.get(name) for name in same)
                and last["offset"] + len(last["delta"]) == item["offset"]
            ):
                last["delta"] += item["delta"]
            else:
                items.append({**item})
        self._schedule()

    def take_hint(self, topic: str, hint: Hint) -> None:
        """A hint for the sockets of this process."""
        if topic in self._watchers:
            with self._lock:
                frame: HintFrameJson = {"topic": topic, "hint": hint}
                self._hints.append((topic, json.dumps(frame)))
            self._schedule()

    def add_wait(self, wait: RunWaiter) -> None:
        """Somebody waits for a run."""
        with self._lock:
            self._waits[wait.run].add(wait)
        if self.relay is not None:
            self.relay.follow(f"run:{wait.run}")

    def remove_wait(self, wait: RunWaiter) -> None:
        """They do not any more."""
        with self._lock:
            self._waits[wait.run].discard(wait)
            if not self._waits[wait.run]:
                del self._waits[wait.run]
        if self.relay is not None:
            self.relay.leave(f"run:{wait.run}")

    def move_wait(self, wait: RunWaiter, run: str) -> None:
        """It is another run that is waited for."""
        self.remove_wait(wait)
        wait.run = run
        self.add_wait(wait)

    def _schedule(self) -> None:
        with self._lock:
            loop = self._loop
            if self._scheduled or loop is None or loop.is_closed():
                return
            self._scheduled = True
        loop.call_soon_threadsafe(self._flush_in_time, loop)

    # -- on the server's loop -----------------------------------------------------------------------------------------

    def watch(self, watcher: Watcher) -> None:
        """Begin to give a topic to a socket."""
        loop = asyncio.get_running_loop()
        with self._lock:
            if self._loop is not loop:
                self._loop, self._tick, self._scheduled, self._flushed = loop, None, False, 0.0
            self._watchers[watcher.topic].add(watcher)
        if self._tick is None or self._tick.done():
            self._tick = loop.create_task(self._ticking())
        if self.relay is not None:
            self.relay.follow(watcher.topic)

    async def joined(self, topic: str) -> None:
        """Wait until a topic that is watched is heard from other processes too."""
        if self.relay is not None:
            await self.relay.joined(topic)

    def unwatch(self, watcher: Watcher) -> None:
        """Stop giving a topic to a socket."""
        with self._lock:
            watchers = self._watchers.get(watcher.topic)
            if watchers is None or watcher not in watchers:
                return
            watchers.discard(watcher)
            if not watchers:
                del self._watchers[watcher.topic]
                self._events.pop(watcher.topic, None)
                self._previews.pop(watcher.topic, None)
        if self.relay is not None:
            self.relay.leave(watcher.topic)

    def _flush_in_time(self, loop: asyncio.AbstractEventLoop) -> None:
        """Flush as soon as the last flush is 20 ms ago."""
        left = self._flushed + FRAME_S - loop.time()
        if left > 0:
            loop.call_later(left, self._start_flush)
        else:
            self._start_flush()

    def _start_flush(self) -> None:
        self._flush = asyncio.get_running_loop().create_task(self._flush_all())

    async def _flush_all(self) -> None:
        """Send what was collected; the next flush begins only when this one is through, so frames keep their order."""
        with self._lock:
            events, self._events = self._events, defaultdict(list)
            previews, self._previews = self._previews, defaultdict(list)
            hints, self._hints = self._hints, []
        try:
            for topic, numbered in events.items():
                numbered.sort()
                for first, last, text in frames(topic, numbered):
                    for watcher in list(self._watchers.get(topic, ())):
                        await watcher.frame(first, last, text)
            for topic, items in previews.items():
                frame: TextFrameJson = {"topic": topic, "text": items}
                await self._send(topic, json.dumps(frame))
            for topic, text in hints:
                await self._send(topic, text)
        finally:
            with self._lock:
                self._scheduled = bool(self._events or self._previews or self._hints)
            loop = asyncio.get_running_loop()
            self._flushed = loop.time()
            if self._scheduled:
                self._flush_in_time(loop)

    async def _send(self, topic: str, text: str) -> None:
        for watcher in list(self._watchers.get(topic, ())):
            await watcher.send(text)

    async def _ticking(self) -> None:
        """Once a second: has a run more than its watchers were given? Ends when nobody watches."""
        while True:
            await asyncio.sleep(TICK_S)
            if not self._watchers:
                return
            runs = [topic.removeprefix("run:") for topic in list(self._watchers) if topic.startswith("run:")]
            if not runs or self.newest is None:
                continue
            try:
                latest = await self.newest(runs)
            except (DatabaseError, InterfaceError, DatabaseUnavailable) as error:
                log.warning("the last events of %d runs could not be read: %s", len(runs), error)
                continue
            await asyncio.sleep(UNDER_WAY_S)
            for run, newest in latest.items():
                for watcher in list(self._watchers.get(f"run:{run}", ())):
                    await watcher.catch_up(newest)


def frames(topic: str, events: Numbered) -> Iterable[tuple[int, int, str]]:
    """(first, last, text) of frames of at most MAX_FRAME bytes, without gaps inside a frame or doubled events."""
    head = f'{{"topic":"{topic}","events":['
    parts: list[str] = []
    first = last = size = 0
    for seq, text in events:
        if parts and seq <= last:
            continue
        weight = len(text) if text.isascii() else len(text.encode())
        if parts and (seq != last + 1 or size + weight > MAX_FRAME):
            yield first, last, head + ",".join(parts) + "]}"
            parts, size = [], 0
        if not parts:
            first = seq
        parts.append(text)
        last = seq
        size += weight + 1
    if parts:
        yield first, last, head + ",".join(parts) + "]}"


HUB = Hub()
"""This process's hub."""

listen(HUB.hint)
