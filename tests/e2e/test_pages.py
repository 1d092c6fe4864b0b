"""Pages in the browser: made by an admin, used by strangers, shown in frames of listed sites only."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.api.runs.conftest import graph, node
from tests.e2e.axe import faults
from tests.instance import Instance

TEXT = {"type": "string"}
FORM = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {**TEXT, "title": "Your name"}, "count": {"type": "integer", "title": "How many"}},
}


def create(patchbay: Instance, token: str, name: str, nodes: list[dict[str, Any]], *edges: str) -> str:
    """A published workflow's id."""
    placed = [item | {"position": {"x": 250 * number, "y": 0}} for number, item in enumerate(nodes)]
    status, created = patchbay.request("POST", "/api/workflows", {"name": name, "graph": graph(placed, *edges)}, token)
    assert status == 201, created
    status, published = patchbay.request("POST", f"/api/workflows/{created['id']}/publish", {}, token)
    assert status in (200, 201), published
    return str(created["id"])


@pytest.fixture
def greeting(patchbay: Instance, owner_token: str) -> Iterator[str]:
    """A workflow that greets by name."""
    nodes = [
        node("start", "start", {"inputs": FORM}),
        node("end", "end", {"outputs": {"said": "Hello **{{ start.name }}**"}}),
    ]
    key = create(patchbay, owner_token, "Greets strangers", nodes, "start -> end")
    yield key
    patchbay.request("DELETE", f"/api/workflows/{key}", token=owner_token)


@pytest.fixture
def talking(patchbay: Instance, owner_token: str) -> Iterator[str]:
    """A workflow that repeats what is written."""
    nodes = [
        node(
            "start", "start", {"inputs": {"type": "object", "properties": {"text": TEXT, "history": {"type": "array"}}}}
        ),
        node("say", "answer", {"text": "{{ start.text }}, after {{ start.history | length }}"}),
    ]
    key = create(patchbay, owner_token, "Talks to strangers", nodes, "start -> say")
    yield key
    patchbay.request("DELETE", f"/api/workflows/{key}", token=owner_token)


@pytest.fixture
def receiving(patchbay: Instance, owner_token: str) -> Iterator[str]:
    """A workflow that takes a paper and says what came."""
    paper = {"type": "object", "format": "file", "x-accept": ".txt", "title": "Your paper"}
    nodes = [
        node("start", "start", {"inputs": {"type": "object", "required": ["paper"], "properties": {"paper": paper}}}),
        node("end", "end", {"outputs": {"said": "{{ start.paper.name }}: {{ start.paper.size }} bytes"}}),
    ]
    key = create(patchbay, owner_token, "Takes papers of strangers", nodes, "start -> end")
    yield key
    patchbay.request("DELETE", f"/api/workflows/{key}", token=owner_token)


def page_of(patchbay: Instance, token: str, workflow: str, **config: Any) -> str:
    """The address of a page by a secret link."""
    body = {"kind": "page", "name": "Page", "enabled": True, "config": config}
    status, created = patchbay.request("POST", f"/api/workflows/{workflow}/triggers", body, token)
    assert status == 201, created
    return patchbay.url + str(urlsplit(created["url"]).path)


@pytest.fixture
def stranger(browser: Browser) -> Iterator[Page]:
    """A browser of a phone's width in which nobody is signed in."""
    context = browser.new_context(viewport={"width": 320, "height": 640}, locale="en-US")
    yield context.new_page()
    context.close()


def test_an_admin_makes_one_and_a_stranger_fills_it_in(
    page: Page, stranger: Page, patchbay: Instance, greeting: str
) -> None:
    page.goto(f"/triggers?workflow={greeting}")
    page.get_by_role("button", name="New trigger", exact=True).click()
    page.get_by_role("menuitem", name="Page").click()
    page.get_by_role("textbox", name="Name", exact=True).fill("Front door")
    page.get_by_role("textbox", name="Title", exact=True).fill("Say hello")
    page.get_by_role("textbox", name="Sites that may embed it").fill("https://*.example.org")
    page.get_by_role("checkbox", name="Switch on now").check(force=True)
    page.get_by_role("button", name="Create trigger").click()
    expect(page.locator(".field-error").first).to_contain_text("no origin")
    page.get_by_role("textbox", name="Sites that may embed it").fill("https://www.example.org")
    page.get_by_role("button", name="Create trigger").click()
    shown = page.get_by_role("dialog", name="Address of “Front door”")
    expect(shown.get_by_role("figure")).to_contain_text("<iframe src=")
    url = shown.locator("code").first.inner_text()
    shown.get_by_role("button", name="Done").click()
    expect(page.get_by_role("heading", name="Front door")).to_be_visible()

    stranger.goto(patchbay.url + urlsplit(url).path)
    expect(stranger).to_have_title("Say hello")
    stranger.get_by_role("button", name="Send").click()
    expect(stranger.get_by_text("Please fill this in.")).to_be_visible()
    expect(stranger.get_by_role("textbox", name="Your name")).to_be_focused()
    stranger.keyboard.type("Vera")
    assert faults(stranger) == []
    stranger.keyboard.press("Enter")
    expect(stranger.get_by_role("status")).to_have_text("Done", timeout=30_000)
    expect(stranger.locator(".answer")).to_have_text("Hello Vera")
    assert faults(stranger) == []
    assert stranger.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert stranger.context.cookies() == []
    expect(page.get_by_role("list", name="Deliveries").get_by_role("listitem")).to_contain_text("Succeeded")


