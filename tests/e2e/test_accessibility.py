"""axe on every screen, light and dark, English and Chinese; nothing wider than a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import dress, faults
from tests.e2e.editor_page import Desk

SCREENS = [
    "/",
    "/registry",
    "/registry?add=1",
    "/runs",
    "/usage",
    "/inbox",
    "/settings",
    "/settings/providers",
    "/settings/installation",
]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("path", SCREENS)
def test_every_screen_is_accessible(page: Page, path: str, theme: str) -> None:
    dress(page, theme)
    page.goto(path)
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert faults(page) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_editor_is_accessible(page: Page, theme: str) -> None:
    dress(page, theme)
    desk = Desk(page).open("What time is it there?")
    desk.card("Look at the clock").click()
    expect(desk.inspector).to_be_visible()
    page.wait_for_load_state("networkidle")
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


@pytest.mark.parametrize("path", [*SCREENS, "/docs/en/start"])
def test_nothing_is_wider_than_a_phone(page: Page, path: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(path)
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
