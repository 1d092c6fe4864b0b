"""The first page says where to begin; and what is imported or pasted and is not ours says what it is."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.editor_page import Desk
from tests.instance import Instance

DIFY = "app:\n  mode: workflow\n  name: Mail\nkind: app\nversion: 0.3.0\nworkflow:\n  graph: {}\n"
N8N = '{"name": "Mail", "nodes": [{"type": "n8n-nodes-base.set"}], "connections": {}}'


def test_a_template_is_tried_with_one_click(page: Page, patchbay: Instance, owner_token: str) -> None:
    page.goto("/")
    expect(page.get_by_role("heading", name="Start with one that works")).to_be_visible()
    page.get_by_role("button", name="Try now: What time is it there?").click()
    desk = Desk(page)
    desk.canvas.wait_for()
    form = page.get_by_role("dialog", name="Start run")
    expect(form.get_by_label("City")).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type("Kyoto")
    page.keyboard.press("Control+Enter")
    expect(desk.card("Say it in words")).to_have_accessible_name(re.compile("succeeded", re.I))
    # the form opens once, not with every reload
    page.reload()
    desk.canvas.wait_for()
    expect(desk.card("Say it in words")).to_be_visible()
    expect(form).to_have_count(0)
    key = re.search(r"/workflows/([^/?]+)", page.url)
    assert key  # another test opens the example by its name
    assert patchbay.request("DELETE", f"/api/workflows/{key[1]}", token=owner_token)[0] == 204


def test_a_template_that_needs_more_says_what(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Set up Work on files").click()
    dialog = page.get_by_role("dialog", name="From a template")
    expect(dialog.get_by_role("radio", name="Work on files")).to_be_checked()


@pytest.mark.parametrize(
    ("text", "says", "does"),
    [
        (DIFY, "This is a Dify app", "template"),
        (N8N, "This is an n8n workflow", "template"),
        ("Read my mail.", "This is plain text", "exported"),
    ],
)
def test_an_import_of_what_is_not_ours_says_so(page: Page, text: str, says: str, does: str) -> None:
    page.goto("/workflows")
    page.get_by_role("button", name="Import", exact=True).click()
    dialog = page.get_by_role("dialog", name="Import")
    dialog.get_by_role("textbox").click()
    page.keyboard.insert_text(text)
    dialog.get_by_role("button", name="Import", exact=True).click()
    alert = dialog.get_by_role("alert")
    expect(alert).to_contain_text(says)
    expect(alert).to_contain_text(does)


def test_what_is_pasted_on_the_canvas_and_is_not_ours_says_so(page: Page) -> None:
    desk = Desk(page).new("Pasted")
    for text, says in (
        (DIFY, "This is a Dify app"),
        (N8N, "This is an n8n workflow"),
        ("Dear all,", "This is text, no nodes"),
    ):
        page.evaluate("text => navigator.clipboard.writeText(text)", text)
        desk.canvas.click(position={"x": 400, "y": 40})
        page.keyboard.press("Control+v")
        expect(page.get_by_text(says, exact=False).first).to_be_visible()
