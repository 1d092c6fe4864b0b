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
@pytest.mark.parametrize("size", [(390, 844), (768, 1024), (1440, 900)])
def test_a_link_to_a_node_far_along_shows_it(
    page: Page, patchbay: Instance, owner_token: str, size: tuple[int, int]
) -> None:
    steps = [node(f"step{n}", "template", {"template": "hello"}, title=f"Step {n}") for n in range(12)]
    nodes = [node("start", "start", {}), *steps]
    placed = [one | {"position": {"x": 260 * n, "y": 0}} for n, one in enumerate(nodes)]
    links = ["start -> step0", *(f"step{n} -> step{n + 1}" for n in range(11))]
    body = {"name": "A long row", "graph": graph(placed, *links)}
    made = patchbay.request("POST", "/api/workflows", body, owner_token)[1]["id"]
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"/workflows/{made}?node=step11")
    card = EditorPage(page).card("Step 11")
    expect(card).to_be_in_viewport(ratio=0.99)
    page.wait_for_load_state("networkidle")
    expect(card).to_be_in_viewport(ratio=0.99)
    box = card.bounding_box()
    assert box and box["width"] > 170, "large enough to be read"
    patchbay.request("DELETE", f"/api/workflows/{made}", token=owner_token)


@pytest.mark.wide
def test_a_version_stands_in_the_address_and_back_leads_to_the_draft(page: Page, workflow: str) -> None:
    page.goto(f"/workflows/{workflow}")
    page.get_by_role("button", name="Versions").click()
    page.get_by_role("menuitem", name=re.compile("1 ")).first.click()
    page.wait_for_url(f"**/workflows/{workflow}?version=1")
    shown = page.get_by_text("Version 1 as published", exact=False)
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
