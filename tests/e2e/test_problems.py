"""Problems while a workflow is built: when they are told, how they are fixed, and what stays where it is."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.api.runs.conftest import node
from tests.e2e.drawn import opened, start, template
from tests.e2e.editor_page import EditorPage
from tests.instance import Instance, until
from tests.wide import besides


def box(place: Locator) -> FloatRect:
    """Where something stands."""
    result = place.bounding_box()
    assert result
    return result


def config_of(editor: EditorPage, patchbay: Instance, token: str, key: str) -> Any:
    """The configuration of a node as the server holds it."""
    workflow = editor.page.url.split("?")[0].rsplit("/", 1)[-1]
    _, body = patchbay.request("GET", f"/api/workflows/{workflow}", token=token)
    return next(each["config"] for each in body["draft"]["graph"]["nodes"] if each["id"] == key)


def end(outputs: dict[str, Any], x: float = 600) -> dict[str, Any]:
    """Where it ends."""
    return node("end", "end", {"outputs": outputs}, title="Finish") | {"position": {"x": x, "y": 0}}


def list_of_problems(editor: EditorPage) -> Locator:
    """Open the list of problems under the canvas."""
    if editor.page.locator("[data-dock]").get_attribute("data-dock") == "closed":  # its tabs may only be on their way
        editor.page.keyboard.press("\\")
    editor.dock.get_by_role("tab", name="Problems").click()
    return editor.dock.get_by_role("tabpanel")


def test_a_new_node_is_not_red_until_someone_had_a_chance(page: Page, patchbay: Instance, owner_token: str) -> None:
    editor = opened(page, patchbay, owner_token, [start()])
    editor.add("Template")
    badge = editor.card("Template").locator(".card-bad")
    expect(page.get_by_role("button", name=re.compile("1 problem"))).to_be_visible()
    expect(badge).to_have_attribute("data-quiet", "true")
    errors = editor.inspector.locator(".field-error:visible")
    expect(errors).to_have_count(0)
    editor.inspector.get_by_role("textbox", name="Template", exact=True).click()
    editor.inspector.locator(".cm-content:focus").wait_for()
    expect(errors).to_have_count(0)
    editor.inspector.get_by_role("tab", name="Config").focus()
    expect(errors).to_have_count(1)
    editor.canvas.click(position={"x": 30, "y": 400})
    expect(badge).not_to_have_attribute("data-quiet", "true")


@pytest.mark.wide
def test_an_empty_workflow_is_not_red_until_someone_wants_to_run_it(
    page: Page, patchbay: Instance, owner_token: str
) -> None:
    _, created = patchbay.request("POST", "/api/workflows", {"name": "Nothing in it yet"}, owner_token)
    page.goto(f"/workflows/{created['id']}")
    problem = page.get_by_role("button", name=re.compile("1 problem"))
    red = problem.locator("[data-tone=failed]")
    expect(problem).to_be_visible()
    expect(red).to_have_count(0)
    page.get_by_role("button", name="Run", exact=True).click(force=True)
    expect(red).not_to_have_count(0)
    page.goto("/")
    page.get_by_role("searchbox", name="Search workflows").fill("Nothing in it yet")
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name="Nothing in it yet"))
    expect(row.get_by_text("Draft")).to_be_visible()


@pytest.mark.wide
def test_who_wants_to_run_is_told_what_a_new_node_lacks(page: Page, patchbay: Instance, owner_token: str) -> None:
    editor = opened(page, patchbay, owner_token, [start()])
    editor.add("Template")
    badge = editor.card("Template").locator(".card-bad")
    expect(badge).to_have_attribute("data-quiet", "true")
    page.get_by_role("button", name="Run", exact=True).click(force=True)
    expect(badge).not_to_have_attribute("data-quiet", "true")
    expect(editor.inspector.locator(".field-error:visible")).to_have_count(1)


@pytest.mark.wide
def test_a_problem_is_fixed_with_one_click_and_one_undo(page: Page, patchbay: Instance, owner_token: str) -> None:
    nodes = [start(), template("text", "Text", "hello", 300), end({"said": "{{ text.txt }}"})]
    editor = opened(page, patchbay, owner_token, nodes, "start -> text", "text -> end")
    row = list_of_problems(editor).get_by_role("listitem").filter(has_text="txt")
    row.get_by_role("button", name="Use text").click()
    until(lambda: config_of(editor, patchbay, owner_token, "end") == {"outputs": {"said": "{{ text.text }}"}}, 20)
    expect(row).to_have_count(0)
    editor.canvas.focus()
    page.keyboard.press("Control+z")
    until(lambda: config_of(editor, patchbay, owner_token, "end") == {"outputs": {"said": "{{ text.txt }}"}}, 20)


@pytest.mark.wide
def test_a_problem_is_fixed_at_its_field(page: Page, patchbay: Instance, owner_token: str) -> None:
    nodes = [start(), template("text", "Text", "hello", 300), template("next", "Next", "{{ text.txt }}", 600)]
    editor = opened(page, patchbay, owner_token, nodes, "start -> text", "text -> next")
    editor.card("Next").click()
    editor.inspector.locator(".field").get_by_role("button", name="Use text").click()
    until(lambda: config_of(editor, patchbay, owner_token, "next") == {"template": "{{ text.text }}"}, 20)
    expect(editor.inspector.locator(".field-error")).to_have_count(0)


@pytest.mark.wide
def test_an_end_that_returns_nothing_is_mentioned(page: Page, patchbay: Instance, owner_token: str) -> None:
    nodes = [start(), template("text", "Text", "hello", 300), end({})]
    editor = opened(page, patchbay, owner_token, nodes, "start -> text", "text -> end")
    row = list_of_problems(editor).get_by_role("listitem").filter(has_text="This end returns no value")
    expect(row).to_be_visible()
    row.get_by_role("button", name="Return text.text").click()
    until(lambda: config_of(editor, patchbay, owner_token, "end") == {"outputs": {"text": "{{ text.text }}"}}, 20)
    expect(row).to_have_count(0)


@pytest.mark.parametrize("typed", ["{{ text.text | nofilter }}", *besides("{{ text.text }}", "{{ nope.x }}", "plain")])
def test_nothing_moves_while_someone_types(page: Page, patchbay: Instance, owner_token: str, typed: str) -> None:
    second = {"match": "all", "conditions": [{"left": "", "op": "eq", "right": ""}]}
    nodes = [
        start(),
        template("text", "Text", "hello", 300),
        node("fork", "if", second, title="Fork") | {"position": {"x": 600, "y": 0}},
    ]
    editor = opened(page, patchbay, owner_token, nodes, "start -> text", "text -> fork")
    editor.card("Fork").click()
    editor.inspector.get_by_role("textbox", name="Value", exact=True).click()
    editor.inspector.locator(".cm-content:focus").wait_for()
    below = editor.inspector.get_by_role("button", name="Add condition")
    before = box(below)["y"]
    for letter in typed:
        page.keyboard.type(letter)
        assert box(below)["y"] == before, f"moved at {letter!r}"
    until(lambda: config_of(editor, patchbay, owner_token, "fork")["conditions"][0]["left"] == typed, 20)
    page.wait_for_load_state("networkidle")
    assert box(below)["y"] == before


@pytest.mark.wide
def test_plumbing_is_no_input(page: Page, patchbay: Instance, owner_token: str) -> None:
    ask = {"title": "Go on?", "message": "Really", "expires_s": 900, "on_expire": "fail"}
    nodes = [start(), node("ask", "approval", ask, title="Ask") | {"position": {"x": 300, "y": 0}}]
    editor = opened(page, patchbay, owner_token, nodes, "start -> ask")
    editor.run(form=False)
    editor.card("Ask").click()
    editor.inspector.get_by_role("tab", name="Input").click()
    panel = editor.inspector.get_by_role("tabpanel")
    expect(panel.get_by_text("Go on?").first).to_be_visible()
    expect(panel.get_by_text("expires_s")).to_have_count(0)
    expect(panel.get_by_text("on_expire")).to_have_count(0)
    panel.get_by_text("JSON", exact=True).click()
    expect(panel.get_by_text("expires_s").first).to_be_visible()


@pytest.mark.wide
def test_nodes_of_one_title_show_their_id(page: Page, patchbay: Instance, owner_token: str) -> None:
    nodes = [start(), template("a", "Twin", "{{ gone.x }}", 300), template("b", "Twin", "{{ gone.x }}", 600)]
    editor = opened(page, patchbay, owner_token, nodes, "start -> a", "a -> b")
    rows = list_of_problems(editor)
    expect(rows.get_by_text("Twin · a", exact=True)).to_be_visible()
    expect(rows.get_by_text("Twin · b", exact=True)).to_be_visible()
    page.keyboard.press("Control+k")
    page.get_by_role("dialog").get_by_role("combobox").fill("Twin")
    expect(page.get_by_role("dialog").get_by_role("option", name=re.compile("Twin · b"))).to_be_visible()


def test_long_previews_stay_inside_the_inspector(page: Page, patchbay: Instance, owner_token: str) -> None:
    long = "x" * 400
    nodes = [start(), template("text", "Text", long, 300), template("next", "Next", "{{ text.text }}", 600)]
    editor = opened(page, patchbay, owner_token, nodes, "start -> text", "text -> next")
    editor.run(form=False)
    expect(editor.card("Next")).to_have_attribute("aria-label", re.compile("Done|Succeeded|done|succeeded"))
    editor.card("Next").click()
    for tab in ("Config", "Input", "Output"):
        editor.inspector.get_by_role("tab", name=tab).click()
        expect(editor.inspector.get_by_role("tabpanel").get_by_text("xxx").first).to_be_visible()
        outside = editor.inspector.evaluate(
            """panel => {
              const edge = panel.getBoundingClientRect().right + 0.5
              const inside = (element) => {
                for (let up = element.parentElement; up && up !== panel; up = up.parentElement)
                  if (getComputedStyle(up).overflowX !== 'visible' && up.getBoundingClientRect().right <= edge)
                    return true
                return false
              }
              const sideways = [...panel.querySelectorAll('.inspector-panel, .inspector-body')]
                .filter((element) => element.scrollWidth > element.clientWidth)
              return [...sideways, ...[...panel.querySelectorAll('*')]
                .filter((element) => element.getBoundingClientRect().right > edge && !inside(element))]
                .map((element) => element.className)
            }"""
        )
        assert outside == [], (tab, outside)


@pytest.mark.wide
def test_a_card_does_not_repeat_its_title(page: Page, patchbay: Instance, owner_token: str) -> None:
    nodes = [
        start(),
        node("template", "template", {"template": "hi"}) | {"position": {"x": 300, "y": 0}},
        node("now", "tool", {"server": "time", "tool": "get_current_time", "arguments": {}})
        | {"position": {"x": 600, "y": 0}},
    ]
    editor = opened(page, patchbay, owner_token, nodes, "start -> template", "template -> now")
    titled = editor.card("Template")
    expect(titled.locator(".card-title")).to_have_text("Template")
    expect(titled.locator(".card-sub")).to_have_count(0)
    tool = editor.card("get_current_time")
    expect(tool.locator(".card-sub")).to_have_text("time")
    titled.click()
    expect(editor.inspector.locator(".inspector-sub")).to_have_text("template")


@pytest.mark.wide
def test_tooltips_of_the_rack_cover_none_of_its_rows(page: Page, patchbay: Instance, owner_token: str) -> None:
    editor = opened(page, patchbay, owner_token, [start()])
    row = editor.palette.get_by_test_id("type-template")
    row.scroll_into_view_if_needed()
    row.hover()
    tip = page.get_by_role("tooltip")
    expect(tip).to_be_visible()
    palette = box(editor.palette)
    assert box(tip)["x"] >= palette["x"] + palette["width"]
