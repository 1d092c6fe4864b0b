"""A loop built by hand: nodes dropped into a frame, dragged out again, moved by keyboard, undone, and run."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.editor_page import EditorPage
from tests.instance import Instance, until

pytestmark = pytest.mark.wide

ONE, TWO = "232px", "460px"  # a frame's width around one card, and around two side by side


def lift(editor: EditorPage, name: str, x: float, y: float) -> None:
    """Drag a node type from the palette to a place of the window."""
    expect(editor.palette.get_by_role("button", name="Time")).to_be_visible()  # nothing moves any more
    button = editor.palette.get_by_role("button", name=re.compile(f"^{name}")).first
    button.hover(position={"x": 20, "y": 10})  # waits until it stands still and nothing lies over it
    box = button.bounding_box()
    assert box
    drag(editor, box["x"] + 20, box["y"] + 10, x, y)


def drag(editor: EditorPage, from_x: float, from_y: float, x: float, y: float) -> None:
    """Press, move in steps as a hand does, let go."""
    mouse = editor.page.mouse
    mouse.move(from_x, from_y)
    mouse.down()
    mouse.move(from_x + 20, from_y + 20, steps=4)
    mouse.move(x, y, steps=8)
    mouse.up()


def write(editor: EditorPage, field: str, text: str) -> None:
    """Write into a field that takes expressions."""
    editor.inspector.get_by_role("textbox", name=field, exact=True).click()
    editor.inspector.locator(".cm-content:focus").wait_for()
    editor.page.keyboard.insert_text(text)


def away(editor: EditorPage) -> None:
    """Select nothing, so that the canvas has all its room."""
    editor.page.keyboard.press("Escape")
    editor.canvas.click(position={"x": 30, "y": 30})
    expect(editor.inspector).to_have_count(0)


def box_of(editor: EditorPage, title: str) -> dict[str, float]:
    """Where a card or frame is in the window."""
    box = editor.card(title).bounding_box()
    assert box
    return {"x": box["x"], "y": box["y"], "width": box["width"], "height": box["height"]}


def parents(page: Page, patchbay: Instance, token: str) -> dict[str, Any]:
    """The frame of every node, as the server has saved it."""
    _, body = patchbay.request("GET", f"/api/workflows/{page.url.split('?')[0].rsplit('/', 1)[-1]}", token=token)
    return {node["id"]: node.get("parent") for node in body["draft"]["graph"]["nodes"]}


def test_a_loop_by_hand(page: Page, patchbay: Instance, owner_token: str) -> None:
    page.emulate_media(reduced_motion="reduce")  # cards are where they are measured
    editor = EditorPage(page).new("Every item")
    area = editor.canvas.bounding_box()
    assert area
    lift(editor, "Iteration", area["x"] + 400, area["y"] + 250)
    away(editor)

    frame = box_of(editor, "Iteration")
    lift(editor, "Template", frame["x"] + 100, frame["y"] + 70)
    write(editor, "Template", "Item {{ item }}")
    away(editor)
    expect(editor.card("Iteration")).to_have_css("width", ONE)
    until(lambda: parents(page, patchbay, owner_token).get("template") == "iteration")

    page.get_by_role("button", name="Add a node inside").click()
    editor.pick("Set variable")
    until(lambda: parents(page, patchbay, owner_token).get("set_variable") == "iteration")
    away(editor)
    expect(editor.card("Iteration")).to_have_css("width", TWO)

    card = box_of(editor, "Set variable")
    drag(editor, card["x"] + 60, card["y"] + 20, card["x"] + 60, card["y"] + 260)
    until(lambda: parents(page, patchbay, owner_token).get("set_variable") is None)
    expect(editor.card("Iteration")).to_have_css("width", ONE)
    page.keyboard.press("Control+z")
    until(lambda: parents(page, patchbay, owner_token).get("set_variable") == "iteration")
    expect(editor.card("Iteration")).to_have_css("width", TWO)

    editor.card("Set variable").press("Control+k")
    palette = page.get_by_role("dialog")
    palette.get_by_role("combobox").fill("Move out of the container")
    page.keyboard.press("Enter")
    until(lambda: parents(page, patchbay, owner_token).get("set_variable") is None)
    editor.card("Set variable").press("Control+k")
    palette.get_by_role("combobox").fill("Move into Iteration")
    page.keyboard.press("Enter")
    until(lambda: parents(page, patchbay, owner_token).get("set_variable") == "iteration")


def test_the_children_of_a_loop_show_their_rounds(page: Page, patchbay: Instance, owner_token: str) -> None:
    editor = EditorPage(page).new("Rounds")
    editor.add("Iteration")
    editor.inspector.get_by_role("group", name="How Items is given").get_by_text("Value").click()
    for number in (1, 2, 3):
        editor.inspector.get_by_role("button", name="Add item").click()
        write(editor, f"Item {number}", f"no {number}")
    away(editor)
    editor.card("Iteration").click(position={"x": 60, "y": 14})
    editor.add("Template")
    write(editor, "Template", "Item {{ item }}")
    until(lambda: parents(page, patchbay, owner_token).get("template") == "iteration")
    editor.saved()
    editor.run(form=False)
    expect(editor.card("Template")).to_have_accessible_name(re.compile("succeeded", re.I))
    expect(editor.card("Template").get_by_text("3 of 3")).to_be_visible()
    expect(editor.card("Iteration")).to_have_accessible_name(re.compile("succeeded", re.I))
