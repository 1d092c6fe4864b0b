"""Find and replace, the menu of a node, several nodes at once, and a node that runs alone, typed key by key."""

from __future__ import annotations

import re
from threading import Event

import pytest
from playwright.sync_api import Page, Route, expect

from tests.api.runs.conftest import graph, node
from tests.e2e.drawn import template
from tests.e2e.editor_page import EditorPage
from tests.instance import Instance, until

DRAFT = graph(
    [
        node("start", "start", {"inputs": {"type": "object", "properties": {}}}) | {"position": {"x": 0, "y": 0}},
        template("first", "Greet", "Good morning, Alice", 260),
        template("second", "Add the morning", "{{ first.text }} in the morning", 520),
    ],
    "start -> first",
    "first -> second",
)


@pytest.fixture
def editor(page: Page, patchbay: Instance, owner_token: str) -> EditorPage:
    """A workflow of three nodes."""
    status, created = patchbay.request("POST", "/api/workflows", {"name": "To find in", "graph": DRAFT}, owner_token)
    assert status == 201, created
    page.goto(f"/workflows/{created['id']}")
    editor = EditorPage(page)
    expect(editor.card("Greet")).to_be_visible()
    expect(editor.palette.get_by_role("button", name="Approval")).to_be_visible()  # the menus come with the panels
    return editor


def draft(page: Page, patchbay: Instance, token: str) -> dict[str, dict[str, object]]:
    """The nodes of the draft on the server, by id."""
    key = re.search(r"/workflows/([^/?]+)", page.url)
    assert key
    status, result = patchbay.request("GET", f"/api/workflows/{key[1]}", None, token)
    assert status == 200
    return {node["id"]: node for node in result["draft"]["graph"]["nodes"]}


@pytest.mark.wide
def test_find_looks_into_settings_and_replaces_as_one_step(
    editor: EditorPage, page: Page, patchbay: Instance, owner_token: str
) -> None:
    page.keyboard.press("Control+f")
    box = page.get_by_role("search").get_by_role("textbox", name="Find in this workflow")
    expect(box).to_be_focused()
    page.keyboard.type("Alice")
    page.keyboard.press("Enter")
    expect(page.locator(".react-flow__node.selected")).to_have_attribute("data-id", "first")
    page.keyboard.press("Escape")
    expect(box).to_have_count(0)
    expect(editor.card("Greet")).to_be_focused()

    page.keyboard.press("Control+Shift+f")
    expect(box).to_be_focused()
    page.keyboard.type("morning")
    page.get_by_role("textbox", name="Replace with").click()
    page.keyboard.type("evening")
    page.get_by_role("button", name="Replace all (3)").click()
    expect(page.get_by_text("3 places replaced")).to_be_visible()
    expect(editor.card("Add the evening")).to_be_visible()
    until(lambda: draft(page, patchbay, owner_token)["first"]["config"] == {"template": "Good evening, Alice"})
    assert draft(page, patchbay, owner_token)["second"]["config"] == {"template": "{{ first.text }} in the evening"}
    box.click()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+z")
    expect(editor.card("Add the morning")).to_be_visible()
    until(lambda: draft(page, patchbay, owner_token)["first"]["config"] == {"template": "Good morning, Alice"})


