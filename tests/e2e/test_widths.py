"""From a phone to a wall: on no page is anything outside, cut without a way to read it, or scrolled sideways to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.api.runs.conftest import graph, node
from tests.e2e.axe import dress
from tests.e2e.editor_page import Desk
from tests.instance import Instance, until

WIDTHS = {320: 640, 390: 844, 768: 1024, 1024: 768, 1440: 900, 2560: 1440}
FITS = Path(__file__).with_name("fits.js").read_text(encoding="utf-8")
LONG = "Weekly release digest for everybody who could not be there, with a long name"


class House:
    """An installation with something on every page: names that are long, runs of each end, a question, a provider."""

    def __init__(self, patchbay: Instance, token: str) -> None:
        self.patchbay, self.token = patchbay, token
        self.made: list[str] = []
        self.workflow = self.make(LONG, workflow())
        self.broken = self.make("Fails soon", failing())
        self.ended = self.run(self.broken, "ERROR")
        self.done = self.run(self.make("Says hello", greeting()), "SUCCESS")
        self.asking = self.run(self.workflow, "WAITING")
        self.question = self.ask("GET", "/api/interactions?state=open")["results"][0]["id"]
        models = [{"id": "qwen3-coder-480b-a35b-instruct", "context": 131072, "input_price": 1, "output_price": 4}]
        body = {"name": "A provider with a long name", "base_url": "http://127.0.0.1:9/v1", "models": models}
        self.provider = self.ask("POST", "/api/providers", body)["id"]
        servers = self.ask("GET", "/api/mcp/servers")
        self.server = next(result["id"] for result in servers.get("results", servers) if result["slug"] == "demo")
        self.ask("POST", f"/api/mcp/servers/{self.server}/test")

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """One request that must succeed."""
        status, said = self.patchbay.request(method, path, body, self.token)
        assert status in (200, 201, 202), (path, said)
        return said

    def make(self, name: str, document: dict[str, Any]) -> str:
        """A published workflow; its id."""
        made = self.ask("POST", "/api/workflows", {"name": name, "graph": document})["id"]
        self.ask("POST", f"/api/workflows/{made}/publish", {})
        self.made.append(made)
        return str(made)

    def run(self, workflow: str, until_state: str) -> str:
        """A run of it that got as far as that; its id."""
        run = self.ask("POST", f"/api/workflows/{workflow}/runs", {"inputs": {}})["id"]
        until(lambda: self.ask("GET", f"/api/runs/{run}")["state"] == until_state, 60)
        return str(run)

    def leave(self) -> None:
        """As it was before."""
        self.ask("POST", f"/api/runs/{self.asking}/cancel", {})
        until(lambda: self.ask("GET", f"/api/runs/{self.asking}")["state"] == "CANCELLED")
        for workflow in self.made:
            self.patchbay.request("DELETE", f"/api/workflows/{workflow}", token=self.token)
        self.patchbay.request("DELETE", f"/api/providers/{self.provider}", token=self.token)

    def pages(self) -> dict[str, str]:
        """Every page by a name."""
        at = f"/workflows/{self.workflow}"
        server = f"/registry/{self.server}"
        return {
            "workflows": "/",
            "editor": at,
            "a node": f"{at}?node=note",
            "registry": "/registry",
            "add a server": "/registry?add=1",
            "a server": server,
            "its tools": f"{server}/tools",
            "runs": "/runs",
            "a run that ended": f"/runs/{self.done}",
            "a run that failed": f"/runs/{self.ended}",
            "a run that waits": f"/runs/{self.asking}",
            "inbox": "/inbox",
            "a question": f"/inbox/{self.question}",
            "usage": "/usage",
            "nothing": "/nothing-here",
            "docs": "/docs/en/start",
            **{f"settings {section}": f"/settings/{section}" for section in SECTIONS},
            "a provider": f"/settings/providers/{self.provider}",
        }


SECTIONS = ["profile", "security", "team", "tokens", "secrets", "providers", "audit", "installation", "about"]


def workflow() -> dict[str, Any]:
    """A graph that asks somebody, with long words in it."""
    nodes = [
        node("start", "start", {}) | {"position": {"x": 0, "y": 0}},
        node("note", "template", {"template": "hello"}, title="Write down what was decided and by whom")
        | {"position": {"x": 260, "y": 0}},
        node(
            "ask",
            "approval",
            {"title": "Send the digest to everybody?", "message": "May this be sent to everybody who subscribed?"},
            title="Ask the editors",
        )
        | {"position": {"x": 520, "y": 0}},
        node("end", "end", {"outputs": {"said": "{{ note.text }}"}}) | {"position": {"x": 780, "y": 0}},
    ]
    return graph(nodes, "start -> note", "note -> ask", "ask:approved -> end")


def greeting() -> dict[str, Any]:
    """A graph that ends well."""
    nodes = [
        node("start", "start", {}),
        node("text", "template", {"template": "A sentence that is long enough to be cut somewhere. " * 6}),
        node("end", "end", {"outputs": {"said": "{{ text.text }}"}}),
    ]
    places = [node | {"position": {"x": 260 * at, "y": 0}} for at, node in enumerate(nodes)]
    return graph(places, "start -> text", "text -> end")


def failing() -> dict[str, Any]:
    """A graph that fails."""
    nodes = [
        node("start", "start", {}),
        node("text", "template", {"template": "{{ start.nothing.at_all }}"}),
        node("end", "end", {"outputs": {"said": "{{ text.text }}"}}),
    ]
    places = [node | {"position": {"x": 260 * at, "y": 0}} for at, node in enumerate(nodes)]
    return graph(places, "start -> text", "text -> end")


@pytest.fixture(scope="module")
def house(patchbay: Instance, owner_token: str) -> Iterator[House]:
    """The installation with something on every page."""
    made = House(patchbay, owner_token)
    yield made
    made.leave()


@pytest.fixture(scope="module", params=["en", "zh"])
def language(request: pytest.FixtureRequest, patchbay: Instance, browser: Browser, owner_session: Any) -> Iterator[str]:
    """The language of the screen."""
    context = browser.new_context(storage_state=owner_session, base_url=patchbay.url)
    page = context.new_page()
    dress(page, "light", request.param)
    yield request.param
    dress(page, "system", "en")
    context.close()


def misfits(page: Page, width: int, height: int) -> list[str]:
    """What does not fit, once the page stands."""
    page.set_viewport_size({"width": width, "height": height})
    found: list[str] = []

    def fits() -> bool:
        found[:] = page.evaluate(FITS)
        return not found

    with suppress(AssertionError):
        until(fits, 5)
    return [f"{width}: {item}" for item in found]


PAGES = [
    "workflows",
    "editor",
    "a node",
    "registry",
    "add a server",
    "a server",
    "its tools",
    "runs",
    "a run that ended",
    "a run that failed",
    "a run that waits",
    "inbox",
    "a question",
    "usage",
    "nothing",
    "docs",
    *(f"settings {section}" for section in SECTIONS),
    "a provider",
]


@pytest.mark.parametrize("name", PAGES)
def test_everything_fits(page: Page, house: House, language: str, name: str) -> None:
    page.goto(house.pages()[name])
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert [misfit for width, height in WIDTHS.items() for misfit in misfits(page, width, height)] == []


def test_what_is_cut_is_read_by_pointing_at_it(page: Page, house: House) -> None:
    dress(page, "light")
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/runs")
    page.get_by_role("link").get_by_text(LONG).first.hover()
    expect(page.get_by_role("tooltip")).to_have_text(LONG)


@pytest.mark.parametrize("size", [(720, 450), (768, 1024), (390, 844)])
def test_the_editor_is_built_in_with_its_panels_as_drawers(page: Page, house: House, size: tuple[int, int]) -> None:
    dress(page, "light")
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"/workflows/{house.make('Drawers', greeting())}")
    desk = Desk(page)
    desk.card("Template").click()
    expect(desk.inspector).to_have_count(0)
    page.get_by_role("button", name="Template", exact=True).click()
    field = desk.inspector.get_by_role("textbox", name="Template", exact=True)
    assert misfits(page, *size) == []
    field.click()
    page.keyboard.type("Good morning")
    page.keyboard.press("Escape")
    desk.inspector.get_by_role("button", name="Close the inspector").click()
    expect(desk.inspector).to_have_count(0)
    page.get_by_role("button", name=re.compile("^(Tools|Show tools and nodes)$")).click()
    waiting = desk.rack.get_by_role("button", name="Wait", exact=True)
    expect(waiting).to_be_visible()
    assert misfits(page, *size) == []
    waiting.click()
    expect(desk.rack).to_have_count(0)
    expect(desk.card("Wait")).to_be_visible()
    page.get_by_role("button", name=re.compile("^(Run|运行)$")).first.wait_for()
    assert misfits(page, *size) == []
