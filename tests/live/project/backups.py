"""Installations that are backed up and restored by command."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from tests.api.runs.conftest import graph, node
from tests.instance import ROOT, Reached

APPROVAL = graph(
    [
        node("start", "start", {"inputs": {"type": "object"}}),
        node("ok", "approval", {"title": "Go on?"}),
        node("end", "end", {"outputs": {"approved": "{{ ok.approved }}"}}),
    ],
    "start -> ok",
    "ok:approved -> end",
    "ok:declined -> end",
)


def command(instance: Reached, *arguments: str) -> str:
    """What `manage.py` says beside the instance."""
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=instance.environment(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def started(instance: Reached, token: str, document: dict[str, Any], count: int) -> list[str]:
    """Runs of a new workflow with this draft."""
    created = instance.request("POST", "/api/workflows", {"name": "Waiting"}, token)[1]
    body = {"revision": created["draft"]["revision"], "graph": document}
    assert instance.request("PUT", f"/api/workflows/{created['id']}/draft", body, token)[0] == 200
    path = f"/api/workflows/{created['id']}/runs"
    return [str(instance.request("POST", path, {"version": "draft"}, token)[1]["id"]) for _ in range(count)]


def state(instance: Reached, token: str, run: str) -> Any:
    return instance.request("GET", f"/api/runs/{run}", token=token)[1]["state"]