@pytest.mark.wide
def test_a_stranger_sends_a_file(stranger: Page, patchbay: Instance, receiving: str, owner_token: str) -> None:
    stranger.goto(page_of(patchbay, owner_token, receiving, title="Papers"))
    stranger.get_by_role("button", name="Send").click()
    expect(stranger.get_by_text("Please choose a file.")).to_be_visible()
    field = stranger.get_by_label("Your paper")
    expect(field).to_be_focused()
    field.set_input_files({"name": "dot.png", "mimeType": "image/png", "buffer": b"no text"})
    stranger.get_by_role("button", name="Send").click()
    expect(stranger.get_by_text("must be a file of type .txt")).to_be_visible(timeout=30_000)
    assert faults(stranger) == []
    field.set_input_files({"name": "my paper.txt", "mimeType": "text/plain", "buffer": "Grüße, 你好".encode()})
    stranger.get_by_role("button", name="Send").click()
    expect(stranger.get_by_role("status")).to_have_text("Done", timeout=30_000)
    expect(stranger.locator(".answer")).to_have_text("my paper.txt: 15 bytes")


@pytest.mark.wide
def test_strangers_talk_in_chinese_and_find_it_again(
    browser: Browser, patchbay: Instance, talking: str, owner_token: str
) -> None:
    url = page_of(patchbay, owner_token, talking, show="chat", title="Desk", text="What shall it be?")
    context = browser.new_context(locale="zh-CN", color_scheme="dark")
    try:
        page = context.new_page()
        page.goto(url)
        expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
        expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        expect(page.get_by_text("What shall it be?")).to_be_visible()
        for number, text in enumerate(("One", "Two")):
            page.get_by_role("textbox", name="消息").fill(text)
            page.get_by_role("textbox", name="消息").press("Enter")
            expect(page.get_by_role("log")).to_contain_text(f"{text}, after {2 * number}", timeout=30_000)
        assert faults(page) == []
        page.reload()
        expect(page.get_by_role("log")).to_contain_text("Two, after 2")
        page.get_by_role("button", name="删除对话").click()
        request = page.get_by_role("dialog", name="要永久删除此对话吗？")
        expect(request).to_be_visible()
        assert faults(page) == []
        request.get_by_role("button", name="删除").click()
        expect(page.get_by_role("log")).not_to_contain_text("Two")
        page.reload()
        expect(page.get_by_text("What shall it be?")).to_be_visible()
        expect(page.get_by_role("log")).not_to_contain_text("Two")
    finally:
        context.close()


class Site(BaseHTTPRequestHandler):
    """Another site, which shows the page in a frame."""

    address = ""

    def do_GET(self) -> None:
        """The site's only page."""
        frame = f'<iframe src="{self.address}" title="Page" width="400" height="600"></iframe>'
        body = f"<!doctype html><title>Site</title>{frame}".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Says nothing."""


@pytest.fixture
def sites() -> Iterator[list[str]]:
    """The origins of two other sites."""
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), Site) for _ in range(2)]
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    yield [f"http://localhost:{server.server_port}" for server in servers]
    for server in servers:
        server.shutdown()
        server.server_close()


def test_only_a_listed_site_shows_it_in_a_frame(
    stranger: Page, patchbay: Instance, greeting: str, owner_token: str, sites: list[str]
) -> None:
    listed, other = sites
    Site.address = page_of(patchbay, owner_token, greeting, origins=[listed])
    stranger.goto(listed)
    frame = stranger.frame_locator("iframe")
    frame.get_by_role("textbox", name="Your name").fill("Vera")
    frame.get_by_role("button", name="Send").click()
    expect(frame.locator(".answer")).to_have_text("Hello Vera", timeout=30_000)
    with stranger.expect_console_message(lambda message: "frame-ancestors" in message.text):
        stranger.goto(other)
    expect(stranger.frame_locator("iframe").get_by_role("textbox")).to_have_count(0)


@pytest.mark.wide
def test_a_link_that_leads_nowhere_says_so(stranger: Page, patchbay: Instance) -> None:
    stranger.goto(f"{patchbay.url}/p/{'x' * 43}")
    expect(stranger.get_by_role("alert")).to_contain_text(re.compile("does not exist or is switched off"))
