"""Takes the views, at each width, in each theme and language."""

from __future__ import annotations

import argparse
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Error, Page, sync_playwright

from tests import chromium
from tests.e2e.conftest import OWNER, sign_up
from tests.e2e.gallery.seeded import Gallery
from tests.e2e.gallery.views import PATIENCE_MS, View, editor, lists, states, triggers, ways_in
from tests.instance import Instance
from tests.llm_server import llm_server

SIZES = {320: 640, 390: 844, 768: 1024, 1024: 768, 1440: 900, 2560: 1440}
FOLDER = Path(tempfile.gettempdir()) / "patchbay-gallery"


def take(page: Page, folder: Path, label: str, themes: list[str]) -> None:
    """The page as it stands, in each theme."""
    for theme in themes:
        page.emulate_media(color_scheme="dark" if theme == "dark" else "light", reduced_motion="reduce")
        page.wait_for_timeout(60)
        language, width = label.split("-")
        page.screenshot(path=folder / f"{language}-{theme}-{width}.png", animations="disabled")


FITTED = re.compile("^(editor|run)-")
"""Views whose canvas is fitted when it is opened, and not when the window changes."""


def walk(context: BrowserContext, name: str, view: View, choice: argparse.Namespace, language: str) -> None:
    """One view at every width."""
    folder = choice.folder / name
    folder.mkdir(parents=True, exist_ok=True)
    groups = [[width] for width in choice.widths] if FITTED.match(name) else [choice.widths]
    for widths in groups:
        page = context.new_page()
        page.emulate_media(color_scheme="light", reduced_motion="reduce")
        size(page, widths[0])
        for last in (False, True):  # a machine that is busy for a moment spoils no picture
            try:
                view(page)
                break
            except Error as error:
                if last:
                    print(f"{name} {language} {widths[0]}: {str(error).splitlines()[0]}", flush=True)
        for width in widths:
            size(page, width)
            page.wait_for_timeout(350)
            with suppress(Error):
                take(page, folder, f"{language}-{width}", choice.themes)
        page.close()


def size(page: Page, width: int) -> None:
    """As wide as that, and as high as such screens are."""
    page.set_viewport_size({"width": width, "height": SIZES[width]})


@contextmanager
def installation() -> Iterator[Instance]:
    """An installation of its own."""
    data = Path(tempfile.mkdtemp(prefix="patchbay-gallery-"))
    instance = Instance(data / "data", extra={"PATCHBAY_RUN_STARTS_PER_15S": "0"}).start()
    try:
        yield instance
    finally:
        instance.stop()
        shutil.rmtree(data, ignore_errors=True)


def show(browser: Browser, instance: Instance, choice: argparse.Namespace) -> None:
    """Fill the installation, and take every view that was chosen."""
    context = browser.new_context(base_url=instance.url, locale="en-GB")
    sign_up(context.new_page(), instance.link)
    state = context.storage_state()
    context.close()
    token = instance.token(OWNER["email"])
    with llm_server() as llm:
        seeded = Gallery(instance, token, llm)
        for language in choice.languages:
            instance.request("PATCH", "/api/me", {"theme": "system", "language": language}, token)
            views = {**lists(seeded), **editor(seeded), **triggers(seeded), **states()}
            for signed_in, shown in ((True, views), (False, ways_in(seeded))):
                kept = browser.new_context(
                    base_url=instance.url,
                    locale="zh-CN" if language == "zh" else "en-GB",
                    storage_state=state if signed_in else None,
                )
                kept.set_default_timeout(PATIENCE_MS)
                for name, view in shown.items():
                    if re.search(choice.only, name):
                        walk(kept, name, view, choice, language)
                kept.close()


def chosen() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.gallery")
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    parser.add_argument("--only", default="", help="a pattern that the views' names fit")
    parser.add_argument("--widths", type=int, nargs="+", default=list(SIZES), choices=list(SIZES))
    parser.add_argument("--themes", nargs="+", default=["light", "dark"], choices=["light", "dark"])
    parser.add_argument("--languages", nargs="+", default=["en", "zh"], choices=["en", "zh"])
    return parser.parse_args()


def main() -> None:
    """Take what was asked for."""
    choice = chosen()
    with installation() as instance, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.program(), args=chromium.FLAGS)
        show(browser, instance, choice)
        browser.close()
