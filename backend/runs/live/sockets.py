"""All open sockets of this process, and how they learn that their person lost a membership, a token or the session.

Signals of the rows concerned close sockets at once: in the process where it happened, and, told by the relay, in the
others where that person has a page open. A look every ten seconds finds what no message told.
"""

from __future__ import annotations

import asyncio
import threading
from typing import Any, Protocol

from allauth.usersessions.models import UserSession
from django.contrib.auth.signals import user_logged_out
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models.signals import post_delete, post_save

from backend.accounts.models import ApiToken, Membership, User
from backend.runs.live import access
from backend.runs.live.hub import HUB

LOOK_EVERY_S = 10.0
SIGNED_OUT = 4401


def topic_of(user: str) -> str:
    """Where processes tell each other that a person's rights changed."""
    return f"person:{user}"


class Socket(Protocol):
    """What a socket offers to be closed by (`consumers.RunsConsumer`, a stream that `mcp_server.changes` serves)."""

    user: User
    token: ApiToken | None
    session_key: str | None

    async def shut(self, code: int) -> None:
        """Close."""
        ...

    async def drop_foreign(self, teams: set[str]) -> None:
        """Stop what belongs to other teams."""
        ...


class Sockets:
    """Belongs to the server's loop; `look` may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: set[Socket] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None

    def add(self, socket: Socket, per_person: int = 0, per_token: int = 0) -> bool:
        """A socket is about to be accepted; False where its token, or its person in all, has as many already (0 = any
        number). Pages and streams are counted apart."""
        token = socket.token.pk if socket.token is not None else None
        with self._lock:
            theirs = [item for item in self._open if type(item) is type(socket) and item.user.pk == socket.user.pk]
            same = [item for item in theirs if item.token is not None and item.token.pk == token]
            if 0 < per_person <= len(theirs) or 0 < per_token <= len(same):
                return False
            self._open.add(socket)
        if HUB.relay is not None:
            HUB.relay.follow(topic_of(socket.user.pk))
        loop = asyncio.get_running_loop()
        if self._loop is not loop or self._task is None or self._task.done():
            self._loop, self._task = loop, loop.create_task(self._look_regularly())
        return True

    def discard(self, socket: Socket) -> None:
        """A socket is gone."""
        with self._lock:
            known = socket in self._open
            self._open.discard(socket)
        if known and HUB.relay is not None:
            HUB.relay.leave(topic_of(socket.user.pk))

    def look(self, user: str | None = None) -> None:
        """Check the rights of the sockets of `user` (None = of all) soon."""
        with self._lock:
            watched = any(user is None or item.user.pk == user for item in self._open)
        if watched and self._loop is not None and not self._loop.is_closed():
            asyncio.run_coroutine_threadsafe(self._check(user), self._loop)

    async def _look_regularly(self) -> None:
        while self._open:
            await asyncio.sleep(LOOK_EVERY_S)
            await self._check(None)

    async def _check(self, user: str | None) -> None:
        from backend.runs.live.consumers import THREADS

        for socket in [item for item in list(self._open) if user is None or item.user.pk == user]:
            signed_in, teams = await THREADS.run(_rights, socket)
            if not signed_in:
                await socket.shut(SIGNED_OUT)
            else:
                await socket.drop_foreign(teams)


def _rights(socket: Socket) -> tuple[bool, set[str]]:
    signed_in = access.still_signed_in(socket.session_key, socket.token, socket.user)
    return signed_in, access.teams_of(socket.user, socket.token)


SOCKETS = Sockets()
"""The sockets of this process."""


def _later(user: str | None) -> None:
    def look() -> None:
        SOCKETS.look(user)
        if user is not None and HUB.relay is not None:
            HUB.relay.send({"topic": topic_of(user), "rights": True})

    transaction.on_commit(look)


def _signed_out(sender: Any, user: User | None, **kwargs: Any) -> None:
    if user is not None and user.pk:
        _later(user.pk)


def _rights_changed(sender: Any, instance: Any, **kwargs: Any) -> None:
    _later(getattr(instance, "user_id", None))


def _account_changed(sender: Any, instance: User, **kwargs: Any) -> None:
    if not instance.is_active:
        _later(instance.pk)


def connect_signals() -> None:
    """Listen to what takes rights away. Called once, at start."""
    HUB.on_rights = SOCKETS.look
    post_delete.connect(_rights_changed, sender=Membership, dispatch_uid="runs.sockets.membership")
    post_delete.connect(_rights_changed, sender=ApiToken, dispatch_uid="runs.sockets.token")
    post_delete.connect(_rights_changed, sender=Session, dispatch_uid="runs.sockets.session")
    post_delete.connect(_rights_changed, sender=UserSession, dispatch_uid="runs.sockets.user_session")
    user_logged_out.connect(_signed_out, dispatch_uid="runs.sockets.signed_out")
    post_save.connect(_account_changed, sender=User, dispatch_uid="runs.sockets.user")
