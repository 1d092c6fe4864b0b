"""Figures of a whole installation from outside: REST, websockets, start, memory, long histories, after a kill.

What takes an `Installed` measures either mode; `tests.bench.scaled` asks for the same of the other one.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

import psutil

from tests.bench.floor import PATH, Floor
from tests.bench.in_process import chain
from tests.bench.report import Row, percentile
from tests.bench.watching import watch
from tests.instance import ROOT, Instance, ScaledInstance, until

Installed = Instance | ScaledInstance
CLIENTS = 50
FLOOR_CLIENTS = (10, 50)
WATCHERS = (1, 10, 100)
OLD_RUNS = 3000
YEAR = "from=2026-01-01&to=2026-12-31"
SETTINGS = {"PATCHBAY_RUN_STARTS_PER_15S": "0", "PATCHBAY_MAX_CONCURRENT_RUNS": "200"}


class Client:
    """One keep-alive connection of one program."""

    def __init__(self, instance: Installed | Floor, token: str = "") -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", urlsplit(instance.url).port, timeout=60)
        self._headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The JSON answer; exits on a refusal."""
        data = None if body is None else json.dumps(body)
        self._connection.request(method, path, data, self._headers)
        answer = self._connection.getresponse()
        raw = answer.read()
        if answer.status >= 300:
            sys.exit(f"{method} {path}: {answer.status} {raw[:500]!r}")
        return json.loads(raw)

    def timed(self, method: str, path: str, body: Any = None) -> float:
        """Milliseconds that the answer took."""
        began = time.perf_counter()
        self.ask(method, path, body)
        return (time.perf_counter() - began) * 1000


def workflow(client: Client, name: str, graph: dict[str, Any]) -> str:
    """A new workflow with this draft."""
    created = client.ask("POST", "/api/workflows", {"name": name})
    body = {"revision": created["draft"]["revision"], "graph": graph}
    client.ask("PUT", f"/api/workflows/{created['id']}/draft", body)
    return str(created["id"])


def processes(instance: Installed) -> list[psutil.Process]:
    """The installation's own processes, without those that they started."""
    if isinstance(instance, ScaledInstance):
        return [psutil.Process(process.pid) for process in instance.processes]
    assert instance.process is not None
    return [psutil.Process(instance.process.pid)]


def cpu(instance: Installed) -> float:
    """CPU seconds that the installation's own processes have used."""
    times = [process.cpu_times() for process in processes(instance)]
    return float(sum(time_.user + time_.system for time_ in times))


def memory(instance: Installed) -> float:
    """MB of the installation's own processes."""
    return float(sum(process.memory_info().rss for process in processes(instance)) / 2**20)


def one_node(client: Client) -> tuple[str, dict[str, Any]]:
    """(path, body) that starts a run of one node and waits for its end."""
    path = f"/api/workflows/{workflow(client, 'One', chain(1, 'template', {'template': 'x'}))}/runs"
    return path, {"version": "draft", "inputs": {}, "wait": 30}


def rest(instance: Installed, token: str, targets: tuple[float, float, float] | None = (12, 150, 6)) -> list[Row]:
    """One-node runs over REST with `wait`."""
    client = Client(instance, token)
    path, body = one_node(client)
    p50, rate, each_cpu = targets or (None, None, None)
    before = cpu(instance)
    health = percentile([client.timed("GET", "/api/health") for _ in range(300)], 0.5)
    answer = (cpu(instance) - before) * 1000 / 300
    for _ in range(20):
        client.ask("POST", path, body)
    alone = [client.timed("POST", path, body) for _ in range(150)]
    before, began = cpu(instance), time.perf_counter()
    each = 20

    def program(_: int) -> list[float]:
        own = Client(instance, token)
        return [own.timed("POST", path, body) for _ in range(each)]

    with ThreadPoolExecutor(CLIENTS) as programs:
        list(programs.map(program, range(CLIENTS)))
    spent, used = time.perf_counter() - began, cpu(instance) - before
    count = CLIENTS * each
    return [
        Row("one-node run over REST with wait, p50", percentile(alone, 0.5), "ms", p50, health, "GET /api/health p50"),
        Row(f"runs per second, {CLIENTS} clients", count / spent, "1/s", rate, lower=False),
        Row("CPU per such run", used * 1000 / count, "ms", each_cpu, answer, "CPU of GET /api/health"),
    ]


def tree_cpu(roots: list[psutil.Process]) -> float:
    """CPU seconds of these processes and of all below them, those that ended among them."""
    used = 0.0
    for root in roots:
        times = root.cpu_times()
        used += times.user + times.system + times.children_user + times.children_system
        for child in root.children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                own = child.cpu_times()
                used += own.user + own.system
    return used


