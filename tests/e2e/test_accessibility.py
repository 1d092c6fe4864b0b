"""axe on every screen, light and dark, English and Chinese; nothing wider than a phone."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import dress, faults
from tests.e2e.drawn import opened, start, template
from tests.e2e.editor_page import EditorPage
from tests.instance import Instance
from tests.wide import besides

SCREENS = [
    "/",
    "/registry",
    "/registry?add=1",
    "/registry/demo?tool=statistics",
    "/registry/demo/overview",
    "/registry/demo/used",
    "/registry/demo/settings",
    "/collections",
    "/agents",
    "/runs",
    "/triggers",
    "/usage",
    "/inbox",
    "/settings",
    "/settings/providers",
    "/settings/installation",
    "/settings/security",
    "/settings/team",
    "/settings/tokens",
    "/settings/secrets",
    "/settings/audit",
    "/settings/about",
    "/nowhere",
]


@pytest.mark.wide
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("path", SCREENS)
def test_every_screen_is_accessible(page: Page, path: str, theme: str) -> None:
    dress(page, theme)
    page.goto(path)
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert faults(page) == []


@pytest.mark.parametrize("theme", ["light", *besides("dark")])
def test_the_editor_is_accessible(page: Page, theme: str) -> None:
    dress(page, theme)
    editor = EditorPage(page).open("What time is it there?")
    editor.card("Look at the clock").click()
    expect(editor.inspector).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert faults(page) == []


def broken(page: Page, patchbay: Instance, token: str) -> EditorPage:
    """A workflow with problems, one of which has a fix."""
    nodes = [start(), template("text", "Text", "hello", 300), template("next", "Next", "{{ text.txt }}", 600)]
    return opened(page, patchbay, token, nodes, "start -> text", "text -> next")


def palette(page: Page, *_: object) -> None:
    """The palette with something typed into it."""
    page.goto("/")
    page.get_by_role("heading", name="Workflows", exact=True).wait_for()
    page.keyboard.press("Control+k")
    page.get_by_role("combobox").fill("time")
    expect(page.get_by_role("option").first).to_be_visible()


def finding(page: Page, patchbay: Instance, token: str) -> None:
    """The find box with something found, and what takes its place."""
    broken(page, patchbay, token)
    page.keyboard.press("Control+f")
    page.get_by_role("textbox", name="Find in this workflow").fill("text")
    page.get_by_role("search").get_by_role("button", name="Find and replace").click()
    expect(page.get_by_role("search").get_by_role("listitem").first).to_be_visible()


def problems(page: Page, patchbay: Instance, token: str) -> None:
    """The list of problems with a fix."""
    editor = broken(page, patchbay, token)
    page.keyboard.press("\\")
    editor.dock.get_by_role("tab", name="Problems").click()
    expect(editor.dock.get_by_role("button", name="Use text")).to_be_visible()


def past_runs(page: Page, patchbay: Instance, token: str) -> None:
    """The runs of the workflow that is open: the last of them is followed no more."""
    editor = opened(page, patchbay, token, [start(), template("one", "One", "said", 240)], "start -> one")
    key = page.url.rsplit("/", 1)[-1]
    body = {"version": "draft", "inputs": {}, "wait": 60}
    status, run = patchbay.request("POST", f"/api/workflows/{key}/runs", body, token)
    assert status in (200, 201), run
    page.reload()
    expect(editor.card("One")).to_be_visible()
    editor.dock.get_by_role("button", name="Runs", exact=True).click()
    expect(page.get_by_role("list", name="Runs of this workflow").get_by_role("listitem").first).to_be_visible()


def run_form(page: Page, *_: object) -> None:
    """What a run is started with."""
    EditorPage(page).open("What time is it there?")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("dialog", name="Start run")).to_be_visible()


def templates(page: Page, *_: object) -> None:
    """A template that needs something first."""
    page.goto("/")
    page.get_by_role("button", name="Set up Work on files").click()
    expect(page.get_by_role("dialog", name="From a template")).to_be_visible()


def broken_down(page: Page, *_: object) -> None:
    """The server answers with an error of its own."""
    page.route(re.compile(r"/api/mcp/servers\?"), lambda route: route.fulfill(status=500, body="{}"))
    page.goto("/registry")
    expect(page.get_by_role("alert").first).to_be_visible()


STATES = [palette, finding, problems, past_runs, run_form, templates, broken_down]


@pytest.mark.wide
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("state", STATES)
def test_what_opens_over_a_screen_is_accessible(
    page: Page, patchbay: Instance, owner_token: str, state: Callable[[Page, Instance, str], object], theme: str
) -> None:
    dress(page, theme)
    state(page, patchbay, owner_token)
    page.wait_for_load_state("networkidle")
    assert faults(page) == []


@pytest.mark.wide
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_docs_are_accessible(page: Page, theme: Literal["light", "dark"], language: str) -> None:
    page.emulate_media(color_scheme=theme)
    page.goto(f"/docs/{language}/start")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert faults(page) == []


def test_chinese_all_the_way(page: Page) -> None:
    dress(page, "light", "zh")
    try:
        page.goto("/")
        expect(page.get_by_role("heading", name="工作流", exact=True)).to_be_visible()
        expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
        page.goto("/registry")
        expect(page.get_by_role("heading", name="注册表")).to_be_visible()
    finally:
        dress(page, "system", "en")


@pytest.mark.wide
@pytest.mark.parametrize("path", [*SCREENS, "/docs/en/start"])
def test_nothing_is_wider_than_a_phone(page: Page, path: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(path)
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
