"""Actions of the editor, by its command palette; what is saved of its edges; inviting people and coming in."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

from tests.instance import Instance

PASSWORD = "correct horse battery"


def command(page: Page, words: str) -> None:
    """Do something by the command palette."""
    page.keyboard.press("Control+k")
    box = page.get_by_role("dialog").get_by_role("combobox")
    expect(box).to_be_focused()
    box.fill(words)
    page.get_by_role("dialog").get_by_role("option", name=re.compile(f"^{words}")).first.click()
    expect(page.get_by_role("dialog")).to_have_count(0)


def connected(page: Page, patchbay: Instance, token: str) -> set[tuple[str, str]]:
    """Which nodes are connected in the saved draft of the workflow that is open."""
    key = page.url.split("?")[0].rsplit("/", 1)[-1]
    _, body = patchbay.request("GET", f"/api/workflows/{key}", token=token)
    result: list[dict[str, Any]] = body["draft"]["graph"]["edges"]
    return {(item["source"], item["target"]) for item in result}


def invited(patchbay: Instance, token: str, role: str) -> str:
    """The path of a new invitation's link."""
    status, created = patchbay.request("POST", "/api/teams/invitations", {"role": role}, token)
    assert status == 201, created
    return f"/join#{urlsplit(created['url']).fragment}"


def join(page: Page, link: str, name: str) -> None:
    """Come in by an invitation's link."""
    page.goto(link)
    page.get_by_label("Email").fill(f"{name.lower()}@example.org")
    page.get_by_label("Your name").fill(name)
    page.get_by_role("textbox", name="Password").fill(PASSWORD)
    page.get_by_role("button", name=re.compile("^Join ")).click()
    expect(page.get_by_role("heading", name="Workflows", exact=True)).to_be_visible()
