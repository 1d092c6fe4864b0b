"""A client of the SDK signs in by itself: a browser opens, a member allows it there, sees it listed, and ends it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.api.runs.conftest import graph, node
from tests.instance import Instance
from tests.signing_in import BACK, PATIENCE_S, SigningIn

AGENT = "Refund desk"


@pytest.fixture
def agent(patchbay: Instance, owner_token: str) -> Iterator[str]:
    """The address of a published workflow that is offered as an agent."""
    nodes = [
        node("start", "start", {"inputs": {"type": "object", "properties": {"order": {"type": "string"}}}}),
        node("say", "answer", {"text": "Refunded {{ start.order }}"}) | {"position": {"x": 300, "y": 0}},
        node("end", "end", {"outputs": {}}) | {"position": {"x": 600, "y": 0}},
    ]
    body = {"name": AGENT, "graph": graph(nodes, "start -> say", "say -> end")}
    status, created = patchbay.request("POST", "/api/workflows", body, owner_token)
    assert status == 201, created
    at = f"/api/workflows/{created['id']}"
    assert patchbay.request("POST", f"{at}/publish", {}, owner_token)[0] in (200, 201)
    assert patchbay.request("PATCH", at, {"expose_as_agent": True}, owner_token)[0] == 200
    yield str(patchbay.request("GET", f"{at}/agent", token=owner_token)[1]["url"])
    patchbay.request("DELETE", at, token=owner_token)


def allow(page: Page, client: SigningIn) -> None:
    """Press the button on the page that the client opened, and come back to it."""
    page.get_by_role("button", name="Allow").click()
    page.wait_for_url(f"{BACK}**")
    client.back.set_result(page.url)


def test_a_client_signs_in_and_is_ended(page: Page, patchbay: Instance, owner_token: str) -> None:
    client = SigningIn(f"{patchbay.url}/mcp")
    page.route(f"{BACK}**", lambda route: route.fulfill(body="Signed in."))
    with client.at(client.tools()) as listed:
        page.goto(client.opened.result(timeout=PATIENCE_S))
        expect(page.get_by_role("heading", name=re.compile("Let Little Helper use"))).to_be_visible()
        expect(page.get_by_role("region", name="The client")).to_contain_text("Nobody has checked its name")
        expect(page.get_by_role("checkbox", name="Call tools")).to_be_checked()
        expect(page.get_by_role("checkbox", name="Fill in forms")).not_to_be_checked()
        allow(page, client)
        assert "run_workflow" in listed.result(timeout=PATIENCE_S)
    assert client.memory.tokens is not None and client.memory.tokens.scope == "read run"

    page.goto(f"{patchbay.url}/settings/tokens")
    expect(page.get_by_text("Little Helper")).to_be_visible()
    (row,) = [row for row in patchbay.request("GET", "/api/tokens", token=owner_token)[1]["results"] if row["audience"]]
    page.get_by_role("button", name=re.compile("Little Helper")).click()
    page.get_by_role("dialog").get_by_role("button", name=re.compile("Delete")).click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_text("Little Helper")).to_have_count(0)
    assert row["name"] == "Little Helper"
    assert patchbay.request("POST", "/mcp", {}, client.memory.tokens.access_token)[0] == 401


@pytest.mark.wide
def test_a_client_of_an_agent_signs_in_and_is_told_its_task(page: Page, patchbay: Instance, agent: str) -> None:
    client = SigningIn(agent)
    page.route(f"{BACK}**", lambda route: route.fulfill(body="Signed in."))
    with client.at(client.send("A-17")) as reply:
        page.goto(client.opened.result(timeout=PATIENCE_S))
        expect(page.get_by_role("heading", name=re.compile(f"use the agent “{AGENT}”"))).to_be_visible()
        expect(page.get_by_role("checkbox", name="Give it tasks")).to_be_checked()
        expect(page.get_by_text("Call tools")).to_have_count(0)
        allow(page, client)
        events = reply.result(timeout=PATIENCE_S)
    texts = [part.text for event in events for part in event.artifact_update.artifact.parts]
    assert "Refunded A-17" in texts and client.memory.tokens is not None
    page.goto(f"{patchbay.url}/settings/tokens")
    expect(page.get_by_role("button", name=re.compile("Little Helper")).first).to_be_visible()
    assert patchbay.request("GET", "/api/runs", token=client.memory.tokens.access_token)[0] == 401
