"""Every key of the help does in the browser what the help says; what is pressed here and what the help lists is one.

The keys of one node, run to here and pin, are pressed in test_to_here; T, which gives an agent tools, in
test_five_workflows.
"""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.keyboard import opened, place
from tests.instance import Instance, until

LISTED = {
    "Add a branch": {"Shift N"},
    "Add a node": {"/", "N"},
    "Add tools": {"T"},
    "Command palette": {"Ctrl K"},
    "Configure": {"↵"},
    "Connect to another node": {"C"},
    "Copy": {"Ctrl C"},
    "Cut": {"Ctrl X"},
    "Delete": {"Del", "⌫"},
    "Duplicate": {"Ctrl D"},
    "Find and replace": {"Ctrl Shift F"},
    "Find in this workflow": {"Ctrl F"},
    "Fork the run from here": {"Alt Shift ↵"},
    "Versions and drafts: compare, restore": {"V"},
    "Fit": {"F"},
    "Fit selection": {"Shift F"},
    "Group selection": {"Ctrl G"},
    "Keyboard shortcuts": {"?"},
    "Move by 10 px": {"←", "→", "↑", "↓"},
    "Move by 50 px": {"Shift ←", "Shift →", "Shift ↑", "Shift ↓"},
    "Next node along the edges": {"Tab", "Shift Tab"},
    "Expand panel": {"\\"},
    "Paste": {"Ctrl V"},
    "Pin or unpin the output": {"P"},
    "Rename": {"F2"},
    "Redo": {"Ctrl Shift Z", "Ctrl Y"},
    "Run": {"Ctrl ↵"},
    "Run this step alone": {"Alt ↵"},
    "Run to here": {"Ctrl Shift ↵"},
    "Select all": {"Ctrl A"},
    "Clear selection": {"Esc"},
    "Show or hide the inspector": {"]"},
    "Show or hide tools and nodes": {"["},
    "Turn on or off": {"B"},
    "Tidy": {"Ctrl L"},
    "Undo": {"Ctrl Z"},
    "Zoom to 100%": {"1"},
}


def chosen(page: Page) -> Locator:
    """The selected cards."""
    return page.locator(".react-flow__node.selected")


def stands(card: Locator, x: float, y: float) -> None:
    """Wait until a card is at that place."""
    until(lambda: place(card) == (x, y))


def view(page: Page) -> tuple[float, float, float]:
    """(x, y, zoom) of the canvas."""
    style = page.locator(".react-flow__viewport").get_attribute("style") or ""
    result = re.search(r"translate\((-?[\d.]+)px, ?(-?[\d.]+)px\) scale\(([\d.]+)\)", style)
    assert result, style
    return float(result[1]), float(result[2]), float(result[3])


def looks(page: Page, x: float, y: float) -> None:
    """Wait until the canvas is panned to that place."""
    until(lambda: view(page)[:2] == (x, y))


def test_keys_that_edit(page: Page, patchbay: Instance, owner_token: str) -> None:
    editor = opened(page, patchbay, owner_token, "Keys that edit")
    press, cards = page.keyboard.press, page.locator(".react-flow__node")
    first, second = editor.card("First"), editor.card("Second")
    for key in ("/", "n"):
        press(key)
        expect(page.get_by_role("dialog").get_by_role("combobox")).to_be_focused()
        press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)

    press("Control+a")
    expect(chosen(page)).to_have_count(4)
    press("Escape")
    expect(chosen(page)).to_have_count(0)

    second.click()
    x, y = place(second)
    for key, to in {
        "ArrowRight": (x + 10, y),
        "ArrowLeft": (x, y),
        "ArrowDown": (x, y + 10),
        "ArrowUp": (x, y),
        "Shift+ArrowDown": (x, y + 50),
        "Shift+ArrowRight": (x + 50, y + 50),
        "Shift+ArrowUp": (x + 50, y),
        "Shift+ArrowLeft": (x, y),
    }.items():
        press(key)
        stands(second, *to)
    assert place(first) == (240, 0)

    press("Control+d")
    expect(cards).to_have_count(5)
    expect(chosen(page)).to_have_count(1)
    for undo, redo in (("Control+z", "Control+Shift+z"), ("Control+z", "Control+y")):
        press(undo)
        expect(cards).to_have_count(4)
        press(redo)
        expect(cards).to_have_count(5)
    chosen(page).click()
    for key in ("Delete", "Backspace"):
        press(key)
        expect(cards).to_have_count(4)
        press("Control+z")
        expect(cards).to_have_count(5)
    press("Control+z")
    expect(cards).to_have_count(4)

    first.click()
    press("Control+c")
    press("Control+v")
    expect(cards).to_have_count(5)
    press("Control+x")
    expect(cards).to_have_count(4)
    press("Control+v")
    expect(cards).to_have_count(5)
    press("Delete")
    expect(cards).to_have_count(4)

    second.click()
    press("b")
    expect(second).to_contain_text("off")
    press("b")
    expect(second).not_to_contain_text("off")
    press("Control+g")
    expect(page.locator(".react-flow__node-group, [data-kind=group], .canvas-group").first).to_be_visible()
    press("Control+z")

    second.click()
    press("Shift+ArrowDown")
    press("Control+l")
    until(lambda: place(second)[1] == place(first)[1])

    edges = page.locator(".react-flow__edge")
    first.click()
    press("c")
    page.get_by_role("combobox", name="Connect to which node?").fill("rest")
    expect(page.get_by_role("listbox").get_by_role("option")).to_have_count(1)
    press("Enter")
    expect(edges).to_have_count(4)