@dataclass
class Side:
    """One of two things that are asked in turns: whose figures they are, how it is asked, what was measured."""

    instance: Installed | Floor
    token: str
    path: str
    body: dict[str, Any]
    alone: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    rates: dict[int, list[float]] = field(default_factory=dict)

    def one_by_one(self, count: int) -> None:
        """So many runs of one client: milliseconds of each, CPU milliseconds of one."""
        client = Client(self.instance, self.token)
        roots = self.instance.processes() if isinstance(self.instance, Floor) else processes(self.instance)
        before = tree_cpu(roots)
        self.alone += [client.timed("POST", self.path, self.body) for _ in range(count)]
        self.cpu.append((tree_cpu(roots) - before) * 1000 / count)

    def at_once(self, clients: int, each: int) -> None:
        """So many runs of each of so many clients: runs per second."""
        opened = [Client(self.instance, self.token) for _ in range(clients)]
        for client in opened:  # whatever is made with the first request of many
            client.ask("POST", self.path, self.body)

        def program(client: Client) -> None:
            for _ in range(each):
                client.ask("POST", self.path, self.body)

        began = time.perf_counter()
        with ThreadPoolExecutor(clients) as programs:
            list(programs.map(program, opened))
        self.rates.setdefault(clients, []).append(clients * each / (time.perf_counter() - began))


