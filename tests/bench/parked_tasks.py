"""What calls cost that a server answered with a task: a thousand runs parked on tasks that take very long.

Eight starters at once cost memory of their own the first time (threads, connections to the database and their pages, to
the server, the allocator's arenas), however many runs they start. So idle is what is left once as many have come and
gone: what comes on top is what a parked run keeps.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.bench.in_process import chain
from tests.bench.mcp_server import BARE
from tests.bench.over_http import SETTINGS, Client, memory, workflow
from tests.bench.report import Row
from tests.instance import Instance, until

RUNS, FIRST, STARTERS = 1000, 160, 8
HOUR_MS = 3_600_000


def parked(instance: Instance, token: str, server: str) -> list[Row]:
    """Memory with a thousand more runs that are parked on tasks than the first, and what still works."""
    client = Client(instance, token)
    about = {"name": "Far", "transport": "http", "url": f"{server}/mcp", "trust_annotations": True, "policy": "allow"}
    client.ask("POST", "/api/mcp/servers", about)
    until(lambda: client.ask("POST", "/api/mcp/servers/far/test", {})["ok"], 60)
    client.ask("PATCH", "/api/mcp/servers/far/tools/look", {"policy": "allow"})
    script = {"script": [{"status": "working"}], "handle": {"pollIntervalMs": HOUR_MS}}
    graph = chain(1, "tool", {"server": "far", "tool": "look", "arguments": script})
    path, body = f"/api/workflows/{workflow(client, 'Far', graph)}/runs", {"version": "draft", "inputs": {}}

    def start(count: int) -> None:
        own = Client(instance, token)
        for _ in range(count):
            own.ask("POST", path, body)

    def working() -> dict[str, Any]:
        queue: dict[str, Any] = Client(instance, token).ask("GET", "/api/queue")
        return queue

    def park(count: int) -> None:
        with ThreadPoolExecutor(STARTERS) as starters:
            list(starters.map(start, [count // STARTERS] * STARTERS))
        until(lambda: not (working()["running"] or working()["queued"]), 300)

    park(FIRST)
    before = memory(instance)
    park(RUNS)
    waiting = len(Client(instance, token).ask("GET", "/api/runs?state=WAITING&limit=200")["results"])
    assert waiting == 200, "they do not wait"
    return [
        Row(f"{RUNS:,} runs parked on tasks, over idle", memory(instance) - before, "MB", 20),
        Row("  runs that a worker has", working()["running"], "", 0),
    ]


def measure() -> list[Row]:
    """All rows of this file."""
    with tempfile.TemporaryDirectory() as folder:
        room = {**SETTINGS, "PATCHBAY_OUTBOUND_ALLOW": "127.0.0.1"}
        instance = Instance(Path(folder) / "data", extra=room)
        with subprocess.Popen([sys.executable, str(BARE)], stdout=subprocess.PIPE, text=True) as far:
            try:
                assert far.stdout is not None
                port = far.stdout.readline().strip()
                return parked(instance, instance.start().token(), f"http://127.0.0.1:{port}")
            finally:
                far.kill()
                instance.kill()
