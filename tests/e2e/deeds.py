"""Actions of the editor, by its command palette."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect


def command(page: Page, words: str) -> None:
    """Do something by the command palette."""
    page.keyboard.press("Control+k")
    box = page.get_by_role("dialog").get_by_role("combobox")
    expect(box).to_be_focused()
    box.fill(words)
    page.get_by_role("dialog").get_by_role("option", name=re.compile(f"^{words}")).first.click()
    expect(page.get_by_role("dialog")).to_have_count(0)
