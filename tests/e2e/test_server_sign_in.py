"""A server is added that signs people in by OAuth: out to its page, back again, signed in, used, signed out."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.api.runs.conftest import graph, node
from tests.instance import Instance
from tests.oauth_mcp_server import OAuthServer

CALLS = graph(
    [
        node("start", "start", {"inputs": {"type": "object"}}),
        node("call", "tool", {"server": "octo-waits", "tool": "echo", "arguments": {}}),
        node("end", "end", {"outputs": {"said": "{{ call.result }}"}}),
    ],
    "start -> call",
    "call -> end",
)


@pytest.fixture(scope="module")
def remote() -> Iterator[OAuthServer]:
    with OAuthServer() as server:
        yield server


def test_a_person_signs_in_to_a_server_and_out_again(page: Page, remote: OAuthServer) -> None:
    page.goto("/registry")
    page.get_by_role("button", name="Add server").click()
    dialog = page.get_by_role("dialog", name="Add server")
    dialog.get_by_role("tab", name="URL").click()
    dialog.get_by_role("textbox", name="URL").fill(remote.url)
    dialog.get_by_role("radio", name="OAuth").check()
    expect(dialog.get_by_role("textbox", name="Client ID")).to_be_visible()
    dialog.get_by_role("textbox", name="Name", exact=True).fill("Octo")
    dialog.get_by_role("button", name="Add server").click()
    expect(page.get_by_text("Nobody is signed in").first).to_be_visible()
    remote.does(issuer="https://elsewhere.example")
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_text("calls itself https://elsewhere.example").first).to_be_visible()
    remote.does()
    page.get_by_role("button", name="Sign in", exact=True).click()
    facts = page.get_by_role("region", name="Sign-in", exact=True)
    expect(facts.get_by_text("octo", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile(r"/registry/octo/overview$"))
    steps = page.get_by_role("region", name="Steps of the sign-in")
    steps.get_by_text("token", exact=True).last.click()
    expect(steps.get_by_text("acc-")).to_have_count(0)
    expect(steps.get_by_text('"access_token": "••••••"').last).to_be_visible()
    page.get_by_role("button", name=re.compile("^Test (connection|again)")).click()
    expect(page.get_by_text("4 tools").first).to_be_visible()
    page.get_by_role("tab", name="Overview").click()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("dialog").get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("Nobody is signed in").first).to_be_visible()


@pytest.mark.wide
def test_a_run_waits_for_the_sign_in_and_continues_by_itself(
    page: Page, remote: OAuthServer, patchbay: Instance, owner_token: str
) -> None:
    remote.reset()

    def post(path: str, body: object) -> dict[str, str]:
        status, created = patchbay.request("POST", path, body, owner_token)
        assert status < 300, created
        assert isinstance(created, dict)
        return created

    server = {"name": "Octo waits", "slug": "octo-waits", "transport": "http", "url": remote.url, "auth_type": "oauth"}
    key = post("/api/mcp/servers", server)["id"]
    page.goto("/registry/octo-waits/overview")
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("region", name="Sign-in", exact=True).get_by_text("octo", exact=True)).to_be_visible()
    post(f"/api/mcp/servers/{key}/test", {})
    remote.end_sign_ins()

    flow = post("/api/workflows", {"name": "Calls Octo", "graph": CALLS})["id"]
    run = post(f"/api/workflows/{flow}/runs", {"version": "draft"})["id"]
    page.goto("/inbox")
    page.get_by_text("Sign in at octo-waits").first.click()
    page.get_by_role("link", name="Go to sign-in").click()
    expect(page.get_by_text("The sign-in has ended")).to_be_visible()
    page.get_by_role("button", name="Sign in again").click()
    expect(page.get_by_text("The sign-in has ended")).to_have_count(0)
    expect(page).to_have_url(re.compile(r"/registry/octo-waits/overview$"))
    page.goto(f"/runs/{run}")
    expect(page.get_by_text("Succeeded").first).to_be_visible()
