"""How long a token takes from the model's endpoint to the screen: `python -m tests.bench.tokens` prints it alone.

The scripted endpoint sends one word at a time and notes when; the page notes when it has drawn each. Both clocks are
the machine's. Between the two lie the client, the worker, the websocket and one picture of the browser, which is the
least that anything shown can take.
"""

from __future__ import annotations

import statistics
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from tests import chromium
from tests.bench.over_http import Client, workflow
from tests.bench.report import Row, percentile
from tests.e2e.conftest import sign_up
from tests.instance import Instance
from tests.llm_server import Gate, LlmServer

WORDS = 200
FIRST = 20
"""Words before anything is counted: the page fetches what it needs for them."""
EVERY_S = 0.05
TARGET_MS = 100.0

NOTES = """() => {
  window.__seen = {}
  window.__frames = 0
  const look = () => {
    window.__frames++
    const said = document.querySelector('.talk-text')?.textContent ?? ''
    const last = Number(/w(\\d+)\\s*$/.exec(said)?.[1] ?? -1)
    for (let n = last; n >= 0 && !(n in window.__seen); n--)
      window.__seen[n] = performance.timeOrigin + performance.now()
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}"""


def _speak(gate: Gate, sent: list[float]) -> None:
    """Let the words go, one by one."""
    pause = threading.Event()
    for number in range(WORDS):
        sent.append(time.time() * 1000)
        gate.release()
        gate.wait_sent(number + 1)
        pause.wait(EVERY_S)
    gate.open()


def _flow(client: Client, url: str) -> str:
    about = {"name": "Bench", "base_url": url, "models": [{"id": "scripted-1"}]}
    slug = client.ask("POST", "/api/providers", about)["slug"]
    config: dict[str, Any] = {
        "provider": slug,
        "model": "scripted-1",
        "messages": [{"role": "user", "content": "Speak"}],
    }
    at = {"x": 0, "y": 0}
    nodes = [
        {"id": "start", "type": "start", "v": 1, "position": at, "config": {"inputs": {}}},
        {"id": "say", "type": "llm", "v": 1, "position": {"x": 300, "y": 0}, "config": config},
    ]
    edge = {"id": "e", "source": "start", "source_port": "out", "target": "say", "target_port": "in"}
    return workflow(client, "Tokens", {"schema": 1, "language": "en", "nodes": nodes, "edges": [edge]})


def _measure(page: Page, client: Client, llm: LlmServer) -> list[Row]:
    gate, sent = Gate(), list[float]()
    llm.reply(pieces=[f"w{number} " for number in range(WORDS)], gate=gate)
    run = client.ask("POST", f"/api/workflows/{_flow(client, llm.url)}/runs", {"inputs": {}, "version": "draft"})
    page.add_init_script(f"({NOTES})()")
    page.goto(f"/runs/{run['id']}")
    llm.wait_for_request(1)
    page.get_by_text("waits for the model").first.wait_for()
    began = page.evaluate("[performance.now(), window.__frames]")
    speaker = threading.Thread(target=_speak, args=(gate, sent))
    speaker.start()
    page.locator(".talk-text", has_text=f"w{WORDS - 1}").wait_for(timeout=60_000)
    ended = page.evaluate("[performance.now(), window.__frames]")
    speaker.join()
    seen = page.evaluate("window.__seen")
    took = [seen[str(number)] - sent[number] for number in range(FIRST, WORDS)]
    picture = (ended[0] - began[0]) / max(1, ended[1] - began[1])
    about = "one picture of the page"
    return [
        Row("token at the endpoint to the screen, p50", statistics.median(took), "ms", TARGET_MS, picture, about),
        Row("token at the endpoint to the screen, p99", percentile(took, 0.99), "ms", None, picture, about),
    ]


def measure() -> list[Row]:
    """All rows of this file."""
    llm = LlmServer()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        instance = Instance(Path(folder) / "data", extra={"PATCHBAY_RUN_STARTS_PER_15S": "0"})
        try:
            llm.start()
            instance.start()
            browser = playwright.chromium.launch(executable_path=chromium.program(), args=chromium.FLAGS)
            context = browser.new_context(base_url=instance.url, viewport={"width": 1440, "height": 900})
            page = context.new_page()
            sign_up(page, instance.link)
            client = Client(instance, instance.token("alice@example.org"))
            rows = _measure(page, client, llm)
            browser.close()
            return rows
        finally:
            instance.kill()
            llm.stop()


if __name__ == "__main__":
    for figure in measure():
        print(figure)
