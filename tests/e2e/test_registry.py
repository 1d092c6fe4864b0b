"""Adding servers in the four ways, learning why one does not connect, trying a tool with its raw messages."""

from __future__ import annotations

import json
import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.editor_page import EditorPage
from tests.instance import Instance
from tests.services import free_port

LISTED = re.compile(r"/api/mcp/servers(\?|$)")


def add(page: Page, way: str) -> Locator:
    """The dialog, at one of its tabs."""
    page.goto("/registry")
    page.get_by_role("button", name="Add server").click()
    dialog = page.get_by_role("dialog", name="Add server")
    dialog.get_by_role("tab", name=way).click()
    return dialog


def add_command(page: Page, name: str, command: str, arguments: list[str]) -> None:
    """Add a program on this machine."""
    dialog = add(page, "Command")
    dialog.get_by_role("textbox", name="Command").fill(command)
    dialog.get_by_role("textbox", name="Arguments").fill("\n".join(arguments))
    dialog.get_by_role("textbox", name="Name", exact=True).fill(name)
    dialog.get_by_role("checkbox", name="I know this program").check()
    dialog.get_by_role("button", name="Add server").click()
    expect(page.get_by_role("heading", name=name)).to_be_visible()


def test_a_command_connects_stage_by_stage(page: Page) -> None:
    add_command(page, "clock", sys.executable, ["-m", "mcp_server_time", "--local-timezone", "UTC"])
    page.get_by_role("button", name=re.compile("^Test (connection|again)")).click()
    stages = page.get_by_role("list", name="Stages of the connection test")
    expect(stages.get_by_text("2 tools")).to_be_visible()
    for stage in ("policy", "command", "start", "protocol", "tools", "schemas"):
        expect(stages.get_by_role("listitem").filter(has_text=stage).get_by_role("img", name="passed")).to_have_count(1)


@pytest.mark.wide
def test_a_failed_test_says_where_why_and_what_to_do(page: Page) -> None:
    dialog = add(page, "URL")
    dialog.get_by_role("textbox", name="URL").fill(f"http://127.0.0.1:{free_port()}/mcp")
    dialog.get_by_role("textbox", name="Name", exact=True).fill("nobody there")
    dialog.get_by_role("button", name="Add server").click()
    page.get_by_role("button", name=re.compile("^Test (connection|again)")).click()
    expect(page.get_by_text("MCP_UNREACHABLE").first).to_be_visible()
    stages = page.get_by_role("list", name="Stages of the connection test")
    expect(stages.get_by_role("listitem").filter(has_text="tcp")).to_be_visible()
    expect(stages.get_by_text("not reached").first).to_be_visible()


@pytest.mark.wide
def test_a_command_that_does_not_exist_is_named(page: Page) -> None:
    add_command(page, "nothing", "no-such-program-anywhere", [])
    page.get_by_role("button", name=re.compile("^Test (connection|again)")).click()
    expect(page.get_by_text("no-such-program-anywhere").nth(1)).to_be_visible()
    expect(page.get_by_text("MCP_UNREACHABLE").first).to_be_visible()


def test_pasted_json_becomes_servers_without_showing_its_keys(page: Page) -> None:
    dialog = add(page, "Paste")
    pasted = {
        "mcpServers": {
            "issues": {"url": "https://example.org/mcp", "headers": {"Authorization": "Bearer very-secret-token-99"}}
        }
    }
    dialog.get_by_role("textbox", name="Configuration").fill(json.dumps(pasted))
    dialog.get_by_role("button", name=re.compile("^(Add|Create|Import)")).click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("table").get_by_text("issues")).to_be_visible()
    assert "very-secret-token-99" not in page.content()


@pytest.mark.wide
def test_what_a_pasted_configuration_leaves_open_is_asked_for(page: Page) -> None:
    dialog = add(page, "Paste")
    entry = {"command": "npx", "args": ["files", "${workspaceFolder}"], "env": {"KEY": "{env:FILES_KEY}"}}
    pasted = json.dumps({"mcpServers": {"文件": {**entry, "disabledTools": ["drop"]}}})
    dialog.get_by_role("textbox", name="Configuration").fill(f"Add this:\n```json\n{pasted}\n```\n")
    dialog.get_by_role("textbox", name="workspaceFolder").fill("/srv/files")
    dialog.get_by_label("KEY").first.fill("very-secret-key-77")
    expect(dialog.get_by_text("tools denied: drop")).to_be_visible()
    dialog.get_by_role("button", name="Add 1 server").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("table").get_by_text("文件")).to_be_visible()
    assert "very-secret-key-77" not in page.content()


