"""Figures of the editor in a real browser: first load, opening, and main-thread CPU per frame of what a hand does.

`python -m tests.bench.canvas` prints them alone. CPU is the main thread's task time by Chromium's own count
(`Performance.getMetrics`), divided by the frames of the same time: other work on the machine hardly moves it, while
wall times and frame rates without a GPU are pessimistic.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from playwright.sync_api import CDPSession, Page, WebSocketRoute, sync_playwright

from tests import chromium
from tests.bench.over_http import Client, workflow
from tests.bench.report import Row
from tests.e2e.conftest import sign_up
from tests.instance import Instance

FRAME_MS = 8.0
FIRST_LOAD_KIB = 230
EDITOR_KIB = 400
EVENTS_PER_S = 200
BATCH = 10
COLUMNS = 100
RUN = "run_bench"


def grid(count: int, rows_are_chains: bool = True) -> dict[str, Any]:
    """`count` nodes in rows of a hundred; one row a chain from the start, or all of them one chain."""
    nodes: list[dict[str, Any]] = [
        {"id": "start", "type": "start", "v": 1, "position": {"x": -300, "y": 0}, "config": {"inputs": {}}}
    ]
    edges = []
    for n in range(count):
        at = {"x": (n % COLUMNS) * 300, "y": (n // COLUMNS) * 120}
        nodes.append({"id": f"n{n}", "type": "template", "v": 1, "position": at, "config": {"template": "x"}})
    names = [f"n{n}" for n in range(count)]
    lines = [["start", *names[n : n + COLUMNS]] for n in range(0, count, COLUMNS)]
    for line in lines if rows_are_chains else [["start", *names]]:
        edges += [
            {"id": f"{a}_{b}", "source": a, "source_port": "out", "target": b, "target_port": "in"}
            for a, b in pairwise(line)
        ]
    return {"schema": 1, "language": "en", "nodes": nodes, "edges": edges}


class Screen:
    """One page of the owner's browser, and what it costs."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.cdp: CDPSession = page.context.new_cdp_session(page)
        self.cdp.send("Performance.enable")
        page.add_init_script(
            "window.__frames = 0; (function count() { window.__frames++; requestAnimationFrame(count) })()"
        )

    def cpu_ms(self) -> float:
        """Main-thread task time since the page began."""
        matches = {metric["name"]: metric["value"] for metric in self.cdp.send("Performance.getMetrics")["metrics"]}
        return float(matches["TaskDuration"]) * 1000

    def open(self, address: str) -> tuple[float, float]:
        """(wall ms, CPU ms) from asking for the page until its cards or its overview stand."""
        self.page.goto("about:blank")
        self.page.goto(address, wait_until="commit")
        wall = self.page.evaluate(
            """() => new Promise((done) => {
              const look = () => {
                const canvas = document.querySelector('[data-testid=canvas]')
                const there = canvas && (canvas.querySelector('.react-flow__node')
                  || (canvas.dataset.lod === 'far' && canvas.querySelector('.canvas-far')?.width > 300))
                if (there) requestAnimationFrame(() => setTimeout(() => done(performance.now())))
                else requestAnimationFrame(look)
              }
              look()
            })"""
        )
        return float(wall), self.cpu_ms()

    def rest(self) -> None:
        """Wait until the page has loaded what comes after its first picture."""
        self.page.get_by_role("button", name="Run", exact=True).wait_for()
        self.page.wait_for_load_state("networkidle")

    def per_frame(self, act: Callable[[], None]) -> float:
        """CPU ms per frame while `act` goes on."""
        frames, cpu = self.page.evaluate("window.__frames"), self.cpu_ms()
        act()
        drawn = self.page.evaluate("window.__frames") - frames
        return (self.cpu_ms() - cpu) / max(1, int(drawn))

    def moves(self, x: float, y: float, steps: int = 90) -> None:
        """Move the mouse in a circle-like way, one step per frame."""
        for step in range(steps):
            self.page.mouse.move(x + 3 * (step % 30), y + 2 * (step % 20))
            self.page.evaluate("() => new Promise(requestAnimationFrame)")

    def wheel(self, dx: float, dy: float, keys: str | None = None, steps: int = 90) -> None:
        """Turn the wheel there and back, one notch per frame."""
        if keys:
            self.page.keyboard.down(keys)
        for step in range(steps):
            sign = 1 if step % 30 < 15 else -1
            self.page.mouse.wheel(sign * dx, sign * dy)
            self.page.evaluate("() => new Promise(requestAnimationFrame)")
        if keys:
            self.page.keyboard.up(keys)


