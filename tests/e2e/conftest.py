"""The built product in a real browser: one installation for the session, signed in as its owner."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Error, Page, expect

from tests import chromium
from tests.instance import Instance

PATIENCE_MS = 45_000
"""How long a page may take: what is there at once is seen at once, and a busy machine is slow, not broken."""
expect.set_options(timeout=PATIENCE_MS)
OF_THE_NETWORK = ("Failed to load resource", "net::ERR_INTERNET_DISCONNECTED")
"""What the browser itself says of a network that a test has cut, or of an answer that it has forged."""
OWNER = {"name": "Alice", "email": "alice@example.org", "password": "correct horse battery", "team": "Platform"}


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    """Chromium as `tests/chromium.py` starts it."""
    return {"executable_path": chromium.program(), "args": chromium.FLAGS}


def sign_up(page: Page, link: str) -> None:
    """Use the first one-time link: make the owner's account and team."""
    page.goto(link)
    page.get_by_label("Your name").fill(OWNER["name"])
    page.get_by_label("Email").fill(OWNER["email"])
    page.get_by_role("textbox", name="Password").fill(OWNER["password"])
    page.get_by_label("Team").fill(OWNER["team"])
    page.get_by_role("button", name="Create account").click()
    page.get_by_role("heading", name="Workflows").wait_for()


def ownerless(data: Path) -> Instance:
    """An installation that nobody has signed in to, not started yet."""
    return Instance(data, extra={"PATCHBAY_RUN_STARTS_PER_15S": "0"}, begins="migrated", forked=True)


@pytest.fixture(scope="session")
def patchbay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    """A running installation with its examples and no owner yet."""
    created = ownerless(tmp_path_factory.mktemp("e2e") / "data").start()
    yield created
    assert created.stop() == 0, created.lines[-80:]


@pytest.fixture(scope="session")
def owner_session(patchbay: Instance, browser: Browser) -> Any:
    """The owner's cookies."""
    context = browser.new_context()
    page = context.new_page()
    sign_up(page, patchbay.link)
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture(scope="session")
def owner_token(patchbay: Instance, owner_session: Any) -> str:
    """The owner's API token."""
    return patchbay.token(OWNER["email"])


@pytest.fixture
def context(browser: Browser, owner_session: Any, patchbay: Instance) -> Iterator[BrowserContext]:
    """A browser window of the owner; anything the console complains about fails the test."""
    created = browser.new_context(
        storage_state=owner_session, base_url=patchbay.url, viewport={"width": 1440, "height": 900}
    )
    created.grant_permissions(["clipboard-read", "clipboard-write"], origin=patchbay.url)
    created.set_default_timeout(PATIENCE_MS)
    complaints: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type == "error" and not any(words in message.text for words in OF_THE_NETWORK):
            complaints.append(message.text)

    created.on("console", note)
    created.on("weberror", lambda error: complaints.append(str(error.error)))
    yield created
    created.close()
    assert complaints == []


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """The owner's page."""
    return context.new_page()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that failed says what was on its pages."""
    report = yield
    if report.when == "call" and report.failed and isinstance(item, pytest.Function):
        for name, value in item.funcargs.items():
            if isinstance(value, Page) and not value.is_closed():
                with suppress(Error):
                    report.sections.append((f"{name}: {value.url}", value.locator("body").aria_snapshot(timeout=5_000)))
    return report


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Instance]:
    """A running installation of the test's own, to be killed at will."""
    created = ownerless(tmp_path / "data").start()
    yield created
    created.kill()


@pytest.fixture
def other(browser: Browser, patchbay: Instance) -> Iterator[Page]:
    """A page of somebody else's, on another device."""
    context: BrowserContext = browser.new_context(base_url=patchbay.url)
    yield context.new_page()
    context.close()
