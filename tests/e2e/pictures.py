"""Makes the README's pictures from the running product: `make pictures` writes docs/pictures/*.png."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.e2e.conftest import FLAGS, sign_up
from tests.e2e.desk import Desk
from tests.instance import ROOT, Instance

FOLDER = ROOT / "docs" / "pictures"
WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}


def shoot(page: Page, name: str) -> None:
    """Save the page as it stands, once fonts and data are there."""
    page.wait_for_load_state("networkidle")
    page.evaluate("document.fonts.ready")
    page.screenshot(path=FOLDER / f"{name}.png", animations="disabled")


def take(browser: Browser, instance: Instance) -> None:
    """All pictures, in the order of a first visit."""
    context = browser.new_context(base_url=instance.url, viewport=WIDE, color_scheme="light")
    page = context.new_page()
    sign_up(page, instance.link)
    page.goto("/registry")
    page.get_by_role("button", name="Demo", exact=True).click()
    page.get_by_role("button", name=re.compile("^Test (connection|again)")).click()
    expect(page.get_by_role("group", name="Policy of city_weather")).to_be_visible(timeout=40_000)
    shoot(page, "registry")

    desk = Desk(page).open("A tour")
    desk.run()
    review = desk.card("Delete a record").get_by_role("button", name="Review")
    expect(review).to_be_visible(timeout=60_000)
    review.click()
    expect(desk.inspector.get_by_role("tab", name="Config")).to_be_visible()
    page.keyboard.press("f")
    shoot(page, "approval")
    state = context.storage_state()

    dark = browser.new_context(base_url=instance.url, viewport=WIDE, color_scheme="dark", storage_state=state)
    night = dark.new_page()
    building = Desk(night).open("What time is it there?")
    building.card("Look at the clock").click()
    expect(building.inspector.get_by_role("tab", name="Config")).to_be_visible()
    night.keyboard.press("f")
    shoot(night, "editor-dark")

    phone = browser.new_context(base_url=instance.url, viewport=PHONE, color_scheme="light", storage_state=state)
    small = phone.new_page()
    small.goto("/inbox")
    small.get_by_text("Allow demo/delete_record?").first.click()
    expect(small.get_by_role("button", name="Approve", exact=True)).to_be_visible()
    shoot(small, "inbox-phone")


def main() -> None:
    """Start an installation of its own, take the pictures, end it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    data = Path(tempfile.mkdtemp(prefix="patchbay-pictures-"))
    instance = Instance(data / "data").start()
    try:
        with sync_playwright() as playwright:
            path = os.environ.get("PATCHBAY_CHROMIUM") or shutil.which("chromium")
            browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
            take(browser, instance)
            browser.close()
    finally:
        instance.stop()
        shutil.rmtree(data, ignore_errors=True)


if __name__ == "__main__":
    main()
