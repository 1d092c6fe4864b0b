"""A run that failed runs again: from the failed step, and from its start with another input, the write told first."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Page, expect

from tests.api.runs.conftest import graph, node
from tests.e2e.editor_page import EditorPage
from tests.instance import Instance

ASKS = {"type": "object", "properties": {"city": {"type": "string", "title": "City"}}, "required": ["city"]}
NOTE = {"to": "team", "text": "Weather of {{ start.city }}"}


def tool(key: str, title: str, name: str, arguments: dict[str, str], x: int) -> dict[str, object]:
    config = {"server": "demo", "tool": name, "arguments": arguments}
    return node(key, "tool", config, title=title) | {"position": {"x": x, "y": 0}}


DOCUMENT = graph(
    [
        node("start", "start", {"inputs": ASKS}, title="Start"),
        tool("tell", "Tell them", "send_note", NOTE, 260),
        tool("look", "Look it up", "city_weather", {"city": "{{ start.city }}"}, 520),
        node("end", "end", {"outputs": {"said": "{{ look.result }}"}}) | {"position": {"x": 780, "y": 0}},
    ],
    "start -> tell",
    "tell -> look",
    "look -> end",
)


def test_a_failed_run_is_retried_and_forked(page: Page, patchbay: Instance, owner_token: str) -> None:
    status, created = patchbay.request("POST", "/api/workflows", {"name": "Again", "graph": DOCUMENT}, owner_token)
    assert status == 201, created
    body = {"version": "draft", "inputs": {"city": "Atlantis"}, "wait": 60}
    status, run = patchbay.request("POST", f"/api/workflows/{created['id']}/runs", body, owner_token)
    assert status == 200 and run["state"] == "ERROR", run
    slow: dict[str, Any] = {"timeout": 30_000}

    page.goto(f"/runs/{run['id']}")
    page.get_by_role("button", name="Retry from the failed step").click()
    dialog = page.get_by_role("dialog", name="Retry from Look it up")
    expect(dialog.get_by_text("No write is repeated", exact=False)).to_be_visible(**slow)
    dialog.get_by_role("button", name="Start the new run").click()
    expect(page).not_to_have_url(re.compile(run["id"]), **slow)
    origin = page.get_by_role("link", name="From Look it up of an earlier run")
    expect(origin).to_have_attribute("href", f"/runs/{run['id']}", **slow)
    expect(page.get_by_text("reused").first).to_be_visible(**slow)
    expect(page.get_by_role("button", name="Retry from the failed step")).to_be_visible(**slow)

    retried = page.url
    editor = EditorPage(page)
    editor.card("Start").click(button="right")
    page.get_by_role("menuitem", name="Fork the run from here").click()
    dialog = page.get_by_role("dialog", name="Fork from Start")
    expect(dialog.get_by_text("1 write will or may happen again")).to_be_visible(**slow)
    expect(dialog.get_by_text("demo / send_note")).to_be_visible()
    dialog.get_by_role("textbox", name="City").fill("Oslo")
    dialog.get_by_role("button", name="Start the new run").click()
    expect(page).not_to_have_url(retried, **slow)
    expect(editor.card("Look it up")).to_have_accessible_name(re.compile("succeeded", re.I), **slow)
    status, forked = patchbay.request("GET", page.url.replace(patchbay.url, "/api"), token=owner_token)
    assert forked["inputs"] == {"city": "Oslo"} and forked["origin_run"] == retried.rpartition("/")[2]
