"""Values typed as people type them, key by key: what stands in the field is what was typed, and what is saved."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.api.runs.conftest import graph, node
from tests.e2e.editor_page import EditorPage
from tests.instance import Instance, until
from tests.wide import besides

CONDITION = {"match": "all", "conditions": [{"left": "", "op": "eq", "right": ""}]}


@pytest.fixture
def editor(page: Page, patchbay: Instance, owner_token: str) -> EditorPage:
    """A workflow with a condition and a template, open in the editor."""
    places = [{"position": {"x": 260 * at, "y": 0}} for at in range(4)]
    nodes = [
        node("start", "start", {}) | places[0],
        node("text", "template", {"template": ""}, title="Text") | places[1],
        node("fork", "if", CONDITION, title="Fork") | places[2],
        node("end", "end", {"outputs": {"said": "{{ text.text }}"}}) | places[3],
    ]
    body = {"name": "Typing", "graph": graph(nodes, "start -> text", "text -> fork", "fork:true -> end")}
    status, created = patchbay.request("POST", "/api/workflows", body, owner_token)
    assert status == 201, created
    page.goto(f"/workflows/{created['id']}")
    return EditorPage(page)


def config(editor: EditorPage, patchbay: Instance, token: str, key: str) -> Any:
    """What of a node the server has saved."""
    key_of = editor.page.url.split("?")[0].rsplit("/", 1)[-1]
    _, body = patchbay.request("GET", f"/api/workflows/{key_of}", token=token)
    return next(node["config"] for node in body["draft"]["graph"]["nodes"] if node["id"] == key)


def begin(editor: EditorPage, title: str, field: str) -> None:
    """Put the caret into a field of a node."""
    editor.card(title).click()
    editor.inspector.get_by_role("textbox", name=field, exact=True).click()
    editor.inspector.locator(".cm-content:focus").wait_for()


def saved(editor: EditorPage, patchbay: Instance, token: str, key: str, body: Any) -> None:
    """Wait until the server holds what was typed."""
    until(lambda: config(editor, patchbay, token, key) == body, 20)


@pytest.mark.wide
def test_a_condition_begins_empty(editor: EditorPage, patchbay: Instance, owner_token: str) -> None:
    begin(editor, "Fork", "Value")
    editor.page.keyboard.type("abc")
    expected = {"match": "all", "conditions": [{"left": "abc", "op": "eq", "right": ""}]}
    saved(editor, patchbay, owner_token, "fork", expected)


@pytest.mark.wide
def test_a_value_dragged_into_an_empty_condition_stands_alone(
    editor: EditorPage, patchbay: Instance, owner_token: str
) -> None:
    editor.card("Fork").click()
    row = editor.inspector.get_by_role("tree", name="Input").get_by_role("treeitem", name=re.compile("text")).last
    row.drag_to(editor.inspector.get_by_role("textbox", name="Value", exact=True))
    expected = {"match": "all", "conditions": [{"left": "{{ text.text }}", "op": "eq", "right": ""}]}
    saved(editor, patchbay, owner_token, "fork", expected)


@pytest.mark.parametrize(
    "typed",
    [
        '{{ a | default("}") }} end',
        *besides("T {{ x }} C", "{{x}}", "{{ a.b }}{{ c }}", "{{ x | upper }}", "a } b }} c", "{{  x  }}"),
    ],
)
def test_braces_that_came_along_are_typed_over(
    editor: EditorPage, patchbay: Instance, owner_token: str, typed: str
) -> None:
    begin(editor, "Text", "Template")
    for letter in typed:
        editor.page.keyboard.press("Escape") if letter == "\t" else editor.page.keyboard.type(letter)
    text = editor.inspector.locator(".cm-content").inner_text()
    assert text.replace(" ", "") == typed.replace(" ", ""), text
    saved(editor, patchbay, owner_token, "text", {"template": text})
    assert text.count("}") == typed.count("}")


def test_chinese_is_composed_and_pasted_text_stands_as_it_is(
    editor: EditorPage, patchbay: Instance, owner_token: str
) -> None:
    begin(editor, "Text", "Template")
    session = editor.page.context.new_cdp_session(editor.page)
    for part in ("n", "ni", "ni'h", "ni'hao"):
        session.send("Input.imeSetComposition", {"text": part, "selectionStart": len(part), "selectionEnd": len(part)})
    session.send("Input.insertText", {"text": "你好"})
    editor.page.keyboard.type(" {{ x }}")
    editor.page.evaluate("navigator.clipboard.writeText(' {{ y }}！')")
    editor.page.keyboard.press("Control+v")
    saved(editor, patchbay, owner_token, "text", {"template": "你好 {{ x }} {{ y }}！"})


@pytest.mark.wide
def test_ctrl_enter_in_a_long_field_runs_and_writes_nothing(
    editor: EditorPage, patchbay: Instance, owner_token: str
) -> None:
    begin(editor, "Text", "Template")
    editor.page.keyboard.type("hello")
    saved(editor, patchbay, owner_token, "text", {"template": "hello"})
    editor.page.keyboard.press("Control+Enter")
    expect(editor.dock).to_be_visible()
    assert config(editor, patchbay, owner_token, "text") == {"template": "hello"}
    assert editor.inspector.locator(".cm-line").count() == 1
