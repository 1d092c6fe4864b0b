"""The identity provider from the sign-in page: the button, coming in, and what the page says once the group is lost."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.instance import ROOT, Instance
from tests.oidc_provider import CLIENT, SECRET, Provider

pytestmark = pytest.mark.wide

ENGINEER = {"email_verified": True, "groups": ["engineering"]}


@pytest.fixture(scope="module")
def idp() -> Iterator[Provider]:
    with Provider() as provider:
        yield provider


@pytest.fixture(scope="module")
def joined(idp: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    """An installation that knows the provider."""
    instance = Instance(
        tmp_path_factory.mktemp("sso") / "data",
        extra={
            "PATCHBAY_OIDC_ISSUER": idp.issuer,
            "PATCHBAY_OIDC_CLIENT_ID": CLIENT,
            "PATCHBAY_OIDC_CLIENT_SECRET": SECRET,
            "PATCHBAY_OIDC_NAME": "Example Corp",
            "PATCHBAY_OIDC_GROUPS": "engineering=my-team:editor",
        },
    )
    instance.token()  # makes the owner and "My team"
    instance.start()
    yield instance
    instance.stop()


@pytest.fixture
def page(joined: Instance, browser: Browser) -> Iterator[Page]:
    context = browser.new_context(base_url=joined.url, locale="en-US")
    yield context.new_page()
    context.close()


def check(instance: Instance) -> None:
    """Everybody is asked about now, as a timer does every quarter of an hour."""
    command = [sys.executable, "manage.py", "oidc_check"]
    subprocess.run(command, cwd=ROOT, env=instance.environment(), capture_output=True, check=True)


def test_the_button_leads_through_the_provider_to_the_page_that_was_asked_for(
    page: Page, joined: Instance, idp: Provider
) -> None:
    refused: list[str] = []
    page.on("console", lambda said: refused.append(said.text) if "Content Security Policy" in said.text else None)
    idp.person(sub="nina", email="nina@example.org", name="Nina", **ENGINEER)
    page.goto("/settings/about")
    expect(page.get_by_role("heading", name="Sign in to Patchbay")).to_be_visible()
    page.get_by_role("button", name="Continue with Example Corp").click()
    expect(page).to_have_url(f"{joined.url}/settings/about")
    expect(page.get_by_role("heading", name="About")).to_be_visible()
    expect(page.get_by_role("link", name="Installation")).to_have_count(0)
    assert page.request.get("/api/me").json()["email"] == "nina@example.org"
    assert refused == []


def test_who_loses_the_group_is_signed_out_and_told_why(page: Page, joined: Instance, idp: Provider) -> None:
    idp.person(sub="omar", email="omar@example.org", name="Omar", **ENGINEER)
    page.goto("/workflows")
    with page.expect_websocket() as opened:
        page.get_by_role("button", name="Continue with Example Corp").click()
    expect(page.get_by_role("heading", name="Workflows", exact=True)).to_be_visible()
    idp.person(sub="omar", email="omar@example.org", email_verified=True, groups=[])
    check(joined)
    expect(page.get_by_role("heading", name="Sign in to Patchbay")).to_be_visible()
    socket = opened.value
    if not socket.is_closed():
        socket.wait_for_event("close")
    assert page.request.get("/api/me").status == 401
    page.get_by_role("button", name="Continue with Example Corp").click()
    expect(page).to_have_url(re.compile(r"/\?sso=sso_no_team$"))
    expect(page.get_by_text("None of your groups belongs to a team here.")).to_be_visible()
    idp.person(sub="omar", email="omar@example.org", **ENGINEER)
    page.get_by_role("button", name="Continue with Example Corp").click()
    expect(page.get_by_role("heading", name="Workflows", exact=True)).to_be_visible()
