"""What a server offers besides tools: its resources are read, its prompts are filled, and a node takes one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.api.runs.conftest import node
from tests.e2e.drawn import opened
from tests.instance import Instance

EVERYTHING = Path(__file__).parents[1] / "live" / "servers" / "node" / "node_modules" / ".bin" / "mcp-server-everything"


@pytest.fixture(scope="module")
def library(patchbay: Instance, owner_token: str) -> str:
    """The slug of the official server that offers everything."""
    body = {"name": "Library", "slug": "library", "transport": "stdio", "command": str(EVERYTHING), "args": ["stdio"]}
    status, created = patchbay.request("POST", "/api/mcp/servers", body, owner_token)
    assert status == 201, created
    status, report = patchbay.request("POST", f"/api/mcp/servers/{created['id']}/test", {}, owner_token)
    assert status == 200 and report["ok"], report
    return "library"


def test_a_resource_is_read_and_a_prompt_filled(page: Page, library: str) -> None:
    page.goto(f"/registry/{library}/overview")
    page.get_by_role("tab", name="Resources and prompts").click()
    page.get_by_role("button", name=re.compile("^Read: features")).click()
    expect(page.get_by_text("Everything Server - Features").first).to_be_visible()

    page.get_by_role("button", name=re.compile("^Try: arg", re.I)).click()
    page.get_by_role("textbox", name="city").click()
    page.keyboard.type("Oslo")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="Oslo").first).to_be_visible()


@pytest.mark.wide
def test_a_node_reads_a_resource(page: Page, patchbay: Instance, owner_token: str, library: str) -> None:
    nodes = [
        node("start", "start", {"inputs": {"type": "object"}}) | {"position": {"x": 0, "y": 0}},
        node("read", "resource", {"server": library, "uri": ""}, title="Read it") | {"position": {"x": 260, "y": 0}},
        node("end", "end", {"outputs": {"text": "{{ read.text }}"}}) | {"position": {"x": 520, "y": 0}},
    ]
    editor = opened(page, patchbay, owner_token, nodes, "start -> read", "read -> end")
    editor.card("Read it").click()
    editor.inspector.get_by_role("button", name="Choose from the server").click()
    page.keyboard.type("features")
    page.get_by_role("option", name=re.compile("features.md")).first.click()
    expect(editor.inspector.get_by_role("textbox", name="URI")).to_contain_text("features.md")
    editor.saved()
    editor.run(form=False)
    expect(editor.dock.get_by_text("Succeeded").first).to_be_visible()
