"""Agents and planners on the screen: built from nothing, watched, answered with changes, reloaded in the middle."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.editor_page import EditorPage
from tests.instance import Instance
from tests.live.servers.conftest import NODE_SERVERS
from tests.llm_server import Call, Gate, LlmServer, Matcher, llm_server, mentions

SUCCEEDED = re.compile("succeeded", re.I)
SCRIPTS = Path(sys.executable).parent
DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
"""A picture of one pixel."""


class Api:
    """The owner's program beside the browser."""

    def __init__(self, patchbay: Instance, token: str) -> None:
        self._patchbay, self._token = patchbay, token

    def post(self, path: str, body: Any) -> Any:
        """The answer's JSON; the request must succeed."""
        status, data = self._patchbay.request("POST", path, body, self._token)
        assert status < 300, data
        return data

    def get(self, path: str) -> Any:
        """The answer's JSON."""
        return self._patchbay.request("GET", path, token=self._token)[1]

    def ensure_server(self, slug: str, command: str, args: list[str]) -> None:
        """A stdio server under this slug, its tools read."""
        status, _ = self._patchbay.request("GET", f"/api/mcp/servers/{slug}", token=self._token)
        if status == 404:
            self.post("/api/mcp/servers", {"name": slug, "transport": "stdio", "command": command, "args": args})
        listed = self.get(f"/api/mcp/servers/{slug}/tools?refresh=1")
        assert listed["results"], listed


@pytest.fixture(scope="module")
def llm() -> Iterator[LlmServer]:
    """The scripted endpoint of these tests."""
    with llm_server() as server:
        yield server


@pytest.fixture(scope="module")
def api(patchbay: Instance, owner_token: str, llm: LlmServer) -> Api:
    """The API, with the scripted endpoint as the team's provider."""
    api = Api(patchbay, owner_token)
    models = [{"id": "scripted-1", "input_price": 1, "output_price": 2}]
    api.post("/api/providers", {"name": "Scripted", "base_url": llm.url, "models": models})
    api.get("/api/mcp/servers/demo/tools?refresh=1")
    return api


@pytest.fixture(autouse=True)
def nothing_left(llm: LlmServer) -> Iterator[None]:
    """Every test asks for all that it wrote down."""
    yield
    left = llm.left()
    llm.clear()
    assert left == []


def test_an_agent_from_nothing(page: Page, api: Api, llm: LlmServer) -> None:
    editor = EditorPage(page).new("An agent from nothing")
    editor.add("Agent")
    expect(editor.inspector.get_by_role("combobox", name="Provider")).to_have_value("scripted")
    expect(editor.inspector.get_by_role("combobox", name="Model")).to_have_value("scripted-1")
    editor.inspector.get_by_role("textbox", name="Task").fill("Delete the oldest record.")
    editor.unfold("Demo")
    agent = editor.card("Agent").bounding_box()
    area = editor.canvas.bounding_box()
    assert agent and area
    for tool in ("delete_record", "city_weather"):
        editor.drag_out(tool, agent["x"] - area["x"] + 60, agent["y"] - area["y"] + 30)
        expect(editor.inspector.get_by_role("button", name=re.compile("^Demo"))).to_be_visible()
    expect(editor.inspector.get_by_role("button", name=re.compile("^Demo"))).to_contain_text("2 of")
    editor.saved()

    gate = Gate()
    llm.reply(reasoning="Which is the oldest?", text="I look.", calls=[Call("demo__city_weather", {"city": "Oslo"})])
    llm.reply(text="It is r-17.", calls=[Call("demo__delete_record", {"record": "r-17"})])
    llm.reply(text="The record r-18 is gone, as you wished.", gate=gate)
    editor.run(form=False)

    question = editor.dock.get_by_role("form").or_(editor.dock.get_by_role("region", name=re.compile("Allow")))
    expect(editor.dock.get_by_text("The server marks the tool as destructive.")).to_be_visible()
    expect(question.first).to_be_visible()
    editor.dock.get_by_role("textbox", name=re.compile("^record")).fill("r-18")
    editor.dock.get_by_role("button", name="Approve", exact=True).click()

    llm.wait_for_request(3)
    gate.release(3)
    editor.card("Agent").click()
    detail = editor.dock.get_by_role("region", name="Agent", exact=True)
    expect(detail.get_by_text("The record r-18", exact=False)).to_be_visible()
    page.reload()
    editor.card("Agent").click()
    expect(editor.dock.get_by_text("The record r-18", exact=False).first).to_be_visible()
    gate.open()
    expect(editor.card("Agent")).to_have_accessible_name(SUCCEEDED)
    expect(editor.dock.get_by_text("The record r-18 is gone, as you wished.", exact=False).first).to_be_visible()
    reply = llm.requests[2].text
    assert "r-18" in reply, "the model reads what was really called"

    page.reload()
    editor.card("Agent").click()
    for text in ("Delete the oldest record.", "I look.", "It is r-17.", "The record r-18 is gone"):
        expect(editor.dock.get_by_text(text, exact=False).first).to_be_attached()


