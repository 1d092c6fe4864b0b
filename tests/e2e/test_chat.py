"""A chat in the browser: written on the members' page, a form answered inside, versions, the draft in the editor."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.api.runs.conftest import graph, node
from tests.e2e.axe import faults
from tests.instance import Instance

NAME = "Asks for a release"
TEXT = {"type": "string"}


@pytest.fixture
def chat(patchbay: Instance, owner_token: str) -> Iterator[tuple[str, str]]:
    """A published workflow that asks in between, and its chat, which is on: (workflow, trigger)."""
    form = {
        "title": "Which release?",
        "schema": {"type": "object", "properties": {"release": {**TEXT, "title": "Release"}}},
    }
    nodes = [
        node(
            "start", "start", {"inputs": {"type": "object", "properties": {"text": TEXT, "history": {"type": "array"}}}}
        ),
        node("ask", "form", form) | {"position": {"x": 250, "y": 0}},
        node("say", "answer", {"text": "{{ start.text }}: **{{ ask.release }}**, after {{ start.history | length }}"})
        | {"position": {"x": 500, "y": 0}},
    ]
    body = {"name": NAME, "graph": graph(nodes, "start -> ask", "ask -> say")}
    status, created = patchbay.request("POST", "/api/workflows", body, owner_token)
    assert status == 201, created
    status, published = patchbay.request("POST", f"/api/workflows/{created['id']}/publish", {}, owner_token)
    assert status in (200, 201), published
    trigger = {"kind": "chat", "name": "Release desk", "enabled": True, "config": {"greeting": "What shall it be?"}}
    status, new = patchbay.request("POST", f"/api/workflows/{created['id']}/triggers", trigger, owner_token)
    assert status == 201, new
    yield str(created["id"]), str(new["id"])
    patchbay.request("DELETE", f"/api/workflows/{created['id']}", token=owner_token)


def write(page: Page, text: str) -> None:
    page.get_by_role("textbox", name="Message", exact=True).fill(text)
    page.get_by_role("button", name="Send", exact=True).last.click()


def answer(page: Page, release: str) -> None:
    """Fill in the form that is asked inside."""
    request = page.get_by_role("log").get_by_role("region", name="Which release?").last
    request.get_by_role("textbox", name="Release").fill(release)
    request.get_by_role("button", name="Send", exact=True).click()


def test_a_member_writes_answers_a_form_and_edits(page: Page, patchbay: Instance, chat: tuple[str, str]) -> None:
    _, trigger = chat
    page.goto(f"/triggers/{trigger}")
    page.get_by_role("button", name="Open chat").click()
    expect(page.get_by_text("What shall it be?")).to_be_visible()
    write(page, "First")
    log = page.get_by_role("log")
    request = log.get_by_role("region", name="Which release?")
    request.get_by_role("textbox", name="Release").fill("0.8")
    page.reload()
    expect(request.get_by_role("textbox", name="Release")).to_have_value("0.8")
    request.get_by_role("button", name="Send", exact=True).click()
    expect(log).to_contain_text("First: 0.8, after 0")
    expect(page.get_by_role("status").filter(has_text="First: ")).to_be_attached()
    assert faults(page) == []

    write(page, "Second")
    answer(page, "0.9")
    expect(log).to_contain_text("Second: 0.9, after 2")
    log.get_by_role("button", name="Edit the message").last.click()
    page.get_by_role("textbox", name="Edit the message").fill("Another")
    page.keyboard.press("Enter")
    answer(page, "1.0")
    expect(log).to_contain_text("Another: 1.0, after 2")
    expect(log).to_contain_text("2 of 2")
    log.get_by_role("button", name="Earlier version of the message").click()
    expect(log).to_contain_text("Second: 0.9, after 2")
    expect(log).to_contain_text("1 of 2")
    expect(page.get_by_role("navigation", name="Conversations")).to_contain_text("First")


@pytest.mark.wide
def test_what_is_stopped_stays_and_what_was_typed_is_kept(page: Page, chat: tuple[str, str]) -> None:
    _, trigger = chat
    page.goto(f"/chat/{trigger}/new")
    write(page, "Never mind")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("log")).to_contain_text("Stopped.")
    page.get_by_role("textbox", name="Message", exact=True).fill("Half a thought")
    page.reload()
    expect(page.get_by_role("textbox", name="Message", exact=True)).to_have_value("Half a thought")


@pytest.mark.wide
def test_on_a_phone_the_list_is_before_the_conversation(page: Page, chat: tuple[str, str]) -> None:
    _, trigger = chat
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/chat/{trigger}")
    write(page, "From the road")
    answer(page, "2")
    expect(page.get_by_role("log")).to_contain_text("From the road: 2")
    page.get_by_role("button", name="Conversations").click()
    page.get_by_role("navigation", name="Conversations").get_by_role("button", name="From the road").click()
    expect(page.get_by_role("log")).to_contain_text("From the road: 2")
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390


@pytest.mark.wide
def test_the_draft_is_tried_beside_the_canvas(page: Page, chat: tuple[str, str]) -> None:
    workflow, _ = chat
    page.goto(f"/workflows/{workflow}")
    page.get_by_role("button", name="Chat", exact=True).click()
    panel = page.get_by_role("complementary", name="Chat")
    expect(panel.get_by_role("heading", name="Release desk")).to_be_visible()
    write(page, "Draft it")
    answer(page, "3")
    expect(panel.get_by_role("log")).to_contain_text("Draft it: 3")
    panel.get_by_role("button", name="Close").click()
    expect(panel).to_have_count(0)
