"""An external agent is added by its address, or comes with a document; its changed card is accepted, its skill run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.editor_page import EditorPage
from tests.instance import Instance
from tests.sample_agents import KEY, SKILLS, SampleAgents


@pytest.fixture
def agents(patchbay: Instance, owner_token: str) -> Iterator[SampleAgents]:
    """Agents on this machine; what the test enters of them goes again."""
    with SampleAgents() as process:
        yield process
    _, result = patchbay.request("GET", "/api/mcp/servers?kind=agent", token=owner_token)
    for row in result["results"]:
        patchbay.request("DELETE", f"/api/mcp/servers/{row['id']}", token=owner_token)


def added(page: Page, url: str, name: str) -> None:
    """Read the card in the dialog, see what the agent can do, add it, and come to its page."""
    page.goto("/registry")
    page.get_by_role("link", name="Agents").click()
    page.get_by_role("button", name="Add agent").first.click()
    dialog = page.get_by_role("dialog", name="Add agent")
    dialog.get_by_role("textbox", name="Agent URL").fill(url)
    dialog.get_by_text("Bearer", exact=True).click()
    dialog.locator('input[type="password"]').fill(KEY)
    dialog.get_by_role("textbox", name="Name", exact=True).fill(name)
    dialog.get_by_role("button", name="Test first").click()
    skills = dialog.get_by_role("region", name="Skills")
    expect(skills.get_by_role("listitem")).to_have_count(len(SKILLS))
    expect(skills.get_by_text("It can echo.")).to_be_visible()
    dialog.get_by_role("button", name="Add agent").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("heading", name=name)).to_be_visible()


def test_a_skill_of_an_agent_is_a_node(page: Page, agents: SampleAgents) -> None:
    added(page, f"{agents.url}/locked", "Travel desk")
    page.get_by_role("button", name=re.compile("^Test (connection|again)")).first.click()
    expect(page.get_by_role("group", name="Policy of things")).to_be_visible()
    assert agents.log("send") == [], "nobody has sent it anything"

    editor = EditorPage(page).new("With an agent")
    editor.add("things")
    editor.inspector.get_by_role("textbox", name="message").fill("What do you have?")
    editor.saved()
    editor.run(form=False)
    expect(editor.card("things")).to_have_accessible_name(re.compile("succeeded", re.I))
    editor.card("things").click()
    editor.inspector.get_by_role("tab", name="Output").click()
    expect(editor.inspector.get_by_text("42").first).to_be_visible()
    [sent] = agents.log("send")
    assert (sent["skill"], sent["message"]["parts"]) == ("things", [{"text": "What do you have?"}])


@pytest.mark.wide
def test_a_changed_card_is_accepted(page: Page, agents: SampleAgents) -> None:
    added(page, f"{agents.url}/locked", "Daily desk")
    page.get_by_role("button", name=re.compile("^Test (connection|again)")).first.click()
    expect(page.get_by_role("button", name="echo", exact=True)).to_be_visible()
    agents.do("change")
    page.get_by_role("button", name="Read the card again").click()
    changed = page.get_by_role("region", name="The definition changed since it was accepted")
    expect(changed.get_by_text("as of day 1").first).to_be_visible()
    changed.get_by_role("button", name="Accept definition").click()
    expect(changed).to_have_count(0)


DECLARES = """
schema: 1
name: Brings its agent
language: en
nodes:
  - {id: start, type: start, v: 1, position: {x: 0, y: 0}, config: {inputs: {type: object}}}
  - {id: desk, type: tool, title: Desk, v: 1, position: {x: 300, y: 0}, config: {server: desk, tool: "", arguments: {}}}
  - {id: end, type: end, v: 1, position: {x: 600, y: 0}, config: {outputs: {}}}
edges:
  - {id: a, source: start, source_port: out, target: desk, target_port: in}
  - {id: b, source: desk, source_port: out, target: end, target_port: in}
a2a_agents:
  desk: URL/kit
"""


@pytest.mark.wide
def test_an_agent_that_a_document_brings_is_approved_and_used(page: Page, agents: SampleAgents, tmp_path: Path) -> None:
    (tmp_path / "desk.yaml").write_text(DECLARES.replace("URL", agents.url))
    page.goto("/workflows")
    page.get_by_role("button", name="Import", exact=True).click()
    page.locator("dialog input[type=file]").set_input_files(tmp_path / "desk.yaml")
    page.locator("dialog .dialog-foot button").last.click()
    editor = EditorPage(page)
    editor.canvas.wait_for()
    assert agents.log("card") == [], "nobody has approved it"
    where = page.url

    page.goto("/agents")
    page.get_by_role("button", name="1 declaration waits for approval").click()
    dialog = page.get_by_role("dialog", name="Servers and agents declared in workflows")
    expect(dialog.get_by_text(f"{agents.url}/kit")).to_be_visible()
    expect(dialog.get_by_text("Approving reads its card")).to_be_visible()
    dialog.get_by_role("button", name="Approve").click()
    skills = dialog.get_by_role("region", name="Skills")
    expect(skills.get_by_role("listitem")).to_have_count(len(SKILLS))
    assert agents.log("send") == [], "nobody has sent it anything"

    page.goto(where)
    editor.first("Desk")
    editor.inspector.get_by_role("combobox", name="Tool").select_option("things")
    editor.inspector.get_by_role("textbox", name="message").fill("What do you have?")
    editor.saved()
    editor.run(form=False)
    expect(editor.card("Desk")).to_have_accessible_name(re.compile("succeeded", re.I))
    [sent] = agents.log("send")
    assert (sent["skill"], sent["message"]["parts"]) == ("things", [{"text": "What do you have?"}])


@pytest.mark.wide
def test_an_agent_is_added_at_390_pixels(page: Page, agents: SampleAgents) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/agents")
    page.get_by_role("button", name="Add agent").first.click()
    dialog = page.get_by_role("dialog", name="Add agent")
    dialog.get_by_role("textbox", name="Agent URL").fill(f"{agents.url}/odd/moved")
    dialog.get_by_role("button", name="Test first").click()
    dialog.get_by_role("button", name="Use elsewhere.example").click()
    expect(dialog.get_by_role("textbox", name="Agent URL")).to_have_value("https://elsewhere.example/a2a")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