class Wire:
    """What came to a page over the wire, by the browser's own count: as it was encoded, heads and all."""

    def __init__(self, page: Page) -> None:
        self._requests: dict[str, str] = {}
        self.bytes: dict[str, float] = {}
        """By address, of the page itself, its scripts and its styles; not of fonts and what was asked of the API."""
        cdp = page.context.new_cdp_session(page)
        cdp.send("Network.enable")
        cdp.on("Network.requestWillBeSent", self._begun)
        cdp.on("Network.loadingFinished", self._ended)

    def _begun(self, body: dict[str, Any]) -> None:
        if body["type"] in ("Document", "Script", "Stylesheet", "Preload", "Other"):
            self._requests[body["requestId"]] = body["request"]["url"].partition("#")[0]

    def _ended(self, body: dict[str, Any]) -> None:
        url = self._requests.get(body["requestId"])
        if url is not None and not url.endswith(".woff2"):
            self.bytes[url] = self.bytes.get(url, 0) + body["encodedDataLength"]


def first_load(page: Page, address: str) -> tuple[float, float]:
    """Bytes of a cold page on the wire: (until a workflow's cards stand and can be clicked, with its whole editor)."""
    wire = Wire(page)
    page.goto(address)
    page.locator(".react-flow__node").first.wait_for()
    first = page.evaluate(
        """async () => {
          const mark = () => performance.getEntriesByName('first-picture')[0]
          while (!mark()) await new Promise(requestAnimationFrame)
          return performance.getEntriesByType('resource')
            .filter((one) => one.startTime <= mark().startTime).map((one) => one.name)
        }"""
    )
    page.get_by_role("button", name="Run", exact=True).wait_for()
    # what a page asks for last, seconds after it stands
    page.evaluate(
        """async () => {
          const come = () => performance.getEntriesByType('resource').some((one) => one.name.includes('/BudgetLine-'))
          while (!come()) await new Promise(requestAnimationFrame)
        }"""
    )
    page.wait_for_load_state("networkidle")
    at_first = {page.url, *first}
    return sum(size for url, size in wire.bytes.items() if url in at_first), sum(wire.bytes.values())


