"""A link to one tool of a server opens that tool, wherever it stands in the list; a stale one says so."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.instance import Instance

pytestmark = pytest.mark.wide


def demo(patchbay: Instance, token: str) -> str:
    """The id of the example server; its tools are known from the beginning."""
    status, servers = patchbay.request("GET", "/api/mcp/servers", None, token)
    assert status == 200, servers
    listed = servers["results"] if isinstance(servers, dict) else servers
    key = next(server["id"] for server in listed if server["slug"] == "demo")
    return str(key)


def tried(page: Page) -> Locator:
    """The choice of the tool that the panel under the list tries."""
    return page.get_by_role("region", name="Try a tool").get_by_role("combobox", name="Tool to try")


def test_a_link_to_a_tool_selects_it(page: Page, patchbay: Instance, owner_token: str) -> None:
    server = demo(patchbay, owner_token)
    page.goto(f"/registry/{server}?tool=statistics")
    row = page.get_by_role("region", name="Tools", exact=True).get_by_role("button", name="statistics", exact=True)
    expect(row).to_have_attribute("aria-expanded", "true")
    expect(row).to_be_focused()
    expect(row).to_be_in_viewport()
    expect(tried(page)).to_have_value("statistics")


def test_the_palette_leads_to_the_tool(page: Page, patchbay: Instance, owner_token: str) -> None:
    demo(patchbay, owner_token)
    page.goto("/registry")
    expect(page.get_by_role("tab", name="Overview")).to_be_visible()
    for tool in ("statistics", "echo"):  # the second one on the page that the first one led to
        page.keyboard.press("Control+k")
        page.keyboard.type(tool)
        page.get_by_role("option", name=re.compile(f"^{tool}")).first.click()
        row = page.get_by_role("region", name="Tools", exact=True).get_by_role("button", name=tool, exact=True)
        expect(row).to_have_attribute("aria-expanded", "true")
        expect(tried(page)).to_have_value(tool)
    tried(page).select_option("city_weather")  # whoever chooses after that is not led back
    expect(tried(page)).to_have_value("city_weather")


def test_a_stale_link_says_so(page: Page, patchbay: Instance, owner_token: str) -> None:
    server = demo(patchbay, owner_token)
    page.goto(f"/registry/{server}?tool=nothing_like_it")
    expect(page.get_by_text("no tool named “nothing_like_it”")).to_be_visible()
    expect(page.get_by_role("region", name="Tools", exact=True).get_by_role("button", expanded=True)).to_have_count(0)
    expect(tried(page)).not_to_have_value("")
