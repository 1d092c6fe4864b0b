"""Letters typed into a box whose code is still on its way: none is lost, none is taken for a shortcut."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

import pytest
from playwright.sync_api import Page, Route, expect

from tests.api.runs.conftest import graph
from tests.e2e.drawn import start, template
from tests.e2e.editor_page import EditorPage
from tests.instance import Instance

pytestmark = pytest.mark.wide

DRAFT = graph([start(), template("first", "Greet", "Hello", 260)], "start -> first")


@contextmanager
def kept_back(page: Page, file: str) -> Iterator[None]:
    """What is asked for at a file of the page's code comes only after the block."""
    held: list[Route] = []
    free = Event()

    def hold(route: Route) -> None:
        if free.is_set():
            route.continue_()
        else:
            held.append(route)

    page.route(re.compile(rf"/assets/{file}-[\w-]+\.js"), hold)
    yield
    free.set()
    for route in held:
        route.continue_()


@pytest.fixture
def address(patchbay: Instance, owner_token: str) -> str:
    """Of a workflow of two nodes."""
    body = {"name": "Typed ahead", "graph": DRAFT}
    status, created = patchbay.request("POST", "/api/workflows", body, owner_token)
    assert status == 201, created
    return f"/workflows/{created['id']}"


def test_the_palette_has_what_was_typed_before_it_was_there(page: Page) -> None:
    with kept_back(page, "CommandPalette"):
        page.goto("/")
        page.get_by_role("heading", name="Workflows", exact=True).wait_for()
        page.keyboard.press("Control+k")
        page.keyboard.type("Go to runs")
    palette = page.get_by_role("dialog", name="Command palette")
    expect(palette.get_by_role("combobox")).to_have_value("Go to runs")
    expect(palette.get_by_role("combobox")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/runs$"))


@pytest.mark.parametrize(("typed", "leads_to"), [("Go to runs", "/runs$"), ("A tour", "/workflows/wf_")])
def test_the_palette_does_what_was_entered_before_it_was_there(page: Page, typed: str, leads_to: str) -> None:
    with kept_back(page, "CommandPalette"):
        page.goto("/")
        page.get_by_role("heading", name="Workflows", exact=True).wait_for()
        page.keyboard.press("Control+k")
        page.keyboard.type(typed)
        page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(leads_to))
    expect(page.get_by_role("dialog", name="Command palette")).to_have_count(0)


def test_what_only_resembles_what_was_entered_is_left_to_be_chosen(page: Page) -> None:
    with kept_back(page, "CommandPalette"):
        page.goto("/")
        page.get_by_role("heading", name="Workflows", exact=True).wait_for()
        page.keyboard.press("Control+k")
        page.keyboard.type("gtruns")
        page.keyboard.press("Enter")
    palette = page.get_by_role("dialog", name="Command palette")
    expect(palette.get_by_role("option", name="Go to runs")).to_be_visible()
    page.wait_for_load_state("networkidle")
    expect(palette.get_by_role("combobox")).to_have_value("gtruns")
    assert page.url.endswith("/")


def test_a_palette_that_does_not_know_all_yet_waits_with_enter(page: Page) -> None:
    """Its code is there, the workflows' names are not."""
    page.goto("/")
    page.get_by_role("heading", name="Workflows", exact=True).wait_for()
    held: list[Route] = []
    page.route(re.compile(r"/api/workflows\?limit=200"), lambda route: held.append(route))
    page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog", name="Command palette")
    palette.get_by_role("combobox").fill("A tour")
    page.keyboard.press("Enter")
    expect(palette.get_by_role("combobox")).to_have_value("A tour")
    for route in held:
        route.continue_()
    expect(page).to_have_url(re.compile("/workflows/wf_"))


def test_a_palette_that_is_not_there_closes_and_begins_empty_the_next_time(page: Page) -> None:
    with kept_back(page, "CommandPalette"):
        page.goto("/")
        page.get_by_role("heading", name="Workflows", exact=True).wait_for()
        page.keyboard.press("Control+k")
        page.keyboard.type("nothing")
        page.keyboard.press("Escape")
        expect(page.get_by_role("textbox", name="What do you want to do?")).to_have_count(0)
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog", name="Command palette").get_by_role("combobox")).to_have_value("")


