"""What stands while the page's code is on its way: the frame in grey, in the theme that was chosen."""

from __future__ import annotations

import re
from typing import Literal

import pytest
from playwright.sync_api import Page, Route, expect

from tests.wide import besides


@pytest.mark.parametrize(("chosen", "of_the_system"), [("dark", "light"), *besides(("light", "dark"))])
def test_the_first_paint_has_the_chosen_theme(page: Page, chosen: str, of_the_system: Literal["light", "dark"]) -> None:
    page.emulate_media(color_scheme=of_the_system)
    page.add_init_script(f"localStorage.setItem('theme', '{chosen}')")
    held: list[Route] = []
    page.route(re.compile(r"/assets/main-[\w-]+\.js"), lambda route: held.append(route))
    page.goto("/", wait_until="commit")
    expect(page.get_by_role("status", name="Patchbay")).to_be_visible()
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    red = int(re.findall(r"\d+", background)[0])
    assert (red < 128) == (chosen == "dark"), background
    for route in held:
        route.continue_()
    page.get_by_role("heading", name="Workflows", exact=True).wait_for()
