"""A collection is made in the browser, a tool put in under a name of its own, and called by a client with its token."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import dress, faults
from tests.e2e.mcp_client import run_beside
from tests.instance import Instance


@pytest.fixture
def demo(patchbay: Instance, owner_token: str) -> Iterator[None]:
    """The demo server has listed its tools; what the test makes goes again."""
    _, servers = patchbay.request("GET", "/api/mcp/servers", token=owner_token)
    key = next(server["id"] for server in servers["results"] if server["slug"] == "demo")
    status, report = patchbay.request("POST", f"/api/mcp/servers/{key}/test", {}, owner_token)
    assert status == 200 and report["ok"], report
    yield
    _, created = patchbay.request("GET", "/api/collections", token=owner_token)
    for row in created["results"]:
        patchbay.request("DELETE", f"/api/collections/{row['id']}", token=owner_token)


def test_a_collection_is_made_and_called(page: Page, demo: None) -> None:
    page.goto("/registry")
    page.get_by_role("link", name="Collections").click()
    page.get_by_role("button", name="New collection").click()
    page.get_by_role("dialog").get_by_role("textbox", name="Name").fill("Support desk")
    page.get_by_role("button", name="Create").click()
    page.wait_for_url("**/collections/col_*")

    page.get_by_role("button", name="Add tools").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Demo").click()
    dialog.get_by_role("button", name="Add echo").click()
    expect(dialog.get_by_text("Added")).to_be_visible()
    dialog.get_by_role("button", name="Close").last.click()

    row = page.get_by_role("button", name=re.compile("^echo"))
    row.click()
    seen = page.get_by_role("region", name="What clients see")
    seen.get_by_role("textbox", name="Name").fill("greet")
    seen.get_by_role("button", name="Save").click()
    expect(page.get_by_role("button", name=re.compile("^greet"))).to_contain_text("demo/echo")

    page.get_by_role("button", name="Set up a client").click()
    dialog.get_by_role("button", name="New token").click()
    dialog.get_by_role("tab", name="Other").click()
    code = dialog.get_by_role("figure")
    expect(code).to_contain_text("Bearer pb_")
    dialog.get_by_role("button", name="Test", exact=True).click()
    expect(dialog.get_by_role("region", name="Live test")).to_contain_text("greet among them")
    url, header = (code.text_content() or "").strip().splitlines()[:2]
    dialog.get_by_role("button", name="Close").last.click()

    answer = run_beside(url, header.removeprefix("Authorization: ").strip(), "greet", {"text": "Hello Vera"})
    assert not answer.is_error and "Hello Vera" in str(answer.content)
    calls = page.get_by_role("region", name="Latest calls")
    expect(calls.get_by_role("listitem")).to_contain_text("Succeeded")
    expect(calls.get_by_role("listitem")).to_contain_text("greet")


@pytest.mark.wide
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_its_page_is_accessible(page: Page, patchbay: Instance, owner_token: str, demo: None, theme: str) -> None:
    _, created = patchbay.request("POST", "/api/collections", {"name": "Desk"}, owner_token)
    patchbay.request("POST", f"/api/collections/{created['id']}/tools", {"server": "demo", "tool": "echo"}, owner_token)
    dress(page, theme)
    page.goto(f"/collections/{created['id']}")
    page.get_by_role("button", name=re.compile("^echo")).click()
    page.get_by_role("region", name="What clients see").wait_for()
    assert faults(page) == []
    page.get_by_role("button", name="Add tools").click()
    page.get_by_role("dialog").get_by_role("button", name="Demo").click()
    page.get_by_role("dialog").get_by_text("Added").wait_for()
    assert faults(page) == []
