"""A finger on the canvas: it pans, pinches, asks for the menu by resting, and carries tools out of the palette."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.api.runs.conftest import graph, node
from tests.e2e.editor_page import EditorPage
from tests.instance import Instance, until

pytestmark = pytest.mark.wide

Spot = tuple[float, float]


class Fingers:
    """Touches as a screen reports them."""

    def __init__(self, page: Page) -> None:
        self.session = page.context.new_cdp_session(page)

    def put(self, *spots: Spot) -> None:
        """Fingers touch the screen."""
        self._send("touchStart", spots)

    def move(self, *spots: Spot) -> None:
        """They move to there."""
        self._send("touchMove", spots)

    def lift(self) -> None:
        """They leave the screen."""
        self._send("touchEnd", ())

    def drag(self, start: Spot, end: Spot, steps: int = 6) -> None:
        """One finger, from here to there."""
        self.put(start)
        for at in range(1, steps + 1):
            part = at / steps
            self.move((start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part))
        self.lift()

    def _send(self, kind: str, spots: tuple[Spot, ...]) -> None:
        points = [{"x": x, "y": y, "id": at} for at, (x, y) in enumerate(spots)]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


@pytest.fixture(params=[(768, 1024), (390, 844)], ids=["tablet", "phone"])
def editor(
    request: pytest.FixtureRequest, browser: Browser, patchbay: Instance, owner_session: Any, owner_token: str
) -> Iterator[EditorPage]:
    """A small workflow on a touch screen."""
    nodes = [
        node("start", "start", {}) | {"position": {"x": 0, "y": 0}},
        node("text", "template", {"template": "hello"}, title="Text") | {"position": {"x": 260, "y": 0}},
        node("end", "end", {"outputs": {"said": "{{ text.text }}"}}) | {"position": {"x": 520, "y": 0}},
    ]
    body = {"name": "Touched", "graph": graph(nodes, "start -> text", "text -> end")}
    _, created = patchbay.request("POST", "/api/workflows", body, owner_token)
    width, height = request.param
    context = browser.new_context(
        storage_state=owner_session, base_url=patchbay.url, viewport={"width": width, "height": height}, has_touch=True
    )
    page = context.new_page()
    page.goto(f"/workflows/{created['id']}")
    editor = EditorPage(page)
    expect(editor.card("Text")).to_be_visible()
    page.wait_for_load_state("networkidle")
    yield editor
    context.close()


def view(editor: EditorPage) -> str:
    """Where the canvas is looked at."""
    result = editor.page.locator(".react-flow__viewport").get_attribute("style")
    assert result
    return result


def free(editor: EditorPage) -> Spot:
    """A place of the canvas where no card is."""
    box = editor.canvas.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.72


def moved_by(style: str) -> list[float]:
    """The numbers of a transform: x, y, and the zoom where there is one."""
    return [float(number) for number in re.findall(r"(-?[\d.]+)(?:px|\))", style.split("transform:")[1].split(";")[0])]


def in_document(editor: EditorPage, spot: Spot) -> Spot:
    """What lies in the document at a place of the window now."""
    box = editor.canvas.bounding_box()
    assert box
    x, y, zoom = moved_by(view(editor))
    return (spot[0] - box["x"] - x) / zoom, (spot[1] - box["y"] - y) / zoom


def test_one_finger_pans(editor: EditorPage) -> None:
    before = view(editor)
    x, y = free(editor)
    Fingers(editor.page).drag((x, y), (x + 60, y - 40))
    until(lambda: view(editor) != before)
    assert view(editor).split("scale")[1] == before.split("scale")[1]
    expect(editor.canvas.locator(".react-flow__selection")).to_have_count(0)


def test_two_fingers_zoom(editor: EditorPage) -> None:
    x, y = free(editor)
    fingers = Fingers(editor.page)
    before = view(editor).split("scale")[1]
    fingers.put((x - 20, y), (x + 20, y))
    for apart in (30, 45, 60, 80):
        fingers.move((x - apart, y), (x + apart, y))
    fingers.lift()
    until(lambda: view(editor).split("scale")[1] != before)


def test_a_finger_that_rests_asks_for_the_menu(editor: EditorPage) -> None:
    card = editor.card("Text").bounding_box()
    assert card
    fingers = Fingers(editor.page)
    fingers.put((card["x"] + card["width"] / 2, card["y"] + 12))
    menu = editor.page.get_by_role("menu")
    expect(menu).to_be_visible()
    fingers.lift()
    menu.get_by_role("menuitem", name=re.compile("^Delete")).tap()
    expect(editor.card("Text")).to_have_count(0)


def test_a_finger_carries_a_node_out_of_the_rack(editor: EditorPage) -> None:
    editor.page.get_by_role("button", name=re.compile("^(Tools|Show tools and nodes)$")).tap()
    row = editor.palette.get_by_role("button", name="Wait", exact=True)
    row.tap(trial=True)  # scrolled to, and the drawer has come to rest
    box, (x, y) = row.bounding_box(), free(editor)
    assert box
    over = in_document(editor, (x, y))
    fingers = Fingers(editor.page)
    fingers.put((box["x"] + 30, box["y"] + box["height"] / 2))
    expect(editor.page.locator(".ghost")).to_be_visible()
    for part in (0.3, 0.6, 0.9, 1.0):
        fingers.move((box["x"] + 30 + (x - box["x"] - 30) * part, box["y"] + (y - box["y"]) * part))
    fingers.lift()
    expect(editor.card("Wait")).to_be_visible()
    expect(editor.palette).to_have_count(0)
    left, top = moved_by(
        editor.card("Wait").evaluate("card => card.closest('.react-flow__node').getAttribute('style')")
    )
    width, height = (
        editor.card("Wait").evaluate(f"card => card.closest('.react-flow__node').offset{side}")
        for side in ("Width", "Height")
    )
    # in the document: the view may move away from where it was let go, so that the whole card is seen
    assert abs(left + width / 2 - over[0]) < 60 and abs(top + height / 2 - over[1]) < 60


def test_a_finger_that_moves_up_scrolls_the_rack(editor: EditorPage) -> None:
    editor.page.set_viewport_size({"width": 720, "height": 450})
    editor.page.get_by_role("button", name=re.compile("^(Tools|Show tools and nodes)$")).tap()
    row = editor.palette.get_by_role("button", name="If", exact=True)
    row.tap(trial=True)  # the drawer slides in; what is measured must have come to rest
    before = row.bounding_box()
    assert before
    x, y = before["x"] + 30, before["y"] + 10
    fingers = Fingers(editor.page)

    def moved() -> bool:
        fingers.drag((x, y), (x, y - 90))  # on a busy machine it may rest too long, which lifts the node: once more
        now = row.bounding_box()
        return now is not None and now["y"] < before["y"] - 30

    until(moved)
    expect(editor.page.locator(".ghost")).to_have_count(0)