def feed(page: Page, count: int) -> Callable[[], None]:
    """Answer for a run that is going on: gives what sends two seconds of its events, 200 a second."""
    sockets: list[WebSocketRoute] = []
    sent = {"seq": 0}

    def on_socket(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def up(message: str | bytes) -> None:
            reply = json.loads(message)
            if str(reply.get("topic", "")) != f"run:{RUN}":
                server.send(message)
            elif reply.get("action") == "subscribe":
                sockets.append(route)

        route.on_message(up)

    def frame(size: int) -> str:
        events = []
        for _ in range(size):
            sent["seq"] += 1
            at = sent["seq"]
            node, kind = f"n{(at * 7919) % count}", ("STEP_INIT", "STEP_OUTPUT")[at % 2]
            events.append({
                "run": RUN, "seq": at, "ts": datetime.now(UTC).isoformat(), "path": [],
                "type": "FLOW_START" if at == 1 else kind, "node": None if at == 1 else node,
                "step": None if at == 1 else f"step_{node}",
                "data": {"attempt": 1} if kind == "STEP_INIT" else {"output": {"text": "x"}},
            })  # fmt: skip
        return json.dumps({"topic": f"run:{RUN}", "events": events})

    def send() -> None:
        for _ in range(2 * EVENTS_PER_S // BATCH):
            sockets[-1].send(frame(BATCH))
            page.wait_for_timeout(1000 * BATCH / EVENTS_PER_S)

    page.route_web_socket("**/ws/**", on_socket)
    return send


def running(page: Page, workflow_id: str) -> None:
    """Let the workflow's newest run be the one that is fed."""
    row: dict[str, Any] = {
        "id": RUN, "workflow": workflow_id, "workflow_name": "bench", "version": None, "draft_revision": 1,
        "state": "RUNNING", "inputs": {}, "outputs": {}, "error": None, "waiting": [], "trigger": "api",
        "usage": {"input_tokens": 0, "output_tokens": 0, "cost": 0}, "started_by": None, "parent_run": None,
        "origin_run": None, "origin_step": None, "queued_at": "2026-11-22T00:00:00Z",
        "started_at": "2026-11-22T00:00:00Z", "finished_at": None, "last_seq": 1,
    }  # fmt: skip
    page.route("**/api/runs?*", lambda route: route.fulfill(json={"results": [row], "next": None}))


def hand(screen: Screen, what: str) -> list[Row]:
    """Pan, zoom and drag in the page that is open."""
    page = screen.page
    box = page.get_by_test_id("canvas").bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    rows = []

    def note(name: str, act: Callable[[], None]) -> None:
        rows.append(Row(f"{name}, {what}", screen.per_frame(act), "ms", FRAME_MS))

    page.mouse.move(x, y)
    note("pan, whole graph in view", lambda: screen.wheel(40, 30))
    note("zoom, whole graph in view", lambda: screen.wheel(0, 12, "Control", 30))
    page.keyboard.press("1")
    card = page.locator(".react-flow__node[data-id]").nth(8)
    card.wait_for()
    page.mouse.move(x, y)
    note("pan, at 100 %", lambda: screen.wheel(40, 30))
    page.keyboard.press("Escape")
    cards = [item.bounding_box() for item in page.locator(".react-flow__node[data-id]").all()]
    seen = [card for card in cards if card and box["x"] + 40 < card["x"] < x - 100 and box["y"] + 90 < card["y"] < y]
    at = seen[0]
    page.mouse.click(at["x"] + 60, at["y"] + 40)
    page.get_by_role("complementary", name="Inspector").wait_for()
    now = page.locator(".react-flow__node.selected").bounding_box()
    assert now
    left, top = now["x"] + 60, now["y"] + 40

    def drag() -> None:
        page.mouse.move(left, top)
        page.mouse.down()
        screen.moves(left, top)
        page.mouse.up()

    note("drag with the inspector open", drag)
    return rows


def _measure(instance: Instance, page: Page, token: str) -> list[Row]:
    client = Client(instance, token)
    small = workflow(client, "First load", grid(3))
    first, whole = first_load(page, f"/workflows/{small}")
    rows = [
        Row("page, scripts and styles to the first picture, on the wire", first / 1024, "KiB", FIRST_LOAD_KIB),
        Row("the same with the whole editor", whole / 1024, "KiB", EDITOR_KIB),
    ]
    screen = Screen(page)
    for count, most, chains in ((1000, 800.0, True), (5000, 1500.0, True), (1000, 0.0, False)):
        what = f"{count} nodes" + ("" if chains else " in one chain")
        created = workflow(client, what, grid(count, chains))
        screen.open(f"/workflows/{created}")
        opened = [screen.open(f"/workflows/{created}") for _ in range(3)]
        if most:
            rows.append(Row(f"open, {what}", min(wall for wall, _ in opened), "ms", most))
            rows.append(Row(f"open, {what}, CPU", min(cpu for _, cpu in opened), "ms"))
        screen.rest()
        rows += hand(screen, what)
        if count == 5000:
            send = feed(page, count)
            running(page, created)
            screen.open(f"/workflows/{created}")
            screen.rest()
            send()
            rows.append(
                Row(f"{EVENTS_PER_S} events/s, whole graph in view, {what}", screen.per_frame(send), "ms", FRAME_MS)
            )
            page.keyboard.press("1")
            page.locator(".react-flow__node[data-id]").nth(8).wait_for()
            rows.append(Row(f"{EVENTS_PER_S} events/s, at 100 %, {what}", screen.per_frame(send), "ms", FRAME_MS))
            page.unroute("**/api/runs?*")
    return rows


def measure() -> list[Row]:
    """All rows of this file."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        instance = Instance(Path(folder) / "data", extra={"PATCHBAY_RUN_STARTS_PER_15S": "0"})
        try:
            instance.start()
            browser = playwright.chromium.launch(executable_path=chromium.program(), args=chromium.FLAGS)
            context = browser.new_context(base_url=instance.url, viewport={"width": 1440, "height": 900})
            page = context.new_page()
            sign_up(page, instance.link)
            rows = _measure(instance, page, instance.token("alice@example.org"))
            browser.close()
            return rows
        finally:
            instance.kill()


if __name__ == "__main__":
    for figure in measure():
        print(figure)
