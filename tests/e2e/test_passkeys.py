"""A passkey from the settings to the sign-in page and away again, with an authenticator that the browser plays."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, CDPSession, Page, expect

from tests.e2e.conftest import OWNER, sign_up
from tests.instance import Instance

pytestmark = pytest.mark.wide


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    """An installation of its own: its owner cannot sign in by password alone for a while."""
    instance = Instance(tmp_path_factory.mktemp("passkeys") / "data", begins="migrated", forked=True).start()
    yield instance
    instance.stop()


@pytest.fixture
def page(alone: Instance, browser: Browser) -> Iterator[Page]:
    context = browser.new_context(base_url=alone.url)
    page = context.new_page()
    yield page
    context.close()


def device(page: Page) -> tuple[CDPSession, str]:
    """Chromium's own authenticator: a key on this machine that knows its person."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    created = session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    return session, str(created["authenticatorId"])


def sign_out(page: Page) -> None:
    """The session ends; the device keeps its keys."""
    page.context.clear_cookies()
    page.goto("/settings/security")
    expect(page.get_by_role("heading", name="Sign in to Patchbay")).to_be_visible()


def test_a_passkey(page: Page, alone: Instance) -> None:
    refused: list[str] = []
    page.on("console", lambda said: refused.append(said.text) if "Content Security Policy" in said.text else None)
    session, key = device(page)
    sign_up(page, alone.link)
    page.goto("/settings/security")
    page.get_by_role("button", name="Add a passkey").click()
    page.get_by_role("textbox", name="Passkey name").fill("This laptop")  # no password: she came by a link just now
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("Each code signs you in once")).to_be_visible()
    page.get_by_role("button", name="Done").click()
    expect(page.get_by_text("This laptop")).to_be_visible()
    assert len(session.send("WebAuthn.getCredentials", {"authenticatorId": key})["credentials"]) == 1

    sign_out(page)
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_text("This laptop")).to_be_visible()  # where one was going
    expect(page.get_by_text(re.compile("^last used"))).to_be_visible()

    sign_out(page)
    page.get_by_label("Email").fill(OWNER["email"])
    page.get_by_role("textbox", name="Password").fill(OWNER["password"])
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("textbox", name="Code")).to_be_visible()  # the password alone is not enough
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_text("This laptop")).to_be_visible()

    page.get_by_role("button", name="Remove This laptop").click()
    page.get_by_role("dialog").get_by_label("Current password").fill(OWNER["password"])
    page.get_by_role("dialog").get_by_role("button", name="Remove This laptop").click()
    expect(page.get_by_text("This laptop")).to_have_count(0)
    sign_out(page)
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_text("The passkey could not be verified.")).to_be_visible()
    page.get_by_label("Email").fill(OWNER["email"])
    page.get_by_role("textbox", name="Password").fill(OWNER["password"])
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("heading", name="Passkeys")).to_be_visible()
    assert refused == [], "the page's policy stands"
