"""A workflow that fetches and shapes data, made on the screen: start, http, list, end, against a real server."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import PATIENCE_MS, sign_up
from tests.e2e.editor_page import EditorPage
from tests.instance import Instance, until
from tests.web_server import WebServer


@pytest.fixture
def web() -> Iterator[WebServer]:
    """The server that is asked."""
    server = WebServer().start()
    yield server
    server.stop()


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Instance]:
    """An installation whose operator lets workflows reach one address of this machine."""
    extra = {"PATCHBAY_RUN_STARTS_PER_15S": "0", "PATCHBAY_OUTBOUND_ALLOW": "127.0.0.1"}
    instance = Instance(tmp_path / "data", extra=extra, begins="migrated", forked=True).start()
    yield instance
    instance.kill()


@pytest.fixture
def window(browser: Browser, opened: Instance) -> Iterator[Page]:
    """The owner's page there."""
    context = browser.new_context(base_url=opened.url, viewport={"width": 1440, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    sign_up(page, opened.link)
    yield page
    context.close()


def write(page: Page, field: str, text: str) -> None:
    """Put a text into a field of expressions."""
    box = page.get_by_role("textbox", name=field, exact=True)
    box.click()
    expect(page.locator(".cm-content:focus")).to_have_count(1)
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(text)


def leave(page: Page, editor: EditorPage) -> None:
    """Back to the canvas: the first Escape may only close what is offered in a field."""
    for _ in range(5):
        page.keyboard.press("Escape")
        page.evaluate("() => new Promise(requestAnimationFrame)")
        if editor.canvas.evaluate("canvas => canvas.contains(document.activeElement)"):
            return
    focused = page.evaluate("() => document.activeElement?.outerHTML.slice(0, 300)")
    raise AssertionError(f"not back on the canvas, but at {focused}")


def test_a_request_is_pasted_its_answer_filtered_and_shown(window: Page, opened: Instance, web: WebServer) -> None:
    editor = EditorPage(window).new("Cheap fruit")
    editor.add("HTTP")
    command = f"curl -s '{web.url}/json?kind=fruit' -H 'Accept: application/json' -H 'Authorization: Bearer t0ken-4711'"
    window.get_by_role("button", name="Paste curl").click()
    window.get_by_role("textbox", name="curl command").fill(command)
    window.get_by_role("textbox", name="Name of the secret").fill("fruit_key")
    window.get_by_role("button", name="Fill in").click()
    expect(window.get_by_role("dialog")).to_have_count(0)
    expect(editor.inspector.get_by_text("fruit_key is sent to 127.0.0.1 only.")).to_be_visible()
    expect(editor.inspector.get_by_text("The host is fixed")).to_be_visible()

    leave(window, editor)
    editor.add("List")
    write(window, "Items", "{{ http.body.items }}")
    write(window, "Value", "{{ item.price }}")
    window.get_by_label("Comparison").first.select_option("lt")
    write(window, "Compared with", "3")
    write(window, "Value of each item", "{{ item.name }}")

    leave(window, editor)
    editor.add("End")
    editor.inspector.get_by_role("button", name="Add output").click()
    write(window, "Value of output", "{{ list.items }}")
    editor.saved()
    window.get_by_role("button", name="Run", exact=True).click()
    expect(editor.card("HTTP")).to_have_accessible_name(re.compile("Succeeded|succeeded"))

    came = web.wait_for("/json")
    assert came.headers["authorization"] == "Bearer t0ken-4711" and came.query == {"kind": "fruit"}
    token = opened.token()
    status, runs = opened.request("GET", "/api/runs", token=token)
    assert status == 200
    run = runs["results"][0]["id"]
    expect(editor.dock.get_by_text("fig").first).to_be_visible()
    until(lambda: opened.request("GET", f"/api/runs/{run}", token=token)[1]["state"] == "SUCCESS")  # not just its list
    status, run_now = opened.request("GET", f"/api/runs/{run}", token=token)
    assert run_now["outputs"] == {"output": ["fig"]}
    status, workflow = opened.request("GET", f"/api/workflows/{run_now['workflow']}", token=token)
    assert "t0ken-4711" not in str(workflow), "the token is in no document"
