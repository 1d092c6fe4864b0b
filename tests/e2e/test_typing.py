"""Values typed as people type them, key by key: what stands in the field is what was typed, and what is saved."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.api.runs.conftest import graph, node
from tests.e2e.editor_page import Desk
from tests.instance import Instance, until
from tests.wide import besides

CONDITION = {"match": "all", "conditions": [{"left": "", "op": "eq", "right": ""}]}


@pytest.fixture
def desk(page: Page, patchbay: Instance, owner_token: str) -> Desk:
    """A workflow with a condition and a template, open in the editor."""
    places = [{"position": {"x": 260 * at, "y": 0}} for at in range(4)]
    nodes = [
        node("start", "start", {}) | places[0],
        node("text", "template", {"template": ""}, title="Text") | places[1],
        node("fork", "if", CONDITION, title="Fork") | places[2],
        node("end", "end", {"outputs": {"said": "{{ text.text }}"}}) | places[3],
    ]
    body = {"name": "Typing", "graph": graph(nodes, "start -> text", "text -> fork", "fork:true -> end")}
    status, made = patchbay.request("POST", "/api/workflows", body, owner_token)
    assert status == 201, made
    page.goto(f"/workflows/{made['id']}")
    return Desk(page)


def config(desk: Desk, patchbay: Instance, token: str, key: str) -> Any:
    """What of a node the server has saved."""
    key_of = desk.page.url.split("?")[0].rsplit("/", 1)[-1]
    _, body = patchbay.request("GET", f"/api/workflows/{key_of}", token=token)
    return next(node["config"] for node in body["draft"]["graph"]["nodes"] if node["id"] == key)


def begin(desk: Desk, title: str, field: str) -> None:
    """Put the caret into a field of a node."""
    desk.card(title).click()
    desk.inspector.get_by_role("textbox", name=field, exact=True).click()
    desk.inspector.locator(".cm-content:focus").wait_for()


def saved(desk: Desk, patchbay: Instance, token: str, key: str, wanted: Any) -> None:
    """Wait until the server holds what was typed."""
    until(lambda: config(desk, patchbay, token, key) == wanted, 20)


def test_a_condition_begins_empty(desk: Desk, patchbay: Instance, owner_token: str) -> None:
    begin(desk, "Fork", "Value")
    desk.page.keyboard.type("abc")
    wanted = {"match": "all", "conditions": [{"left": "abc", "op": "eq", "right": ""}]}
    saved(desk, patchbay, owner_token, "fork", wanted)


@pytest.mark.wide
def test_a_value_dragged_into_an_empty_condition_stands_alone(desk: Desk, patchbay: Instance, owner_token: str) -> None:
    desk.card("Fork").click()
    row = desk.inspector.get_by_role("tree", name="Input").get_by_role("treeitem", name=re.compile("text")).last
    row.drag_to(desk.inspector.get_by_role("textbox", name="Value", exact=True))
    wanted = {"match": "all", "conditions": [{"left": "{{ text.text }}", "op": "eq", "right": ""}]}
    saved(desk, patchbay, owner_token, "fork", wanted)


@pytest.mark.parametrize(
    "typed",
    [
        '{{ a | default("}") }} end',
        *besides("T {{ x }} C", "{{x}}", "{{ a.b }}{{ c }}", "{{ x | upper }}", "a } b }} c", "{{  x  }}"),
    ],
)
def test_braces_that_came_along_are_typed_over(desk: Desk, patchbay: Instance, owner_token: str, typed: str) -> None:
    begin(desk, "Text", "Template")
    for letter in typed:
        desk.page.keyboard.press("Escape") if letter == "\t" else desk.page.keyboard.type(letter)
    text = desk.inspector.locator(".cm-content").inner_text()
    assert text.replace(" ", "") == typed.replace(" ", ""), text
    saved(desk, patchbay, owner_token, "text", {"template": text})
    assert text.count("}") == typed.count("}")


def test_chinese_is_composed_and_pasted_text_stands_as_it_is(desk: Desk, patchbay: Instance, owner_token: str) -> None:
    begin(desk, "Text", "Template")
    session = desk.page.context.new_cdp_session(desk.page)
    for part in ("n", "ni", "ni'h", "ni'hao"):
        session.send("Input.imeSetComposition", {"text": part, "selectionStart": len(part), "selectionEnd": len(part)})
    session.send("Input.insertText", {"text": "你好"})
    desk.page.keyboard.type(" {{ x }}")
    desk.page.evaluate("navigator.clipboard.writeText(' {{ y }}！')")
    desk.page.keyboard.press("Control+v")
    saved(desk, patchbay, owner_token, "text", {"template": "你好 {{ x }} {{ y }}！"})


@pytest.mark.wide
def test_ctrl_enter_in_a_long_field_runs_and_writes_nothing(desk: Desk, patchbay: Instance, owner_token: str) -> None:
    begin(desk, "Text", "Template")
    desk.page.keyboard.type("hello")
    saved(desk, patchbay, owner_token, "text", {"template": "hello"})
    desk.page.keyboard.press("Control+Enter")
    expect(desk.dock).to_be_visible()
    assert config(desk, patchbay, owner_token, "text") == {"template": "hello"}
    assert desk.inspector.locator(".cm-line").count() == 1
