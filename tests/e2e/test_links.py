"""Addresses that people pass on: what was looked at opens, what is gone is said, and Back leads back."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.api.runs.conftest import graph, node
from tests.e2e.editor_page import EditorPage
from tests.instance import Instance


@pytest.fixture
def workflow(patchbay: Instance, owner_token: str) -> str:
    """A published workflow with three nodes; its id."""

    def ask(method: str, path: str, body: Any) -> Any:
        status, answer = patchbay.request(method, path, body, owner_token)
        assert status in (200, 201), answer
        return answer

    nodes = [
        node("start", "start", {}) | {"position": {"x": 0, "y": 0}},
        node("text", "template", {"template": "hello"}, title="Text") | {"position": {"x": 260, "y": 0}},
        node("end", "end", {"outputs": {"said": "{{ text.text }}"}}) | {"position": {"x": 520, "y": 0}},
    ]
    created = ask("POST", "/api/workflows", {"name": "Linked", "graph": graph(nodes, "start -> text", "text -> end")})
    ask("POST", f"/api/workflows/{created['id']}/publish", {})
    return str(created["id"])


def test_a_node_stands_in_the_address_and_its_link_opens_it(page: Page, workflow: str) -> None:
    page.goto("/")
    page.goto(f"/workflows/{workflow}")
    editor = EditorPage(page)
    editor.first("Text")
    page.wait_for_url(f"**/workflows/{workflow}?node=text")
    editor.card("End").click()
    page.wait_for_url(f"**/workflows/{workflow}?node=end")
    page.go_back()
    page.wait_for_url(re.compile(r"/$"))
    page.goto(f"/workflows/{workflow}?node=text")
    expect(editor.inspector.get_by_role("textbox", name="Template", exact=True)).to_contain_text("hello")
    page.keyboard.press("Escape")
    editor.canvas.focus()
    page.keyboard.press("Escape")
    page.wait_for_url(f"**/workflows/{workflow}")


@pytest.mark.wide
def test_a_version_stands_in_the_address_and_back_leads_to_the_draft(page: Page, workflow: str) -> None:
    page.goto(f"/workflows/{workflow}")
    page.get_by_role("button", name="Versions").click()
    page.get_by_role("menuitem", name=re.compile("1 ")).first.click()
    page.wait_for_url(f"**/workflows/{workflow}?version=1")
    shown = page.get_by_text("This is version 1", exact=False)
    expect(shown).to_be_visible()
    page.go_back()
    expect(shown).to_have_count(0)
    expect(page.get_by_role("button", name="Publish")).to_be_visible()
    page.goto(f"/workflows/{workflow}?version=1&node=text")
    expect(shown).to_be_visible()
    expect(EditorPage(page).inspector).to_contain_text("Text")


@pytest.mark.wide
def test_a_link_to_what_is_gone_says_so(page: Page, workflow: str) -> None:
    page.goto(f"/workflows/{workflow}?node=long-gone")
    expect(page.get_by_text("There is no node “long-gone”", exact=False)).to_be_visible()
    for version in ("9", "latest"):
        page.goto(f"/workflows/{workflow}?version={version}")
        expect(page.get_by_text("This version could not be opened")).to_be_visible()
    page.get_by_role("button", name="Back to the draft").click()
    expect(EditorPage(page).card("Text")).to_be_visible()
    page.goto("/inbox/int_long_gone")
    expect(page.get_by_text("This question no longer exists", exact=False)).to_be_visible()
