"""What is done with one node: run the draft up to it, pin what it gave; and what a lost session leaves of the work."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.api.runs.conftest import graph, node
from tests.e2e.conftest import OWNER
from tests.e2e.drawn import template
from tests.e2e.editor_page import Desk
from tests.instance import Instance

WORD = {"word": {"type": "string"}}
DRAFT = graph(
    [
        node("start", "start", {"inputs": {"type": "object", "properties": {"word": {"type": "string"}}}})
        | {"position": {"x": 0, "y": 0}},
        template("first", "First", "{{ start.word }}!", 260),
        template("second", "Second", "{{ nowhere.text }}", 520),
    ],
    "start -> first",
    "first -> second",
)


def test_run_to_here_and_pin(page: Page, patchbay: Instance, owner_token: str) -> None:
    status, made = patchbay.request("POST", "/api/workflows", {"name": "To here", "graph": DRAFT}, owner_token)
    assert status == 201, made
    page.goto(f"/workflows/{made['id']}")
    desk = Desk(page)
    desk.card("First").click()
    expect(desk.inspector).to_be_visible()
    page.keyboard.press("Escape")
    desk.card("First").click()
    page.keyboard.press("Control+Shift+Enter")
    form = page.get_by_role("dialog", name="Start run")
    expect(form.get_by_role("textbox")).to_be_focused()
    form.get_by_role("textbox").fill("Hello")
    form.get_by_role("button", name="Run to here").click()
    expect(form).to_have_count(0)
    expect(desk.card("First")).to_have_accessible_name(re.compile("succeeded", re.I))

    desk.card("First").click()
    page.keyboard.press("p")
    desk.inspector.get_by_role("tab", name="Output").click()
    expect(desk.inspector.get_by_text("This output is pinned", exact=False)).to_be_visible()
    expect(desk.inspector.get_by_text("Hello!").first).to_be_visible()
    desk.card("First").click()
    page.keyboard.press("p")
    expect(desk.inspector.get_by_text("This output is pinned", exact=False)).to_have_count(0)


def test_a_lost_session_loses_no_work(page: Page) -> None:
    desk = Desk(page).new("Signed out")
    desk.saved()
    page.route(
        "**/draft", lambda route: route.fulfill(status=401, json={"code": "SIGNED_OUT", "message": "Signed out"})
    )
    desk.add("template")
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    page.context.clear_cookies(name=re.compile("session"))
    page.unroute("**/draft")
    page.get_by_label("Email").fill(OWNER["email"])
    page.get_by_role("textbox", name="Password").fill(OWNER["password"])
    page.get_by_role("button", name="Sign in").click()
    expect(desk.card("Template")).to_be_visible()
    desk.saved()
    page.reload()
    expect(desk.card("Template")).to_be_visible()


def test_all_cookies_deleted_in_mid_edit_lose_no_work(page: Page) -> None:
    desk = Desk(page).new("Without cookies")
    desk.saved()
    page.route("**/draft", lambda route: route.abort())  # what is edited has not reached the server yet
    desk.add("template")
    expect(desk.card("Template")).to_be_visible()
    page.context.clear_cookies()
    page.unroute("**/draft")
    page.get_by_label("Email").fill(OWNER["email"])
    page.get_by_role("textbox", name="Password").fill(OWNER["password"])
    page.get_by_role("button", name="Sign in").click()
    expect(desk.card("Template")).to_be_visible()
    desk.saved()
    page.reload()
    expect(desk.card("Template")).to_be_visible()