def test_the_find_box_has_what_was_typed_before_it_was_there(page: Page, address: str) -> None:
    with kept_back(page, "tools"):
        page.goto(address)
        expect(EditorPage(page).card("Greet")).to_be_visible()
        page.keyboard.press("Control+f")
        page.keyboard.type("Hello")
    find = page.get_by_role("search").get_by_role("textbox", name="Find in this workflow")
    expect(find).to_have_value("Hello")
    expect(find).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".react-flow__node.selected")).to_have_attribute("data-id", "first")


def test_the_find_box_goes_where_enter_asked_before_it_was_there(page: Page, address: str) -> None:
    with kept_back(page, "tools"):
        page.goto(address)
        expect(EditorPage(page).card("Greet")).to_be_visible()
        page.keyboard.press("Control+f")
        page.keyboard.type("Hello")
        page.keyboard.press("Enter")
    expect(page.get_by_role("search").get_by_role("textbox", name="Find in this workflow")).to_be_focused()
    expect(page.locator(".react-flow__node.selected")).to_have_attribute("data-id", "first")


def test_the_menu_that_adds_has_what_was_typed_before_it_was_there(page: Page, address: str) -> None:
    with kept_back(page, "panels"):
        page.goto(address)
        editor = EditorPage(page)
        expect(editor.card("Greet")).to_be_visible()
        editor.card("Greet").focus()
        page.keyboard.press("/")
        page.keyboard.type("approval")
    menu = page.get_by_role("dialog", name="Add a node")
    expect(menu.get_by_role("combobox")).to_have_value("approval")
    page.keyboard.press("Enter")
    expect(editor.card("Approval")).to_be_visible()


def test_the_menu_that_adds_adds_what_was_entered_before_it_was_there(page: Page, address: str) -> None:
    with kept_back(page, "panels"):
        page.goto(address)
        editor = EditorPage(page)
        expect(editor.card("Greet")).to_be_visible()
        editor.card("Greet").focus()
        page.keyboard.press("/")
        page.keyboard.type("approval")
        page.keyboard.press("Enter")
    expect(editor.card("Approval")).to_be_visible()
    expect(page.get_by_role("dialog", name="Add a node")).to_have_count(0)


def test_what_is_typed_while_the_box_takes_its_place_is_kept(page: Page, address: str) -> None:
    """Its code is there at once, and still some letters fall between its first rendering and its place on the page."""
    page.goto(address)
    expect(EditorPage(page).card("Greet")).to_be_visible()
    page.keyboard.press("Control+f")
    for letter in "Hello, and more than that":
        page.keyboard.type(letter)
    find = page.get_by_role("search").get_by_role("textbox", name="Find in this workflow")
    expect(find).to_have_value("Hello, and more than that")


def test_a_menu_that_is_asked_for_before_it_is_there_opens(page: Page, address: str) -> None:
    with kept_back(page, "tools"):
        page.goto(address)
        editor = EditorPage(page)
        editor.card("Greet").click(button="right")
        expect(page.get_by_role("menu")).to_have_count(0)
    page.get_by_role("menuitem", name="Duplicate").click()
    expect(editor.card("Greet")).to_have_count(2)


def test_a_key_of_a_panel_that_is_not_there_yet_is_heard(page: Page, address: str, patchbay: Instance) -> None:
    with kept_back(page, "panels"):
        page.goto(address)
        editor = EditorPage(page)
        editor.card("Greet").click()
        expect(page.get_by_role("separator", name="Resize Inspector")).to_be_visible()
        page.keyboard.press("Alt+Shift+Enter")
        page.keyboard.press("\\")
    expect(page.get_by_text("This node did not run in the run that is shown")).to_be_visible()
    expect(page.get_by_role("button", name="Collapse panel")).to_be_visible()