def above_floor(instance: Instance, token: str, folder: Path) -> list[Row]:
    """A trivial run beside the floor, each in turns with the other; medians. Limits of starts are lifted (SETTINGS)."""
    floor = Floor(folder).start()
    try:
        path, body = one_node(Client(instance, token))
        ours, bare = Side(instance, token, path, body), Side(floor, "", PATH, body)
        for side in (ours, bare):
            side.one_by_one(40)
            side.alone.clear()
            side.cpu.clear()
        for _ in range(6):
            for side in (ours, bare):
                side.one_by_one(50)
        for clients in FLOOR_CLIENTS:
            for _ in range(3):
                for side in (ours, bare):
                    side.at_once(clients, 200 // clients)
    finally:
        floor.kill()
    p50, least = median(bare.alone), median(bare.cpu)
    known = "Daphne, an async view, two durable commits"
    rows = [
        Row("trivial run over HTTP, p50", median(ours.alone), "ms", 2.0 * p50, p50, known),
        Row("CPU of the whole tree per trivial run", median(ours.cpu), "ms", 1.8 * least, least, known),
    ]
    for clients in FLOOR_CLIENTS:
        rate = median(bare.rates[clients])
        what = f"trivial runs per second, {clients} clients"
        rows.append(Row(what, median(ours.rates[clients]), "1/s", 0.45 * rate, rate, known, lower=False))
    return rows


def after_a_burst(instance: Installed, quiet_mb: float) -> list[Row]:
    """What is left a minute after `rest`: its threads and their connections have ended. `quiet_mb` = before it."""
    time.sleep(60)
    left = memory(instance)
    threads = sum(process.num_threads() for process in processes(instance))
    return [
        Row("memory a minute after 50 clients at once", left, "MB", None, quiet_mb, "idle, before"),
        Row("  over idle", left / quiet_mb, "x", 1.2),
        Row("  threads", threads, "", 20),
    ]


def fan_out(instance: Installed, token: str, watchers: int) -> list[Row]:
    """Fifty tools that report progress four times a second each (more is not stored), watched by so many sockets."""
    client = Client(instance, token)
    tool = {"server": "demo", "tool": "long_task", "arguments": {"steps": 32, "step_seconds": 0.255}}
    graph = chain(50, "tool", tool)
    graph["edges"] = [
        {"id": f"{a}_{b}", "source": a, "source_port": "out", "target": b, "target_port": "in"}
        for n in range(50)
        for a, b in (("start", f"n{n}"), (f"n{n}", "end"))
    ]
    path = f"/api/workflows/{workflow(client, 'Fan', graph)}/runs"
    run = client.ask("POST", path, {"version": "draft", "inputs": {}})["id"]
    before = cpu(instance)
    seen = asyncio.run(watch(urlsplit(instance.url).port or 0, token, run, watchers))
    spent = cpu(instance) - before
    total = client.ask("GET", f"/api/runs/{run}")["last_seq"]
    lost = sum(total - count for count in seen.seen)
    to = f"event to {watchers} socket{'s' if watchers > 1 else ''} at {seen.rate:.0f} events/s"
    return [
        Row(f"{to}, p50", percentile(seen.late, 0.5), "ms", 30),
        Row(f"{to}, p99", percentile(seen.late, 0.99), "ms", 100),
        Row("  opening them all at once, to the first events of the last", seen.opening, "ms"),
        Row("  CPU of the run and its sockets", spent, "s"),
        Row("events lost", lost, "", 0),
    ]


def idle(instance: Instance) -> list[Row]:
    """Memory of the whole tree and CPU over ten quiet seconds."""
    assert instance.process is not None
    tree = [psutil.Process(instance.process.pid), *instance.children()]
    whole = sum(item.memory_info().rss for item in tree) / 2**20
    before = cpu(instance)
    threading.Event().wait(10)
    return [
        Row("idle memory of the whole tree", whole, "MB", 150),
        Row("idle CPU", (cpu(instance) - before) * 10, "%", 0.5),
    ]


def second_start(instance: Instance) -> Row:
    """Stop, start, first page."""
    instance.stop()
    imports = "import django, daphne.server, celery, channels, mcp, rest_framework"
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", imports], check=True)
    limit = time.perf_counter() - began
    began = time.perf_counter()
    instance.start()
    instance.request("GET", "/api/health")
    return Row(
        "second start to the first answer", time.perf_counter() - began, "s", 4, limit, "importing the libraries"
    )


def after_a_kill(instance: Instance, token: str) -> Row:
    """Thirty runs in flight, SIGKILL, and how long after the restart all go again."""
    client = Client(instance, token)
    graph = chain(1, "tool", {"server": "demo", "tool": "slow", "arguments": {"seconds": 20}})
    path = f"/api/workflows/{workflow(client, 'Slow', graph)}/runs"
    runs = {client.ask("POST", path, {"version": "draft", "inputs": {}})["id"] for _ in range(30)}

    def going(asking: Client, event: str) -> bool:
        logs = [asking.ask("GET", f"/api/runs/{run}/events")["results"] for run in runs]
        return all(any(line["type"] == event for line in log) for log in logs)

    until(lambda: going(client, "TOOL_REQUEST"), 60)
    instance.kill()
    instance.start()
    began = time.perf_counter()
    again = Client(instance, token)
    until(lambda: going(again, "FLOW_RESUME"), 60)
    spent = time.perf_counter() - began
    for run in runs:
        again.ask("POST", f"/api/runs/{run}/cancel", {})
    until(lambda: not again.ask("GET", "/api/runs?state=RUNNING")["results"], 60)
    return Row("all of 30 runs going again after the restart", spent, "s", 5)


def long_history(instance: Instance, token: str) -> list[Row]:
    """A hundred thousand runs, and one run with a hundred thousand events."""
    client = Client(instance, token)
    one = client.ask("GET", "/api/runs?limit=1")["results"][0]
    path, body = one_node(client)
    few = percentile([client.timed("POST", path, body) for _ in range(100)], 0.5)
    instance.stop()
    long_run = _fill(instance.data / "patchbay.sqlite3", one["id"])
    instance.start()
    client = Client(instance, token)
    many = percentile([client.timed("POST", path, body) for _ in range(100)], 0.5)
    payload = {
        "list of 100,000 runs": "/api/runs?limit=50",
        "the same, one state": "/api/runs?limit=50&state=ERROR",
        "the same, a state that none is in": "/api/runs?limit=50&state=PAUSED",
        "the same, one workflow": f"/api/runs?limit=50&workflow={one['workflow']}",
        "log of 100,000 events, first 1000": f"/api/runs/{long_run}/events",
        "log of 100,000 events, last 1000": f"/api/runs/{long_run}/events?after=99000",
        "queue beside 100,000 runs": "/api/queue",
        "usage of a year, by day": f"/api/usage?{YEAR}&by=day",
        "usage of a year, by workflow": f"/api/usage?{YEAR}&by=workflow",
        "what is stored, of 100,000 runs": "/api/usage/storage",
    }
    health = percentile([client.timed("GET", "/api/health") for _ in range(20)], 0.5)
    known = "the same beside some hundred"
    result = [Row("one-node run beside 100,000 stored ones, p50", many, "ms", 1.5 * few, few, known)]
    for what, where in payload.items():
        first = client.timed("GET", where)
        took = percentile([client.timed("GET", where) for _ in range(5)], 0.5)
        # what is stored is kept for some seconds: the first answer is the dear one
        counted = first if where.endswith("/storage") else took
        result.append(Row(what, counted, "ms", 300, health, "GET /api/health p50"))
    return result


def sweeping(instance: Instance, token: str) -> list[Row]:
    """Runs started while old ones are swept, and how fast those go; a backup of it all beside them."""
    client = Client(instance, token)
    path, body = one_node(client)
    quiet = percentile([client.timed("POST", path, body) for _ in range(100)], 0.99)
    instance.stop()
    database = sqlite3.connect(instance.data / "patchbay.sqlite3")
    old = f"run_bench{OLD_RUNS:08}"
    database.execute("UPDATE runs_run SET finished_at = queued_at WHERE id < ? AND id LIKE 'run_bench%'", [old])
    database.execute("DELETE FROM runs_chore")
    database.commit()
    instance.start()
    client = Client(instance, token)
    last = f"/api/runs/run_bench{OLD_RUNS - 1:08}"
    until(lambda: instance.request("GET", "/api/runs/run_bench00000000", token=token)[0] == 404, 180)
    began, during = time.perf_counter(), []
    while instance.request("GET", last, token=token)[0] != 404:
        during += [client.timed("POST", path, body) for _ in range(10)]
        if time.perf_counter() - began > 120:
            sys.exit("the sweep does not end")
    spent = time.perf_counter() - began
    target = instance.data / "bench.tar.gz"
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "manage.py", "backup", str(target)], cwd=ROOT, env=instance.environment(), check=True,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    backup = time.perf_counter() - began
    return [
        Row(
            "one-node run while old runs are swept, p99", percentile(during, 0.99), "ms", None, quiet, "without a sweep"
        ),
        Row("old runs swept per second beside that", (OLD_RUNS - 1) / spent, "1/s", lower=False),
        Row(f"backup, {target.stat().st_size / 2**20:.0f} MB packed", backup, "s"),
    ]


