"""An installation that is full: what people and programs wait for, beside what they waited for when it was empty.

Scaled, on a durable Postgres: 100,000 stored runs with some fifty log lines each, 10,000 workflows, 500 servers, 50,000
runs that wait for timers, 1,000 that call a tool, 2,000 open sockets on one web process, two workers.
`BENCH_SCALE=10` makes it a million runs and fifty million lines (some 30 GB of disk); below 1 everything is less.
The same on SQLite, with a tenth of the sockets and of the active runs: `at_scale_embedded`.

What it leaves out: rows of the audit trail for the seeded runs, and many requests at once (`over_http` measures
those): requests go one after the other, so p95 is what the database and the full processes add, not a queue.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import psutil
import psycopg
import redis
import websockets

from tests.bench import seeding
from tests.bench.in_process import chain
from tests.bench.over_http import Client, Installed, memory, processes, workflow
from tests.bench.report import Row, percentile
from tests.instance import ScaledInstance, until

SCALE = float(os.environ.get("BENCH_SCALE", "1"))
RUNS = int(100_000 * SCALE)
LESS = min(SCALE, 1.0)
WORKFLOWS, SERVERS = int(10_000 * LESS), int(500 * LESS)
STARTERS = 8
TRIVIAL = 500
"""Runs of one node of which it is counted what they leave in the database."""
TARGET_BYTES = 2500
TIMES = 50
CANCELS = 24
DAYS = 20
HOUR_S = 3600
MOST_TIMES = 3.0
"""So many times what it took on an empty installation, at most."""


@dataclass(frozen=True, slots=True)
class Size:
    """How full an installation is made: runs that wait for a timer, runs under way, open sockets."""

    waiting: int
    active: int
    sockets: int


SCALED = Size(waiting=int(50_000 * LESS), active=int(1_000 * LESS), sockets=int(2_000 * LESS))


def settings_of(size: Size) -> dict[str, str]:
    """Settings of the installation: with the default ones, most of it would be refused or would wait."""
    return {
        "PATCHBAY_RUN_STARTS_PER_15S": "0",
        "PATCHBAY_WAITING_PER_TOKEN": "0",
        "PATCHBAY_MAX_CONCURRENT_RUNS": str(size.active + 200),
        "PATCHBAY_WORKER_CONCURRENCY": str(size.active + 100),
        "PATCHBAY_SOCKETS_PER_PERSON": "0",
        "PATCHBAY_SOCKETS_PER_TOKEN": "0",
        "PATCHBAY_CONNECTIONS_PER_PERSON": "0",
        "PATCHBAY_IDLE_CONNECTIONS": str(size.sockets + 512),
        "PATCHBAY_SERVER_CHECK_S": "0",
        "PATCHBAY_RETENTION_DAYS": "0",
    }


def realistic() -> dict[str, Any]:
    """A workflow whose run leaves some fifty lines: calls of a tool, and texts made of what they answered."""
    graph = chain(
        8, "tool", {"server": "demo", "tool": "echo", "arguments": {"text": "An answer of usual length. " * 8}}
    )
    for number, node in enumerate(graph["nodes"][1:-1]):
        if number % 2:
            text = f"{{{{ n{number - 1}.result }}}}"
            node.update(type="template", config={"template": f"{text} and what is made of it"})
    graph["nodes"][-1]["config"] = {"outputs": {"text": "{{ n7.text }}"}}
    return graph


class Request:
    """An installation as a program sees it. Times are milliseconds of one request after the other."""

    def __init__(self, instance: Installed, token: str) -> None:
        self.instance, self.token = instance, token
        self.client = Client(instance, token)
        one = chain(1, "template", {"template": "x"})
        slow = chain(1, "tool", {"server": "demo", "tool": "slow", "arguments": {"seconds": HOUR_S}})
        self._one, self._slow = (workflow(self.client, name, graph) for name, graph in (("One", one), ("Slow", slow)))

    def run(self, of: str, wait: int = 0) -> str:
        """Start a run; gives its id."""
        body = {"version": "draft", "inputs": {}, **({"wait": wait} if wait else {})}
        return str(self.client.ask("POST", f"/api/workflows/{of}/runs", body)["id"])

    def activate(self, count: int) -> list[str]:
        """Start runs that call a tool for an hour, and wait until all of them are under way."""
        path, body = f"/api/workflows/{self._slow}/runs", {"version": "draft", "inputs": {}}

        def some(_: int) -> list[str]:
            own = Client(self.instance, self.token)
            return [str(own.ask("POST", path, body)["id"]) for _ in range(max(count // STARTERS, 1))]

        with ThreadPoolExecutor(STARTERS) as starters:
            runs = [run for some_runs in starters.map(some, range(STARTERS)) for run in some_runs]
        asking = Client(self.instance, self.token)  # the other one was quiet for so long that it may be closed
        until(lambda: asking.ask("GET", "/api/queue")["running"] >= len(runs), 300)
        return runs

    def times(self, stored: Sequence[str], active: Sequence[str]) -> dict[str, float]:
        """p95 of each thing that is done. `stored` = ended runs to open, `active` = runs under way to cancel."""
        self.client = Client(self.instance, self.token)
        started, claimed = self._starts()
        return {
            "start": percentile(started, 0.95),
            "claim: from start to running": percentile(claimed, 0.95),
            **{what: percentile(self._gets(paths), 0.95) for what, paths in self._pages(stored).items()},
            "cancel": percentile([self._cancel(run) for run in active[:CANCELS]], 0.95),
        }

    def _starts(self) -> tuple[list[float], list[float]]:
        path, body = f"/api/workflows/{self._one}/runs", {"version": "draft", "inputs": {}}
        started, claimed = [], []
        for _ in range(TIMES):
            began = time.perf_counter()
            run = self.client.ask("POST", path, body)["id"]
            started.append((time.perf_counter() - began) * 1000)
            shown = until(lambda: self._ended(run), 60)  # noqa: B023 - called within this round
            claimed.append(_ms(shown["queued_at"], shown["started_at"]))
        return started, claimed

    def _ended(self, run: str) -> Any:
        shown = self.client.ask("GET", f"/api/runs/{run}")
        return shown if shown["finished_at"] else None

    def _cancel(self, run: str) -> float:
        """Until the run has ended, by the clock of who asks."""
        began = time.perf_counter()
        self.client.ask("POST", f"/api/runs/{run}/cancel", {})
        while not self._ended(run):
            pass
        return (time.perf_counter() - began) * 1000

    def _pages(self, stored: Sequence[str]) -> dict[str, list[str]]:
        lists = ["/api/runs?limit=50", "/api/runs?limit=50&state=ERROR", f"/api/runs?limit=50&workflow={self._one}"]
        lists += ["/api/workflows?limit=50", "/api/mcp/servers?limit=50", "/api/runs?limit=50&state=WAITING"]
        words = ["/api/workflows?limit=50&q=99", "/api/mcp/servers?limit=50&q=tool_7", "/api/workflows?q=nowhere"]
        words += ["/api/run-callers?q=a"]
        opened = [f"/api/runs/{run}{part}" for run in stored for part in ("", "/events?limit=1000")]
        return {"list": lists * 5, "open a run, and its log": opened, "search": words * 8}

    def _gets(self, paths: Sequence[str]) -> list[float]:
        return [self.client.timed("GET", path) for path in paths]

    def one_node(self, count: int) -> None:
        """Run so many runs of one node, to their ends."""
        self.client = Client(self.instance, self.token)
        for _ in range(count):
            self.run(self._one, wait=60)


def _ms(since: str, until_: str) -> float:
    return (datetime.fromisoformat(until_) - datetime.fromisoformat(since)).total_seconds() * 1000


@contextmanager
def open_sockets(instance: Installed, token: str, count: int, runs: Sequence[str]) -> Iterator[None]:
    """So many sockets, each following one of the runs; they are read all the time."""
    loop, opened, over = asyncio.new_event_loop(), threading.Event(), asyncio.Event()
    address = f"ws://127.0.0.1:{urlsplit(instance.url).port}/ws/"
    headers = {"Authorization": f"Bearer {token}"}

    async def one(number: int, room: asyncio.Semaphore, ready: asyncio.Queue[int]) -> None:
        async with room:
            socket = await websockets.connect(
                address, additional_headers=headers, max_size=None, ping_interval=None, open_timeout=60
            )
            await socket.send(json.dumps({"action": "subscribe", "topic": f"run:{runs[number % len(runs)]}"}))
            await socket.recv()
        ready.put_nowait(number)
        reading = asyncio.ensure_future(_read(socket))
        await over.wait()
        reading.cancel()
        await socket.close()

    async def all_of_them() -> None:
        room, ready = asyncio.Semaphore(20), asyncio.Queue[int]()
        tasks = [asyncio.ensure_future(one(number, room, ready)) for number in range(count)]
        for _ in range(count):
            await ready.get()
        opened.set()
        await asyncio.gather(*tasks)

    thread = threading.Thread(target=loop.run_until_complete, args=(all_of_them(),), daemon=True)
    thread.start()
    if not opened.wait(300):
        raise SystemExit("the sockets do not open")
    try:
        yield
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(60)


async def _read(socket: websockets.ClientConnection) -> None:
    async for _ in socket:
        pass


def table_bytes(packed: bool = False) -> dict[str, int]:
    """Bytes of each table with its indexes. `packed` = on Postgres without earlier versions of its rows, whose room is
    used again; SQLite has none."""
    from django.db import connection

    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            if packed:
                cursor.execute("VACUUM FULL")
            cursor.execute("SELECT relname, pg_total_relation_size(oid) FROM pg_class WHERE relkind = 'r'")
        else:
            cursor.execute(
                "SELECT m.tbl_name, SUM(s.pgsize) FROM dbstat('main', 1) s JOIN sqlite_master m ON m.name = s.name "
                "GROUP BY m.tbl_name"
            )
        matches = {str(name): int(size) for name, size in cursor.fetchall()}
    connection.close()
    return matches


def all_audited() -> None:
    """Wait until every start has its row in the audit trail and its link in the chain: both come some time after it."""
    from django.db import connection

    from backend.accounts.models import AuditEntry, AuditNote

    unlinked = AuditEntry.objects.filter(team__isnull=False, link=None)
    until(lambda: not AuditNote.objects.exists() and not unlinked.exists(), 300)
    connection.close()


def all_summed() -> None:
    """Add up what is noted of stored runs: each run notes it, but at most a thousand such rows of a team stay."""
    from backend.accounts.models import Team
    from backend.runs.log import stored_runs

    for team in Team.objects.values_list("pk", flat=True):
        stored_runs.fold(team)


def bytes_of_a_run(request: Request) -> Iterator[Row]:
    """What a run of one node leaves behind, by the tables that have most of it."""
    request.one_node(100)
    all_audited()
    all_summed()
    before = table_bytes(packed=True)
    request.one_node(TRIVIAL)
    all_audited()
    all_summed()
    grown = {name: (size - before.get(name, 0)) / TRIVIAL for name, size in table_bytes(packed=True).items()}
    yield Row("bytes that a run of one node leaves", sum(grown.values()), "B", TARGET_BYTES)
    for name, size in sorted(grown.items(), key=lambda item: -item[1])[:4]:
        yield Row(f"  of these in {name}", size, "B")


def seed(size: Size) -> tuple[seeding.Copies, int]:
    """Fill the database of this process, whose installation does not run; gives the copies, and how many have ended."""
    from django.utils import timezone

    from backend.runs.models import Run

    run = Run.objects.select_related("team", "started_by").filter(state="SUCCESS").latest("queued_at")
    now = timezone.now()
    assert run.started_by is not None
    seeding.servers(run.team, now, SERVERS)
    seeding.workflows(run.team, run.started_by, now, WORKFLOWS, SERVERS)
    copies = seeding.Copies(run.pk, WORKFLOWS)
    later = time.time() + 24 * HOUR_S
    waits = {
        "state": "'WAITING'",
        "wake_at": f"{later} + n",
        "finished_at": "NULL",
        "waiting": f"'{json.dumps([{'kind': 'timer', 'until': later}])}'",
    }
    with copies.many():
        copies.make(0, RUNS, now - timedelta(days=DAYS), now - timedelta(hours=1))
        copies.make(RUNS, size.waiting, now - timedelta(hours=1), now, **waits)
    seeding.after_seeding()
    return copies, RUNS


def sizes(instance: Installed) -> dict[str, float]:
    """MB of the largest process of each kind."""
    if not isinstance(instance, ScaledInstance):
        return {"Patchbay": memory(instance)}
    results: dict[str, float] = {}
    for process in instance.processes:
        results[process.kind] = max(
            results.get(process.kind, 0.0), psutil.Process(process.pid).memory_info().rss / 2**20
        )
    return results


def beside(instance: ScaledInstance) -> Iterator[Row]:
    """What the servers beside it have because of it."""
    where = instance.environment()
    with psycopg.connect(where["DATABASE_URL"]) as database:
        counted = database.execute("SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()")
        connections = counted.fetchone()
    assert connections is not None
    yield Row("  connections to Postgres, of one web and two worker processes", connections[0] - 1, "")
    client = redis.Redis.from_url(where["REDIS_URL"])
    yield Row("  memory of Redis", int(client.info("memory")["used_memory"]) / 2**20, "MB")
    client.close()


def full(instance: Installed, token: str, size: Size) -> Iterator[Row]:
    """All rows: empty, then full."""
    request = Request(instance, token)
    template = workflow(request.client, "Realistic", realistic())
    few = request.activate(max(STARTERS * (CANCELS // STARTERS + 1), 8))
    request.one_node(20)
    some = [request.run(template, wait=60) for _ in range(20)]
    empty = request.times(some, few)
    for run in few[CANCELS:]:
        request.client.ask("POST", f"/api/runs/{run}/cancel", {})
    yield from bytes_of_a_run(request)
    request.run(template, wait=60)  # the newest: it is what the others are copies of
    instance.stop()
    began = time.perf_counter()
    copies, ended = seed(size)
    yield Row("stored runs", ended, "", lower=False)
    yield Row("log lines", (ended + size.waiting) * copies.lines, "", lower=False)
    yield Row("  GB of the database", sum(table_bytes().values()) / 2**30, "GB")
    yield Row("  seconds of seeding", time.perf_counter() - began, "s")
    instance.start()
    request = Request(instance, token)
    idle = memory(instance)
    for kind, mb in sizes(instance).items():
        yield Row(f"idle memory of a {kind} process", mb, "MB")
    active = request.activate(size.active)
    yield Row(f"{len(active):,} runs under way: memory of each", (memory(instance) - idle) * 1024 / len(active), "KB")
    before = processes(instance)[0].memory_info().rss
    if isinstance(instance, ScaledInstance):
        yield from beside(instance)
    with open_sockets(instance, token, size.sockets, active):
        web = processes(instance)[0].memory_info().rss - before
        yield Row(f"{size.sockets:,} open sockets: memory of each", web / 1024 / size.sockets, "KB")
        chosen = random.Random(1).sample(range(ended), min(ended, TIMES))
        for what, took in request.times([copies.key(number) for number in chosen], active).items():
            most = MOST_TIMES * empty[what]
            yield Row(f"{what}, p95", took, "ms", most, empty[what], "the same, nothing stored")


def measure() -> Iterator[Row]:
    """All rows of this file."""
    from django.conf import settings

    where = {name: os.environ[name] for name in ("DATABASE_URL", "REDIS_URL")}
    instance = ScaledInstance(
        settings.PATCHBAY.data, web=1, workers=2, extra=settings_of(SCALED), lease_s=15, where=where
    )
    try:
        yield from full(instance, instance.start().token(), SCALED)
    finally:
        instance.kill()
