"""The first page says where to begin; and what is imported or pasted and is not ours says what it is."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.api.runs.conftest import graph, node
from tests.e2e.editor_page import EditorPage
from tests.instance import Instance
from tests.wide import besides

DIFY = "app:\n  mode: workflow\n  name: Mail\nkind: app\nversion: 0.3.0\nworkflow:\n  graph: {}\n"
N8N = '{"name": "Mail", "nodes": [{"type": "n8n-nodes-base.set"}], "connections": {}}'


@pytest.mark.wide
def test_a_template_is_tried_with_one_click(page: Page, patchbay: Instance, owner_token: str) -> None:
    page.goto("/")
    expect(page.get_by_role("heading", name="Start with one that works")).to_be_visible()
    page.get_by_role("button", name="Try now: What time is it there?").click()
    editor = EditorPage(page)
    editor.canvas.wait_for()
    form = page.get_by_role("dialog", name="Start run")
    expect(form.get_by_label("City")).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type("Kyoto")
    page.keyboard.press("Control+Enter")
    expect(editor.card("Say it in words")).to_have_accessible_name(re.compile("succeeded", re.I))
    # the form opens once, not with every reload
    page.reload()
    editor.canvas.wait_for()
    expect(editor.card("Say it in words")).to_be_visible()
    expect(form).to_have_count(0)
    key = re.search(r"/workflows/([^/?]+)", page.url)
    assert key  # another test opens the example by its name
    assert patchbay.request("DELETE", f"/api/workflows/{key[1]}", token=owner_token)[0] == 204


@pytest.mark.wide
def test_a_template_that_needs_more_says_what(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Set up Work on files").click()
    dialog = page.get_by_role("dialog", name="From a template")
    expect(dialog.get_by_role("radio", name="Work on files")).to_be_checked()


@pytest.fixture
def busy(patchbay: Instance, owner_token: str) -> Iterator[list[str]]:
    """The runs of four workflows that a team edited last."""
    created, runs = [], []
    for number in range(4):
        document = graph([node("start", "start", {}), node("end", "end", {})], "start -> end")
        body = {"name": f"Every morning {number}", "graph": document}
        key = patchbay.request("POST", "/api/workflows", body, owner_token)[1]["id"]
        created.append(key)
        status, run = patchbay.request("POST", f"/api/workflows/{key}/runs", {"version": "draft"}, owner_token)
        assert status < 300, run
        runs.append(run["id"])
    yield runs
    for key in created:
        patchbay.request("DELETE", f"/api/workflows/{key}", token=owner_token)


@pytest.mark.parametrize("width", [1440, *besides(390, 768)])
def test_the_first_page_of_a_busy_team_says_what_goes_on(page: Page, busy: list[str], width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto("/")
    expect(page.get_by_role("link", name=re.compile("^Runs today"))).to_contain_text("yesterday")
    edited = page.get_by_role("region", name="Continue with")
    expect(edited.get_by_role("link", name="Every morning 3")).to_be_visible()
    recent = page.get_by_role("region", name="Recent runs")
    expect(recent.get_by_role("link", name="Every morning 3")).to_have_attribute("href", f"/runs/{busy[3]}")
    expect(page.get_by_role("button", name="Try now: A tour")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    # who searches has the whole list
    page.get_by_role("searchbox", name="Search workflows").fill("Every morning 0")
    expect(recent).to_have_count(0)
    expect(page.get_by_role("link", name="Every morning 0")).to_be_visible()


@pytest.mark.wide
def test_the_parts_of_the_first_page_stand_side_by_side_on_a_wall(page: Page, busy: list[str]) -> None:
    page.set_viewport_size({"width": 2560, "height": 1440})
    page.goto("/")
    expect(page.get_by_role("link", name="Every morning 3").first).to_be_visible()
    expect(page.get_by_role("region", name="Recent runs")).to_be_visible()
    # at one moment: what waits for a person, by this test or another, comes above both when it is known
    boxes = page.evaluate(
        """() => [...document.querySelectorAll('.busy-main > section')]
          .map((part) => part.getBoundingClientRect().toJSON())"""
    )
    left, right, *alone = boxes
    assert left["y"] == right["y"] and left["right"] < right["x"]
    assert all(box["y"] >= left["bottom"] for box in alone) and len(alone) <= 1
    assert all((box["x"], box["right"]) == (left["x"], right["right"]) for box in alone)


@pytest.mark.parametrize(
    ("text", "says", "does"),
    [
        (DIFY, "This Dify app holds no steps", "Export the app"),
        *besides((N8N, "This is an n8n workflow", "template"), ("Read my mail.", "This is plain text", "exported")),
    ],
)
def test_an_import_of_what_is_not_ours_says_so(page: Page, text: str, says: str, does: str) -> None:
    page.goto("/workflows")
    page.get_by_role("button", name="Import", exact=True).click()
    dialog = page.get_by_role("dialog", name="Import")
    dialog.get_by_role("textbox").click()
    page.keyboard.insert_text(text)
    dialog.get_by_role("button", name="Import", exact=True).click()
    alert = dialog.get_by_role("alert")
    expect(alert).to_contain_text(says)
    expect(alert).to_contain_text(does)


@pytest.mark.wide
def test_what_is_pasted_on_the_canvas_and_is_not_ours_says_so(page: Page) -> None:
    editor = EditorPage(page).new("Pasted")
    for text, says in (
        (DIFY, "This is a Dify app"),
        (N8N, "This is an n8n workflow"),
        ("Dear all,", "This is text, no nodes"),
    ):
        page.evaluate("text => navigator.clipboard.writeText(text)", text)
        editor.canvas.click(position={"x": 400, "y": 40})
        page.keyboard.press("Control+v")
        expect(page.get_by_text(says, exact=False).first).to_be_visible()


@pytest.mark.wide
def test_a_curl_command_that_is_pasted_on_the_canvas_becomes_a_node(page: Page) -> None:
    editor = EditorPage(page).new("Asked by curl")
    command = "curl 'https://api.example.org/items?page=2' -H 'Authorization: Bearer t0ken-4711'"
    page.evaluate("text => navigator.clipboard.writeText(text)", command)
    editor.canvas.click(position={"x": 400, "y": 40})
    page.keyboard.press("Control+v")
    expect(editor.card("HTTP")).to_be_visible()
    expect(page.get_by_text("The secret in the command was left out.", exact=False).first).to_be_visible()
    page.keyboard.press("Control+z")
    expect(editor.card("HTTP")).to_have_count(0)
