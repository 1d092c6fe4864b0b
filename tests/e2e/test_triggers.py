"""Triggers made in the browser: a webhook that is called, a schedule with its next times; one is switched off."""

from __future__ import annotations

import json
from collections.abc import Iterator
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Page, expect

from tests.api.runs.conftest import graph, node
from tests.instance import Instance

NAME = "Greets whoever calls"


@pytest.fixture
def workflow(patchbay: Instance, owner_token: str) -> Iterator[str]:
    """A published workflow that greets by name; its id."""
    nodes = [
        node("start", "start", {"inputs": {"type": "object", "properties": {"name": {"type": "string"}}}}),
        node("end", "end", {"outputs": {"said": "Hello {{ start.name }}"}}) | {"position": {"x": 300, "y": 0}},
    ]
    body = {"name": NAME, "graph": graph(nodes, "start -> end")}
    status, created = patchbay.request("POST", "/api/workflows", body, owner_token)
    assert status == 201, created
    status, published = patchbay.request("POST", f"/api/workflows/{created['id']}/publish", {}, owner_token)
    assert status in (200, 201), published
    yield str(created["id"])
    patchbay.request("DELETE", f"/api/workflows/{created['id']}", token=owner_token)


def new(page: Page, kind: str, name: str) -> None:
    """Open the form of a new trigger of a kind, and name it."""
    page.get_by_role("button", name="New trigger", exact=True).click()
    page.get_by_role("menuitem", name=kind).click()
    page.get_by_role("textbox", name="Name", exact=True).fill(name)


def test_a_webhook_is_made_called_and_seen(page: Page, patchbay: Instance, workflow: str) -> None:
    page.goto(f"/workflows/{workflow}")
    page.get_by_role("button", name="Versions").click()
    page.get_by_role("menuitem", name="Triggers of this workflow").click()
    expect(page.get_by_role("heading", name=f"Triggers of “{NAME}”")).to_be_visible()
    new(page, "Webhook", "Door bell")
    page.get_by_role("radio", name="Expressions").check(force=True)
    page.get_by_role("textbox", name="Value of input 1").fill("{{ request.nothing")
    page.get_by_role("checkbox", name="Switch on now").check(force=True)
    page.get_by_role("button", name="Create trigger").click()
    expect(page.locator(".field-error").first).to_be_visible()
    page.get_by_role("textbox", name="Value of input 1").fill("{{ request.body.who }}")
    page.get_by_role("button", name="Create trigger").click()

    shown = page.get_by_role("dialog", name="Address of “Door bell”")
    shown.get_by_role("button", name="Copy address").click()
    page.wait_for_function("navigator.clipboard.readText().then((text) => text.startsWith('http'))")
    url = page.evaluate("navigator.clipboard.readText()")
    expect(shown.get_by_role("figure")).to_contain_text(f"curl -X POST '{url}'")
    shown.get_by_role("button", name="Done").click()
    expect(page.get_by_role("heading", name="Door bell")).to_be_visible()
    expect(page.get_by_text("Nothing has come in yet")).to_be_visible()

    address = patchbay.url + urlsplit(url).path
    body = json.dumps({"who": "Vera"}).encode()
    with urlopen(Request(address, body, {"Content-Type": "application/json"}), timeout=30) as answer:
        run = json.load(answer)["run"]
    delivery = page.get_by_role("list", name="Deliveries").get_by_role("listitem")
    expect(delivery).to_contain_text("Succeeded")
    delivery.locator("summary").click()
    expect(delivery).to_contain_text("body")
    delivery.get_by_role("button", name="Replay").click()
    expect(page.get_by_role("list", name="Deliveries").locator("summary")).to_have_count(2)
    page.get_by_role("list", name="Deliveries").get_by_role("link").last.click()
    expect(page).to_have_url(f"{patchbay.url}/runs/{run}")


@pytest.mark.wide
def test_a_trigger_is_tried_on_the_draft_from_the_editor(
    page: Page, patchbay: Instance, owner_token: str, workflow: str
) -> None:
    created = {"kind": "webhook", "name": "Door bell", "enabled": True, "config": {}}
    status, trigger = patchbay.request("POST", f"/api/workflows/{workflow}/triggers", created, owner_token)
    assert status == 201, trigger
    for name in ("Vera", "Walter"):
        body = json.dumps({"name": name}).encode()
        call = Request(patchbay.url + urlsplit(trigger["url"]).path, body, {"Content-Type": "application/json"})
        with urlopen(call, timeout=30) as answer:
            assert answer.status == 202

    page.goto(f"/workflows/{workflow}")
    page.get_by_role("button", name="Versions").click()
    page.get_by_role("menuitem", name="Try a trigger on the draft").click()
    dialog = page.get_by_role("dialog", name="Try a trigger on the draft")
    choices = dialog.get_by_role("radio")
    expect(choices).to_have_count(3)
    newest, older, sample = choices.all()
    expect(newest).to_be_checked()
    expect(dialog).to_contain_text("Walter")
    older.check()
    expect(dialog).to_contain_text("Vera")
    expect(sample).not_to_be_checked()
    dialog.get_by_role("button", name="Run the draft").click()
    expect(dialog).to_have_count(0)
    page.get_by_role("tab", name="Output").click()
    expect(page.get_by_role("tabpanel")).to_contain_text("Hello Vera")
    expect(page).to_have_url(f"{patchbay.url}/workflows/{workflow}")

    page.goto(f"/triggers/{trigger['id']}")
    with page.expect_download() as taken:
        page.get_by_role("button", name="Export all deliveries").click()
    lines = [json.loads(line) for line in taken.value.path().read_text().splitlines()]
    assert [line["request"]["body"]["name"] for line in lines] == ["Walter", "Vera"]


@pytest.mark.wide
def test_a_schedule_shows_its_next_five_and_is_switched_off(page: Page, workflow: str) -> None:
    page.goto(f"/triggers?workflow={workflow}")
    page.get_by_role("button", name="New trigger: Schedule").click()
    page.get_by_role("textbox", name="Name", exact=True).fill("Every morning")
    page.get_by_role("textbox", name="Cron").fill("61 8 * * *")
    page.get_by_role("button", name="Create trigger").click()
    expect(page.get_by_role("textbox", name="Cron")).to_have_attribute("aria-invalid", "true")
    page.get_by_role("textbox", name="Cron").fill("0 8 * * *")
    page.get_by_role("button", name="Create trigger").click()
    expect(page.get_by_role("list", name="Next times").get_by_role("listitem")).to_have_count(5)

    switch = page.get_by_role("switch", name="Trigger “Every morning” on")
    switch.click(force=True)
    question = page.get_by_role("dialog", name="Switch on “Every morning”?")
    expect(question).to_contain_text("alice@example.org")
    question.get_by_role("button", name="Switch on").click()
    expect(switch).to_be_checked()
    expect(page.get_by_text("alice@example.org: their credentials")).to_be_visible()
    page.get_by_role("main").get_by_role("link", name="Triggers").click()
    row = page.get_by_role("row").filter(has_text="Every morning")
    row.get_by_role("switch").click(force=True)
    expect(row.get_by_role("switch")).not_to_be_checked()
    expect(page.get_by_text("“Every morning” is off.")).to_be_visible()
