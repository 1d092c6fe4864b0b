"""Opening a run of ten thousand events: from asking for its page until its end is shown, in a real browser.

The limit is the page of a run of a few events, opened in turns with it: what the browser and the page take on this
machine at this moment.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from tests import chromium
from tests.bench.over_http import Client, workflow
from tests.bench.report import Row
from tests.e2e.conftest import sign_up
from tests.instance import Instance, until

ROUNDS, FEW = 3400, 1
"""Of a loop around one node: each has three events and more."""
EVENTS = 10_000
TARGET_MS = 1000.0
TIMES = 5
SHOWN = """() => new Promise((done) => {
  const look = () => {
    const said = document.querySelector('header .status')?.textContent ?? ''
    if (said.includes('Succeeded') && document.querySelector('[role=treeitem]'))
      requestAnimationFrame(() => setTimeout(() => done(performance.now())))
    else requestAnimationFrame(look)
  }
  look()
})"""
"""Milliseconds since the page was asked for, once header and waterfall show the end and are painted."""


def document(rounds: int) -> dict[str, Any]:
    """start → a loop of so many rounds around a node."""
    nodes = [
        {"id": "start", "type": "start", "config": {}},
        {"id": "many", "type": "loop", "config": {"vars": {}, "max": rounds}},
        {"id": "inner", "type": "template", "config": {"template": "{{ loop.index }}"}, "parent": "many"},
    ]
    edge = {"id": "e", "source": "start", "source_port": "out", "target": "many", "target_port": "in"}
    placed = [{"v": 1, "position": {"x": 300 * n, "y": 0}, **node} for n, node in enumerate(nodes)]
    return {"schema": 1, "language": "en", "nodes": placed, "edges": [edge]}


def ended_run(instance: Instance, token: str, rounds: int) -> dict[str, Any]:
    """A run of such a loop that is over."""
    created = workflow(Client(instance, token), f"{rounds} rounds", document(rounds))
    body = {"version": "draft", "inputs": {}}
    status, run = instance.request("POST", f"/api/workflows/{created}/runs", body, token)
    assert status in (200, 201, 202), run

    def over() -> Any:
        now = instance.request("GET", f"/api/runs/{run['id']}", token=token)[1]
        return now if now["state"] == "SUCCESS" else None

    return dict(until(over, seconds=300))


def opening(page: Page, run: str) -> float:
    """Milliseconds from asking for the page of a run until its end is shown."""
    page.goto("about:blank")
    page.goto(f"/runs/{run}", wait_until="commit")
    return float(page.evaluate(SHOWN))


def measure() -> Iterator[Row]:
    """All rows of this file."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        instance = Instance(Path(folder) / "data", extra={"PATCHBAY_RUN_STARTS_PER_15S": "0"})
        try:
            instance.start()
            browser = playwright.chromium.launch(executable_path=chromium.program(), args=chromium.FLAGS)
            context = browser.new_context(base_url=instance.url, viewport={"width": 1440, "height": 900})
            page = context.new_page()
            sign_up(page, instance.link)
            token = instance.token("alice@example.org")
            many, few = ended_run(instance, token, ROUNDS), ended_run(instance, token, FEW)
            assert many["last_seq"] >= EVENTS, many["last_seq"]
            took: dict[str, list[float]] = {many["id"]: [], few["id"]: []}
            for _ in range(TIMES):
                for run, times in took.items():
                    times.append(opening(page, run))
            browser.close()
            what = f"open a run of {many['last_seq']:,} events until its end is shown"
            bare = min(took[few["id"]])
            yield Row(what, min(took[many["id"]]), "ms", TARGET_MS, bare, f"a run of {few['last_seq']} events")
        finally:
            instance.kill()