@pytest.mark.wide
def test_a_preset_becomes_a_server(page: Page) -> None:
    dialog = add(page, "Preset")
    dialog.get_by_role("button", name=re.compile(r"^Memory npx")).click()
    dialog.get_by_role("checkbox", name="I know this program").check()
    dialog.get_by_role("button", name="Add server").click()
    expect(page.get_by_role("heading", name="Memory")).to_be_visible()


@pytest.mark.wide
def test_the_rack_leads_to_the_dialog(page: Page) -> None:
    editor = EditorPage(page).open("A tour")
    editor.palette.get_by_role("link", name="Add a server").click()
    expect(page.get_by_role("dialog", name="Add server")).to_be_visible()


@pytest.mark.wide
def test_a_tool_is_tried_with_its_raw_messages(page: Page) -> None:
    page.goto("/registry")
    page.get_by_role("button", name="Demo", exact=True).click()
    page.get_by_role("button", name=re.compile("^Test (connection|again)")).click()
    expect(page.get_by_role("group", name="Policy of city_weather")).to_be_visible()
    trial = page.get_by_role("region", name="Try a tool")
    trial.get_by_role("combobox", name="Tool to try").select_option(label="demo/echo")
    trial.get_by_role("textbox", name="text").fill("hello there")
    trial.get_by_role("button", name="Call", exact=True).click()
    expect(trial.get_by_text("OK").first).to_be_visible()
    trial.get_by_text("Messages", exact=True).click()
    expect(trial.get_by_text("tools/call").first).to_be_visible()


@pytest.mark.wide
def test_a_policy_holds_in_the_playground(page: Page) -> None:
    page.goto("/registry")
    page.get_by_role("button", name="Demo", exact=True).click()
    policy = page.get_by_role("group", name="Policy of echo")
    expect(policy).to_be_visible()
    with page.expect_response(lambda answer: answer.request.method == "PATCH"):  # the switch shows it before it holds
        policy.get_by_text("deny").click()
    trial = page.get_by_role("region", name="Try a tool")
    trial.get_by_role("combobox", name="Tool to try").select_option(label="demo/echo")
    trial.get_by_role("textbox", name="text").fill("hello there")
    trial.get_by_role("button", name="Call", exact=True).click()
    expect(trial.get_by_text("MCP_POLICY_DENIED")).to_be_visible()
    with page.expect_response(lambda answer: answer.request.method == "PATCH"):
        policy.get_by_text("auto").click()


@pytest.mark.wide
def test_policies_of_many_tools_are_set_in_one_step(page: Page) -> None:
    page.goto("/registry")
    page.get_by_role("button", name="Demo", exact=True).click()
    echo = page.get_by_role("group", name="Policy of echo")
    for policy in ("ask", "auto"):
        page.get_by_role("button", name="Set policies").click()
        dialog = page.get_by_role("dialog", name="Policies of Demo")
        dialog.get_by_text(re.compile(r"^read \(\d+\)$")).click()
        dialog.get_by_text(policy, exact=True).click()
        dialog.get_by_role("button", name=re.compile(r"^Set [1-9]\d* polic")).click()
        expect(dialog).to_be_hidden()
        expect(echo.get_by_role("radio", name=policy)).to_be_checked()


