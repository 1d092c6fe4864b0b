"""Building a workflow by hand: a tool dragged from its server, an expression, edges, undo, run, history."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.editor_page import EditorPage


def test_from_nothing_to_a_run_with_the_mouse(page: Page) -> None:
    editor = EditorPage(page).new("Clock")
    editor.unfold("Time")
    editor.drag_out("get_current_time", 700, 120)
    expect(editor.card("get_current_time")).to_be_visible()
    editor.inspector.get_by_role("textbox", name="timezone").fill("Asia/Tokyo")

    connect(page, editor, "Start", "get_current_time")
    add_after(page, editor, "get_current_time", "End")
    editor.saved()
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_enabled()
    # that the run will return nothing is mentioned, and keeps from nothing
    expect(editor.dock.get_by_role("button", name="Problems 1")).to_be_visible()
    expect(editor.card("End")).to_have_accessible_name(re.compile("1 problem"))

    editor.run(form=False)
    expect(editor.card("get_current_time")).to_have_accessible_name(re.compile("succeeded", re.I))
    editor.card("get_current_time").click()
    editor.inspector.get_by_role("tab", name="Output").click()
    expect(editor.inspector.get_by_text("Asia/Tokyo").first).to_be_visible()


@pytest.mark.wide
def test_every_edit_can_be_undone(page: Page) -> None:
    editor = EditorPage(page).new("Undone")
    editor.add("template")
    expect(editor.card("Template")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+z")
    expect(editor.card("Template")).to_have_count(0)
    page.keyboard.press("Control+Shift+z")
    expect(editor.card("Template")).to_be_visible()


@pytest.mark.wide
def test_copies_travel_as_text(page: Page) -> None:
    editor = EditorPage(page).new("Copies")
    editor.add("template")
    editor.card("Template").click()
    # both before the page is drawn again, as happens to quick hands on a slow machine
    editor.card("Template").evaluate(
        """card => {
            card.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', bubbles: true}))
            card.click()
        }"""
    )
    expect(editor.card("Template")).to_have_class(re.compile(r"\bselected\b"))
    page.keyboard.press("Control+c")
    page.keyboard.press("Control+v")
    expect(editor.card("Template")).to_have_count(2)
    editor.saved()
    EditorPage(page).new("Another")
    editor.canvas.click(position={"x": 80, "y": 80})
    page.keyboard.press("Control+v")
    expect(editor.card("Template")).to_have_count(1)


def test_nothing_is_lost_on_refresh(page: Page) -> None:
    editor = EditorPage(page).new("Kept")
    editor.add("template")
    expect(editor.card("Template")).to_be_visible()
    page.reload()
    expect(editor.card("Template").or_(page.get_by_role("button", name=re.compile("Restore", re.I)))).to_be_visible()


def test_two_tabs_never_overwrite_each_other(page: Page, context: BrowserContext) -> None:
    editor = EditorPage(page).new("Shared")
    editor.saved()
    other = context.new_page()
    other.goto(page.url)
    second = EditorPage(other)
    second.canvas.wait_for()
    page.bring_to_front()
    editor.add("template")
    editor.saved()

    other.bring_to_front()
    expect(other.get_by_text("Someone saved this draft: revision 2.")).to_be_visible()
    second.add("wait")
    conflict = other.get_by_role("alert").filter(has_text="Not saved: this draft was changed elsewhere")
    expect(conflict).to_contain_text("Revision 2, saved by alice@example.org at ")
    expect(conflict.get_by_role("button", name="Keep mine as a copy")).to_be_visible()
    expect(second.card("Wait")).to_be_visible()
    conflict.get_by_role("button", name="Load theirs").click()
    expect(second.card("Template")).to_be_visible()
    expect(second.card("Wait")).to_have_count(0)
    expect(conflict).to_have_count(0)


@pytest.mark.wide
def test_an_edge_dropped_on_a_card_leads_to_it(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")  # cards are where they are measured
    editor = EditorPage(page).new("Onto a card")
    editor.add("template")
    expect(editor.inspector).to_be_visible()
    edges = page.locator(".react-flow__edge")
    expect(edges).to_have_count(1)
    editor.canvas.click(position={"x": 30, "y": 30})
    expect(editor.inspector).to_have_count(0)
    page.locator(".react-flow__edge .edge-path").first.dispatch_event("click")
    page.keyboard.press("Delete")
    expect(edges).to_have_count(0)
    start = editor.card("Start").locator(".react-flow__handle.source").first.bounding_box()
    card = editor.card("Template").bounding_box()
    assert start and card
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(card["x"] + 150, card["y"] + 40, steps=8)
    page.mouse.up()
    expect(edges).to_have_count(1)


def connect(page: Page, editor: EditorPage, source: str, target: str) -> None:
    """Drag an edge from one card's output to another's input."""
    start = editor.card(source).locator(".react-flow__handle.source").first.bounding_box()
    end = editor.card(target).locator(".react-flow__handle.target").first.bounding_box()
    assert start and end
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(end["x"] - 40, end["y"] + 10, steps=6)
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=6)
    page.mouse.up()


def add_after(page: Page, editor: EditorPage, source: str, what: str) -> None:
    """Drop an edge in the void and pick what comes next."""
    start = editor.card(source).locator(".react-flow__handle.source").first.bounding_box()
    assert start
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(start["x"] + 40, start["y"] + 130, steps=6)
    page.mouse.up()
    editor.pick(what)
    expect(editor.card(what)).to_be_visible()
