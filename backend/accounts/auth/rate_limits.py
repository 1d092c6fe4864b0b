"""Rate limits: how often a person, a token and a team may ask within a minute. One door, before every view's method.

What is counted are fixed windows of time; of the window before, the part that still lies within the last minute counts
too. In one process the counts are a dict. Scaled, each process counts by itself and a thread of its own tells Redis
once a second what it counted and hears what the others did, so no request waits for Redis, and none is refused because
Redis is away: then each process keeps its own counts. What is refused is not counted.
"""

from __future__ import annotations

import logging
import math
import os
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from backend.accounts.actor import Actor
from backend.accounts.models import User
from backend.errors import RateLimited

log = logging.getLogger(__name__)

MINUTE = 60
SYNC_S = 1.0
MOST_KEYS = 20_000
"""Beyond so many, counts of windows that are over are dropped."""


@dataclass(slots=True)
class _Count:
    """Requests of this window and of the one before. `others` = of other processes in this window, as last heard."""

    window: int = 0
    now: int = 0
    before: float = 0.0
    others: int = 0
    untold: int = 0


class RateCounter:
    """The counts of this process."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str, int], _Count] = {}
        self._shared: Shared | None = None
        self._pid = 0

    def take(self, kind: str, key: str, limit: int, seconds: int = MINUTE) -> None:
        """Count one of `kind` ("person", "token", …) for `key`; at most `limit` in `seconds`, 0 = as many as wanted.

        Raises RateLimited with `retry_after` in whole seconds.
        """
        if limit <= 0:
            return
        count = self._with_room(kind, key, limit, seconds)
        count.now += 1
        count.untold += 1
        if settings.PATCHBAY.redis_url:
            self._tell()

    def look(self, kind: str, key: str, limit: int, seconds: int = MINUTE) -> None:
        """Raise RateLimited where `take` would; counts nothing."""
        if limit > 0:
            self._with_room(kind, key, limit, seconds)

    def _with_room(self, kind: str, key: str, limit: int, seconds: int) -> _Count:
        position = time.time() / seconds
        window = int(position)
        count = self._count((kind, key, seconds), window)
        used = count.before * (1 - (position - window)) + count.now + count.others
        if used + 1 > limit + 1e-6:
            wait = max(1, math.ceil(_until(count, position - window, limit) * seconds - 1e-3))
            raise RateLimited(params={"reason": kind, "limit": limit, "seconds": seconds, "retry_after": wait})
        return count

    def _count(self, name: tuple[str, str, int], window: int) -> _Count:
        count = self._counts.get(name)
        if count is None:
            if len(self._counts) >= MOST_KEYS:
                self._drop_old()
            count = self._counts[name] = _Count(window)
        if count.window != window:
            count.before = float(count.now + count.others) if count.window == window - 1 else 0.0
            count.window, count.now, count.others, count.untold = window, 0, 0, 0
        return count

    def _drop_old(self) -> None:
        now = time.time()
        for (kind, key, seconds), count in list(self._counts.items()):
            if count.window < int(now / seconds) - 1:
                self._counts.pop((kind, key, seconds), None)

    def _tell(self) -> None:
        """Let the thread of this process (not of one it was forked from) know that there is something to tell."""
        if self._shared is None or self._pid != os.getpid():
            self._pid, self._shared = os.getpid(), Shared(self._counts, settings.PATCHBAY.redis_url)
        self._shared.wake.set()

    def clear(self) -> None:
        """Forget all counts, those that other processes told of too."""
        if self._shared is not None and self._pid == os.getpid():
            self._shared.forget()
        self._counts.clear()


def _until(count: _Count, passed: float, limit: int) -> float:
    """The part of a window after which one more fits, when `passed` of this one is over."""
    now, room = count.now + count.others, limit - 1
    if now <= room and count.before:  # the window before fades
        return max(0.0, 1 - (room - now) / count.before - passed)
    return 1 - passed + max(0.0, 1 - room / now)


class Shared:
    """Tells Redis what this process counted and hears what all did, in a thread that sleeps while nothing is asked."""

    def __init__(self, counts: dict[tuple[str, str, int], _Count], url: str) -> None:
        from redis import Redis

        self.wake = threading.Event()
        self._counts = counts
        self._busy = threading.Lock()
        self._redis: Any = Redis.from_url(url, socket_timeout=2.0, socket_connect_timeout=2.0)
        threading.Thread(target=self._work, name="patchbay-rates", daemon=True).start()

    def _work(self) -> None:
        from redis import RedisError

        away = False
        while True:
            self.wake.wait()
            self.wake.clear()
            try:
                with self._busy:
                    self.exchange()
                away = False
            except RedisError as error:
                if not away:
                    log.warning("rate limits are kept by each process for itself: %s", error)
                away = True
            time.sleep(SYNC_S)

    def forget(self) -> None:
        """Take all counts out of Redis, between two exchanges; where it is away there are none to hear of."""
        from redis import RedisError

        with self._busy, suppress(RedisError):
            self._counts.clear()
            for name in self._redis.scan_iter("patchbay:rate:*", count=1000):
                self._redis.delete(name)

    def exchange(self) -> None:
        """One round trip: add what was counted, read what there is. Raises RedisError."""
        pending = [
            (name, count, count.window, count.untold) for name, count in list(self._counts.items()) if count.untold
        ]
        if not pending:
            return
        line = self._redis.pipeline(transaction=False)
        for (kind, key, seconds), _, window, untold in pending:
            name = f"patchbay:rate:{kind}:{key}:{seconds}"
            line.incrby(f"{name}:{window}", untold)
            line.expire(f"{name}:{window}", 2 * seconds + MINUTE)
            line.get(f"{name}:{window - 1}")
        answers = line.execute()
        for index, (_, count, window, untold) in enumerate(pending):
            if count.window == window:  # else the window ended meanwhile, and its count is of the past
                total, _, before = answers[3 * index : 3 * index + 3]
                count.untold -= untold
                count.others = max(0, int(total) - (count.now - count.untold))
                count.before = max(count.before, float(before or 0))


RATES = RateCounter()


def count_request(actor: Actor) -> None:
    """Count a request of `actor` for the person, the token and the team. Raises RateLimited."""
    limits = settings.PATCHBAY
    RATES.take("person", actor.user.pk, limits.rate_person_per_min)
    if actor.token is not None:
        RATES.take("token", actor.token.pk, limits.rate_token_per_min)
    RATES.take("team", actor.team.pk, limits.rate_team_per_min)


def count_personal_request(user: User) -> None:
    """Count a request that concerns a person and no team. Raises RateLimited."""
    RATES.take("person", user.pk, settings.PATCHBAY.rate_person_per_min)


def count_connection(actor: Actor) -> None:
    """Count a test of a connection, or a tool that is tried: each opens a connection or starts a program."""
    RATES.take("connections", actor.user.pk, settings.PATCHBAY.rate_connections_per_min)