@pytest.mark.wide
def test_a_planner_asks_for_what_is_missing(page: Page, api: Api, llm: LlmServer) -> None:
    graph = {
        "schema": 1,
        "language": "en",
        "nodes": [
            {"id": "start", "type": "start", "v": 1, "position": {"x": 0, "y": 10}, "config": {"inputs": {}}},
            {
                "id": "plan",
                "type": "planner",
                "v": 1,
                "title": "Plan it",
                "position": {"x": 148, "y": 0},
                "config": {
                    "provider": "scripted",
                    "model": "scripted-1",
                    "goal": "Find out the weather.",
                    "tools": {"servers": [{"server": "demo", "include": ["city_weather"]}]},
                },
            },
        ],
        "edges": [{"id": "e1", "source": "start", "source_port": "out", "target": "plan", "target_port": "in"}],
    }
    api.post("/api/workflows", {"name": "A planner", "graph": graph})
    _script_planner(llm)
    gate = Gate()
    llm.reply(text="In Oslo it is as the tool said.", gate=gate)

    editor = EditorPage(page).open("A planner")
    editor.run(form=False)
    box = editor.dock.get_by_role("textbox", name=re.compile("^City", re.I))
    expect(box).to_be_visible()
    expect(editor.dock.get_by_text("Which city do you mean?").first).to_be_visible()
    box.fill("Oslo")
    editor.dock.get_by_role("button", name="Send", exact=True).click()
    llm.wait_for_request(11)
    gate.release(3)
    editor.card("Plan it").click()
    expect(editor.dock.get_by_text("In Oslo it", exact=False).first).to_be_visible()
    gate.open()
    expect(editor.card("Plan it")).to_have_accessible_name(SUCCEEDED)
    page.reload()
    editor.card("Plan it").click()
    expect(editor.dock.get_by_text("In Oslo it is as the tool said.", exact=False).first).to_be_attached()
    expect(editor.dock.get_by_text("Weather report", exact=False).first).to_be_attached()
    editor.dock.get_by_role("button", name="Save as workflow").click()
    page.get_by_role("button", name="Open it").click()
    expect(page.get_by_text("A planner: Plan it").first).to_be_visible()
    expect(editor.card("Ask for the weather")).to_be_visible()


