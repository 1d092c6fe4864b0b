"""The same figures of a scaled installation: Postgres and Redis on this machine, one web process, two workers.

Its database is durable (fsync on). Where design.md names no figure for this mode there is no target, only the ratio.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import psycopg

from tests.bench import in_process
from tests.bench.in_process import Installation, chain
from tests.bench.over_http import SETTINGS, WATCHERS, Client, fan_out, memory, rest, workflow
from tests.bench.report import Row
from tests.bench.waiting import people
from tests.instance import ScaledInstance, until

LEASE_S = 3.0
RUNS = 30


def of_the_engine() -> list[Row]:
    """Per node and per barrier, in this process, on Postgres."""
    here = Installation()
    try:
        return [in_process.nodes(here, None), in_process.barriers(here, None)]
    finally:
        here.worker.stop(5)


def after_a_kill(instance: ScaledInstance, token: str) -> Row:
    """Thirty runs in two workers, SIGKILL of one, and how long until the other has all of its runs going."""
    client = Client(instance, token)
    graph = chain(1, "tool", {"server": "demo", "tool": "slow", "arguments": {"seconds": 40}})
    path = f"/api/workflows/{workflow(client, 'Slow', graph)}/runs"
    runs = {str(client.ask("POST", path, {"version": "draft", "inputs": {}})["id"]) for _ in range(RUNS)}

    def told(event: str, of: set[str]) -> bool:
        logs = [client.ask("GET", f"/api/runs/{run}/events")["results"] for run in of]
        return all(any(line["type"] == event for line in log) for log in logs)

    until(lambda: told("TOOL_REQUEST", runs), 60)
    lost = instance.workers[0]
    with psycopg.connect(instance.environment()["DATABASE_URL"]) as database:
        owned = database.execute("SELECT id FROM runs_run WHERE owner LIKE %s", [f"%:{lost.pid}:%"]).fetchall()
    lost.kill()
    began = time.perf_counter()
    until(lambda: told("FLOW_RESUME", {run for (run,) in owned}), 60)
    spent = time.perf_counter() - began
    for run in runs:
        client.ask("POST", f"/api/runs/{run}/cancel", {})
    until(lambda: not client.ask("GET", "/api/runs?state=RUNNING")["results"], 60)
    instance.start(lost)
    what = f"{len(owned)} runs of a killed worker going again"
    return Row(what, spent, "s", LEASE_S + 5, LEASE_S, "the lease")


def measure() -> list[Row]:
    """All rows of this file."""
    rows = of_the_engine()
    with tempfile.TemporaryDirectory() as folder:
        instance = ScaledInstance(Path(folder), web=1, workers=2, extra=SETTINGS, lease_s=LEASE_S)
        try:
            token = instance.start().token()
            rows.append(Row("idle memory of one web and two worker processes", memory(instance), "MB"))
            rows += rest(instance, token, targets=None)
            for watchers in WATCHERS:
                rows += fan_out(instance, token, watchers)
            rows.append(after_a_kill(instance, token))
            rows.append(people(instance, token))
        finally:
            instance.kill()
    return [Row(f"scaled: {row.what}", *_rest(row)) for row in rows]


def _rest(row: Row) -> tuple[float, str, float | None, float | None, str, bool]:
    return row.value, row.unit, row.target, row.limit, row.limit_is, row.lower
