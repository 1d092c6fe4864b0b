"""What is done with one node: run the draft up to it, pin what it gave; and what a lost session leaves of the work."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.api.runs.conftest import graph, node
from tests.e2e.conftest import OWNER
from tests.e2e.drawn import template
from tests.e2e.editor_page import EditorPage
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
    status, created = patchbay.request("POST", "/api/workflows", {"name": "To here", "graph": DRAFT}, owner_token)
    assert status == 201, created
    page.goto(f"/workflows/{created['id']}")
    editor = EditorPage(page)
    editor.card("First").click()
    expect(editor.inspector).to_be_visible()
    page.keyboard.press("Escape")
    editor.card("First").click()
    page.keyboard.press("Control+Shift+Enter")
    form = page.get_by_role("dialog", name="Start run")
    expect(form.get_by_role("textbox")).to_be_focused()
    form.get_by_role("textbox").fill("Hello")
    form.get_by_role("button", name="Run to here").click()
    expect(form).to_have_count(0)
    expect(editor.card("First")).to_have_accessible_name(re.compile("succeeded", re.I))

    editor.card("First").click()
    page.keyboard.press("p")
    editor.inspector.get_by_role("tab", name="Output").click()
    expect(editor.inspector.get_by_text("This output is pinned", exact=False)).to_be_visible()
    expect(editor.inspector.get_by_text("Hello!").first).to_be_visible()
    editor.card("First").click()
    page.keyboard.press("p")
    expect(editor.inspector.get_by_text("This output is pinned", exact=False)).to_have_count(0)


NESTED = graph(
    [
        node("start", "start", {}) | {"position": {"x": 0, "y": 0}},
        node("each", "iteration", {"items": ["tea", "milk"], "output": "{{ last.text }}"}, title="Each")
        | {"position": {"x": 260, "y": 0}},
        node("first", "template", {"template": "{{ item }}?"}, title="First", parent="each")
        | {"position": {"x": 290, "y": 60}},
        node("rounds", "loop", {"vars": {"word": "{{ first.text }}"}, "max": 1}, title="Rounds", parent="each")
        | {"position": {"x": 540, "y": 60}},
        node("deep", "template", {"template": "{{ index }} {{ loop.vars.word }} {{ first.text }}"}, title="Deep")
        | {"position": {"x": 570, "y": 120}, "parent": "rounds"},
        node("last", "template", {"template": "{{ rounds.word }}"}, title="Last", parent="each")
        | {"position": {"x": 900, "y": 60}},
    ],
    "start -> each",
    "first -> rounds",
    "rounds -> last",
)


@pytest.mark.wide
def test_a_node_in_nested_containers_runs_alone_with_what_its_last_round_gave(
    page: Page, patchbay: Instance, owner_token: str
) -> None:
    status, created = patchbay.request("POST", "/api/workflows", {"name": "Alone", "graph": NESTED}, owner_token)
    assert status == 201, created
    page.goto(f"/workflows/{created['id']}")
    editor = EditorPage(page)
    expect(editor.card("Deep")).to_be_visible()
    editor.run(form=False)
    expect(editor.card("Last")).to_have_accessible_name(re.compile("succeeded", re.I))

    editor.card("Deep").click(button="right")
    page.get_by_role("menuitem", name="Run this step alone").click()
    form = page.get_by_role("dialog", name="Start run")
    fields = form.get_by_role("textbox")
    expect(form.get_by_text("Rounds", exact=True)).to_be_visible()
    filled = form.locator(".run-form-fields")
    for value in ("milk?", "milk?"):
        expect(filled).to_contain_text(value)
    expect(fields.last).to_be_visible()
    form.get_by_role("button", name="Run this step alone").click()
    expect(form).to_have_count(0)
    expect(editor.card("Deep")).to_have_accessible_name(re.compile("succeeded", re.I))
    editor.card("Deep").click()
    editor.inspector.get_by_role("tab", name="Output").click()
    expect(editor.inspector.get_by_text("0 milk? milk?").first).to_be_visible()


def test_a_lost_session_loses_no_work(page: Page) -> None:
    editor = EditorPage(page).new("Signed out")
    editor.saved()
    page.route(
        "**/draft", lambda route: route.fulfill(status=401, json={"code": "SIGNED_OUT", "message": "Signed out"})
    )
    editor.add("template")
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    page.context.clear_cookies(name=re.compile("session"))
    page.unroute("**/draft")
    page.get_by_label("Email").fill(OWNER["email"])
    page.get_by_role("textbox", name="Password").fill(OWNER["password"])
    page.get_by_role("button", name="Sign in").click()
    expect(editor.card("Template")).to_be_visible()
    editor.saved()
    page.reload()
    expect(editor.card("Template")).to_be_visible()


@pytest.mark.wide
def test_all_cookies_deleted_in_mid_edit_lose_no_work(page: Page) -> None:
    editor = EditorPage(page).new("Without cookies")
    editor.saved()
    page.route("**/draft", lambda route: route.abort())  # what is edited has not reached the server yet
    editor.add("template")
    expect(editor.card("Template")).to_be_visible()
    page.context.clear_cookies()
    page.unroute("**/draft")
    page.get_by_label("Email").fill(OWNER["email"])
    page.get_by_role("textbox", name="Password").fill(OWNER["password"])
    page.get_by_role("button", name="Sign in").click()
    expect(editor.card("Template")).to_be_visible()
    editor.saved()
    page.reload()
    expect(editor.card("Template")).to_be_visible()
