"""A code node as people write one: key by key in the inspector, run by itself, wrong once, and mended."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

from tests.api.runs.conftest import node
from tests.e2e.drawn import opened
from tests.e2e.editor_page import EditorPage
from tests.instance import Instance, until

START = {"inputs": {"type": "object", "properties": {"word": {"type": "string", "default": "tea"}}}}


def write(page: Page, editor: EditorPage, *lines: str) -> None:
    """Put a source in the place of what stands there, as hands do: the editor indents by itself."""
    source = editor.inspector.get_by_role("textbox", name="Source")
    source.click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Backspace")
    for number, line in enumerate(lines):
        if number:
            page.keyboard.press("Enter")
        page.keyboard.type(line)


def run_to_here(page: Page, editor: EditorPage) -> None:
    """Run the draft as far as the node that is selected."""
    page.keyboard.press("Control+Shift+Enter")
    form = page.get_by_role("dialog", name="Start run")
    form.get_by_role("button", name="Run to here").click()
    expect(form).to_have_count(0)


def ways(page: Page, patchbay: Instance, token: str) -> set[tuple[str, str]]:
    """From where to where the edges of the saved draft lead."""
    _, workflow = patchbay.request("GET", f"/api{urlsplit(page.url).path}", token=token)
    return {(edge["source"], edge["target"]) for edge in workflow["draft"]["graph"]["edges"]}


def test_code_is_written_run_and_mended(page: Page, patchbay: Instance, owner_token: str) -> None:
    nodes = [
        node("start", "start", START) | {"position": {"x": 0, "y": 0}},
        node("shout", "code", {"inputs": {"word": "{{ start.word }}"}}, title="Shout")
        | {"position": {"x": 260, "y": 0}},
    ]
    editor = opened(page, patchbay, owner_token, nodes, "start -> shout")
    editor.card("Shout").click()
    write(
        page,
        editor,
        "def main(word):",
        "if word:",
        "print(word, len(word))",
        'return {"loud": word.upper(), "n": [1, 2]}',
    )
    source = editor.inspector.get_by_role("textbox", name="Source")
    expect(source).to_contain_text("        print(word, len(word))")
    editor.saved()
    run_to_here(page, editor)
    expect(editor.card("Shout")).to_have_accessible_name(re.compile("succeeded", re.I))
    outputs = editor.inspector.get_by_role("list", name="Outputs")
    expect(outputs.get_by_role("listitem")).to_have_text(["stdout string", "loud string", "n list"])

    write(page, editor, "import requests", "", "def main(word):", "return {}")
    editor.saved()
    run_to_here(page, editor)
    expect(editor.card("Shout")).to_have_accessible_name(re.compile("failed", re.I))
    expect(editor.inspector.get_by_text("Line 1: there is no module requests here.")).to_be_visible()
    expect(editor.inspector.locator(".code-failed-line")).to_have_text("import requests")
    editor.inspector.get_by_role("tab", name="Output").click()
    expect(editor.inspector.get_by_text("patchbay.tools", exact=False)).to_be_visible()
    good = editor.inspector.get_by_role("region", name="Last that worked")
    expect(good).to_contain_text("TEA")
    editor.inspector.get_by_role("button", name="Use a tool").click()
    expect(page.get_by_role("dialog", name="Add a node")).to_be_visible()
    page.keyboard.press("Escape")

    editor.inspector.get_by_role("tab", name="Config").click()
    source.click()
    page.keyboard.press("Control+Home")
    page.keyboard.type("# ")
    expect(editor.inspector.locator(".code-failed-line")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(editor.canvas.locator(":focus").or_(editor.canvas.and_(page.locator(":focus")))).to_have_count(1)

    editor.inspector.get_by_role("tab", name="Output").click()
    editor.inspector.get_by_role("button", name="Add HTTP node").click()
    expect(editor.card("HTTP")).to_be_visible()
    until(lambda: ways(page, patchbay, owner_token) == {("start", "http"), ("http", "shout")})
