"""A provider in the browser: added after a failed test, its models fetched and priced, switched off, deleted."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import faults
from tests.instance import Instance
from tests.llm_server import Call, LlmServer, ModelRequest, Reply

KEY = "sk-right-0123456789"


def willing(request: ModelRequest) -> Reply:
    """A model that says ok and calls tools."""
    return Reply(calls=[Call("add", {"a": 2, "b": 3})]) if request.tools else Reply(text="ok then")


@pytest.mark.wide
def test_a_provider_from_nothing_to_gone(page: Page, llm: LlmServer, patchbay: Instance, owner_token: str) -> None:
    llm.key, llm.otherwise = KEY, willing
    page.goto("/settings/providers")
    page.get_by_role("button", name="Add provider").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name=re.compile("^Other")).click()
    dialog.get_by_label("Base URL").fill(llm.url)
    dialog.get_by_label("Key", exact=True).fill("sk-wrong-0123456789")
    dialog.get_by_label("Name", exact=True).fill("Walkthrough")
    dialog.get_by_role("button", name="Test first").click()
    expect(dialog.get_by_role("alert")).to_contain_text("LLM_AUTH_FAILED")
    assert faults(page) == []
    dialog.get_by_label("Key", exact=True).fill(KEY)
    dialog.get_by_role("button", name="Test first").click()
    expect(dialog.get_by_text("The model answers")).to_be_visible()
    dialog.get_by_role("button", name="Add provider").click()

    expect(page.get_by_role("heading", name="Walkthrough", level=2)).to_be_visible()
    page.get_by_role("button", name="Fetch list").click()
    page.get_by_role("button", name="Add 2 models").click()
    page.get_by_label("Out: scripted-1").fill("2")
    page.get_by_role("button", name="Save models").click()
    page.get_by_label("Model to test with").select_option("scripted-2")
    page.get_by_role("button", name="Test", exact=True).click()
    expect(page.get_by_text('add({"a": 2, "b": 3})')).to_be_visible()
    assert llm.requests[-1].body["model"] == "scripted-2"
    assert faults(page) == []

    page.reload()
    expect(page.get_by_label("Out: scripted-1")).to_have_value("2")
    expect(page.get_by_label("Key", exact=True)).to_have_value("")
    status, shown = patchbay.request("GET", "/api/providers/walkthrough", token=owner_token)
    assert status == 200
    assert shown["status"]["state"] == "ok"
    assert KEY not in json.dumps(shown)

    page.get_by_role("button", name="Turn off").click()
    expect(page.get_by_text("Turned off")).to_be_visible()
    page.get_by_role("button", name="Delete provider").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete provider").click()
    expect(page).to_have_url(re.compile("/settings/providers$"))
    expect(page.get_by_role("link", name=re.compile("Walkthrough"))).to_have_count(0)