@pytest.mark.wide
def test_two_thousand_tools_are_read_by_the_page(page: Page) -> None:
    program = Path(__file__).parent.parent / "live" / "servers" / "programs" / "stdio_server.py"
    add_command(page, "many", sys.executable, [str(program), "many"])
    sizes: dict[str, int] = {}
    page.on("response", lambda answer: sizes.update({answer.url: int(answer.headers.get("content-length", 0))}))
    page.get_by_role("button", name=re.compile("^Test (connection|again)")).click()
    tools = page.get_by_role("region", name="Tools")
    expect(tools.get_by_text("2,000, listed")).to_be_visible()
    page.goto("/registry/many")
    expect(tools.get_by_role("button", name="tool_0", exact=True)).to_be_visible()
    assert tools.get_by_role("listitem").count() < 80
    tools.get_by_role("searchbox", name="Filter tools").fill("tool_1999")
    expect(tools.get_by_role("button", name="tool_1999", exact=True)).to_be_visible()
    expect(tools.get_by_role("listitem")).to_have_count(1)
    requests = [url for url in sizes if "/tools" in url]
    assert requests and all("limit=" in url for url in requests)
    tools.get_by_role("searchbox", name="Filter tools").fill("")
    expect(tools.get_by_role("button", name="tool_0", exact=True)).to_be_visible()
    panel = page.get_by_role("tabpanel")
    for number in (1, 2, 3):  # pages follow as the end comes near
        panel.evaluate("place => place.scrollTo(0, place.scrollHeight)")
        expect(tools.get_by_role("button", name=f"tool_{number * 50}", exact=True)).to_be_attached()
    assert tools.get_by_role("listitem").count() < 80
    page.set_viewport_size({"width": 390, "height": 844})  # there no tabs hold the list
    page.goto("/registry/many/tools")
    expect(tools.get_by_role("button", name="tool_0", exact=True)).to_be_visible()
    tools.hover()
    for number in (1, 2, 3):
        page.mouse.wheel(0, 1_000_000)
        expect(tools.get_by_role("button", name=f"tool_{number * 50}", exact=True)).to_be_attached()
    assert tools.get_by_role("listitem").count() < 80


@pytest.mark.wide
def test_servers_are_read_by_the_page_and_filtered_by_the_api(page: Page, patchbay: Instance, owner_token: str) -> None:
    body = {"transport": "http", "url": "https://crowd.example/mcp"}
    for number in range(120):
        status, row = patchbay.request(
            "POST", "/api/mcp/servers", body | {"name": f"Crowd {number:03}", "slug": f"crowd-{number:03}"}, owner_token
        )
        assert status == 201, row
    soon = {"expires_at": (datetime.now(UTC) + timedelta(days=1)).isoformat()}
    assert patchbay.request("PATCH", "/api/mcp/servers/crowd-119", soon, owner_token)[0] == 200
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url) if LISTED.search(request.url) else None)
    page.goto("/registry/crowd-118")
    row = page.get_by_role("row", name=re.compile("Crowd"))
    expect(page.get_by_role("heading", name="Crowd 118")).to_be_visible()  # no page has brought it yet
    expect(row.first).to_be_visible()
    assert len(requests) == 1 and "sort=name" in requests[0]
    everything = page.get_by_role("radio", name=re.compile(r"All 1[2-9]\d"))
    expect(everything).to_be_attached()
    place = page.get_by_role("region", name="Servers")
    expect(place.get_by_role("row", name=re.compile("Crowd 119"))).to_have_count(0)
    while place.get_by_role("row", name=re.compile("Crowd 119")).count() == 0:  # pages follow as one scrolls
        before = row.count()
        place.evaluate("place => place.scrollTo(0, place.scrollHeight)")
        expect(row.nth(before)).to_be_attached()
    names = row.get_by_role("button").all_text_contents()
    assert names == sorted(names) and len(names) == len(set(names)) == 120
    assert all("limit=50" in url for url in requests)
    page.get_by_text(re.compile(r"Needs attention \d")).click()
    expect(row).to_have_count(1)
    expect(row).to_contain_text("Crowd 119")
    page.get_by_text(re.compile(r"^All 1[2-9]\d$")).click()
    page.get_by_role("searchbox", name="Find a server or tool").fill("crowd 077")
    expect(row).to_have_count(1)
    expect(page.get_by_role("heading", name="Crowd 118")).to_be_visible()
    assert "only=attention" in "".join(requests) and "q=crowd" in requests[-1]
    for number in range(120):
        assert patchbay.request("DELETE", f"/api/mcp/servers/crowd-{number:03}", token=owner_token)[0] == 204
