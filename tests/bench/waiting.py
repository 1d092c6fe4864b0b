"""What runs cost that wait for a person: memory, and time until each has come to wait."""

from __future__ import annotations

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.bench.over_http import SETTINGS, Client, Installed, memory, workflow
from tests.bench.report import Row
from tests.instance import Instance, until

RUNS = 1000
STARTERS = 8


def approval() -> dict[str, Any]:
    """A workflow that asks at once."""

    def node(key: str, type_: str, config: dict[str, Any]) -> dict[str, Any]:
        return {"id": key, "type": type_, "v": 1, "position": {"x": 0, "y": 0}, "config": config}

    ways = [("start", "out", "ok"), ("ok", "approved", "end"), ("ok", "declined", "end")]
    return {
        "schema": 1,
        "language": "en",
        "nodes": [
            node("start", "start", {"inputs": {"type": "object"}}),
            node("ok", "approval", {"title": "Go on?"}),
            node("end", "end", {"outputs": {}}),
        ],
        "edges": [
            {"id": f"e{n}", "source": a, "source_port": port, "target": b, "target_port": "in"}
            for n, (a, port, b) in enumerate(ways)
        ],
    }


def people(instance: Installed, token: str) -> Row:
    """Memory of the installation with a thousand runs that wait for a person, over what it has after ten."""
    client = Client(instance, token)
    path = f"/api/workflows/{workflow(client, 'Asks', approval())}/runs"
    body = {"version": "draft", "inputs": {}, "wait": 60}
    for _ in range(10):
        client.ask("POST", path, body)
    before = memory(instance)

    def starts(_: int) -> None:
        own = Client(instance, token)
        for _ in range(RUNS // STARTERS):
            own.ask("POST", path, body)

    with ThreadPoolExecutor(STARTERS) as starters:
        list(starters.map(starts, range(STARTERS)))
    until(lambda: not client.ask("GET", "/api/runs?state=RUNNING")["results"], 60)
    return Row(f"{RUNS:,} runs that wait for a person, over idle", memory(instance) - before, "MB", 30)


def measure() -> list[Row]:
    """All rows of this file."""
    with tempfile.TemporaryDirectory() as folder:
        instance = Instance(Path(folder) / "data", extra=SETTINGS)
        try:
            token = instance.start().token()
            return [people(instance, token)]
        finally:
            instance.kill()
