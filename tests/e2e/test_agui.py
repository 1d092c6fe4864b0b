"""The sample of a front end in `docs/samples/agui`, on another origin, talks to a workflow in a real browser."""

from __future__ import annotations

import shutil
import subprocess
import threading
import uuid
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from backend.tools.programs.bundled import node_package
from tests.e2e.axe import faults
from tests.e2e.conftest import PATIENCE_MS
from tests.instance import ROOT, owned
from tests.live.agui.fronting import TEXT, Fronting, agent
from tests.live.mcp_server.conftest import chain, node
from tests.llm_server import Call, LlmServer, has_result
from tests.services import free_port

SAMPLE = ROOT / "docs" / "samples" / "agui"
NAME = {
    "type": "object",
    "properties": {"name": {"type": "string", "title": "Your name"}},
    "required": ["name"],
}
ASKS = chain(
    node("start", "start", {"inputs": TEXT}),
    node("say", "answer", {"text": "You said {{ start.text }}."}),
    node("ask", "form", {"title": "Who are you?", "schema": NAME}),
    node("hello", "answer", {"text": "Hello {{ ask.name }}!"}),
    node("end", "end", {"outputs": {}}),
)
DECIDES = chain(
    node("start", "start", {"inputs": TEXT}),
    node("ask", "approval", {"title": "Publish?"}),
    node("end", "end", {"outputs": {"text": "Published."}}),
)


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder and says nothing of it."""

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the sample is served, bundled."""
    folder = tmp_path_factory.mktemp("sample")
    shutil.copy(SAMPLE / "index.html", folder)
    packages = ROOT / "tests" / "live" / "servers" / "node" / "node_modules"
    script = Path(__file__).with_name("bundle.mjs")
    body = [SAMPLE / "main.js", packages, folder / "main.js", ROOT / "frontend" / "node_modules" / "rolldown"]
    command = [str(part) for part in (node_package() / "bin" / "node", script, *body)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stderr
    server = ThreadingHTTPServer(("127.0.0.1", free_port()), partial(Quiet, directory=str(folder)))
    serving = threading.Thread(target=server.serve_forever, daemon=True)
    serving.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    serving.join()
    server.server_close()


@pytest.fixture(scope="module")
def fronting(site: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fronting]:
    """An installation that lists the sample's site."""
    extra = {"PATCHBAY_AGUI_ORIGINS": site, "PATCHBAY_RUN_STARTS_PER_15S": "0"}
    created = owned(tmp_path_factory.mktemp("front") / "data", extra).start()
    yield Fronting(created, created.token())
    created.kill()


@pytest.fixture
def sample(browser: Browser, site: str) -> Iterator[Page]:
    """The sample's page, of somebody who is not signed in to Patchbay."""
    context = browser.new_context(viewport={"width": 390, "height": 800})
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto(site)
    yield page
    context.close()


def connected(page: Page, fronting: Fronting, url: str) -> None:
    """Give the sample its address and a token that may run and answer."""
    bounds = {"name": uuid.uuid4().hex, "scopes": ["run", "answer"]}
    page.get_by_label("Address").fill(url)
    page.get_by_label("Token").fill(fronting.ask("POST", "/api/tokens", bounds)["token"])
    page.get_by_role("button", name="Connect").click()


def sent(page: Page, text: str) -> None:
    """Write a message."""
    page.get_by_label("Message").fill(text)
    page.get_by_role("button", name="Send").click()


def test_a_message_a_question_and_another_message(sample: Page, fronting: Fronting) -> None:
    connected(sample, fronting, fronting.offer(ASKS))
    log = sample.get_by_role("log")
    sent(sample, "good morning")
    expect(log).to_contain_text("You said good morning.")
    question = sample.get_by_role("region", name="Question")
    expect(question).to_contain_text("Who are you?")
    assert faults(sample) == []
    question.get_by_label("Your name").fill("Ada")
    question.get_by_role("button", name="Continue").click()
    expect(log).to_contain_text("Hello Ada!")
    sent(sample, "again")
    expect(log).to_contain_text("You said again.")
    width = sample.evaluate("document.documentElement.scrollWidth")
    assert width <= 390


@pytest.mark.wide
def test_an_approval_is_left_to_patchbay(sample: Page, fronting: Fronting) -> None:
    connected(sample, fronting, fronting.offer(DECIDES))
    sent(sample, "go")
    link = sample.get_by_role("link", name="Decide it in Patchbay")
    expect(link).to_be_visible()
    open_question = fronting.ask("GET", "/api/interactions?state=open")["results"]
    approval = next(question["id"] for question in open_question if question["kind"] == "approval")
    expect(link).to_have_attribute("href", f"{fronting.patchbay.url}/inbox/{approval}")
    sample.get_by_role("button", name="Continue").click()
    expect(link).to_be_visible()


@pytest.mark.wide
def test_the_agent_acts_on_the_page(sample: Page, fronting: Fronting, llm: LlmServer) -> None:
    fronting.provide(llm.url)
    llm.reply(text="I change it.", calls=[Call("client__set_background", {"color": "teal"})])
    llm.say("It is teal.", when=has_result("background is teal"))
    connected(sample, fronting, fronting.offer(agent()))
    sent(sample, "make it teal")
    log = sample.get_by_role("log")
    expect(log).to_contain_text("I change it.")
    expect(log).to_contain_text("It is teal.")
    expect(sample.locator("body")).to_have_css("background-color", "rgb(0, 128, 128)")
