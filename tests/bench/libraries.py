"""What Patchbay does itself beside the library that could do it: the figures that `docs/decisions` name.

Both sides take turns in blocks, so that whatever else the machine does meets both; what counts is CPU of this process,
and the median of the blocks.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

from django.core.handlers.asgi import ASGIHandler
from django.core.management import call_command
from django.db import transaction

from backend.project.serving.handler import ThreadedHandler
from tests.bench.report import Row

BLOCKS = 9
REQUESTS = 60
ROWS = 200
TAKES = 2000


def alternated(ours: Callable[[], None], theirs: Callable[[], None]) -> tuple[float, float]:
    """(CPU seconds of one block of ours, of theirs): the medians over blocks in turns, after a warm one of each."""
    ours()
    theirs()
    figures: tuple[list[float], list[float]] = ([], [])
    for _ in range(BLOCKS):
        for side, work in zip(figures, (ours, theirs), strict=True):
            begin = time.process_time()
            work()
            side.append(time.process_time() - begin)
    return statistics.median(figures[0]), statistics.median(figures[1])


def measure() -> list[Row]:
    """The rows of this part."""
    call_command("migrate", verbosity=0)
    return [handler(), insert(), rate_limit()]


async def _ask(application: Callable[..., Awaitable[None]]) -> None:
    """One small request without a session, from its scope to the end of its body."""
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": "/api/me",
        "raw_path": b"/api/me",
        "query_string": b"",
        "root_path": "",
        "headers": [(b"host", b"localhost"), (b"accept", b"application/json")],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8000),
    }
    request, over = asyncio.Event(), asyncio.Event()

    async def receive() -> dict[str, Any]:
        if request.is_set():
            await over.wait()
            return {"type": "http.disconnect"}
        request.set()
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.body" and not message.get("more_body"):
            over.set()

    await application(scope, receive, send)


def handler() -> Row:
    """A small request through our handler beside Django's own, over the same middleware."""
    threaded, own = ThreadedHandler(8), ASGIHandler()
    own.load_middleware(is_async=True)
    runner = asyncio.Runner()

    def block(application: Callable[..., Awaitable[None]]) -> Callable[[], None]:
        async def ask_all() -> None:
            for _ in range(REQUESTS):
                await _ask(application)

        return lambda: runner.run(ask_all())

    with runner:
        ours, theirs = alternated(block(threaded), block(own))
    return Row(
        "handler: CPU of a small request",
        ours / REQUESTS * 1000,
        "ms",
        limit=theirs / REQUESTS * 1000,
        limit_is="Django's ASGIHandler",
    )


def insert() -> Row:
    """A new row of a table that every start writes, beside the ORM's `save`."""
    from backend.accounts.models import Team
    from backend.database.bulk_insert import insert as insert_row

    def block(store: Callable[[Team], None]) -> Callable[[], None]:
        def work() -> None:
            with transaction.atomic():
                for _ in range(ROWS):
                    store(Team(name="Bench", slug=uuid4().hex))
                transaction.set_rollback(True)

        return work

    ours, theirs = alternated(block(insert_row), block(lambda row: row.save(force_insert=True)))
    return Row(
        "bulk_insert: CPU of a new row",
        ours / ROWS * 1e6,
        "us",
        limit=theirs / ROWS * 1e6,
        limit_is="Model.save(force_insert=True)",
    )


def rate_limit() -> Row:
    """One count beside REST framework's throttle over Django's cache in memory."""
    from django.core.cache.backends.locmem import LocMemCache
    from rest_framework.throttling import SimpleRateThrottle

    from backend.accounts.auth.rate_limits import RateCounter

    class Throttle(SimpleRateThrottle):
        rate = "3000/min"
        cache = LocMemCache(uuid4().hex, {})

        def get_cache_key(self, request: Any, view: Any) -> str:
            return "usr_bench"

    rates = RateCounter()

    def ours() -> None:
        rates.clear()
        for _ in range(TAKES):
            rates.take("person", "usr_bench", 3000)

    def theirs() -> None:
        Throttle.cache.clear()
        for _ in range(TAKES):
            Throttle().allow_request(None, None)  # type: ignore[arg-type]

    mine, throttle = alternated(ours, theirs)
    return Row(
        "rate_limits: CPU of one count, up to 2000 in a minute",
        mine / TAKES * 1e6,
        "us",
        limit=throttle / TAKES * 1e6,
        limit_is="SimpleRateThrottle",
    )