@pytest.mark.wide
def test_a_picture_is_given_and_seen(page: Page, api: Api, llm: LlmServer) -> None:
    parts = [{"type": "text", "text": "What is it?"}, "{{ start.picture }}"]
    config = {"provider": "scripted", "model": "scripted-1", "messages": [{"role": "user", "content": parts}]}
    nodes = [
        {"id": "start", "type": "start", "config": {"inputs": {}}},
        {"id": "look", "type": "llm", "title": "Look at it", "config": config},
    ]
    placed = [{"v": 1, "position": {"x": 148 * n, "y": 0}, **node} for n, node in enumerate(nodes)]
    edge = {"id": "e1", "source": "start", "source_port": "out", "target": "look", "target_port": "in"}
    graph = {"schema": 1, "language": "en", "nodes": placed, "edges": [edge]}
    api.post("/api/workflows", {"name": "A picture", "graph": graph})
    llm.reply(text="It is one black dot.")

    editor = EditorPage(page).open("A picture")
    editor.card("Start").click()
    editor.inspector.get_by_role("button", name="Add input").click()
    name = editor.inspector.get_by_role("textbox", name="Name of input 1")
    name.fill("picture")
    editor.inspector.get_by_role("combobox", name="Type of picture").select_option(label="File")
    editor.inspector.get_by_role("button", name="Details of picture").click()
    editor.inspector.get_by_role("combobox", name="Which files").select_option(label="Images")
    editor.saved()
    page.get_by_role("button", name="Run", exact=True).click()
    form = page.get_by_role("dialog", name="Start run")
    field = form.get_by_label("picture", exact=True)
    field.set_input_files({"name": "notes.txt", "mimeType": "text/plain", "buffer": b"no picture"})
    expect(form.get_by_role("alert")).to_contain_text("Wrong kind of file. Accepted: images")
    field.set_input_files({"name": "dot.png", "mimeType": "image/png", "buffer": base64.b64decode(DOT)})
    expect(form.get_by_role("button", name="Show dot.png larger").locator("img")).to_be_visible()
    form.get_by_role("button", name="Start run").click()
    expect(editor.card("Look at it")).to_have_accessible_name(SUCCEEDED)

    [text, picture] = llm.requests[0].messages[-1]["content"]
    assert text == {"type": "text", "text": "What is it?"}
    assert picture["image_url"]["url"] == f"data:image/png;base64,{DOT}"
    page.reload()
    editor.dock.get_by_role("tab", name="Output").click()
    shown = editor.dock.get_by_role("region", name="Inputs")
    expect(shown.get_by_role("button", name="dot.png", exact=True)).to_be_visible()
    with page.expect_download() as saved:
        shown.get_by_role("button", name="dot.png", exact=True).click()
    assert saved.value.path().read_bytes() == base64.b64decode(DOT)


def _asks(words: str) -> Matcher:
    """Requests whose last message begins the question with these words."""
    return lambda asked: words in str(asked.messages[-1]["content"])


def _script_planner(llm: LlmServer) -> None:
    """What the planner's questions get, up to its summary."""
    for words, answer in (
        ("Give this task a name", {"name": "Weather report"}),
        ("Judge the risk of carrying out this goal", {"risk": "LOW", "reason": "It only reads."}),
        ("Plan the next step (number 1)", {"tool": "demo__city_weather", "description": "Ask for the weather"}),
        ("Write the arguments", {"city": "the capital"}),
        ("Judge the risk of exactly this call", {"risk": "LOW", "reason": "It only reads."}),
        ("its arguments are to blame", {"is_param_error": True}),
        ("Explain to a person", {"message": "Which city do you mean?"}),
        ("Name those arguments", {"missing": ["city"]}),
        ("Plan the next step (number 2)", {"tool": "FINAL", "description": "Done"}),
    ):
        again = 2 if words == "Judge the risk of exactly this call" else 1  # the arguments change
        llm.reply(text=json.dumps(answer), when=_asks(words), times=again)


