"""All open sockets of this process, and how they learn that their person lost a membership, a token or the session.

Signals of the rows concerned close sockets at once in the process where it happened; a look every ten seconds finds
what happened in another process.
"""

from __future__ import annotations

import asyncio
import threading
from typing import Any, Protocol

from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models.signals import post_delete, post_save

from backend.accounts.models import ApiToken, Membership, User
from backend.runs import access

LOOK_EVERY_S = 10.0
SIGNED_OUT = 4401


class Socket(Protocol):
    """What a socket offers to be closed by (`consumers.RunsConsumer`)."""

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

    def add(self, socket: Socket) -> None:
        """A socket was accepted."""
        with self._lock:
            self._open.add(socket)
        loop = asyncio.get_running_loop()
        if self._loop is not loop or self._task is None or self._task.done():
            self._loop, self._task = loop, loop.create_task(self._look_regularly())

    def discard(self, socket: Socket) -> None:
        """A socket is gone."""
        with self._lock:
            self._open.discard(socket)

    def look(self, user: str | None = None) -> None:
        """Check the rights of the sockets of `user` (None = of all) soon."""
        with self._lock:
            wanted = any(user is None or one.user.pk == user for one in self._open)
        if wanted and self._loop is not None and not self._loop.is_closed():
            asyncio.run_coroutine_threadsafe(self._check(user), self._loop)

    async def _look_regularly(self) -> None:
        while self._open:
            await asyncio.sleep(LOOK_EVERY_S)
            await self._check(None)

    async def _check(self, user: str | None) -> None:
        from backend.runs.consumers import THREADS

        for socket in [one for one in list(self._open) if user is None or one.user.pk == user]:
            signed_in, teams = await THREADS.run(_rights, socket)
            if not signed_in:
                await socket.shut(SIGNED_OUT)
            else:
                await socket.drop_foreign(teams)


def _rights(socket: Socket) -> tuple[bool, set[str]]:
    return access.still_signed_in(socket.session_key, socket.token), access.teams_of(socket.user, socket.token)


SOCKETS = Sockets()
"""The sockets of this process."""


def _later(user: str | None) -> None:
    transaction.on_commit(lambda: SOCKETS.look(user))


def _rights_changed(sender: Any, instance: Any, **kwargs: Any) -> None:
    _later(getattr(instance, "user_id", None))


def _account_changed(sender: Any, instance: User, **kwargs: Any) -> None:
    if not instance.is_active:
        _later(instance.pk)


def connect_signals() -> None:
    """Listen to what takes rights away. Called once, at start."""
    post_delete.connect(_rights_changed, sender=Membership, dispatch_uid="runs.sockets.membership")
    post_delete.connect(_rights_changed, sender=ApiToken, dispatch_uid="runs.sockets.token")
    post_delete.connect(_rights_changed, sender=Session, dispatch_uid="runs.sockets.session")
    post_save.connect(_account_changed, sender=User, dispatch_uid="runs.sockets.user")
