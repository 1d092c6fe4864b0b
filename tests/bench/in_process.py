"""Figures of the engine with the database's journal, in this process: per node, per barrier, per tool call.

The database is the one that the settings name; the bare one beside it is of the same kind.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import statistics
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from backend.project.environment import environment
from tests.bench.report import Row

NODES = 100
CALLS = 200


def chain(count: int, type_: str, config: dict[str, Any]) -> dict[str, Any]:
    """start → n0 → … → end."""
    names = [f"n{n}" for n in range(count)]
    inner = [{"id": name, "type": type_, "v": 1, "position": {"x": 0, "y": 0}, "config": config} for name in names]
    nodes = [
        {
            "id": "start",
            "type": "start",
            "v": 1,
            "position": {"x": 0, "y": 0},
            "config": {"inputs": {"type": "object"}},
        },
        *inner,
        {"id": "end", "type": "end", "v": 1, "position": {"x": 0, "y": 0}, "config": {"outputs": {}}},
    ]
    line = ["start", *names, "end"]
    edges = [
        {"id": f"e{n}", "source": a, "source_port": "out", "target": b, "target_port": "in"}
        for n, (a, b) in enumerate(pairwise(line))
    ]
    return {"schema": 1, "language": "en", "nodes": nodes, "edges": edges}


class Installation:
    """Database, owner and worker in this process."""

    def __init__(self) -> None:
        from backend.accounts.actor import actor_for
        from backend.accounts.teams.services import first_owner
        from backend.runs.worker.worker import Worker

        call_command("migrate", verbosity=0)
        actor = actor_for(first_owner("bench@example.org"))
        assert actor is not None
        self.actor = actor
        self.worker = Worker(embedded=settings.PATCHBAY.mode == "embedded")
        self.worker.start()

    def workflow(self, document: dict[str, Any]) -> Any:
        """A workflow with this draft."""
        from backend.workflows.models import Workflow

        count = Workflow.objects.count()
        return Workflow.objects.create(
            team=self.actor.team,
            name="bench",
            slug=f"bench-{count}",
            draft=json.dumps(document),
            draft_at=timezone.now(),
        )

    def run(self, workflow: Any) -> float:
        """Seconds from the engine's start (its first event's time) until the durable end of one run is known."""
        from backend.runs.live.hub import HUB
        from backend.runs.live.run_waiters import RunWaiter
        from backend.runs.models import TERMINAL, LogLine, Run
        from backend.runs.starting.services import start_run

        run, _ = start_run(self.actor, workflow, {}, "draft")
        with RunWaiter(HUB, run.pk) as wait:
            self.worker.take(run.pk)
            while True:
                if not wait.next(60):
                    sys.exit("a run does not end")
                known = time.time()
                if Run.objects.values_list("state", flat=True).get(pk=run.pk) in TERMINAL:
                    break
        ended = Run.objects.get(pk=run.pk)
        assert ended.state == "SUCCESS", ended.error
        return float(known - LogLine.objects.get(run=run, type="FLOW_START").ts)


class Bare:
    """A database of the kind in use with one table and nothing above it; its connection stays open, as ours do."""

    def __init__(self, folder: Path) -> None:
        self._cursor: Any
        if connection.vendor == "sqlite":
            self._cursor = sqlite3.connect(folder / "limit.sqlite3", isolation_level=None).cursor()
            self._cursor.execute("PRAGMA journal_mode=WAL")
            self._cursor.execute("PRAGMA synchronous=FULL")
            self._begin, mark, key = "BEGIN IMMEDIATE", "?", "INTEGER PRIMARY KEY"
        else:
            self._cursor = psycopg.connect(environment().database_url, autocommit=True).cursor()
            self._begin, mark, key = "BEGIN", "%s", "BIGSERIAL PRIMARY KEY"
        self._insert = f"INSERT INTO limit_line (run, seq, data) VALUES ({mark}, {mark}, {mark})"
        self._cursor.execute(f"CREATE TABLE IF NOT EXISTS limit_line (id {key}, run TEXT, seq INT, data TEXT)")
        self.commit(1)

    def commit(self, count: int) -> float:
        """Milliseconds per row of `count` rows in one synchronous commit."""
        rows = [("run_0123456789", n, "x" * 200) for n in range(count)]
        began = time.perf_counter()
        self._cursor.execute(self._begin)
        self._cursor.executemany(self._insert, rows)
        self._cursor.execute("COMMIT")
        return (time.perf_counter() - began) * 1000 / count

    def commits(self, count: int) -> float:
        """Milliseconds per commit of `count` commits of two rows, one after the other."""
        return statistics.fmean(self.commit(2) * 2 for _ in range(count))


def nodes(here: Installation, target: float | None = 0.2) -> Row:
    """Per node of a chain of set_variable nodes, journal included."""
    workflow = here.workflow(chain(NODES, "set_variable", {"values": {"x": 1}}))
    spent = min(here.run(workflow) for _ in range(7)) * 1000 / NODES
    bare = Bare(settings.PATCHBAY.data)
    limit = min(bare.commit(NODES * 3) for _ in range(5)) * 3
    return Row("per node, chain of 100 set_variable", spent, "ms", target, limit, "3 bare rows in one commit")


def barriers(here: Installation, target: float | None = 0.7) -> Row:
    """Per node when each waits for the disk: two lines and a barrier, as the journal of a write does.

    The best of some rounds, each beside a round of bare commits: a disk that others use makes some of them slow.
    """
    from backend.engine.execution.ports import Entry
    from backend.files.services import blob_store
    from backend.runs.log.journal import DatabaseJournal
    from backend.runs.models import Run
    from backend.tools.loop import LOOP

    workflow = here.workflow(chain(1, "set_variable", {"values": {}}))
    graph = blob_store(workflow.team_id, b"{}")
    run = Run.objects.create(
        team=workflow.team, workflow=workflow, graph=graph, state="RUNNING", fence=1, queued_at=timezone.now(),
        owner="bench",
        lease_until=time.time() + 600,
    )  # fmt: skip

    async def start() -> DatabaseJournal:
        return DatabaseJournal(here.worker.writer, run.pk, run.team_id, 1)

    async def work() -> float:
        began = time.perf_counter()
        for n in range(NODES):
            journal.append(Entry(node=f"n{n}", type="STEP_INIT", data={"attempt": 1}, record="emit", key="init"))
            journal.append(Entry(node=f"n{n}", type="TOOL_REQUEST", data={"call": "c"}, record="start", key="c"))
            await journal.barrier()
        return (time.perf_counter() - began) * 1000 / NODES

    journal, bare = LOOP.run(start()), Bare(settings.PATCHBAY.data)
    rounds = [(LOOP.run(work()), bare.commits(NODES)) for _ in range(7)]
    Run.objects.filter(pk=run.pk).update(state="SUCCESS")
    spent, limit = (min(column) for column in zip(*rounds, strict=True))
    return Row("per node with a durable barrier at every node", spent, "ms", target, limit, "bare synchronous commit")


def tool_calls(here: Installation) -> list[Row]:
    """A tool node on the pooled demo server against the bare SDK on a connection of its own."""
    config = {"server": "demo", "tool": "echo", "arguments": {"text": "x" * 100}}
    workflow = here.workflow(chain(CALLS, "tool", config))
    here.run(workflow)  # connects
    ours = min(here.run(workflow) for _ in range(3)) * 1000 / CALLS
    bare = asyncio.run(_bare_calls())
    row = Row("tool node on a pooled stdio connection", ours, "ms", 1.5 * bare + 1, bare, "bare pooled SDK call")
    return [row]


async def _bare_calls() -> float:
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    program = str(Path(__file__).parents[2] / "backend" / "demo" / "server.py")
    best = float("inf")
    async with Client(stdio_client(StdioServerParameters(command=sys.executable, args=[program]))) as client:
        for _ in range(3):
            began = time.perf_counter()
            for _ in range(CALLS):
                await client.call_tool("echo", {"text": "x" * 100})
            best = min(best, (time.perf_counter() - began) * 1000 / CALLS)
    return best


def measure() -> list[Row]:
    """All rows of this file."""
    here = Installation()
    try:
        return [nodes(here), barriers(here), *tool_calls(here)]
    finally:
        here.worker.stop(5)
