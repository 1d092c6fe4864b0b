"""What a box costs: a program that says one word, started bare and in every kind of box that this machine gives."""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import time
from pathlib import Path

from backend.tools.box.finding import NO_BOX, Box, find_box
from backend.tools.bundled import bundled_dirs, shared_places
from backend.tools.processes import Program, Reaper
from backend.tools.servers import PoolKey, ServerConfig, StdioRules, passed_on
from tests.bench.report import Row

STARTS = 20
MOST_MS = 30.0
KINDS = {"bwrap": "bubblewrap", "launcher": "launcher with namespaces", "landlock": "launcher, Landlock only"}


async def _starts(boxes: list[Box]) -> list[float]:
    """Milliseconds until the first word, median per box; they take turns, so that noise meets all alike."""
    taken: list[list[float]] = [[] for _ in boxes]
    reaper = Reaper()
    with tempfile.TemporaryDirectory() as folder:
        config = ServerConfig(PoolKey("t", "s"), "s", "stdio", command="/bin/echo", args=("here",))
        for _ in range(STARTS):
            for place, box in enumerate(boxes):
                rules = StdioRules(
                    allowed=True,
                    base_env=passed_on(os.environ),
                    extra_path=bundled_dirs(),
                    home_root=Path(folder) / "homes",
                    box=box,
                    shared=shared_places(),
                )
                began = time.perf_counter()
                program = await Program.start(config, rules, reaper)
                if program.process.stdout is not None:
                    await program.process.stdout.readline()
                taken[place].append((time.perf_counter() - began) * 1000)
                await program.end()
    reaper.close()
    return [statistics.median(item) for item in taken]


def measure() -> list[Row]:
    """One row per kind."""
    found = [kind for kind in KINDS if find_box(kind).kind != "limits"]
    bare, *boxed = asyncio.run(_starts([NO_BOX, *(find_box(kind) for kind in found)]))
    return [
        Row(f"start in a box: {KINDS[kind]}", took, "ms", bare + MOST_MS, bare, "bare start")
        for kind, took in zip(found, boxed, strict=True)
    ]
