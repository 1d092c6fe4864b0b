"""What the editor may cost: scripts that a cold load asks for before the cards of a workflow stand."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Page

from tests.bench.canvas import FIRST_LOAD_KIB, first_load
from tests.e2e.desk import Desk


def test_the_first_load_of_the_editor(page: Page, context: BrowserContext) -> None:
    desk = Desk(page).new("Budget")
    desk.add("template")
    desk.saved()
    cold = context.browser
    assert cold
    fresh = cold.new_context(storage_state=context.storage_state())
    try:
        assert first_load(fresh.new_page(), page.url) / 1024 <= FIRST_LOAD_KIB
    finally:
        fresh.close()
