"""Edges under the hand: deleting heals them, adding goes into them, and Alt leaves a copy; undo takes each back."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.api.runs.conftest import graph, node
from tests.e2e.actions import connected
from tests.e2e.editor_page import EditorPage
from tests.instance import Instance, until


@pytest.fixture
def editor(page: Page, patchbay: Instance, owner_token: str) -> EditorPage:
    """Three nodes in a row, open in the editor."""
    return opened(page, patchbay, owner_token)


def opened(page: Page, patchbay: Instance, token: str) -> EditorPage:
    """Make the workflow and open it."""
    nodes = [
        node("start", "start", {}) | {"position": {"x": 0, "y": 0}},
        node("text", "template", {"template": "hello"}, title="Text") | {"position": {"x": 300, "y": 0}},
        node("end", "end", {"outputs": {"said": "hello"}}) | {"position": {"x": 640, "y": 0}},
    ]
    body = {"name": "Edges", "graph": graph(nodes, "start -> text", "text -> end")}
    status, created = patchbay.request("POST", "/api/workflows", body, token)
    assert status == 201, created
    page.goto(f"/workflows/{created['id']}")
    editor = EditorPage(page)
    expect(editor.card("Text")).to_be_visible()
    page.wait_for_load_state("networkidle")
    return editor


WHOLE = {("start", "text"), ("text", "end")}
LONGER = {("start", "wait"), ("wait", "text"), ("text", "end")}


@pytest.mark.wide
def test_deleting_a_node_heals_its_edge(editor: EditorPage, patchbay: Instance, owner_token: str) -> None:
    editor.card("Text").click()
    editor.page.keyboard.press("Delete")
    until(lambda: connected(editor.page, patchbay, owner_token) == {("start", "end")}, 20)
    editor.page.keyboard.press("Control+z")
    until(lambda: connected(editor.page, patchbay, owner_token) == WHOLE, 20)


@pytest.mark.wide
def test_what_is_added_with_a_node_selected_goes_after_it(
    editor: EditorPage, patchbay: Instance, owner_token: str
) -> None:
    editor.card("Start").click()
    editor.add("wait")
    until(lambda: connected(editor.page, patchbay, owner_token) == LONGER, 20)
    editor.page.keyboard.press("Control+z")
    until(lambda: connected(editor.page, patchbay, owner_token) == WHOLE, 20)


def middle(editor: EditorPage) -> tuple[float, float]:
    """A place on the edge between start and text."""
    left, right = editor.card("Start").bounding_box(), editor.card("Text").bounding_box()
    assert left and right
    return (left["x"] + left["width"] + right["x"]) / 2, left["y"] + left["height"] / 2


@pytest.mark.wide
def test_what_is_added_with_an_edge_selected_goes_into_it(
    editor: EditorPage, patchbay: Instance, owner_token: str
) -> None:
    editor.page.mouse.click(*middle(editor))
    editor.page.keyboard.press("/")
    editor.pick("wait")
    until(lambda: connected(editor.page, patchbay, owner_token) == LONGER, 20)


@pytest.mark.wide
def test_the_plus_on_an_edge_adds_there(editor: EditorPage, patchbay: Instance, owner_token: str) -> None:
    editor.page.mouse.move(*middle(editor))
    editor.page.get_by_role("button", name="Add a node on this edge").click()
    editor.pick("wait")
    until(lambda: connected(editor.page, patchbay, owner_token) == LONGER, 20)
    editor.page.keyboard.press("Control+z")
    until(lambda: connected(editor.page, patchbay, owner_token) == WHOLE, 20)


@pytest.mark.wide
def test_dragging_with_alt_leaves_the_node_and_takes_a_copy(
    editor: EditorPage, patchbay: Instance, owner_token: str
) -> None:
    box = editor.card("Text").bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + 14
    mouse = editor.page.mouse
    mouse.move(x, y)
    editor.page.keyboard.down("Alt")
    mouse.down()
    mouse.move(x + 30, y + 60, steps=4)
    mouse.move(x + 40, y + 160, steps=4)
    mouse.up()
    editor.page.keyboard.up("Alt")
    expect(editor.card("Text")).to_have_count(2)
    boxes = [item.bounding_box() for item in editor.card("Text").all()]
    heights = sorted(box["y"] for box in boxes if box)
    assert abs(heights[0] - box["y"]) < 2 and heights[1] > box["y"] + 100
    assert connected(editor.page, patchbay, owner_token) == WHOLE
    editor.page.keyboard.press("Control+z")
    expect(editor.card("Text")).to_have_count(1)


def test_an_edge_is_led_elsewhere_by_its_end(editor: EditorPage, patchbay: Instance, owner_token: str) -> None:
    editor.page.mouse.move(*middle(editor))
    text, end = editor.card("Text").bounding_box(), editor.card("End").bounding_box()
    assert text and end
    mouse = editor.page.mouse
    mouse.move(text["x"] - 18, text["y"] + text["height"] / 2)
    mouse.down()
    mouse.move(text["x"] + 40, text["y"] - 60, steps=5)
    mouse.move(end["x"], end["y"] + end["height"] / 2, steps=8)
    mouse.up()
    until(lambda: connected(editor.page, patchbay, owner_token) == {("start", "end"), ("text", "end")}, 20)
    editor.page.keyboard.press("Control+z")
    until(lambda: connected(editor.page, patchbay, owner_token) == WHOLE, 20)