def _fill(path: Path, run: str) -> str:
    """Copies of a run's row, and events of one copy."""
    database = sqlite3.connect(path)
    columns = [row[1] for row in database.execute("PRAGMA table_info(runs_run)")]
    template = dict(
        zip(columns, database.execute("SELECT * FROM runs_run WHERE id = ?", [run]).fetchone(), strict=True)
    )
    start = datetime(2026, 1, 1, tzinfo=UTC).timestamp()

    def copy(n: int) -> list[Any]:
        at = datetime.fromtimestamp(start + n * 60, UTC).strftime("%Y-%m-%d %H:%M:%S.%f")
        state = ("SUCCESS", "ERROR")[n % 20 == 0]
        return list(
            {**template, "id": f"run_bench{n:08}", "queued_at": at, "idempotency_key": None, "state": state}.values()
        )

    marks = ",".join("?" * len(columns))
    database.executemany(f"INSERT INTO runs_run VALUES ({marks})", (copy(n) for n in range(100_000)))
    line = [row[1] for row in database.execute("PRAGMA table_info(runs_logline)") if row[1] != "id"]
    blank = dict.fromkeys(line, "")
    data = json.dumps({"level": "info", "text": "x" * 150})
    rows = (
        list({**blank, "run_id": "run_bench00000000", "position": n, "seq": n, "ts": start + n, "type": "STEP_LOG",
              "node": "work", "step": "step_1", "attempt": 1, "fence": 1, "data": data}.values())
        for n in range(1, 100_001)
    )  # fmt: skip
    database.executemany(f"INSERT INTO runs_logline ({','.join(line)}) VALUES ({','.join('?' * len(line))})", rows)
    amounts = "runs, failed, cancelled, rounds, input_tokens, output_tokens, cost, tool_calls"
    used = (
        (template["team_id"], (date(2026, 1, 1) + timedelta(days=n // 20)).isoformat(), f"wf_{n % 20}", "", "", "", 0,
         14, 1, 0, 9, 9000, 900, 0.1, 20)
        for n in range(365 * 20)
    )  # fmt: skip
    database.executemany(
        f"INSERT INTO runs_usage (team_id, day, workflow, member, model, server, part, {amounts}) "
        f"VALUES ({','.join('?' * 15)})",
        used,
    )
    database.execute("UPDATE runs_run SET last_seq = 100000 WHERE id = 'run_bench00000000'")
    database.commit()
    database.close()
    return "run_bench00000000"


def measure() -> list[Row]:
    """All rows of this file."""
    with tempfile.TemporaryDirectory() as folder:
        instance = Instance(Path(folder) / "data", extra=SETTINGS)
        try:
            token = instance.start().token()
            quiet = idle(instance)
            rows = [*quiet, second_start(instance)]
            rows += above_floor(instance, token, Path(folder) / "floor")
            before = memory(instance)
            rows += [*rest(instance, token), *after_a_burst(instance, before)]
            for watchers in WATCHERS:
                rows += fan_out(instance, token, watchers)
            rows.append(after_a_kill(instance, token))
            return [*rows, *long_history(instance, token), *sweeping(instance, token)]
        finally:
            instance.kill()
