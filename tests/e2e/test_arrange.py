"""Arranging the canvas: notes, several cards at once, align, the map, problems where they are, panels that remember."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.actions import command
from tests.e2e.editor_page import EditorPage
from tests.e2e.keyboard import opened, place
from tests.instance import Instance, until

pytestmark = pytest.mark.wide


def width(page: Page, name: str) -> float:
    """How wide a panel is."""
    box = page.get_by_role("complementary", name=name).bounding_box()
    assert box
    return box["width"]


def test_several_cards_are_aligned_and_come_back(page: Page, patchbay: Instance, owner_token: str) -> None:
    editor = opened(page, patchbay, owner_token, "Aligned")
    first, rest = editor.card("First"), editor.card("Rest")
    first.click()
    rest.click(modifiers=["Shift"])
    expect(page.locator(".react-flow__node.selected")).to_have_count(2)
    expect(editor.inspector.get_by_text("2 selected")).to_be_visible()
    command(page, "Align left")
    until(lambda: place(first)[0] == place(rest)[0])
    page.get_by_role("button", name="Undo").click()
    until(lambda: place(first)[0] == 240 and place(rest)[0] == 0)
    page.get_by_role("button", name="Redo").click()
    until(lambda: place(first)[0] == place(rest)[0])


def test_a_note_is_written_and_kept(page: Page) -> None:
    editor = EditorPage(page).new("Noted")
    command(page, "Add a note")
    note = page.locator(".note")
    expect(note).to_be_visible()
    note.dblclick()
    note.get_by_role("textbox").fill("Mind the quota")
    page.keyboard.press("Escape")
    editor.saved()
    page.reload()
    expect(page.locator(".note")).to_contain_text("Mind the quota")


def test_the_map_is_shown_as_one_left_it(page: Page) -> None:
    editor = EditorPage(page).open("A tour")
    shown = page.get_by_label("Map", exact=True).and_(page.locator(".canvas-map"))
    expect(shown).to_be_visible()
    command(page, "Show or hide the map")
    expect(shown).to_have_count(0)
    page.reload()
    editor.canvas.wait_for()
    expect(page.locator(".react-flow__node").first).to_be_visible()
    expect(shown).to_have_count(0)
    command(page, "Show or hide the map")
    expect(shown).to_be_visible()


def test_a_problem_shows_on_its_card_and_leads_there_from_the_dock(page: Page) -> None:
    editor = EditorPage(page).new("Wrong")
    editor.add("template")
    editor.inspector.get_by_role("textbox", name="Template").click()
    page.keyboard.type("now: ")  # at once: the editor's code may still be on its way
    expect(editor.inspector.locator(".cm-content")).to_be_focused()
    page.keyboard.type("{{ nowhere.text")
    expect(editor.inspector.locator(".cm-content")).to_have_text("now: {{ nowhere.text }}")
    editor.canvas.click(position={"x": 30, "y": 300})
    expect(editor.card("Template")).to_have_accessible_name(re.compile("problem"))
    editor.dock.get_by_role("button", name="Problems").click()
    editor.dock.get_by_text(re.compile("nowhere")).first.click()
    expect(editor.card("Template")).to_have_class(re.compile("selected"))


def test_panels_are_as_wide_as_one_left_them(page: Page) -> None:
    editor = EditorPage(page).open("A tour")
    edges: Any = {"Tools and nodes": "ArrowRight", "Inspector": "ArrowLeft"}
    editor.card("Start").click()
    before = {name: width(page, name) for name in edges}
    for name, key in edges.items():
        edge = page.get_by_role("separator", name=re.compile(name, re.I))
        edge.focus()
        edge.press(key)
    until(lambda: all(width(page, name) > before[name] for name in edges))
    now = {name: width(page, name) for name in edges}
    page.reload()
    editor.card("Start").click()
    until(lambda: {name: width(page, name) for name in edges} == now)
    for name in edges:
        page.get_by_role("separator", name=re.compile(name, re.I)).dblclick()
