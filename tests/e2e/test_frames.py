"""A loop built by hand: nodes dropped into a frame, dragged out again, moved by keyboard, undone, and run."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.editor_page import Desk
from tests.instance import Instance, until

pytestmark = pytest.mark.wide

ONE, TWO = "232px", "460px"  # a frame's width around one card, and around two side by side


def lift(desk: Desk, name: str, x: float, y: float) -> None:
    """Drag a node type from the palette to a place of the window."""
    expect(desk.rack.get_by_role("button", name="Time")).to_be_visible()  # nothing moves any more
    button = desk.rack.get_by_role("button", name=re.compile(f"^{name}")).first
    button.hover(position={"x": 20, "y": 10})  # waits until it stands still and nothing lies over it
    box = button.bounding_box()
    assert box
    drag(desk, box["x"] + 20, box["y"] + 10, x, y)


def drag(desk: Desk, from_x: float, from_y: float, x: float, y: float) -> None:
    """Press, move in steps as a hand does, let go."""
    mouse = desk.page.mouse
    mouse.move(from_x, from_y)
    mouse.down()
    mouse.move(from_x + 20, from_y + 20, steps=4)
    mouse.move(x, y, steps=8)
    mouse.up()


def write(desk: Desk, field: str, text: str) -> None:
    """Write into a field that takes expressions."""
    desk.inspector.get_by_role("textbox", name=field, exact=True).click()
    desk.inspector.locator(".cm-content:focus").wait_for()
    desk.page.keyboard.insert_text(text)


def away(desk: Desk) -> None:
    """Select nothing, so that the canvas has all its room."""
    desk.page.keyboard.press("Escape")
    desk.canvas.click(position={"x": 30, "y": 30})
    expect(desk.inspector).to_have_count(0)


def box_of(desk: Desk, title: str) -> dict[str, float]:
    """Where a card or frame is in the window."""
    box = desk.card(title).bounding_box()
    assert box
    return {"x": box["x"], "y": box["y"], "width": box["width"], "height": box["height"]}


def parents(page: Page, patchbay: Instance, token: str) -> dict[str, Any]:
    """The frame of every node, as the server has saved it."""
    _, body = patchbay.request("GET", f"/api/workflows/{page.url.split('?')[0].rsplit('/', 1)[-1]}", token=token)
    return {node["id"]: node.get("parent") for node in body["draft"]["graph"]["nodes"]}


def test_a_loop_by_hand(page: Page, patchbay: Instance, owner_token: str) -> None:
    page.emulate_media(reduced_motion="reduce")  # cards are where they are measured
    desk = Desk(page).new("Every item")
    area = desk.canvas.bounding_box()
    assert area
    lift(desk, "Iteration", area["x"] + 400, area["y"] + 250)
    away(desk)

    frame = box_of(desk, "Iteration")
    lift(desk, "Template", frame["x"] + 100, frame["y"] + 70)
    write(desk, "Template", "Item {{ item }}")
    away(desk)
    expect(desk.card("Iteration")).to_have_css("width", ONE)
    until(lambda: parents(page, patchbay, owner_token).get("template") == "iteration")

    page.get_by_role("button", name="Add a node inside").click()
    desk.pick("Set variable")
    until(lambda: parents(page, patchbay, owner_token).get("set_variable") == "iteration")
    away(desk)
    expect(desk.card("Iteration")).to_have_css("width", TWO)

    card = box_of(desk, "Set variable")
    drag(desk, card["x"] + 60, card["y"] + 20, card["x"] + 60, card["y"] + 260)
    until(lambda: parents(page, patchbay, owner_token).get("set_variable") is None)
    expect(desk.card("Iteration")).to_have_css("width", ONE)
    page.keyboard.press("Control+z")
    until(lambda: parents(page, patchbay, owner_token).get("set_variable") == "iteration")
    expect(desk.card("Iteration")).to_have_css("width", TWO)

    desk.card("Set variable").press("Control+k")
    palette = page.get_by_role("dialog")
    palette.get_by_role("combobox").fill("Move out of the container")
    page.keyboard.press("Enter")
    until(lambda: parents(page, patchbay, owner_token).get("set_variable") is None)
    desk.card("Set variable").press("Control+k")
    palette.get_by_role("combobox").fill("Move into Iteration")
    page.keyboard.press("Enter")
    until(lambda: parents(page, patchbay, owner_token).get("set_variable") == "iteration")


def test_the_children_of_a_loop_show_their_rounds(page: Page, patchbay: Instance, owner_token: str) -> None:
    desk = Desk(page).new("Rounds")
    desk.add("Iteration")
    desk.inspector.get_by_role("group", name="How Items is given").get_by_text("Value").click()
    for number in (1, 2, 3):
        desk.inspector.get_by_role("button", name="Add item").click()
        write(desk, f"Item {number}", f"no {number}")
    away(desk)
    desk.card("Iteration").click(position={"x": 60, "y": 14})
    desk.add("Template")
    write(desk, "Template", "Item {{ item }}")
    until(lambda: parents(page, patchbay, owner_token).get("template") == "iteration")
    desk.saved()
    desk.run(form=False)
    expect(desk.card("Template")).to_have_accessible_name(re.compile("succeeded", re.I))
    expect(desk.card("Template").get_by_text("3 of 3")).to_be_visible()
    expect(desk.card("Iteration")).to_have_accessible_name(re.compile("succeeded", re.I))
