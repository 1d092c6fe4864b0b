"""An app of Dify becomes a workflow: the report, a tool chosen by keys, the canvas; and on a phone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.axe import dress, faults
from tests.e2e.editor_page import EditorPage
from tests.instance import Instance, until
from tests.wide import besides

APP = Path(__file__).parents[1] / "dify_apps" / "customer_care.yml"


def report_of(page: Page, app: Path = APP, *, button: str = "Import", title: str = "Import from Dify") -> Locator:
    """Choose the file and come to the report."""
    page.goto("/workflows")
    page.get_by_role("button", name=button, exact=True).click()
    page.locator("dialog input[type=file]").set_input_files(app)
    page.locator("dialog .dialog-foot button").last.click()
    dialog = page.get_by_role("dialog", name=title)
    expect(dialog).to_be_visible()
    return dialog


@pytest.fixture(autouse=True)
def demo_tools(patchbay: Instance, owner_token: str) -> None:
    """The tools of the demo server are listed; importing would not list them."""
    status, _ = patchbay.request("GET", "/api/mcp/servers/demo/tools?refresh=1", token=owner_token)
    assert status == 200


def test_an_app_of_dify_is_imported_with_a_tool_chosen_by_keys(
    page: Page, patchbay: Instance, owner_token: str
) -> None:
    dialog = report_of(page)
    expect(dialog.get_by_text(re.compile(r"\d of 10 have a counterpart"))).to_be_visible()
    row = dialog.get_by_role("row", name=re.compile("Web search"))
    expect(row).to_contain_text("no counterpart by that name")
    row.focus()
    page.keyboard.press("Enter")
    search = dialog.get_by_role("combobox", name="Search your tools")
    expect(search).to_be_focused()
    search.fill("demo/echo")
    expect(dialog.get_by_role("listbox").get_by_role("option")).to_have_count(1)
    expect(dialog.get_by_role("option", name="demo/echo")).to_contain_text("query → text")
    page.keyboard.press("Enter")
    expect(row).to_contain_text("query → text")
    expect(row).to_be_focused()
    page.keyboard.press("j")
    expect(row).not_to_be_focused()
    dialog.get_by_role("button", name=re.compile("^Import")).click()
    editor = EditorPage(page)
    editor.canvas.wait_for()
    expect(editor.card("Web search")).to_be_visible()
    identifier = page.url.rsplit("/", 1)[-1]
    status, workflow = patchbay.request("GET", f"/api/workflows/{identifier}", token=owner_token)
    assert status == 200 and workflow["name"] == "Customer care"
    node = next(node for node in workflow["draft"]["graph"]["nodes"] if node["id"] == "web_search")
    assert node["config"] == {"server": "demo", "tool": "echo", "arguments": {"text": "{{ user_input.text }}"}}


@pytest.mark.wide
def test_a_placeholder_stands_on_the_canvas_under_its_title(page: Page) -> None:
    dialog = report_of(page)
    dialog.get_by_role("button", name=re.compile("^Import")).click()
    editor = EditorPage(page)
    editor.canvas.wait_for()
    expect(editor.card("Web search")).to_be_visible()
    editor.card("Web search").click()
    editor.inspector.locator(".inspector-title").click()
    editor.inspector.locator(".inspector-title-input").fill("Find it on the web")
    page.keyboard.press("Enter")
    expect(editor.card("Find it on the web")).to_be_visible()


@pytest.mark.wide
@pytest.mark.parametrize(("theme", "language"), [("dark", "zh"), *besides(("light", "en"))])
def test_the_report_is_readable_in_both_themes_and_languages(page: Page, theme: str, language: str) -> None:
    dress(page, theme, language)
    chinese = language == "zh"
    dialog = report_of(
        page, button="导入" if chinese else "Import", title="从 Dify 导入" if chinese else "Import from Dify"
    )
    dialog.get_by_role("button", name="选择 MCP 工具" if chinese else "Choose an MCP tool").first.click()
    expect(dialog.get_by_role("listbox")).to_be_visible()
    assert faults(page) == []
    dress(page, "light")


@pytest.mark.wide
def test_on_a_phone_it_is_a_full_sheet_with_the_wants_below(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/workflows")
    page.get_by_role("button", name="More ways to start").click()
    page.get_by_role("menuitem", name="Import YAML or JSON").click()
    page.locator("dialog input[type=file]").set_input_files(APP)
    page.locator("dialog .dialog-foot button").last.click()
    dialog = page.get_by_role("dialog", name="Import from Dify")
    expect(dialog).to_be_visible()
    box = dialog.bounding_box()
    assert box is not None and (box["width"], box["x"]) == (390, 0)
    dialog.get_by_role("button", name="Choose an MCP tool").first.click()
    expect(dialog.get_by_role("listbox")).to_be_visible()
    wants = dialog.get_by_role("region", name="What it wants")
    wants.scroll_into_view_if_needed()
    below, lines = wants.bounding_box(), dialog.get_by_role("table").bounding_box()
    assert below is not None and lines is not None and below["y"] >= lines["y"] + lines["height"] - 1
    overflow = dialog.evaluate("box => box.scrollWidth - box.clientWidth")
    assert overflow == 0


@pytest.mark.wide
def test_a_placeholder_is_replaced_in_its_place(page: Page, patchbay: Instance, owner_token: str) -> None:
    dialog = report_of(page)
    dialog.get_by_role("button", name=re.compile("^Import")).click()
    editor = EditorPage(page)
    editor.canvas.wait_for()
    editor.card("Web search").click(button="right")
    page.get_by_role("menuitem", name="Replace…").click()
    page.keyboard.type("Template")
    page.keyboard.press("Enter")
    identifier = re.search(r"wf_[a-z0-9]+", page.url)
    assert identifier is not None

    def saved() -> dict[str, object]:
        _, workflow = patchbay.request("GET", f"/api/workflows/{identifier.group()}", token=owner_token)
        nodes = workflow["draft"]["graph"]["nodes"]
        return next(node for node in nodes if node["id"] == "web_search")

    node = until(lambda: entry if (entry := saved())["type"] == "template" else None, 30)
    assert node["title"] == "Web search" and "disabled" not in node
