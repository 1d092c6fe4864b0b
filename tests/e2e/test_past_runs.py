"""The runs of the workflow that is open, in the editor: by state, page by page, live, by keyboard, on a phone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.api.runs.conftest import graph, node
from tests.e2e.drawn import template
from tests.e2e.editor_page import EditorPage
from tests.instance import Instance, until

MORE_THAN_A_PAGE = 53
INPUTS = {"type": "object"}
DRAFT = graph(
    [
        node("start", "start", {"inputs": INPUTS}) | {"position": {"x": 0, "y": 0}},
        node("sure", "if", {"conditions": [{"left": "{{ start.word }}", "op": "eq", "right": "stop"}]}, title="Sure")
        | {"position": {"x": 260, "y": 0}},
        template("told", "Greet", "Good morning {{ start.word }}", 520),
        template("no", "Stop", "{{ start.missing }}", 520) | {"position": {"x": 520, "y": 200}},
    ],
    "start -> sure",
    "sure:false -> told",
    "sure:true -> no",
)


class Past:
    """A workflow that ran, open in the editor."""

    def __init__(self, page: Page, patchbay: Instance, token: str) -> None:
        self.page, self.patchbay, self.token = page, patchbay, token
        status, created = patchbay.request("POST", "/api/workflows", {"name": "Ran often", "graph": DRAFT}, token)
        assert status == 201, created
        self.id = created["id"]

    def ran(self, word: str, ended: bool = True) -> None:
        """A run, to its end."""
        body = {"version": "draft", "inputs": {"word": word}}
        status, run = self.patchbay.request("POST", f"/api/workflows/{self.id}/runs", body, self.token)
        assert status == 202, run
        if ended:
            until(lambda: self.patchbay.request("GET", f"/api/runs/{run['id']}", None, self.token)[1]["finished_at"])

    def open(self) -> EditorPage:
        """The editor, with the list in its dock."""
        self.page.goto(f"/workflows/{self.id}")
        editor = EditorPage(self.page)
        expect(editor.card("Start")).to_be_visible()
        return editor

    @property
    def list(self) -> Locator:
        """The list of runs."""
        return self.page.get_by_role("list", name="Runs of this workflow")


@pytest.fixture
def past(page: Page, patchbay: Instance, owner_token: str) -> Past:
    """A workflow, not run yet."""
    page.emulate_media(reduced_motion="reduce")
    return Past(page, patchbay, owner_token)


def test_a_run_of_the_list_is_shown_on_the_canvas(past: Past, page: Page) -> None:
    past.ran("Alice")
    past.ran("stop")
    editor = past.open()
    editor.dock.get_by_role("button", name="Runs").click()
    rows = past.list.get_by_role("listitem")
    expect(rows).to_have_count(2)
    expect(rows.nth(0)).to_contain_text("Failed")
    rows.nth(1).get_by_role("button").click()
    expect(editor.card("Greet")).to_have_accessible_name(re.compile("succeeded", re.I))
    expect(rows.nth(1).get_by_role("button")).to_have_attribute("aria-current", "true")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(editor.card("Stop")).to_have_accessible_name(re.compile("failed", re.I))
    expect(editor.card("Greet")).not_to_have_accessible_name(re.compile("succeeded", re.I))
    expect(page).to_have_url(re.compile(f"/workflows/{past.id}"))

    editor.dock.get_by_role("radio", name="Succeeded").click()
    expect(rows).to_have_count(1)
    past.ran("Bob")
    expect(rows).to_have_count(2)  # by itself

    # what the graph is now is not what that run went over
    editor.card("Greet").click()
    page.keyboard.press("Control+d")
    editor.saved()
    rows.nth(1).get_by_role("button").click()
    expect(editor.card("Greet").first).to_have_accessible_name(re.compile("succeeded", re.I))
    expect(editor.dock.get_by_text("earlier graph")).to_be_visible()


@pytest.mark.wide
def test_the_list_is_read_page_by_page_and_found_by_typing(past: Past, page: Page) -> None:
    for _ in range(MORE_THAN_A_PAGE):
        past.ran("Alice", ended=False)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url) if "cursor=" in request.url else None)
    past.open()
    expect(page.get_by_role("region", name="Run", exact=True)).to_be_visible()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog").get_by_role("combobox")).to_be_focused()
    page.keyboard.type("runs of this")
    page.get_by_role("option", name="Runs of this workflow").click()
    rows = past.list.get_by_role("listitem")
    expect(rows).to_have_count(50)
    assert not requests
    first = rows.first.get_by_role("button")
    first.focus()
    page.keyboard.press("End")
    expect(rows).to_have_count(MORE_THAN_A_PAGE)
    assert len(requests) == 1


@pytest.mark.wide
def test_on_a_phone_the_list_lies_under_the_canvas(past: Past, page: Page) -> None:
    past.ran("Alice")
    past.ran("stop")
    page.set_viewport_size({"width": 390, "height": 844})
    editor = past.open()
    tab = editor.dock.get_by_role("tab", name="Runs")
    tab.click()
    editor.dock.get_by_role("combobox", name="Which runs").select_option("SUCCESS")
    row = past.list.get_by_role("listitem")
    expect(row).to_have_count(1)
    box = row.get_by_role("button").bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    row.get_by_role("button").click()
    expect(editor.card("Greet")).to_have_accessible_name(re.compile("succeeded", re.I))
