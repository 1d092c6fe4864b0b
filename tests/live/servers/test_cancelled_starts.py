"""Starts that are given up at any point leave no process behind, in every kind of box; an end is over when it is."""

from __future__ import annotations

import asyncio
import contextlib
import random
import signal
import sys
from dataclasses import replace

import psutil
import pytest

from backend.tools.box.finding import find_box
from backend.tools.processes import Program, Reaper
from backend.tools.servers import PoolKey, ServerConfig, StdioRules
from tests.live.servers.conftest import until

pytestmark = [pytest.mark.wide, pytest.mark.skipif(not sys.platform.startswith("linux"), reason="boxes are Linux's")]
KINDS = ("bwrap", "launcher", "landlock", "limits")


@pytest.fixture(params=KINDS)
def rules(request: pytest.FixtureRequest, stdio: StdioRules) -> StdioRules:
    """Programs in one kind of box."""
    box = find_box(request.param)
    if box.kind == "limits" and request.param != "limits":
        pytest.skip(f"no box by {request.param} can be made on this machine")
    return replace(stdio, box=replace(box, groups=()))


def _deaf(mark: str) -> ServerConfig:
    """A program that ends by no polite way: it hears neither the end of stdin nor SIGTERM, and has a child."""
    script = f"trap '' TERM; sleep {mark} & while :; do sleep {mark}; done"
    return ServerConfig(PoolKey("team", mark), mark, "stdio", command="sh", args=("-c", script))


def _marked(mark: str) -> list[list[str]]:
    matches = [item.info for item in psutil.process_iter(["cmdline", "status"])]
    lines = [item["cmdline"] or [] for item in matches if item["status"] != psutil.STATUS_ZOMBIE]
    return [line for line in lines if any(mark in word for word in line)]


def _end_all(mark: str) -> None:
    for item in psutil.process_iter(["cmdline"]):
        if any(mark in word for word in item.info["cmdline"] or []):
            with contextlib.suppress(psutil.NoSuchProcess):
                item.send_signal(signal.SIGKILL)


async def test_a_start_that_is_cancelled_at_any_point_leaves_nothing(rules: StdioRules) -> None:
    mark, reaper, chance = f"98{random.randrange(10**6, 10**7)}", Reaper(), random.Random(7)
    try:
        await asyncio.to_thread(reaper.start)
        for _ in range(60):
            starting = asyncio.create_task(Program.start(_deaf(mark), rules, reaper))
            await asyncio.wait({starting}, timeout=chance.uniform(0, 0.08))
            starting.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await (await starting).end_now()
            assert not _marked(mark), "whoever hears that it was cancelled may count on its being gone"
    finally:
        reaper.close()
        _end_all(mark)


async def test_a_program_that_has_ended_is_gone_with_all_that_it_started(rules: StdioRules) -> None:
    mark, reaper = f"98{random.randrange(10**6, 10**7)}", Reaper()
    try:
        program = await Program.start(_deaf(mark), rules, reaper)
        await until(lambda: len(_marked(mark)) >= 3)
        await program.end()
        assert not _marked(mark)
    finally:
        reaper.close()
        _end_all(mark)
