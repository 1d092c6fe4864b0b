"""What is left of twenty thousand runs: memory, threads and open files of the whole process tree, in both modes.

Fifty clients start runs of one node over REST and wait for each. Memory is read after a quarter, half and all of them,
each time once the clients have gone, and again after a quiet minute; idle is what there was just after the start. What
leaks grows with the runs; what a burst needs does not. `BENCH_LEAK_RUNS` = how many (20,000). Embedded here;
`leaks_scaled` is the same on Postgres and Redis.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

import psutil

from tests.bench.over_http import CLIENTS, SETTINGS, Client, Installed, one_node, processes
from tests.bench.report import Row
from tests.instance import Instance

RUNS = int(os.environ.get("BENCH_LEAK_RUNS", "20000"))
QUIET_S = 60.0
MOST_MB = 200.0
BACK = 1.2
FILES = CLIENTS
"""So many more files may be open: SQLite keeps the descriptors of closed connections for those that are opened next, as
many as there ever were at once."""
FLAT = 1.1
"""So many times what there was after a quarter of the runs there may be after all of them."""


@dataclass(frozen=True, slots=True)
class Held:
    """What the process tree has at a moment."""

    mb: float
    threads: int
    files: int


def held(instance: Installed) -> Held:
    """What it has now, with all that it started."""
    mb, threads, files = 0.0, 0, 0
    for process in [*processes(instance), *instance.children()]:
        with suppress(psutil.NoSuchProcess):
            mb += process.memory_info().rss / 2**20
            threads += process.num_threads()
            files += process.num_fds()
    return Held(mb, threads, files)


def run_many(instance: Installed, token: str, count: int) -> None:
    """So many runs of one node by fifty clients, each waited for."""
    path, body = one_node(Client(instance, token))

    def program(_: int) -> None:
        own = Client(instance, token)
        for _ in range(count // CLIENTS):
            own.ask("POST", path, body)

    with ThreadPoolExecutor(CLIENTS) as programs:
        list(programs.map(program, range(CLIENTS)))


def rows(instance: Installed, token: str, most_mb: float | None) -> Iterator[Row]:
    """All rows of one installation that has just started."""
    Client(instance, token).ask("GET", "/api/runs")
    threading.Event().wait(QUIET_S / 4)
    fresh = held(instance)
    yield Row("idle, just started", fresh.mb, "MB")
    run_many(instance, token, CLIENTS)  # what is loaded and connected on first use is no leak
    threading.Event().wait(QUIET_S)
    idle = held(instance)
    yield Row("idle, after fifty runs and a minute", idle.mb, "MB", None, fresh.mb, "just started")
    done, seen = 0, []
    for part in (RUNS // 4, RUNS // 2, RUNS):
        run_many(instance, token, part - done)
        done = part
        seen.append(held(instance))
        yield Row(f"memory after {done:,} runs", seen[-1].mb, "MB", most_mb)
    yield Row("  over what it was after a quarter of them", seen[-1].mb / seen[0].mb, "x", FLAT)
    threading.Event().wait(QUIET_S)
    left = held(instance)
    yield Row("memory a minute later", left.mb, "MB", None, idle.mb, "after fifty runs and a minute")
    yield Row("  over idle", left.mb / fresh.mb, "x", BACK)
    yield Row("  threads more than after fifty runs", left.threads - idle.threads, "", 0)
    yield Row("  open files more", left.files - idle.files, "", FILES)


def measure() -> Iterator[Row]:
    """All rows of this file."""
    from django.conf import settings

    instance = Instance(settings.PATCHBAY.data, extra=SETTINGS)
    try:
        yield from rows(instance, instance.start().token(), MOST_MB)
    finally:
        instance.kill()