@pytest.mark.wide
def test_keys_that_look(page: Page, patchbay: Instance, owner_token: str) -> None:
    editor = opened(page, patchbay, owner_token, "Keys that look")
    press = page.keyboard.press
    press("1")
    until(lambda: view(page)[2] == 1)
    press("f")
    expect(editor.card("Start")).to_be_in_viewport()
    expect(editor.card("Rest")).to_be_in_viewport()
    editor.card("Second").click()
    press("Shift+f")
    until(lambda: view(page)[2] > 1)
    press("Control+f")
    expect(page.get_by_label("Find in this workflow")).to_be_focused()
    press("Escape")
    expect(page.get_by_label("Find in this workflow")).to_have_count(0)

    area = editor.canvas.bounding_box()
    assert area
    page.mouse.move(area["x"] + 40, area["y"] + 40)
    was = view(page)
    page.mouse.wheel(0, 120)
    until(lambda: view(page)[1] < was[1] and view(page)[2] == was[2])
    page.keyboard.down("Control")
    page.mouse.wheel(0, 120)
    page.keyboard.up("Control")
    until(lambda: view(page)[2] < was[2])
    for begin, button in (("Space", "left"), ("", "middle")):
        was = view(page)
        if begin:
            page.keyboard.down(begin)
        page.mouse.down(button=button)  # type: ignore[arg-type]
        page.mouse.move(area["x"] + 90, area["y"] + 70, steps=4)
        page.mouse.up(button=button)  # type: ignore[arg-type]
        if begin:
            page.keyboard.up(begin)
        looks(page, was[0] + 50, was[1] + 30)
        page.mouse.move(area["x"] + 40, area["y"] + 40)


@pytest.mark.wide
def test_keys_that_lead(page: Page, patchbay: Instance, owner_token: str) -> None:
    editor = opened(page, patchbay, owner_token, "Keys that lead")
    press = page.keyboard.press
    editor.card("First").click()
    press("Tab")
    expect(editor.card("Second")).to_be_focused()
    expect(editor.card("Second")).to_have_class(re.compile("selected"))
    press("Shift+Tab")
    expect(editor.card("First")).to_be_focused()
    press("Enter")
    field = editor.inspector.locator(":focus")
    expect(field).to_have_count(1)
    press("Control+a")
    page.keyboard.type("fn/[]b1.p?")  # what is typed in a field is typed
    expect(field).to_have_text("fn/[]b1.p?")
    press("Escape")
    expect(editor.canvas.locator(":focus")).to_have_count(1)
    expect(editor.inspector).to_be_visible()
    press("]")
    expect(editor.inspector).to_have_count(0)
    press("]")
    expect(editor.inspector).to_be_visible()
    press("[")
    expect(editor.palette).not_to_be_visible()
    press("[")
    expect(editor.palette).to_be_visible()
    tabs = editor.dock.get_by_role("tablist")
    before = tabs.count()
    press("\\")
    expect(tabs).to_have_count(1 - before)
    press("\\")
    expect(tabs).to_have_count(before)
    press("Control+k")
    expect(page.get_by_role("dialog").get_by_role("combobox")).to_be_focused()


@pytest.mark.wide
def test_keys_of_a_run(page: Page, patchbay: Instance, owner_token: str) -> None:
    editor = opened(page, patchbay, owner_token, "Keys of a run")
    press = page.keyboard.press
    press("Control+Enter")
    expect(editor.card("Rest")).to_have_accessible_name(re.compile("running|waiting", re.I))
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_visible()
    press(".")
    expect(page.get_by_text("Cancelled").first).to_be_visible()
    page.goto("/runs")
    page.get_by_role("link", name=re.compile("Keys of a run")).first.click()
    slider = page.get_by_role("slider").first
    expect(page).to_have_url(re.compile("/runs/run_"))
    run = page.url.rpartition("/")[2].partition("?")[0]
    last = patchbay.request("GET", f"/api/runs/{run}", token=owner_token)[1]["last_seq"]
    expect(slider).to_have_attribute("max", str(last))  # the whole log is there
    expect(slider).to_have_value(str(last))
    press(",")
    expect(slider).to_have_value(str(last - 1))
    press(";")
    expect(slider).to_have_value(str(last))


def test_the_help_lists_these_and_no_others(page: Page, patchbay: Instance, owner_token: str) -> None:
    opened(page, patchbay, owner_token, "Keys that are listed")
    page.keyboard.press("?")
    shown = page.get_by_role("dialog", name="Keyboard shortcuts")

    def listed() -> dict[str, set[str]]:
        rows = shown.evaluate(
            """dialog => [...dialog.querySelectorAll('dt')].map(dt => [dt.textContent,
              [...dt.nextElementSibling.children].map(
                one => [...one.querySelectorAll('kbd')].map(kbd => kbd.textContent).join(' '))])"""
        )
        return {title: set(keys) for title, keys in rows}

    with suppress(AssertionError):
        until(lambda: listed() == LISTED)  # what comes after the first picture comes into the open list
    assert listed() == LISTED
