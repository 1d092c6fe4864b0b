"""What servers answer with, in a real browser: at any size, in the log of a run, in the playground and in the inbox."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.api.runs.conftest import graph, node
from tests.instance import ROOT, Instance
from tests.live.servers.conftest import PROGRAMS, started

PROGRAM = ROOT / "tests" / "live" / "servers" / "programs" / "results_server.py"
EVERYTHING = ROOT / "tests" / "live" / "servers" / "node" / "node_modules" / ".bin" / "mcp-server-everything"
LARGE = 200  # pixels a side: 160 KB of base64, ten times what an event holds itself
LOADED = "image => image.complete && image.naturalWidth > 0"


@pytest.fixture(scope="module")
def seeded(patchbay: Instance, owner_token: str) -> tuple[Instance, str]:
    """The installation with both servers, and its owner's token."""
    for slug, command, arguments in (
        ("results", sys.executable, [str(PROGRAM)]),
        ("everything", str(EVERYTHING), ["stdio"]),
    ):
        body = {"name": slug, "slug": slug, "transport": "stdio", "command": command, "args": arguments}
        status, row = patchbay.request("POST", "/api/mcp/servers", body | {"trust_annotations": True}, owner_token)
        assert status == 201, row
        status, tools = patchbay.request("GET", f"/api/mcp/servers/{row['id']}/tools?refresh=1", token=owner_token)
        assert status == 200 and tools, tools
    return patchbay, owner_token


@pytest.fixture(scope="module")
def odd_http() -> Iterator[str]:
    """Base URL of the HTTP server that answers in every way."""
    for port in started(str(PROGRAMS / "http_server.py")):
        yield f"http://127.0.0.1:{port}"


def tool(key: str, name: str, arguments: dict[str, Any], server: str = "results", **more: Any) -> dict[str, Any]:
    config = {"server": server, "tool": name, "arguments": arguments}
    return node(key, "tool", config, title=key.title(), **more) | {"position": {"x": 260, "y": 0}}


def ran(seeded: tuple[Instance, str], *nodes: dict[str, Any], edges: tuple[str, ...] = ()) -> dict[str, Any]:
    """A run of these nodes, one after the other, when it ended or waits."""
    instance, token = seeded
    every = [
        node("start", "start", {}),
        *nodes,
        node("end", "end", {"outputs": {"whole": f"{{{{ {nodes[0]['id']} }}}}"}}),
    ]
    keys = [item["id"] for item in every]
    links = edges or tuple(f"{a} -> {b}" for a, b in pairwise(keys))
    status, created = instance.request(
        "POST", "/api/workflows", {"name": "Results", "graph": graph(every, *links)}, token
    )
    assert status == 201, created
    body = {"version": "draft", "inputs": {}, "wait": 60}
    status, run = instance.request("POST", f"/api/workflows/{created['id']}/runs", body, token)
    assert status in (200, 202), run
    assert isinstance(run, dict)
    return run


def drawn(picture: Locator) -> None:
    """The picture is there and the browser could draw it."""
    expect(picture).to_be_visible()
    picture.evaluate(f"image => image.decode().then(() => {{ if (!({LOADED})(image)) throw new Error('not drawn') }})")


def step(page: Page, run: dict[str, Any], key: str) -> Locator:
    """A run's page with the details of one of its nodes."""
    page.goto(f"/runs/{run['id']}")
    page.get_by_role("group", name=re.compile(f"^{key.title()},")).click()
    return page.get_by_role("region", name="Run", exact=True)


