"""From the list of templates to a run that works: a folder is named, its server added, the overview approved."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.editor_page import EditorPage
from tests.instance import Instance

pytestmark = pytest.mark.wide


def begin(page: Page, folder: Path) -> None:
    """Choose *Work on files*, name a folder, say that the program is known, create."""
    page.goto("/")
    page.get_by_role("button", name="From a template").click()
    dialog = page.get_by_role("dialog", name="From a template")
    dialog.get_by_role("radio", name="Work on files").check()
    dialog.get_by_label("Directory it may use").fill(str(folder))
    dialog.get_by_role("checkbox", name="I know this program").check()
    dialog.get_by_role("button", name="Create").click()


@pytest.fixture(autouse=True)
def no_such_server(patchbay: Instance, owner_token: str) -> None:
    """Whatever another test added under the template's name would be used in place of a new one."""
    assert patchbay.request("DELETE", "/api/mcp/servers/filesystem", token=owner_token)[0] in (204, 404)


def test_work_on_files_from_the_list_to_a_file_that_is_written(page: Page, tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    begin(page, folder)
    refused = page.get_by_role("dialog").get_by_role("alert")
    expect(refused).to_contain_text("MCP_UNREACHABLE")
    expect(page.get_by_label("Directory it may use")).to_have_value(str(folder))

    folder.mkdir()
    (folder / "notes.md").write_text("One note.\n")
    page.get_by_role("dialog").get_by_role("button", name="Create").click()
    editor = EditorPage(page)
    editor.canvas.wait_for()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("dialog", name="Start run").get_by_label("Folder")).to_have_value(str(folder))
    page.keyboard.press("Control+Enter")
    expect(editor.card("Find the files")).to_have_accessible_name(re.compile("succeeded", re.I))
    page.get_by_role("button", name="Approve").first.click()
    expect(editor.card("What was done")).to_have_accessible_name(re.compile("succeeded", re.I))
    assert "notes.md" in (folder / "OVERVIEW.md").read_text()
