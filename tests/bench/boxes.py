"""What a box costs: a program that says one word, started bare and in every kind of box that this machine gives; and a
line that goes to a program which runs already and comes back, as a call on a pooled connection does."""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from backend.tools.box.finding import NO_BOX, Box, find_box
from backend.tools.processes import Program, Reaper
from backend.tools.programs.bundled import bundled_dirs, shared_places
from backend.tools.servers import PoolKey, ServerConfig, StdioRules, passed_on
from tests.bench.report import Row

STARTS, CALLS = 20, 2_000
MOST_MS = 30.0
UNCHANGED_MS = 0.05
"""By so much a line that comes back may take longer: a hundredth of a tool call."""
KINDS = {"bwrap": "bubblewrap", "launcher": "launcher with namespaces", "landlock": "launcher, Landlock only"}
ECHO = "import sys\nfor line in sys.stdin:\n    sys.stdout.write(line)\n    sys.stdout.flush()"
LINE = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"%s"}}}\n' % (
    b"x" * 100
)


@asynccontextmanager
async def _running(box: Box, folder: str, reaper: Reaper, *line: str) -> AsyncIterator[Program]:
    """A program in this box."""
    config = ServerConfig(PoolKey("t", "s"), "s", "stdio", command=line[0], args=line[1:])
    rules = StdioRules(
        allowed=True,
        base_env=passed_on(os.environ),
        extra_path=bundled_dirs(),
        home_root=Path(folder) / "homes",
        box=box,
        shared=shared_places(),
    )
    program = await Program.start(config, rules, reaper)
    try:
        yield program
    finally:
        await program.end()


async def _word(program: Program, line: bytes = b"") -> bytes:
    """What it says, asked or unasked."""
    process = program.process
    assert process.stdin is not None and process.stdout is not None
    if line:
        process.stdin.write(line)
        await process.stdin.drain()
    return await process.stdout.readline()


async def _starts(boxes: list[Box]) -> list[float]:
    """Milliseconds until the first word, median per box; they take turns, so that noise meets all alike."""
    taken: list[list[float]] = [[] for _ in boxes]
    reaper = Reaper()
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(STARTS):
            for place, box in enumerate(boxes):
                began = time.perf_counter()
                async with _running(box, folder, reaper, "/bin/echo", "here") as program:
                    await _word(program)
                    taken[place].append((time.perf_counter() - began) * 1000)
    reaper.close()
    return [statistics.median(item) for item in taken]


async def _calls(boxes: list[Box]) -> list[float]:
    """Milliseconds until a line came back, median per box; all run at once and take turns."""
    taken: list[list[float]] = [[] for _ in boxes]
    reaper = Reaper()
    with tempfile.TemporaryDirectory() as folder:
        async with AsyncExitStack() as stack:
            programs = [
                await stack.enter_async_context(_running(box, folder, reaper, sys.executable, "-c", ECHO))
                for box in boxes
            ]
            for program in programs:
                assert await _word(program, LINE) == LINE
            for _ in range(CALLS):
                for place, program in enumerate(programs):
                    began = time.perf_counter()
                    await _word(program, LINE)
                    taken[place].append((time.perf_counter() - began) * 1000)
    reaper.close()
    return [statistics.median(item) for item in taken]


def measure() -> list[Row]:
    """Two rows per kind."""
    matches = [kind for kind in KINDS if find_box(kind).kind != "limits"]
    boxes = [NO_BOX, *(find_box(kind) for kind in matches)]
    bare, *boxed = asyncio.run(_starts(boxes))
    alone, *within = asyncio.run(_calls(boxes))
    return [
        *(
            Row(f"start in a box: {KINDS[kind]}", took, "ms", bare + MOST_MS, bare, "bare start")
            for kind, took in zip(matches, boxed, strict=True)
        ),
        *(
            Row(f"line to and fro: {KINDS[kind]}", took, "ms", alone + UNCHANGED_MS, alone, "the same without a box")
            for kind, took in zip(matches, within, strict=True)
        ),
    ]
