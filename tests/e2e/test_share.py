"""A workflow is shared with MCP clients in the browser, and called by one with the token that is made there."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.api.runs.conftest import graph, node
from tests.e2e.mcp_client import run_beside
from tests.instance import Instance

NAME = "Greets through MCP"


@pytest.fixture
def workflow(patchbay: Instance, owner_token: str) -> Iterator[str]:
    """A published workflow that greets by name; its id."""
    nodes = [
        node("start", "start", {"inputs": {"type": "object", "properties": {"name": {"type": "string"}}}}),
        node("end", "end", {"outputs": {"said": "Hello {{ start.name }}"}}) | {"position": {"x": 300, "y": 0}},
    ]
    body = {"name": NAME, "graph": graph(nodes, "start -> end")}
    status, created = patchbay.request("POST", "/api/workflows", body, owner_token)
    assert status == 201, created
    status, published = patchbay.request("POST", f"/api/workflows/{created['id']}/publish", {}, owner_token)
    assert status in (200, 201), published
    yield str(created["id"])
    patchbay.request("DELETE", f"/api/workflows/{created['id']}", token=owner_token)


def test_a_workflow_is_offered_tested_and_called(page: Page, workflow: str) -> None:
    page.goto(f"/workflows/{workflow}")
    page.get_by_role("navigation", name="Pages of this workflow").get_by_role("link", name="Share").click()
    expect(page.get_by_text("Only reads")).to_be_visible()
    expect(page.get_by_text("No calls yet")).to_be_visible()
    offered = page.get_by_role("switch", name="Offer as a tool")
    expect(offered).not_to_be_checked()
    expect(page.get_by_role("button", name="Test", exact=True)).to_have_attribute("aria-disabled", "true")

    setup = page.get_by_role("region", name="Set up a client")
    setup.get_by_role("button", name="New token").click()
    code = setup.get_by_role("figure")
    expect(code).to_contain_text("Bearer pb_")
    page.get_by_role("button", name="Test", exact=True).click()
    test = page.get_by_role("region", name="Live test")
    expect(test).to_contain_text("but not greets-through-mcp")

    page.locator("label", has=offered).click()
    expect(offered).to_be_checked()
    page.get_by_role("button", name="Test", exact=True).click()
    expect(test).to_contain_text("greets-through-mcp among them")

    setup.get_by_role("tab", name="Other").click()
    expect(code).to_contain_text("Authorization:")
    url, header = (code.text_content() or "").strip().splitlines()[:2]
    token = re.sub(r"^Authorization: ", "", header).strip()
    answer = run_beside(url, token, "greets-through-mcp", {"name": "Vera"})
    assert answer.structured_content == {"said": "Hello Vera"}
    calls = page.get_by_role("complementary", name="Latest calls")
    expect(calls.get_by_role("listitem")).to_contain_text("Succeeded")
    calls.get_by_role("listitem").get_by_role("link").click()
    page.wait_for_url("**/runs/run_*")
    expect(page.get_by_text("MCP").first).to_be_visible()
