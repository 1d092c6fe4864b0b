"""What turns a text around is seen where somebody decides: on the card, in the fields of the run and of the inbox."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.instance import Instance

pytestmark = pytest.mark.wide

TURNED = "agent\u202egnp.exe"
"""Drawn as it is, it reads agentexe.png."""

DRAWN = """[...document.querySelectorAll('body *')]
  .filter((one) => !one.children.length && !one.closest('.form-hidden-note'))
  .filter((one) => String(one.value ?? one.textContent).includes('\\u202e')).map((one) => one.outerHTML)"""
"""What on the page holds it as it is, but for the note that shows what other programs make of it."""


def test_an_approval_shows_what_turns_its_text_around(page: Page, patchbay: Instance, owner_token: str) -> None:
    call = {"server": "demo", "tool": "delete_record", "arguments": {"record": "A-1", "reason": TURNED}}
    document = {
        "schema": 1,
        "nodes": [
            {"id": "start", "type": "start", "v": 1, "position": {"x": 0, "y": 0}, "config": {}},
            {"id": "del", "type": "tool", "v": 1, "position": {"x": 300, "y": 0}, "config": call},
        ],
        "edges": [{"id": "a", "source": "start", "source_port": "out", "target": "del", "target_port": "in"}],
    }
    name = f"Turned {TURNED}"
    status, created = patchbay.request("POST", "/api/workflows", {"name": name, "graph": document}, owner_token)
    assert status == 201, created
    at = f"/api/workflows/{created['id']}/runs"
    status, run = patchbay.request("POST", at, {"version": "draft", "wait": 60}, owner_token)
    assert (status, run["state"]) == (200, "WAITING"), run

    page.goto(f"/runs/{run['id']}")
    dock = page.locator(".dock-question")
    expect(dock.get_by_text("U+202E RLO").first).to_be_visible()
    card = page.get_by_role("application", name="Workflow graph").get_by_role(
        "group", name=re.compile("^delete_record")
    )
    expect(card.get_by_text("agent⟨U+202E⟩gnp.exe")).to_be_visible()
    page.goto("/inbox")
    page.get_by_text(re.compile("^Turned")).first.click()
    expect(page.get_by_text("U+202E RLO").first).to_be_visible()
    expect(page.get_by_role("button", name="Approve", exact=True)).to_be_visible()
    expect(page.locator(".form-hidden-note").first).to_contain_text("1 hidden character")
    drawn = page.evaluate(DRAWN)
    assert drawn == [], "nowhere on the page is it drawn as it is"
    status, _ = patchbay.request("POST", f"/api/runs/{run['id']}/cancel", None, owner_token)
    assert status == 202
