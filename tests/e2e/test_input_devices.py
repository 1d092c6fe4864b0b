"""What a hand that drags is shown and does: guides, a connected node put into another edge."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.api.runs.conftest import node
from tests.e2e.actions import connected
from tests.e2e.drawn import opened, start, text
from tests.e2e.editor_page import EditorPage
from tests.instance import Instance, until

pytestmark = pytest.mark.wide


def end(x: float) -> dict[str, Any]:
    """Where it ends."""
    return node("end", "end", {"outputs": {"said": "hello"}}) | {"position": {"x": x, "y": 0}}


def centre(card: Locator) -> tuple[float, float]:
    """The middle of a card on the screen."""
    box = card.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def take(page: Page, x: float, y: float) -> None:
    """Press on a card and begin to drag it as a hand does: what it moves before it drags is not the card's."""
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 1, y + 1)
    page.mouse.move(x + 2, y + 2)


def left_of(panel: Locator) -> float:
    """Where a panel begins."""
    box = panel.bounding_box()
    assert box
    return box["x"]


@pytest.fixture
def row(page: Page, patchbay: Instance, owner_token: str) -> EditorPage:
    """Four nodes in a row with the second one chosen, so that nothing moves when it is taken."""
    nodes = [start(), text("one", 180), text("two", 480), end(900)]
    editor = opened(page, patchbay, owner_token, nodes, "start -> one", "one -> two", "two -> end")
    editor.card("One").click()
    expect(editor.inspector).to_be_visible()
    page.keyboard.press("f")
    until(lambda: centre(editor.card("End"))[0] < left_of(editor.inspector))
    return editor


def test_a_connected_node_is_put_into_another_edge(row: EditorPage, patchbay: Instance, owner_token: str) -> None:
    before = {("start", "one"), ("one", "two"), ("two", "end")}
    assert connected(row.page, patchbay, owner_token) == before
    mouse = row.page.mouse
    (x, y), (left, _), (right, _) = (centre(row.card(name)) for name in ("One", "Two", "End"))
    take(row.page, x, y)
    mouse.move(x + 10, y + 120, steps=4)
    taking = row.page.locator(".edge-path[data-takes]")
    expect(taking).to_have_count(0)
    mouse.move((left + right) / 2 + 10, y, steps=8)
    expect(taking).to_have_count(1)
    mouse.up()
    expect(taking).to_have_count(0)
    until(lambda: connected(row.page, patchbay, owner_token) == {("start", "two"), ("two", "one"), ("one", "end")}, 20)
    row.page.keyboard.press("Control+z")
    until(lambda: connected(row.page, patchbay, owner_token) == before, 20)


def test_guides_are_seen_while_dragging(row: EditorPage) -> None:
    mouse, guides = row.page.mouse, row.page.locator(".guide")
    for _ in range(2):
        row.page.get_by_role("button", name="Zoom out").click()
    x, y = centre(row.card("One"))
    take(row.page, x, y)
    mouse.move(x + 12, y + 90, steps=4)
    mouse.move(x + 12, y + 2, steps=6)
    expect(guides.first).to_be_visible()
    box = guides.first.bounding_box()
    assert box and min(box["width"], box["height"]) >= 1, "thinner than a pixel is not seen"
    mouse.up()
    expect(guides).to_have_count(0)
