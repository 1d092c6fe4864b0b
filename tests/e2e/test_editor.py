"""The editor's tools: palette, find, tidy, values from the input tree, versions, history with its scrubber."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.actions import command
from tests.e2e.editor_page import EditorPage
from tests.instance import until


@pytest.mark.wide
def test_the_palette_does_what_keys_do(page: Page) -> None:
    editor = EditorPage(page).new("Palette")
    editor.add("template")
    page.keyboard.press("Escape")
    command(page, "Undo")
    expect(editor.card("Template")).to_have_count(0)
    command(page, "Redo")
    expect(editor.card("Template")).to_be_visible()


@pytest.mark.wide
def test_question_mark_lists_the_keys(page: Page) -> None:
    EditorPage(page).open("A tour")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()


@pytest.mark.wide
def test_find_leads_to_a_node(page: Page) -> None:
    editor = EditorPage(page).open("A tour")
    page.keyboard.press("Control+f")
    box = page.get_by_role("search").get_by_label("Find in this workflow")
    expect(box).to_be_focused()
    page.keyboard.type("jacket")
    page.keyboard.press("Enter")
    expect(editor.card("Advise a jacket")).to_have_class(re.compile("selected"))


@pytest.mark.wide
def test_fit_shows_everything_beside_the_inspector(page: Page) -> None:
    editor = EditorPage(page).open("A tour")
    expect(editor.card("Start")).to_be_visible()

    def whole() -> bool:
        canvas = editor.canvas.bounding_box()
        cards = page.locator(".react-flow__node").all()
        boxes = [card.bounding_box() for card in cards]
        assert canvas
        return len(boxes) > 10 and all(
            box and box["x"] >= canvas["x"] and box["x"] + box["width"] <= canvas["x"] + canvas["width"]
            for box in boxes
        )

    expect(page.locator(".react-flow__node").nth(10)).to_be_visible()
    editor.card("Start").click()
    page.keyboard.press("f")  # while the panel still opens
    expect(editor.inspector).to_be_visible()
    until(whole)
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    expect(editor.inspector).to_have_count(0)
    until(whole)


@pytest.mark.wide
def test_tidy_can_be_undone(page: Page) -> None:
    editor = EditorPage(page).new("Untidy")
    editor.add("template")
    page.keyboard.press("Escape")
    editor.add("wait")
    page.keyboard.press("Escape")
    before = editor.card("Wait").evaluate("node => node.style.transform")
    editor.card("Wait").click()
    for _ in range(3):
        page.keyboard.press("Shift+ArrowDown")
    expect(editor.card("Wait")).not_to_have_attribute("style", re.compile(re.escape(before)))
    moved = editor.card("Wait").evaluate("node => node.style.transform")
    page.get_by_role("button", name="Tidy", exact=True).click()
    expect(editor.card("Wait")).not_to_have_attribute("style", re.compile(re.escape(moved)))
    page.keyboard.press("Control+z")
    expect(editor.card("Wait")).to_have_attribute("style", re.compile(re.escape(moved)))


def test_a_value_dragged_from_the_tree_becomes_an_expression(page: Page) -> None:
    editor = EditorPage(page).open("What time is it there?")
    editor.card("Say it in words").click()
    tree = editor.inspector.get_by_role("tree", name="Input")
    row = tree.get_by_role("treeitem", name=re.compile(r"^start\.city|^city")).first
    field = editor.inspector.get_by_role("textbox", name=re.compile("template", re.I)).first
    row.drag_to(field)
    expect(field).to_contain_text(re.compile(r"start\.city.*start\.city", re.S))
    page.keyboard.press("Escape")
    page.keyboard.press("Control+z")


@pytest.mark.wide
def test_publishing_makes_a_version_that_stays(page: Page) -> None:
    editor = EditorPage(page).new("Released")
    editor.add("end")
    editor.saved()
    page.get_by_role("button", name="Publish").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name=re.compile("^Publish")).click()
    expect(page.get_by_role("button", name="Versions")).to_contain_text("v1")


def test_a_past_run_can_be_scrubbed(page: Page) -> None:
    editor = EditorPage(page).open("What time is it there?")
    editor.run()
    expect(editor.card("Say it in words")).to_have_accessible_name(re.compile("succeeded", re.I))
    page.goto("/runs")
    page.get_by_role("link", name=re.compile("What time is it there")).first.click()
    expect(editor.card("Say it in words")).to_have_accessible_name(re.compile("succeeded", re.I))
    scrubber = page.get_by_role("slider").first
    scrubber.focus()
    page.keyboard.press("Home")
    expect(editor.card("Say it in words")).not_to_have_accessible_name(re.compile("succeeded", re.I))
    page.keyboard.press("End")
    expect(editor.card("Say it in words")).to_have_accessible_name(re.compile("succeeded", re.I))
