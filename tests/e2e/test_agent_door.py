"""A workflow is offered as an agent in the browser, tried there, and given a task by a client with the token made."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx2
import pytest
from playwright.sync_api import Page, expect

from tests.api.runs.conftest import graph, node
from tests.instance import Instance

NAME = "Greets as an agent"


@pytest.fixture
def workflow(patchbay: Instance, owner_token: str) -> Iterator[str]:
    """A published workflow that greets by name; its id."""
    nodes = [
        node("start", "start", {"inputs": {"type": "object", "properties": {"name": {"type": "string"}}}}),
        node("say", "answer", {"text": "Hello {{ start.name }}"}) | {"position": {"x": 300, "y": 0}},
        node("end", "end", {"outputs": {}}) | {"position": {"x": 600, "y": 0}},
    ]
    body = {"name": NAME, "graph": graph(nodes, "start -> say", "say -> end")}
    status, created = patchbay.request("POST", "/api/workflows", body, owner_token)
    assert status == 201, created
    status, published = patchbay.request("POST", f"/api/workflows/{created['id']}/publish", {}, owner_token)
    assert status in (200, 201), published
    yield str(created["id"])
    patchbay.request("DELETE", f"/api/workflows/{created['id']}", token=owner_token)


@pytest.mark.wide
def test_a_workflow_is_offered_as_an_agent_and_tried(page: Page, workflow: str) -> None:
    page.goto(f"/workflows/{workflow}/share/a2a")
    expect(page.get_by_role("heading", name="A2A agent")).to_be_visible()
    expect(page.get_by_role("region", name="Address")).to_contain_text("/a2a/")
    offered = page.get_by_role("switch", name="Offer as an agent")
    expect(offered).not_to_be_checked()
    test = page.get_by_role("region", name="Live test")
    send = test.get_by_role("button", name="Send")
    expect(send).to_have_attribute("aria-disabled", "true")

    page.get_by_role("region", name="Token", exact=True).get_by_role("button", name="New token").click()
    code = page.get_by_role("region", name="Code for a client").get_by_role("figure")
    expect(code).to_contain_text("Bearer pb_")
    expect(send).to_have_attribute("aria-disabled", "true")
    page.locator("label", has=offered).click()
    expect(offered).to_be_checked()

    test.get_by_role("textbox", name="Message").fill("Vera")
    send.click()
    expect(test).to_contain_text(f"Card of {NAME}", timeout=60_000)
    expect(test).to_contain_text("Hello Vera", timeout=60_000)
    expect(test).to_contain_text("Completed", timeout=60_000)
    run = test.get_by_role("link", name="Open the run").get_attribute("href")

    written = code.text_content() or ""
    [token] = set(re.findall(r"Bearer (pb_[\w-]+)", written))
    [path] = set(re.findall(r"https?://[^/\s\"']+(/a2a/[\w-]+/[\w-]+)", written))
    listed = httpx2.post(
        f"{page.url.partition('/workflows')[0]}{path}",
        headers={"authorization": f"Bearer {token}", "a2a-version": "1.0"},
        json={"jsonrpc": "2.0", "id": 1, "method": "ListTasks", "params": {"includeArtifacts": True}},
        timeout=60,
    ).json()
    [task] = listed["result"]["tasks"]
    assert run == f"/runs/{task['id']}"
    assert task["artifacts"][0]["parts"][0]["text"] == "Hello Vera"
    test.get_by_role("link", name="Open the run").click()
    page.wait_for_url("**/runs/run_*")
    expect(page.get_by_text("A2A").first).to_be_visible()
