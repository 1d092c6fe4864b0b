"""What large results cost: bytes on the disk per byte of result, and memory of a process that resumes such a run."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.bench.in_process import chain
from tests.bench.over_http import SETTINGS, Client, memory, processes, workflow
from tests.bench.report import Row
from tests.instance import Instance, until

RESULTS = int(os.environ.get("BENCH_RESULTS", "1000"))
SIZE = 1_500_000
PROGRAM = Path(__file__).parents[1] / "live" / "servers" / "programs" / "stdio_server.py"


def document() -> dict[str, Any]:
    """start → calls with large results → a question → end with the last result's length."""
    graph = chain(RESULTS, "tool", {"server": "own", "tool": "big", "arguments": {"bytes": SIZE}})
    for number, node in enumerate(graph["nodes"][1:-1]):
        node["config"] = {**node["config"], "arguments": {"bytes": SIZE + number}}
    last = f"n{RESULTS - 1}"
    ask = {"id": "ask", "type": "approval", "v": 1, "position": {"x": 0, "y": 0}, "config": {"title": "On?"}}
    graph["nodes"].insert(-1, ask)
    graph["nodes"][-1]["config"] = {"outputs": {"length": f"{{{{ {last}.result | length }}}}"}}
    graph["edges"][-1] = {"id": "ask", "source": last, "source_port": "out", "target": "ask", "target_port": "in"}
    graph["edges"].append(
        {"id": "end", "source": "ask", "source_port": "approved", "target": "end", "target_port": "in"}
    )
    return graph


def peak(instance: Instance) -> float:
    """MB that the installation's own process had at most."""
    [process] = processes(instance)
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def resuming(instance: Instance, token: str) -> list[Row]:
    """Make the results, stop at the question, start anew, answer it."""
    client = Client(instance, token)
    program = {"command": sys.executable, "args": [str(PROGRAM), "plain"]}
    client.ask("POST", "/api/mcp/servers", {"name": "Own", "transport": "stdio", **program})
    client.ask("GET", "/api/mcp/servers/own/tools?refresh=1")
    client.ask("PATCH", "/api/mcp/servers/own/tools/big", {"policy": "allow", "effect": "read"})
    path = f"/api/workflows/{workflow(client, 'Large', document())}/runs"
    run = client.ask("POST", path, {"version": "draft", "inputs": {}})["id"]

    def state() -> str:
        return str(client.ask("GET", f"/api/runs/{run}")["state"])

    until(lambda: state() not in ("QUEUED", "RUNNING"), 1800)
    created = peak(instance)
    instance.stop()
    stored = sum(path.stat().st_size for path in instance.data.glob("patchbay.sqlite3*"))
    instance.start()
    client = Client(instance, token)
    before = memory(instance)
    [question] = client.ask("GET", f"/api/interactions?run={run}")["results"]
    client.ask("POST", f"/api/interactions/{question['id']}/answer", {"action": "accept"})
    until(lambda: state() not in ("WAITING", "QUEUED", "RUNNING"), 1800)
    ended = client.ask("GET", f"/api/runs/{run}")
    if ended["outputs"] != {"length": SIZE + RESULTS - 1}:
        sys.exit(f"the run ended otherwise: {ended['state']} {ended['error']}")
    whole = RESULTS * SIZE / 1e6
    what = f"{RESULTS:,} results of 1.5 MB"
    return [
        Row(f"on the disk, {what}", stored / 1e6, "MB", 1.2 * whole, whole, "the results themselves"),
        Row(f"most memory while they are made, {what}", created, "MB"),
        Row(f"most memory of a resume with {what}", peak(instance), "MB", 200, before, "the process before"),
    ]


def measure() -> list[Row]:
    """All rows of this file."""
    with tempfile.TemporaryDirectory() as folder:
        instance = Instance(Path(folder) / "data", extra=SETTINGS)
        try:
            return resuming(instance, instance.start().token())
        finally:
            instance.kill()
