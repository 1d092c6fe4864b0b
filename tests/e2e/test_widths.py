"""From a phone to a wall: on no page is anything outside, cut without a way to read it, or scrolled sideways to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.axe import dress
from tests.e2e.editor_page import EditorPage
from tests.e2e.seeded import LONG, SECTIONS, SeededInstance, greeting
from tests.instance import Instance, until
from tests.wide import besides

WIDTHS = {320: 640, 390: 844, 768: 1024, 1024: 768, 1440: 900, 2560: 1440}
FITS = Path(__file__).with_name("fits.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def seeded(patchbay: Instance, owner_token: str) -> Iterator[SeededInstance]:
    """The installation with something on every page."""
    instance = SeededInstance(patchbay, owner_token)
    yield instance
    instance.leave()


@pytest.fixture(scope="module", params=["en", "zh"])
def language(request: pytest.FixtureRequest, patchbay: Instance, browser: Browser, owner_session: Any) -> Iterator[str]:
    """The language of the screen."""
    context = browser.new_context(storage_state=owner_session, base_url=patchbay.url)
    page = context.new_page()
    dress(page, "light", request.param)
    yield request.param
    dress(page, "system", "en")
    context.close()


def misfits(page: Page, width: int, height: int) -> list[str]:
    """What does not fit, once the page stands."""
    page.set_viewport_size({"width": width, "height": height})
    matches: list[str] = []

    def fits() -> bool:
        matches[:] = page.evaluate(FITS)
        return not matches

    with suppress(AssertionError):
        until(fits, 5)
    return [f"{width}: {item}" for item in matches]


PAGES = [
    "workflows",
    "editor",
    "a node",
    "sharing",
    "registry",
    "add a server",
    "a server",
    "its tools",
    "runs",
    "a run that ended",
    "a run that failed",
    "a run that waits",
    "inbox",
    "a question",
    "triggers",
    "a webhook",
    "a schedule",
    "a chat",
    "usage",
    "nothing",
    "docs",
    *(f"settings {section}" for section in SECTIONS),
    "a provider",
]


@pytest.mark.wide
@pytest.mark.parametrize("name", PAGES)
def test_everything_fits(page: Page, seeded: SeededInstance, language: str, name: str) -> None:
    page.goto(seeded.pages()[name])
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert [misfit for width, height in WIDTHS.items() for misfit in misfits(page, width, height)] == []


@pytest.mark.wide
def test_what_is_cut_is_read_by_pointing_at_it(page: Page, seeded: SeededInstance) -> None:
    dress(page, "light")
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/runs")
    page.get_by_role("link").get_by_text(LONG).first.hover()
    expect(page.get_by_role("tooltip")).to_have_text(LONG)


@pytest.mark.parametrize("size", [(720, 450), *besides(((768, 1024),), ((390, 844),))])
def test_the_editor_is_built_in_with_its_panels_as_drawers(
    page: Page, seeded: SeededInstance, size: tuple[int, int]
) -> None:
    dress(page, "light")
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"/workflows/{seeded.make('Drawers', greeting())}")
    editor = EditorPage(page)
    editor.card("Template").click()
    expect(editor.inspector).to_have_count(0)
    page.get_by_role("button", name="Template", exact=True).click()
    field = editor.inspector.get_by_role("textbox", name="Template", exact=True)
    assert misfits(page, *size) == []
    field.click()
    page.keyboard.type("Good morning")
    page.keyboard.press("Escape")
    editor.inspector.get_by_role("button", name="Close the inspector").click()
    expect(editor.inspector).to_have_count(0)
    page.get_by_role("button", name=re.compile("^(Tools|Show tools and nodes)$")).click()
    expect(
        editor.palette.get_by_role("button", name=re.compile("^Demo"))
    ).to_be_visible()  # what comes late moves the rest
    waiting = editor.palette.get_by_role("button", name="Wait", exact=True)
    expect(waiting).to_be_visible()
    assert misfits(page, *size) == []
    waiting.click()
    expect(editor.palette).to_have_count(0)
    expect(editor.card("Wait")).to_be_visible()
    page.get_by_role("button", name=re.compile("^(Run|运行)$")).first.wait_for()
    assert misfits(page, *size) == []
