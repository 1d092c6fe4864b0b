"""Two thousand tools: connection tests and what pages load of them, beside the bare listing by the SDK's client.

What counts is this process's CPU: the server is another process, and a shared machine's clock says little. By the clock
both are taken in turns, each at its best, and what counts is what the test takes beyond the listing.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.test import Client

from tests.bench.report import Row

COUNT = 2000
PROGRAM = Path(__file__).resolve().parents[1] / "live" / "servers" / "programs" / "stdio_server.py"
TIMES = 5
TARGET_S = 0.3


async def bare() -> int:
    """List all tools as the SDK's own client does, and do nothing with them."""
    from mcp.client.client import Client as SdkClient
    from mcp.client.stdio import StdioServerParameters, stdio_client

    count, cursor = 0, None
    parameters = StdioServerParameters(command=sys.executable, args=[str(PROGRAM), "many"])
    async with SdkClient(stdio_client(parameters)) as client:
        while True:
            page = await client.list_tools(cursor=cursor)
            count += len(page.tools)
            cursor = page.next_cursor
            if cursor is None:
                return count


def cpu(work: Callable[[], Any], before: Callable[[], Any] = lambda: None) -> float:
    """Seconds of CPU that `work` takes at its best; `before` is not counted."""
    best = float("inf")
    for _ in range(TIMES):
        before()
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    return best


def in_turns(one: Callable[[], Any], other: Callable[[], Any]) -> tuple[float, float]:
    """Seconds by the clock that each takes at its best, one after the other again and again."""
    best = [float("inf"), float("inf")]
    for _ in range(TIMES):
        for at, work in enumerate((one, other)):
            began = time.perf_counter()
            work()
            best[at] = min(best[at], time.perf_counter() - began)
    return best[0], best[1]


def measure() -> Iterator[Row]:
    """Measure in this process."""
    from backend.accounts.actor import actor_for
    from backend.accounts.auth.tokens import issue_token
    from backend.accounts.teams.services import first_owner
    from backend.registry.models import Tool
    from backend.registry.services import server_create
    from backend.tools import schemas
    from backend.tools.loop import LOOP

    call_command("migrate", verbosity=0)
    settings.ALLOWED_HOSTS = ["*"]
    actor = actor_for(first_owner("bench@example.org"))
    assert actor is not None
    config = {"transport": "stdio", "command": sys.executable, "args": [str(PROGRAM), "many"]}
    server = server_create(actor, {"name": "many", **config})
    token = issue_token(actor.user, actor.team, "bench")[1]
    client = Client(headers={"authorization": f"Bearer {token}", "accept-encoding": "gzip"})
    at = f"/api/mcp/servers/{server.id}"

    def test() -> None:
        assert client.post(f"{at}/test?tools=0").json()["tool_count"] == COUNT

    def forget() -> None:
        Tool.objects.all().delete()
        schemas._validators.clear()
        schemas._looked_at.clear()

    async def listed() -> None:
        assert await bare() == COUNT

    sdk = cpu(lambda: asyncio.run(listed()))
    beside: dict[str, Any] = {"limit": sdk, "limit_is": "CPU of the SDK client's listing"}
    yield Row("2,000 new tools: connection test, CPU", cpu(test, forget), "s", target=TARGET_S, **beside)
    yield Row("2,000 known tools: connection test, CPU", cpu(test), "s", target=TARGET_S, **beside)
    whole, listing = in_turns(test, lambda: asyncio.run(listed()))
    by_clock: dict[str, Any] = {"limit": listing, "limit_is": "clock of the SDK client's listing, program started"}
    yield Row("2,000 known tools: connection test, clock", whole, "s", target=listing + TARGET_S, **by_clock)
    for what, path, most in (("page of the server", "tools?limit=50", 20), ("palette, quick-add", "tool-names", 40)):
        yield Row(f"2,000 tools: {what}, CPU", cpu(partial(client.get, f"{at}/{path}")), "s", target=TARGET_S)
        yield Row(f"2,000 tools: {what}, wire", len(client.get(f"{at}/{path}").content) / 1000, "kB", target=most)
    LOOP.stop()
