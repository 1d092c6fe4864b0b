"""Other people: somebody is invited, comes in, is removed and told so; somebody signs in with a second factor."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from playwright.sync_api import Page, WebSocket, expect

from tests.e2e.actions import PASSWORD, invited, join
from tests.instance import Instance


def code_of(secret: str, later: bool = False) -> str:
    return str(format_hotp_value(hotp_value(secret, list(yield_hotp_counters_from_time())[2 if later else 1])))


def closed(sockets: list[WebSocket]) -> None:
    """Each is closed, one that a busy page opened once more too."""
    assert sockets
    for socket in sockets:
        if not socket.is_closed():
            socket.wait_for_event("close")


@pytest.mark.wide
def test_invited_joined_removed_and_told_so(page: Page, other: Page) -> None:
    page.goto("/settings/team")
    page.get_by_role("button", name="Invite").click()
    page.get_by_role("dialog").get_by_label("Role").select_option("editor")
    page.get_by_role("button", name="Create link").click()
    link = page.get_by_role("dialog", name="The invitation").locator("code")
    expect(link).to_contain_text("/join#")
    fragment = urlsplit(link.inner_text()).fragment
    page.get_by_role("button", name="Done").click()

    join(other, f"/join#{fragment}", "Nina")
    other.goto("about:blank")  # a page that is left takes its sockets along, and the browser tells of no end
    sockets: list[WebSocket] = []
    other.on("websocket", lambda socket: sockets.append(socket))
    other.goto("/runs")
    expect(other.get_by_role("heading", name="Runs", exact=True)).to_be_visible()
    expect(page.get_by_text("nina@example.org")).to_be_visible()  # told by the websocket

    page.get_by_role("button", name="Actions for Nina").click()
    page.get_by_role("menuitem", name="Remove").click()
    dialog = page.get_by_role("dialog", name="Remove Nina")
    expect(dialog.get_by_text("Open pages of this team close at once.")).to_be_visible()
    dialog.get_by_role("button", name="Remove Nina").click()

    expect(other.get_by_role("heading", name="You are not in any team")).to_be_visible()
    expect(other.get_by_text("You are no longer in the team Platform.")).to_be_visible()
    closed(sockets)
    expect(page.get_by_text("nina@example.org")).to_have_count(0)

    other.get_by_role("button", name="Delete account").click()
    other.get_by_role("dialog").get_by_label("Type “nina@example.org”").fill("nina@example.org")
    other.get_by_role("dialog").get_by_role("textbox", name="Current password").fill(PASSWORD)
    other.get_by_role("dialog").get_by_role("button", name="Delete account").click()
    expect(other.get_by_role("heading", name="Sign in to Patchbay")).to_be_visible()


@pytest.mark.wide
def test_signing_in_with_a_second_factor(other: Page, patchbay: Instance, owner_token: str) -> None:
    join(other, invited(patchbay, owner_token, "viewer"), "Tom")
    other.goto("/settings/security")
    other.get_by_role("button", name="Set up").click()
    other.get_by_role("dialog").get_by_role("textbox", name="Current password").fill(PASSWORD)
    other.get_by_role("button", name="Continue").click()
    expect(other.get_by_role("img", name="QR code")).to_be_visible()
    secret = other.get_by_role("dialog").locator("code").inner_text().replace(" ", "")
    other.get_by_label("Code").fill(code_of(secret))
    other.get_by_role("button", name="Turn on").click()
    codes = other.get_by_role("dialog", name="Recovery codes").get_by_role("listitem")
    expect(codes).to_have_count(10)
    recovery = codes.first.inner_text()
    other.get_by_role("button", name="Done").click()
    expect(other.get_by_text("10 recovery codes left")).to_be_visible()

    for code in (code_of(secret, later=True), recovery):
        other.get_by_role("button", name="Sign out", exact=True).click()
        other.get_by_label("Email").fill("tom@example.org")
        other.get_by_role("textbox", name="Password").fill(PASSWORD)
        other.get_by_role("button", name="Sign in").click()
        other.get_by_label("Code").fill(code)
        other.get_by_role("button", name="Sign in").click()
        expect(other.get_by_role("heading", name="Workflows", exact=True)).to_be_visible()
        other.goto("/settings/security")
    expect(other.get_by_text("9 recovery codes left")).to_be_visible()


def asking(approvers: str) -> dict[str, object]:
    """A document that asks for a yes of these people."""
    config = {"title": "Pay it?", "proposal": {"amount": 120}, "approvers": approvers}
    nodes = [("start", "start", {}), ("ok", "approval", config), ("end", "end", {})]
    edges = [("start", "out", "ok"), ("ok", "approved", "end"), ("ok", "declined", "end")]
    return {
        "schema": 1,
        "nodes": [
            {"id": key, "type": kind, "v": 1, "position": {"x": 300 * place, "y": 0}, "config": config}
            for place, (key, kind, config) in enumerate(nodes)
        ],
        "edges": [
            {"id": f"{a}_{port}", "source": a, "source_port": port, "target": b, "target_port": "in"}
            for a, port, b in edges
        ],
    }


def run_of(patchbay: Instance, token: str, approvers: str) -> str:
    """A run of the owner's that waits for people."""
    body = {"name": f"Pay {approvers}", "graph": asking(approvers)}
    status, created = patchbay.request("POST", "/api/workflows", body, token)
    assert status == 201, created
    address = f"/api/workflows/{created['id']}/runs"
    status, run = patchbay.request("POST", address, {"version": "draft", "wait": 30}, token)
    assert (status, run["state"]) == (200, "WAITING"), run
    return str(run["id"])


@pytest.mark.wide
def test_two_people_approve(page: Page, other: Page, patchbay: Instance, owner_token: str) -> None:
    join(other, invited(patchbay, owner_token, "editor"), "Zoe")
    run = run_of(patchbay, owner_token, "not_starter")
    page.goto(f"/runs/{run}")
    expect(page.get_by_text("The person who started the run cannot approve this.")).to_be_visible()
    dock = page.locator(".dock-question")
    expect(dock.get_by_role("button", name="Approve", exact=True)).to_have_attribute("aria-disabled", "true")
    expect(dock.get_by_role("button", name="Decline")).not_to_have_attribute("aria-disabled", "true")
    other.goto("/inbox")
    other.get_by_role("button", name="Approve", exact=True).click()
    expect(dock.get_by_text("by zoe@example.org")).to_be_visible()  # it stays, as somebody else answered it

    run = run_of(patchbay, owner_token, "two_people")
    page.goto(f"/runs/{run}")
    expect(dock.get_by_text("0 of 2")).to_be_visible()
    dock.get_by_role("button", name="Approve", exact=True).click()
    expect(dock.get_by_text("1 of 2")).to_be_visible()
    expect(dock.get_by_role("button", name="Approve", exact=True)).to_have_attribute("aria-disabled", "true")
    other.goto(f"/runs/{run}")
    theirs = other.locator(".dock-question")
    expect(theirs.get_by_text("1 of 2")).to_be_visible()
    expect(theirs.get_by_text(re.compile("approved$|approved "))).to_be_visible()
    theirs.get_by_role("button", name="Approve", exact=True).click()
    expect(theirs).to_have_count(0)
    expect(dock.get_by_text("by zoe@example.org")).to_be_visible()
    status, ended = patchbay.request("GET", f"/api/runs/{run}", token=owner_token)
    assert (status, ended["state"]) == (200, "SUCCESS")