def gallery(place: Locator, page: Page) -> None:
    """Every kind of block stands in its place and shape, and none of them ran."""
    drawn(place.get_by_role("img", name="Image image.png").first)
    svg = place.get_by_role("img", name="Image image.svg").first
    drawn(svg)
    assert svg.evaluate("image => image.tagName") == "IMG"
    sound = place.get_by_label("Audio audio.wav").first
    sound.evaluate("audio => new Promise(done => audio.readyState ? done() : audio.onloadedmetadata = done)")
    assert sound.evaluate("audio => Math.round(audio.duration)") == 1
    link = place.get_by_role("link", name="Annual report").first
    assert link.get_attribute("href") == "https://example.org/report/2026"
    assert link.get_attribute("rel") == "noopener noreferrer nofollow"
    for words in ("All figures of the year, audited.", "orders.csv", "harmless", "note://7", "The month in pictures."):
        expect(place.get_by_text(words).first).to_be_visible()
    expect(place.get_by_role("link", name="harmless")).to_have_count(0)
    expect(place.get_by_text("chart", exact=False).first).to_be_visible()
    expect(place.get_by_text('"Sales by month"').first).to_be_visible()
    expect(place.get_by_text('"May"').first).to_be_visible()
    assert "reused" not in page.title() and page.locator("main svg script").count() == 0


def saved(page: Page, place: Locator, name: str) -> bytes:
    """The bytes that a download button gives."""
    with page.expect_download() as result:
        place.get_by_role("button", name=f"Download {name}").first.click()
    assert result.value.suggested_filename == name
    return Path(result.value.path()).read_bytes()


def try_tool(page: Page, name: str, server: str = "results") -> Locator:
    """The playground with a tool called."""
    page.goto(f"/registry/{server}")
    trial = page.get_by_role("region", name="Try a tool")
    trial.get_by_role("combobox", name="Tool to try").select_option(label=f"{server}/{name}")
    if name == "gallery":
        trial.get_by_role("spinbutton", name="side").fill(str(LARGE))
    trial.get_by_role("button", name="Call", exact=True).click()
    return trial


def test_the_playground_shows_every_block(page: Page, seeded: tuple[Instance, str]) -> None:
    trial = try_tool(page, "gallery")
    gallery(trial, page)
    assert saved(page, trial, "month.pdf").startswith(b"%PDF-1.4")
    assert b"<script>" in saved(page, trial, "one.html")


@pytest.mark.wide
def test_the_log_of_a_run_shows_every_block_at_any_size(page: Page, seeded: tuple[Instance, str]) -> None:
    run = ran(seeded, tool("look", "gallery", {"side": LARGE}))
    dock = step(page, run, "look")
    gallery(dock, page)
    expect(dock.locator(".call").get_by_text("iVBORw0KGgo")).to_have_count(0)
    expect(dock.get_by_text(f"{LARGE} × {LARGE}", exact=False).first).to_be_visible()
    assert saved(page, dock, "month.pdf").startswith(b"%PDF-1.4")


@pytest.mark.wide
def test_a_picture_above_what_an_event_holds_is_a_picture(page: Page, seeded: tuple[Instance, str]) -> None:
    run = ran(seeded, tool("draw", "picture", {"side": 700}))
    dock = step(page, run, "draw")
    drawn(dock.get_by_role("img", name="Image image.png").first)
    expect(dock.get_by_text("700 × 700", exact=False).first).to_be_visible()
    assert len(saved(page, dock, "image.png")) > 1_400_000


@pytest.mark.wide
def test_the_outputs_of_a_run_show_what_they_hold(page: Page, seeded: tuple[Instance, str]) -> None:
    run = ran(seeded, tool("look", "gallery", {"side": LARGE}))
    page.goto(f"/runs/{run['id']}")
    dock = page.get_by_role("region", name="Run", exact=True)
    dock.get_by_role("tab", name="Output").click()
    load = dock.get_by_role("button", name=re.compile("^Load all"), disabled=False)  # one that loads already is busy
    picture = dock.get_by_role("img", name="Image image.png").first
    expect(picture.or_(load).first).to_be_visible()
    while picture.count() == 0:
        load.first.click()
        expect(picture.or_(load).first).to_be_visible()
    drawn(picture)


@pytest.mark.wide
def test_the_inbox_shows_what_is_decided_on(page: Page, seeded: tuple[Instance, str]) -> None:
    ask = node("ask", "approval", {"title": "Publish these?", "message": "", "proposal": "{{ look.content }}"})
    links = ("start -> look", "look -> ask", "ask:approved -> end")
    run = ran(seeded, tool("look", "gallery", {"side": LARGE}), ask, edges=links)
    instance, token = seeded
    _, open_question = instance.request("GET", f"/api/interactions?run={run['id']}", token=token)
    page.goto(f"/inbox/{open_question['results'][0]['id']}")
    question = page.get_by_role("main")
    drawn(question.get_by_role("img", name="Image image.png").first)
    drawn(question.get_by_role("img", name="Image image.svg").first)
    expect(question.get_by_role("link", name="Annual report")).to_be_visible()