def test_the_menu_of_a_node_renames_runs_alone_and_pins(editor: EditorPage, page: Page) -> None:
    editor.card("Greet").click(button="right")
    page.get_by_role("menuitem", name="Rename").click()
    expect(editor.inspector.get_by_role("textbox", name="Title")).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type("Say hello")
    page.keyboard.press("Enter")
    expect(editor.card("Say hello")).to_be_visible()

    editor.card("Add the morning").click(button="right")
    page.get_by_role("menuitem", name="Run this step alone").click()
    form = page.get_by_role("dialog", name="Start run")
    field = form.get_by_label("text", exact=False).first
    field.click()
    page.keyboard.press("Control+a")
    page.keyboard.type("Good night")
    form.get_by_role("button", name="Run this step alone").click()
    expect(form).to_have_count(0)
    expect(editor.card("Add the morning")).to_have_accessible_name(re.compile("succeeded", re.I))
    editor.card("Add the morning").click()
    editor.inspector.get_by_role("tab", name="Output").click()
    expect(editor.inspector.get_by_text("Good night in the morning").first).to_be_visible()
    page.get_by_role("button", name="Fit", exact=True).click()  # the run and the inspector took half of the canvas

    # filled from what ran last
    editor.card("Add the morning").click(button="right")
    page.get_by_role("menuitem", name="Run this step alone").click()
    expect(form.get_by_text("Good night").or_(form.locator("[value='Good night']")).first).to_be_visible()
    page.keyboard.press("Escape")

    editor.card("Add the morning").click(button="right")
    page.get_by_role("menuitem", name="Pin the output").click()
    expect(editor.inspector.get_by_text("This output is pinned", exact=False)).to_be_visible()


@pytest.mark.wide
def test_several_nodes_change_together_as_one_step(
    editor: EditorPage, page: Page, patchbay: Instance, owner_token: str
) -> None:
    editor.choose("Greet", "Add the morning")
    fails = editor.inspector.get_by_label("When it fails")
    fails.select_option("continue")
    expect(fails).to_have_value("continue")
    timeout = editor.inspector.get_by_label("Timeout")
    timeout.click()
    page.keyboard.type("30")
    expect(timeout).to_have_value("30")
    page.keyboard.press("Enter")

    def both(key: str) -> list[object]:
        nodes = draft(page, patchbay, owner_token)
        return [nodes[node].get(key) for node in ("first", "second")]

    until(lambda: both("timeout_s") == [30, 30])
    assert both("on_error") == ["continue", "continue"]
    editor.canvas.click(position={"x": 400, "y": 40})
    page.keyboard.press("Control+z")
    until(lambda: both("timeout_s") == [None, None])
    assert both("on_error") == ["continue", "continue"]


@pytest.mark.wide
def test_the_palette_finds_nodes_and_tools(editor: EditorPage, page: Page) -> None:
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog").get_by_role("combobox")).to_be_focused()
    page.keyboard.type("add the mor")
    page.get_by_role("option", name="Add the morning").click()
    expect(page.locator(".react-flow__node.selected")).to_have_attribute("data-id", "second")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog").get_by_role("combobox")).to_be_focused()
    page.keyboard.type("delete_record")
    page.get_by_role("option", name="delete_record").click()
    expect(page).to_have_url(re.compile(r"/registry/[^/]+/tools"))


@pytest.mark.wide
def test_quick_add_offers_the_tool_that_is_named_before_types_that_mention_it(editor: EditorPage, page: Page) -> None:
    editor.canvas.click(position={"x": 400, "y": 40})
    page.keyboard.press("/")
    expect(page.get_by_role("dialog").get_by_role("combobox")).to_be_focused()
    page.keyboard.type("demo note")
    first = page.get_by_role("dialog").get_by_role("option").first
    expect(first).to_contain_text("send_note")


@pytest.mark.wide
def test_tab_skips_the_navigation(page: Page) -> None:
    page.goto("/")
    page.get_by_role("heading", name="Workflows").wait_for()
    page.keyboard.press("Tab")
    link = page.get_by_role("link", name="Skip to content")
    expect(link).to_be_focused()
    expect(link).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("main#main")).to_be_focused()


@pytest.mark.wide
def test_a_slow_page_is_never_white(page: Page) -> None:
    held: list[Route] = []
    release = Event()

    def hold(route: Route) -> None:
        if release.is_set():
            route.continue_()
        else:
            held.append(route)

    page.route("**/api/me", hold)
    page.goto("/", wait_until="commit")
    expect(page.locator(".boot .skeleton").first).to_be_visible()
    page.wait_for_load_state("domcontentloaded")
    expect(page.get_by_role("status", name="Loading")).to_be_visible()
    release.set()
    for route in held:
        route.continue_()
    page.get_by_role("heading", name="Workflows").wait_for()