@pytest.mark.wide
def test_template_ask_before_it_writes(page: Page, api: Api, llm: LlmServer, tmp_path: Path) -> None:
    repository, folder = tmp_path / "repository", tmp_path / "notes"
    folder.mkdir()
    _commit(repository, "Pin the SDK")
    api.ensure_server("git", str(SCRIPTS / "mcp-server-git"), ["--repository", str(repository)])
    api.ensure_server("filesystem", str(NODE_SERVERS / "mcp-server-filesystem"), [str(folder)])

    page.goto("/")
    page.get_by_role("button", name="From a template").click()
    page.get_by_role("radio", name=re.compile("Ask before it writes")).check()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Server for “git”")).to_have_value("git")
    expect(dialog.get_by_label("Model", exact=True)).to_have_value("scripted-1")
    dialog.get_by_role("button", name="Create workflow").click()
    editor = EditorPage(page)
    editor.canvas.wait_for()

    path = str(folder / "RELEASE_NOTES.md")
    llm.reply(text="I read first.", calls=[Call("git__git_log", {"max_count": 5})])
    llm.reply(
        calls=[Call("filesystem__write_file", {"path": path, "content": "- something"})], when=mentions("Pin the SDK")
    )
    llm.say("The release notes are written.")
    page.get_by_role("button", name="Run", exact=True).click()
    form = page.get_by_role("dialog", name="Start run")
    form.get_by_label("Repository").fill(str(repository))
    form.get_by_label("Folder").fill(str(folder))
    form.get_by_role("button", name="Start run").click()

    content = editor.dock.get_by_role("textbox", name=re.compile("^content"))
    expect(content).to_be_visible()
    assert not Path(path).exists(), "nothing is written before the answer"
    content.fill("- The SDK is pinned")
    editor.dock.get_by_role("button", name="Approve", exact=True).click()
    expect(editor.card("Say what was done")).to_have_accessible_name(SUCCEEDED)
    assert Path(path).read_text() == "- The SDK is pinned"


def _commit(repository: Path, message: str) -> None:
    """A repository with one commit."""
    repository.mkdir()
    (repository / "pins.txt").write_text("mcp 2.3.0\n")
    who = ["-c", "user.name=Alice", "-c", "user.email=alice@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", message]):
        subprocess.run(["git", *who, *command], cwd=repository, check=True)


class _Pages(BaseHTTPRequestHandler):
    """Two pages, the second named in the first. Plain text: for HTML the fetch server installs a helper at first."""

    pages: dict[str, str] = {  # noqa: RUF012 - never changed
        "/": "Patch cables. See /colours for their colours.",
        "/colours": "Patch cables are blue.",
    }

    def do_GET(self) -> None:
        """A page or 404."""
        body = self.pages.get(self.path)
        self.send_response(200 if body else 404)
        self.send_header("content-type", "text/plain")
        self.end_headers()
        self.wfile.write((body or "").encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def site() -> Iterator[str]:
    """Address of a small site."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.wide
def test_template_research_and_report(page: Page, api: Api, llm: LlmServer, site: str) -> None:
    api.ensure_server("fetch", str(SCRIPTS / "mcp-server-fetch"), ["--ignore-robots-txt", "--allow-private-ips"])
    page.goto("/")
    page.get_by_role("button", name="From a template").click()
    page.get_by_role("radio", name=re.compile("Research and report")).check()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Server for “fetch”")).to_have_value("fetch")
    dialog.get_by_role("button", name="Create workflow").click()
    editor = EditorPage(page)
    editor.canvas.wait_for()

    llm.reply(calls=[Call("fetch__fetch", {"url": f"{site}/colours"})], when=mentions("Patch cables"))
    llm.reply(text=f"They are blue ({site}/colours).", when=mentions("are blue"))
    page.get_by_role("button", name="Run", exact=True).click()
    form = page.get_by_role("dialog", name="Start run")
    form.get_by_label("Address").fill(f"{site}/")
    form.get_by_role("button", name="Start run").click()
    expect(editor.card("Report")).to_have_accessible_name(SUCCEEDED)
    editor.dock.get_by_role("tab", name="Output").click()
    expect(editor.dock.get_by_text("They are blue", exact=False).first).to_be_visible()