def test_errors_show_all_they_carry_and_nothing_else(page: Page, seeded: tuple[Instance, str]) -> None:
    trial = try_tool(page, "fault")
    expect(trial.get_by_text("the database is on fire", exact=False).first).to_be_visible()
    expect(trial.get_by_text("JSON-RPC -32050")).to_be_visible()
    expect(trial.get_by_text('"orders"')).to_be_visible()
    expect(trial.get_by_text("--colour", exact=False)).to_have_count(0)

    run = ran(seeded, tool("print", "refused", {}))
    dock = step(page, run, "print")
    expect(dock.get_by_text("The printer is on fire.").first).to_be_visible()
    expect(dock.get_by_text('"B7"').first).to_be_visible()
    drawn(dock.get_by_role("img", name="Image image.png").first)

    dock = step(page, ran(seeded, tool("fit", "misfit", {})), "fit")
    expect(dock.get_by_text("sold: many").first).to_be_visible()
    expect(dock.get_by_role("region", name="Fields").first).to_be_visible()


@pytest.mark.wide
def test_an_error_over_http_shows_status_and_headers_without_secrets(
    page: Page, seeded: tuple[Instance, str], odd_http: str
) -> None:
    instance, token = seeded
    body = {"name": "odd", "slug": "odd", "transport": "http", "url": f"{odd_http}/mcp"}
    status, row = instance.request("POST", "/api/mcp/servers", body, token)
    assert status == 201, row
    status, tools = instance.request("GET", f"/api/mcp/servers/{row['id']}/tools?refresh=1", token=token)
    assert status == 200 and tools, tools
    trial = try_tool(page, "down", "odd")
    expect(trial.get_by_text("HTTP 503").first).to_be_visible()
    headers = trial.get_by_role("region", name="Response headers")
    expect(headers.get_by_text("retry-after")).to_be_visible()
    expect(headers.get_by_text("120")).to_be_visible()
    expect(trial.get_by_text("secret-in", exact=False)).to_have_count(0)


@pytest.mark.wide
def test_a_server_of_others_shows_its_picture_and_links(page: Page, seeded: tuple[Instance, str]) -> None:
    trial = try_tool(page, "get-tiny-image", "everything")
    drawn(trial.get_by_role("img", name="Image image.png"))
    trial = try_tool(page, "get-resource-links", "everything")
    expect(trial.get_by_role("button", name="Copy the address").first).to_be_visible()
    expect(trial.get_by_text("demo://resource", exact=False).first).to_be_visible()


def test_downloads_come_with_headers_that_run_nothing(seeded: tuple[Instance, str]) -> None:
    instance, token = seeded
    for name, mime in (("看.svg", "image/svg+xml"), ("page.html", "text/html"), ("a.pdf", "application/pdf")):
        body = (
            f'--cut\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\nContent-Type: {mime}\r\n\r\n'
            "<script>1</script>\r\n--cut--\r\n"
        ).encode()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "multipart/form-data; boundary=cut"}
        with urlopen(Request(f"{instance.url}/api/files", body, headers)) as response:
            key = re.search(rb'"id": ?"([^"]+)"', response.read())
        assert key
        address = f"{instance.url}/api/files/{key.group(1).decode()}"
        with urlopen(Request(address, headers={"Authorization": f"Bearer {token}"})) as file:
            reply = file.headers
            assert (
                reply["Content-Disposition"].startswith("attachment;") and reply["X-Content-Type-Options"] == "nosniff"
            )
            assert reply["Content-Type"] == "application/octet-stream" and "sandbox" in reply["Content-Security-Policy"]
            if name.startswith("看"):
                assert "filename*=UTF-8''%E7%9C%8B.svg" in reply["Content-Disposition"]
