"""The websocket `/ws/`: one per page, any number of topics (contract, "Events").

Sentences in events and errors are in the language that a subscription names (`language`, else the person's).

A run's topic has numbers: its subscription knows the last event it sent, takes a shared frame only when that follows on
it, and else reads what is missing from the database. A client that acknowledges gets at most 5000 events or 4 MB ahead
of what it has read; then the subscription rests and goes on from the database once an ack comes. Whatever a client
says, no more than a megabyte waits to be sent to it; one that reads nothing for half a minute is closed with 4408, and
misses nothing when it comes again with `after`.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from typing import Any
from urllib.parse import parse_qs

from autobahn.exception import Disconnected
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings

from backend.accounts.models import ApiToken, User
from backend.database.thread_pool import DatabaseThreads
from backend.errors import NotFound, ValidationFailed
from backend.errors.log_context import LOG_CONTEXT, LogContext, accepted_request_id
from backend.runs import selectors
from backend.runs.live import access, backlog
from backend.runs.live.hub import HUB
from backend.runs.live.pages import Pages
from backend.runs.live.sockets import SOCKETS
from backend.runs.live.wire import HintFrameJson, RefusalFrameJson, RefusalJson
from backend.runs.log.rows import WORDED

log = logging.getLogger(__name__)

MOST_AHEAD = 5000
MOST_BYTES_AHEAD = 4 * 1024 * 1024
MOST_TOPICS = 200
ACTIONS = ("subscribe", "unsubscribe", "ack")
"""What a client may ask for."""
PAGE = 1000
FORBIDDEN = 4403
SIGNED_OUT = 4401
TOO_SLOW = 4408

_WORDED = tuple(f'"type":"{name}"' for name in WORDED)

THREADS = DatabaseThreads(4, "ws-db")


async def newest(runs: list[str]) -> dict[str, int]:
    """The last durable seq of each run."""
    return await THREADS.run(selectors.last_seqs, list(runs))


HUB.newest = newest

PAGES = Pages(lambda run, after, language: THREADS.run(selectors.event_texts, run, after, PAGE, language))


class Subscription:
    """One topic of one socket."""

    def __init__(self, socket: RunsConsumer, topic: str, team: str, after: int, language: str) -> None:
        self.topic, self.team, self.language = topic, team, language
        self._socket = socket
        self._last = after  # the last event sent
        self._newest = 0  # the last event known of
        self._filling = False
        self._acks = False
        self._unacked: deque[tuple[int, int]] = deque()  # (seq, bytes) of frames not acknowledged
        self._bytes = 0
        self._acked = after
        self._closed = False

    @property
    def _keeps_up(self) -> bool:
        """Whether the client reads what it is sent."""
        return not self._full and backlog.unsent(self._socket.scope) <= backlog.REST_ABOVE

    @property
    def _full(self) -> bool:
        return self._acks and (self._bytes > MOST_BYTES_AHEAD or self._last - self._acked > MOST_AHEAD)

    async def frame(self, first: int, last: int, text: str) -> None:
        """Send a shared frame when it follows on what was sent; else see to what is missing."""
        self._newest = max(self._newest, last)
        if self._filling or last <= self._last:
            return
        readable = self.language == "en" or not _has_words(text)
        if first == self._last + 1 and readable and self._keeps_up:
            await self._send_numbered(last, text)
        else:
            await self.catch_up(last)

    async def _send_numbered(self, last: int, text: str) -> None:
        self._last = last
        self._unacked.append((last, len(text)))
        self._bytes += len(text)
        if not self._acks:
            while len(self._unacked) > PAGE:
                self._bytes -= self._unacked.popleft()[1]
        await self.send(text)

    async def send(self, text: str) -> None:
        """Send a finished frame."""
        if self._closed:
            return
        await self._socket.send_text(text)
        if backlog.unsent(self._socket.scope) > backlog.MOST:
            await self._socket.shut(TOO_SLOW)

    async def catch_up(self, newest: int) -> None:
        """Bring the client up to `newest` from the database, in the background."""
        self._newest = max(self._newest, newest)
        if not self._filling and not self._full and self._newest > self._last and not self._closed:
            self._filling = True
            self._socket.spawn(self._fill())

    async def begin(self) -> None:
        """Send everything after the place that the client named."""
        self._filling = True
        await self._fill()

    async def confirm(self) -> None:
        """Say that hints come from now on: a page that read a moment ago reads again, for they have no numbers."""
        await HUB.joined(self.topic)
        frame: HintFrameJson = {"topic": self.topic, "hint": {"kind": "subscribed"}}
        await self.send(json.dumps(frame))

    async def _fill(self) -> None:
        run = self.topic.removeprefix("run:")
        try:
            while not self._closed and not self._full:
                page = await PAGES.read(run, self._last, self.language)
                if not page:
                    if self._newest <= self._last:
                        return
                    self._newest = self._last  # told of what is not there: a run deleted meanwhile
                    continue
                for first, last, text in page:
                    if not await backlog.drained(self._socket.scope):
                        await self._socket.shut(TOO_SLOW)
                    if first == self._last + 1 and not self._full and not self._closed:
                        await self._send_numbered(last, text)
                if 0 < self._newest <= self._last:
                    return  # what comes after that is told
        finally:
            self._filling = False

    async def ack(self, seq: int) -> None:
        """The client has read up to `seq`."""
        self._acks = True
        self._acked = max(self._acked, min(seq, self._last))
        while self._unacked and self._unacked[0][0] <= self._acked:
            self._bytes -= self._unacked.popleft()[1]
        await self.catch_up(self._newest)

    def close(self) -> None:
        """Send nothing more."""
        self._closed = True


def _has_words(text: str) -> bool:
    """Whether a shared frame, which is in English, may hold sentences for people."""
    return any(mark in text for mark in _WORDED)


class RunsConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]
    """One page's socket."""

    user: User
    token: ApiToken | None
    language: str  # the page's, as its last subscription said; the person's own before

    async def connect(self) -> None:
        """Accept members from our own pages; everybody else gets 403 at the handshake, as does one socket too many."""
        self.subscriptions: dict[str, Subscription] = {}
        self.tasks: set[asyncio.Task[None]] = set()
        self.session_key: str | None = None
        request_ids = parse_qs(self.scope["query_string"].decode("latin-1")).get("request_id", [""])
        self.request_id = accepted_request_id(request_ids[0])
        LOG_CONTEXT.set(LogContext(self.request_id))  # of this socket's task and those that it begins
        headers = dict(self.scope["headers"])
        who = await THREADS.run(access.handshake, self.scope) if access.origin_allowed(headers) else None
        if who is None:
            await self.close()
            return
        self.user, self.token = who
        self.language = self.user.language
        session = self.scope.get("session")
        self.session_key = None if self.token else getattr(session, "session_key", None)
        limits = settings.PATCHBAY
        if not SOCKETS.add(self, limits.sockets_per_person, limits.sockets_per_token):
            await self.close()
            return
        await self.accept()

    async def disconnect(self, code: int) -> None:
        """Forget the socket."""
        SOCKETS.discard(self)
        for name in list(self.subscriptions):
            self._drop(name)
        for task in self.tasks:
            task.cancel()

    def spawn(self, work: Any) -> None:
        """Run something beside the socket, as long as the socket lives."""
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def send_text(self, text: str) -> None:
        """Send, or notice that the other side has gone."""
        if backlog.sent_directly(self.scope, text):
            return
        try:
            await self.send(text_data=text)
        except (Disconnected, RuntimeError):
            SOCKETS.discard(self)
            for name in list(self.subscriptions):
                self._drop(name)

    async def shut(self, code: int) -> None:
        """Close from our side: 4401 signed out, 4403 no longer a member, 4408 too slow."""
        for name in list(self.subscriptions):
            self._drop(name)
        await self.close(code=code)

    async def drop_foreign(self, teams: set[str]) -> None:
        """Membership changed: stop topics of teams that are not in `teams`; without any team the socket closes."""
        if not teams:
            await self.shut(FORBIDDEN)
            return
        for name, subscription in list(self.subscriptions.items()):
            if subscription.team not in teams:
                self._drop(name)
                await self._refuse(name)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """`subscribe`, `unsubscribe` or `ack`."""
        try:
            message = json.loads(text_data or "")
            action, topic = message["action"], message["topic"]
            after, seq = int(message.get("after") or 0), int(message.get("seq") or 0)
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
            await self._say_error("", ValidationFailed())
            return
        if not isinstance(topic, str) or len(topic) > 100:
            await self._say_error("", ValidationFailed())
        elif action not in ACTIONS:
            await self._say_error(topic, ValidationFailed())
        elif action == "subscribe":
            language = message.get("language")
            await self._subscribe(topic, max(after, 0), language if language in ("en", "zh") else self.user.language)
        elif action == "unsubscribe":
            self._drop(topic)
        elif topic in self.subscriptions:
            await self.subscriptions[topic].ack(seq)

    async def _subscribe(self, topic: str, after: int, language: str) -> None:
        self._drop(topic)
        self.language = language
        if len(self.subscriptions) >= MOST_TOPICS:
            await self._say_error(topic, ValidationFailed())
            return
        team, teams = await THREADS.run(_teams, topic, self.user, self.token)
        if team is None or team not in teams:
            await self._refuse(topic)
            return
        subscription = Subscription(self, topic, team, after, language)
        self.subscriptions[topic] = subscription
        HUB.watch(subscription)
        if topic.startswith("run:"):
            self.spawn(subscription.begin())
        elif topic.startswith("conversation:"):
            self.spawn(subscription.confirm())

    async def _refuse(self, topic: str) -> None:
        await self._say_error(topic, NotFound())

    async def _say_error(self, topic: str, error: NotFound | ValidationFailed) -> None:
        message, _ = error.text(self.language)
        body: RefusalJson = {"code": error.code, "message": message, "request_id": self.request_id}
        frame: RefusalFrameJson = {"topic": topic, "error": body}
        await self.send_text(json.dumps(frame))

    def _drop(self, topic: str) -> None:
        subscription = self.subscriptions.pop(topic, None)
        if subscription is not None:
            subscription.close()
            HUB.unwatch(subscription)


def _teams(topic: str, user: User, token: ApiToken | None) -> tuple[str | None, set[str]]:
    team = access.team_of(topic, user) if access.in_bounds(topic, token) else None
    return team, access.teams_of(user, token)
