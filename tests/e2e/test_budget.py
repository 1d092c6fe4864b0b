"""What a cold load may cost on the wire: until the cards of a workflow stand, and with the whole editor."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Page

from tests.bench.canvas import EDITOR_KIB, FIRST_LOAD_KIB, first_load
from tests.e2e.editor_page import EditorPage


def test_the_first_load_of_the_editor(page: Page, context: BrowserContext) -> None:
    editor = EditorPage(page).new("Budget")
    editor.add("template")
    editor.saved()
    cold = context.browser
    assert cold
    fresh = cold.new_context(storage_state=context.storage_state())
    try:
        first, whole = first_load(fresh.new_page(), page.url.split("?")[0])
        assert first / 1024 <= FIRST_LOAD_KIB and whole / 1024 <= EDITOR_KIB
        assert first > 0.3 * whole, "nothing was measured"
    finally:
        fresh.close()
