"""What waits for a person, on a tablet and a phone: nothing is wider than the page, nothing lies on something else."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.api.runs.conftest import graph, node
from tests.instance import Instance, until

pytestmark = pytest.mark.wide


@pytest.fixture(scope="module")
def waiting(patchbay: Instance, owner_token: str) -> tuple[str, str]:
    """A run that waits for leave to call a tool, and its question; whoever started it keeps a server from models."""

    def request(method: str, path: str, body: object = None) -> dict[str, object]:
        status, reply = patchbay.request(method, path, body, owner_token)
        assert status < 300, reply
        return dict(reply)

    request("PUT", "/api/me/servers-off", {"servers": ["time"]})
    config = {"server": "demo", "tool": "delete_record", "arguments": {"record": "r-7"}}
    request(
        "POST", "/api/providers", {"name": "Unreachable", "base_url": "http://127.0.0.1:9/v1", "models": [{"id": "m"}]}
    )
    nodes = [
        node("start", "start", {}),
        node("delete", "tool", config, title="Delete the record that nobody asked for"),
        node("agent", "agent", {"provider": "unreachable", "model": "m", "query": "Is it gone?"}),
        node("end", "end", {}),
    ]
    links = ("start -> delete", "delete -> agent", "agent -> end")
    name = "A workflow whose name leaves no room"
    created = request("POST", "/api/workflows", {"name": name, "graph": graph(nodes, *links)})
    run = request("POST", f"/api/workflows/{created['id']}/runs", {"version": "draft", "inputs": {}, "wait": 60})
    questions = request("GET", f"/api/interactions?run={run['id']}")["results"]
    assert isinstance(questions, list)
    return str(run["id"]), str(questions[0]["id"])


@pytest.mark.parametrize("width", [390, 768])
def test_a_run_that_waits_fits_the_page(page: Page, waiting: tuple[str, str], width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"/runs/{waiting[0]}")
    bar = page.get_by_role("banner").or_(page.locator("header")).first
    state = bar.get_by_text("Needs a person")
    expect(state).to_be_visible()
    expect(bar.get_by_role("button", name="Stop")).to_be_in_viewport(ratio=1)
    expect(bar.get_by_text("Servers off for agents: 1")).to_be_attached()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    beside = bar.get_by_text("draft", exact=True)
    left, right = beside.bounding_box(), state.bounding_box()
    assert left and right
    clipped = beside.evaluate(
        "one => Math.min(one.getBoundingClientRect().right, one.parentElement.getBoundingClientRect().right)"
    )
    assert clipped <= right["x"]


@pytest.mark.parametrize("width", [390, 768])
def test_a_question_fits_the_page(page: Page, waiting: tuple[str, str], width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"/inbox/{waiting[1]}")
    for name in ("Approve", "Decline"):
        expect(page.get_by_role("button", name=re.compile(f"^{name}$"))).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_phone_gives_the_canvas_the_room_that_no_run_takes(page: Page, patchbay: Instance, owner_token: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    nodes = [node("start", "start", {}), node("end", "end", {"outputs": {}})]
    body = {"name": "Not run yet", "graph": graph(nodes, "start -> end")}
    status, created = patchbay.request("POST", "/api/workflows", body, owner_token)
    assert status == 201
    page.goto(f"/workflows/{created['id']}")
    canvas = page.get_by_test_id("canvas").or_(page.locator(".react-flow")).first
    expect(page.get_by_text("This workflow has not run yet.")).to_be_in_viewport(ratio=1)
    box = canvas.bounding_box()
    assert box and box["height"] > 420, "half of the page"
    page.get_by_role("tab", name="Problems").click()
    until(lambda: (shown := canvas.bounding_box()) and shown["height"] <= 300, 10)
    page.get_by_role("tab", name="Waterfall").click()
    page.get_by_role("button", name="Run", exact=True).click()
    until(lambda: (shown := canvas.bounding_box()) and shown["height"] <= 300, 20)
    expect(page.get_by_text("This workflow has not run yet.")).to_have_count(0)


@pytest.mark.parametrize("width", [320, 390])
def test_the_tabs_of_a_run_that_was_edited_since_fit_the_page(
    page: Page, patchbay: Instance, owner_token: str, width: int
) -> None:
    body = {
        "name": "Edited since",
        "graph": graph([node("start", "start", {}), node("end", "end", {})], "start -> end"),
    }
    created = patchbay.request("POST", "/api/workflows", body, owner_token)[1]
    at = f"/api/workflows/{created['id']}"
    patchbay.request("POST", f"{at}/runs", {"version": "draft", "inputs": {}, "wait": 60}, owner_token)
    other = graph([node("start", "start", {}), node("finish", "end", {})], "start -> finish")
    status, saved = patchbay.request("PUT", f"{at}/draft", {"revision": 1, "graph": other}, owner_token)
    assert status == 200, saved
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(f"/workflows/{created['id']}")
    tabs = page.get_by_role("region", name="Run", exact=True).get_by_role("tab")
    expect(tabs.filter(has_text="Waterfall")).to_be_visible()
    expect(page.get_by_role("region", name="Run", exact=True).get_by_text("edited since")).to_be_attached()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("size", [(1440, 900), (768, 1024), (390, 844)])
def test_an_empty_canvas_says_what_to_do_in_its_middle(
    page: Page, patchbay: Instance, owner_token: str, size: tuple[int, int]
) -> None:
    created = patchbay.request("POST", "/api/workflows", {"name": "Nothing yet"}, owner_token)[1]
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"/workflows/{created['id']}")
    canvas = page.get_by_role("application", name="Workflow graph").bounding_box()
    slot = page.locator(".empty-slot")
    expect(slot).to_be_in_viewport(ratio=0.99)
    expect(page.locator(".empty-hint")).to_be_in_viewport(ratio=0.99)
    at = slot.bounding_box()
    assert canvas and at
    assert abs(at["x"] + at["width"] / 2 - canvas["x"] - canvas["width"] / 2) < canvas["width"] / 10


def test_the_button_of_the_bar_ends_where_the_page_does(page: Page, patchbay: Instance) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/workflows")
    button = page.get_by_role("button", name="New workflow", exact=True).bounding_box()
    assert button and button["x"] + button["width"] == 390 - 16


def test_a_phone_leads_back_from_pages_that_its_tabs_do_not_lead_to(
    page: Page, patchbay: Instance, owner_token: str
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    document = graph([node("start", "start", {}), node("end", "end", {})], "start -> end")
    body = {"name": "Led back to", "graph": document}
    key = patchbay.request("POST", "/api/workflows", body, owner_token)[1]["id"]
    page.goto(f"/workflows/{key}/share")
    page.get_by_role("banner").or_(page.locator("header")).get_by_role("link", name="Led back to").click()
    expect(page).to_have_url(re.compile(f"/workflows/{key}$"))
    trigger = {"kind": "webhook", "name": "Called", "enabled": True, "config": {}}
    status, created = patchbay.request("POST", f"/api/workflows/{key}/triggers", trigger, owner_token)
    assert status == 201, created
    page.goto(f"/triggers/{created['id']}")
    page.locator("header").get_by_role("link", name="Triggers").click()
    expect(page.get_by_role("link", name="Called")).to_be_visible()
    assert patchbay.request("DELETE", f"/api/workflows/{key}", token=owner_token)[0] == 204
