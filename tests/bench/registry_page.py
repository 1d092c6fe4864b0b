"""Two thousand tools where the user stands: opening such a server in a real browser, and testing it by its button.

Each figure stands beside the same of a server with three tools, taken in turns in the same run: what is more than that
is the price of the tools, the rest is any page's. Times are the best of several; the machine's clock is all there is.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from tests import chromium
from tests.bench.report import Row
from tests.e2e.conftest import sign_up
from tests.instance import Instance

PROGRAM = Path(__file__).resolve().parents[1] / "live" / "servers" / "programs" / "stdio_server.py"
TIMES = 7
TARGET_S = 0.3
OPEN = """(name) => new Promise((done) => {
  const link = [...document.querySelectorAll('main a, main button, main tr')]
    .find((one) => one.innerText.trim().split('\\n')[0] === name)
  const began = performance.now()
  link.click()
  const look = () => {
    const shown = document.querySelector('aside h2, [role=tabpanel]') && document.title !== ''
      && document.querySelector('[role=tabpanel] li[data-index]')
    const here = [...document.querySelectorAll('h2')].some((one) => one.innerText.trim() === name)
    if (shown && here) requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)))
    else requestAnimationFrame(look)
  }
  look()
})"""
"""From the click on a server's row until its tools are drawn, ms."""
TEST = """() => new Promise((done) => {
  const button = () => [...document.querySelectorAll('button')]
    .find((one) => ['Test connection', 'Test again'].includes(one.innerText.trim()))
  const began = performance.now()
  let asked = false
  button().click()
  const look = () => {
    const busy = !button() || button().disabled || button().getAttribute('aria-busy') === 'true'
    asked ||= busy
    if (asked && !busy) requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)))
    else requestAnimationFrame(look)
  }
  look()
})"""
"""From the click on the test's button until what it found is drawn, ms."""


class Registry:
    """The owner's registry page, with servers of both sizes."""

    def __init__(self, page: Page, patchbay: Instance) -> None:
        self.page, self.patchbay = page, patchbay
        self.ids: dict[str, str] = {}

    def add(self, name: str, *arguments: str) -> None:
        """Register the test program under a name."""
        token = next(cookie for cookie in self.page.context.cookies() if "csrf" in str(cookie.get("name", "")).lower())
        created = self.page.request.post(
            f"{self.patchbay.url}/api/mcp/servers",
            data={
                "name": name,
                "transport": "stdio",
                "command": sys.executable,
                "args": [str(PROGRAM), *arguments],
                "box": "open",
            },
            headers={"X-CSRFToken": str(token.get("value")), "Origin": self.patchbay.url},
        )
        assert created.status == 201, created.text()
        self.ids[name] = created.json()["id"]

    def rest(self) -> None:
        """Wait until nothing is asked for any more."""
        self.page.wait_for_load_state("networkidle")

    def go(self, name: str) -> None:
        """A whole load of the server's page, until its tools stand."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.patchbay.url}/registry/{self.ids[name]}/tools")

    def loaded(self, name: str) -> float:
        """Seconds of a whole load until the tools are drawn."""
        self.go(name)
        self.page.locator("[role=tabpanel] li[data-index]").first.wait_for()
        taken = float(self.page.evaluate("performance.now()")) / 1000
        self.rest()
        return taken

    def timed(self, script: str, argument: Any = None) -> float:
        """Seconds that one of the scripts above counts."""
        taken = float(self.page.evaluate(script, argument)) / 1000
        self.rest()
        return taken


def measure() -> Iterator[Row]:
    """Measure a running installation from its page."""
    folder = Path(tempfile.mkdtemp())
    patchbay = Instance(folder / "data").start()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium.program(), args=chromium.FLAGS)
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            sign_up(page, patchbay.link)
            registry = Registry(page, patchbay)
            registry.add("few")
            registry.add("warm", "many")
            for n in range(TIMES):
                registry.add(f"many{n}", "many")
            yield from rows(registry)
            browser.close()
    finally:
        patchbay.stop()
        shutil.rmtree(folder, ignore_errors=True)


def rows(registry: Registry) -> Iterator[Row]:
    """The figures: first tests, tests again, opening by a click, whole loads."""
    registry.go("few")
    registry.rest()
    yield Row("first test of all, which loads what speaks MCP", registry.timed(TEST), "s")
    registry.go("warm")
    registry.rest()
    registry.timed(TEST)
    first: list[float] = []
    again: dict[str, list[float]] = {"few": [], "warm": []}
    for n in range(TIMES):
        registry.go(f"many{n}")
        registry.rest()
        first.append(registry.timed(TEST))
        for name, taken in again.items():
            registry.go(name)
            registry.rest()
            taken.append(registry.timed(TEST))
    few = min(again["few"])
    beside: dict[str, Any] = {"limit": few, "limit_is": "test of a server with three tools"}
    yield Row("2,000 new tools in the browser: test by its button", min(first), "s", target=few + TARGET_S, **beside)
    yield Row("2,000 known tools in the browser: test again", min(again["warm"]), "s", target=few + TARGET_S, **beside)
    opened: dict[str, list[float]] = {"few": [], "warm": []}
    loads: dict[str, list[float]] = {"few": [], "warm": []}
    for _ in range(TIMES):
        for name in ("few", "warm"):
            opened[name].append(registry.timed(OPEN, name))
        for name, taken in loads.items():
            taken.append(registry.loaded(name))
    yield Row(
        "2,000 tools in the browser: opened by a click",
        min(opened["warm"]),
        "s",
        target=TARGET_S,
        limit=min(opened["few"]),
        limit_is="a server with three tools",
    )
    yield Row(
        "2,000 tools in the browser: whole load of the page",
        min(loads["warm"]),
        "s",
        target=min(loads["few"]) + TARGET_S,
        limit=min(loads["few"]),
        limit_is="a server with three tools",
    )
