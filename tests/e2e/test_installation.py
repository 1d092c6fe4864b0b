"""The operators' page: what is allowed in the whole installation, seen and changed by operators and nobody else."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.actions import invited, join
from tests.instance import Instance


@pytest.mark.wide
def test_an_operator_allows_a_host_and_takes_it_back(
    page: Page, other: Page, patchbay: Instance, owner_token: str
) -> None:
    page.goto("/settings")
    page.get_by_role("link", name="Installation").click()
    expect(page.get_by_role("region", name="Operators")).to_contain_text("alice@example.org")
    expect(page.get_by_role("table").last).to_contain_text("Alive")
    expect(page.get_by_role("table").first.get_by_role("row")).to_have_count(2)
    page.get_by_role("button", name="Allow a host").click()
    form = page.get_by_role("dialog", name="Allow a host")
    form.get_by_role("textbox").fill("wiki.internal:80")
    form.get_by_role("button", name="Add").click()
    expect(form).to_contain_text("without port and path")
    form.get_by_role("textbox").fill("Wiki.Internal")
    form.get_by_role("button", name="Add").click()
    allowed = page.get_by_role("region", name="Allowed here")
    entry = allowed.get_by_role("listitem").filter(has_text="wiki.internal")
    expect(entry).to_contain_text("Added by alice@example.org")
    page.goto("/settings/audit")
    expect(page.get_by_text("Allowed for all teams")).to_be_visible()
    page.goto("/settings/installation")
    entry.get_by_role("button", name="Remove wiki.internal").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(entry).to_have_count(0)
    join(other, invited(patchbay, owner_token, "admin"), "Nora")
    other.goto("/settings/installation")
    expect(other.get_by_role("heading", name="Profile")).to_be_visible()
    expect(other.get_by_role("link", name="Tokens")).to_be_visible()
    expect(other.get_by_role("link", name="Installation")).to_have_count(0)
    assert other.request.get("/api/operator/installation").status == 403
