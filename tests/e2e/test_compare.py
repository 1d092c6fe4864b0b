"""Versions in the editor: compared by mouse and by keyboard, restored in one undo step, published with their tests."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.api.runs.conftest import graph, node
from tests.e2e.axe import faults
from tests.e2e.drawn import template
from tests.e2e.editor_page import EditorPage
from tests.instance import Instance, until

INPUTS = {"type": "object"}


def document(*middle: dict[str, Any], prompt: str = "Good morning", x: int = 780) -> dict[str, Any]:
    """start → greet → … → end."""
    nodes = [
        node("start", "start", {"inputs": INPUTS}) | {"position": {"x": 0, "y": 10}},
        template("greet", "Greet", prompt, 180),
        *middle,
        node("end", "end", {"outputs": {"text": "{{ greet.text }}"}}) | {"position": {"x": x, "y": 10}},
    ]
    names = [each["id"] for each in nodes]
    return graph(nodes, *(f"{left} -> {right}" for left, right in pairwise(names)))


FIRST = document(template("old", "Say it twice", "{{ greet.text }}", 480))
SECOND = document(template("new", "Say it loud", "{{ greet.text }}!", 480), prompt="Good evening", x=820)


class Versions:
    """A workflow with two published versions, the second of which is the draft."""

    def __init__(self, page: Page, patchbay: Instance, token: str) -> None:
        self.page, self.patchbay, self.token = page, patchbay, token
        self.id = self.ask("POST", "/api/workflows", {"name": "Greets", "graph": FIRST})["id"]
        self.publish()
        self.save(SECOND)
        self.publish()
        self.editor = EditorPage(page)

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The API's answer."""
        status, answer = self.patchbay.request(method, path, body, self.token)
        assert status in (200, 201, 202), answer
        return answer

    def save(self, graph: dict[str, Any]) -> None:
        """The draft, as it is now."""
        revision = self.workflow()["draft"]["revision"]
        self.ask("PUT", f"/api/workflows/{self.id}/draft", {"revision": revision, "graph": graph})

    def publish(self) -> None:
        """Make the draft a version."""
        self.ask("POST", f"/api/workflows/{self.id}/publish", {})

    def workflow(self) -> Any:
        """The workflow with its draft."""
        return self.ask("GET", f"/api/workflows/{self.id}")

    def titles(self) -> list[str]:
        """The titles of the draft's nodes, as it is saved."""
        return [each.get("title") or each["id"] for each in self.workflow()["draft"]["graph"]["nodes"]]

    @property
    def changes(self) -> Locator:
        """The list of changes."""
        return self.page.get_by_role("navigation", name="Changes")

    def change(self, words: str) -> Locator:
        """A row of the list, by how its name begins."""
        return self.changes.get_by_role("button", name=re.compile(f"^{words}"))

    @property
    def detail(self) -> Locator:
        """The fields of the chosen change."""
        return self.page.get_by_role("complementary", name="Chosen change")

    def compare(self, what: str) -> None:
        """Open a link to a comparison."""
        self.page.goto(f"/workflows/{self.id}?compare={what}")
        expect(self.changes.get_by_role("heading", name="Changes")).to_be_visible()


@pytest.fixture
def versions(page: Page, patchbay: Instance, owner_token: str) -> Versions:
    page.emulate_media(reduced_motion="reduce")
    return Versions(page, patchbay, owner_token)


def test_two_versions_are_compared_on_one_canvas(versions: Versions, page: Page) -> None:
    page.goto(f"/workflows/{versions.id}")
    expect(versions.editor.card("Greet")).to_be_visible()
    page.get_by_role("button", name="Versions").click()
    page.get_by_role("menuitem", name="Versions and drafts: compare, restore").click()
    history = page.get_by_role("dialog", name="Versions and drafts")
    expect(history.get_by_role("list", name="Versions").get_by_role("listitem")).to_have_count(2)
    history.get_by_role("button", name="Compare v1 with the draft").click()
    page.wait_for_url(f"**/workflows/{versions.id}?compare=1..draft")
    page.get_by_role("combobox", name="Compare to").select_option("2")
    page.wait_for_url("**?compare=1..2")

    canvas = page.get_by_role("application", name="Both documents")

    def card(title: str) -> Locator:
        return canvas.get_by_role("group", name=re.compile(f"^{title},"))

    expect(card("Say it loud")).to_have_accessible_description("added")
    expect(card("Say it twice")).to_have_accessible_description("removed")
    expect(card("Greet")).to_have_accessible_description("changed, 1 field")
    expect(card("End")).to_have_accessible_description("moved")
    expect(canvas.get_by_text("End was here")).to_be_visible()
    for title, words in (("Say it loud", "+ added"), ("Say it twice", "− removed"), ("Greet", "~ changed, 1 field")):
        expect(canvas.get_by_text(words), title).to_be_visible()
    strike = card("Say it twice").locator(".card-title")
    expect(strike).to_have_css("text-decoration-line", "line-through")

    card("Greet").click()
    field = versions.detail.get_by_role("region", name="Template")
    expect(field).to_contain_text("Good morning")
    expect(field).to_contain_text("Good evening")
    expect(versions.change("Greet changed")).to_have_attribute("aria-current", "true")

    page.get_by_role("radio", name="Only v1").check(force=True)
    expect(card("Say it loud")).to_have_count(0)
    expect(card("Say it twice")).to_be_visible()
    page.get_by_role("radio", name="Only v2").check(force=True)
    expect(card("Say it twice")).to_have_count(0)
    page.get_by_role("radio", name="Both").check(force=True)
    expect(card("Say it twice")).to_be_visible()


@pytest.mark.wide
def test_a_comparison_is_gone_through_by_keys(versions: Versions, page: Page) -> None:
    page.goto(f"/workflows/{versions.id}")
    expect(versions.editor.card("Greet")).to_be_visible()
    versions.editor.canvas.focus()
    page.keyboard.press("v")
    history = page.get_by_role("dialog", name="Versions and drafts")
    history.get_by_role("button", name="Compare v2 with the draft").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**?compare=1..draft")
    rows = versions.changes.get_by_role("button")
    expect(rows.first).to_be_visible()
    page.keyboard.press("j")
    expect(rows.nth(0)).to_have_attribute("aria-current", "true")
    page.keyboard.press("j")
    expect(rows.nth(1)).to_have_attribute("aria-current", "true")
    expect(page.get_by_role("status").filter(has_text="Say it twice, removed")).to_have_count(1)
    page.keyboard.press("k")
    expect(versions.detail).to_contain_text("Say it loud")
    page.keyboard.press("x")
    page.wait_for_url("**?compare=draft..1")
    expect(versions.change("Say it loud removed")).to_be_visible()
    page.keyboard.press("Escape")
    expect(versions.editor.card("Say it loud")).to_be_visible()
    page.wait_for_url(re.compile(rf"/workflows/{versions.id}$"))


@pytest.mark.wide
def test_a_version_is_restored_in_one_undo_step(versions: Versions, page: Page) -> None:
    versions.compare("1..draft")
    page.get_by_role("button", name="Restore v1").click()
    expect(versions.editor.card("Say it twice")).to_be_visible()
    expect(page.get_by_text("The draft is v1 again", exact=False)).to_be_visible()
    until(lambda: versions.titles() == ["start", "Greet", "Say it twice", "end"])
    versions.editor.canvas.focus()
    page.keyboard.press("Control+z")
    expect(versions.editor.card("Say it loud")).to_be_visible()
    expect(versions.editor.card("Say it twice")).to_have_count(0)
    until(lambda: versions.titles() == ["start", "Greet", "Say it loud", "end"])
    expect(page.get_by_label("Undo", exact=True)).to_be_disabled()


@pytest.mark.wide
def test_one_node_is_taken_from_a_kept_draft(versions: Versions, page: Page) -> None:
    page.goto(f"/workflows/{versions.id}")
    expect(versions.editor.card("Greet")).to_be_visible()
    versions.editor.canvas.focus()
    page.keyboard.press("v")
    history = page.get_by_role("dialog", name="Versions and drafts")
    history.get_by_role("radio", name="Drafts").check(force=True)
    drafts = history.get_by_role("list", name="Drafts").get_by_role("listitem")
    expect(drafts).to_have_count(2)
    expect(drafts.nth(1)).to_contain_text("alice@example.org")
    drafts.nth(1).get_by_role("button").click()
    page.wait_for_url("**?compare=r1..draft")
    versions.change("Greet changed").click()
    versions.detail.get_by_role("button", name="Take from revision 1").click()
    expect(versions.change("Greet changed")).to_have_count(0)

    def greets() -> str:
        """What the saved draft says."""
        return str(versions.workflow()["draft"]["graph"]["nodes"][1]["config"]["template"])

    until(lambda: greets() == "Good morning")
    assert "Say it loud" in versions.titles()
    page.get_by_role("button", name="Undo", exact=True).click()
    until(lambda: greets() == "Good evening")


@pytest.mark.wide
def test_an_earlier_version_is_published_again_by_one_click(versions: Versions, page: Page) -> None:
    versions.compare("1..2")
    page.get_by_role("button", name="Publish v1 again").click()
    expect(page.get_by_text("Version 1 is published again")).to_be_visible()
    assert versions.workflow()["published_version"] == 1
    expect(page.get_by_role("button", name="Publish v2 again")).to_be_visible()


@pytest.mark.wide
@pytest.mark.parametrize("what", ["1..9", "r99..draft", "run_gone..draft", "latest", "1..2..3"])
def test_a_link_to_what_is_gone_says_so(versions: Versions, page: Page, what: str) -> None:
    page.goto(f"/workflows/{versions.id}?compare={what}")
    expect(page.get_by_text(re.compile("^There is no|does not say what to compare"))).to_be_visible()
    page.get_by_role("button", name="Back to the draft").click()
    expect(versions.editor.card("Greet")).to_be_visible()


@pytest.mark.wide
def test_on_a_small_screen_the_list_holds_the_fields(versions: Versions, page: Page) -> None:
    page.set_viewport_size({"width": 800, "height": 900})
    versions.compare("1..2")
    expect(page.get_by_role("application")).to_have_count(0)
    field = versions.changes.get_by_role("region", name="Template").filter(has_text="Good evening")
    expect(field).to_contain_text("Good morning")


def test_publishing_shows_failing_tests_and_may_demand_that_they_pass(versions: Versions, page: Page) -> None:
    body = {"version": 2, "inputs": {}, "wait": 60}
    run = versions.ask("POST", f"/api/workflows/{versions.id}/runs", body)
    versions.ask("POST", f"/api/workflows/{versions.id}/tests", {"run": run["id"], "name": "Says good evening"})
    versions.save(document(template("new", "Say it loud", "{{ greet.text }}!", 480), prompt="Good night", x=820))

    page.goto(f"/workflows/{versions.id}")
    page.get_by_role("button", name="Publish").click()
    dialog = page.get_by_role("dialog", name="Publish a version")
    expect(dialog).to_contain_text("becomes version 3")
    expect(dialog).to_contain_text("0 nodes added, 0 removed, 1 changed")
    tests = dialog.get_by_role("region", name="Saved tests")
    expect(tests.get_by_role("status")).to_have_text("0 of 1 pass")
    expect(tests.get_by_role("listitem")).to_contain_text("fails")
    expect(tests.get_by_role("listitem")).to_contain_text("Greet")
    publish = dialog.get_by_role("button", name="Publish", exact=True)
    expect(publish).not_to_have_attribute("aria-disabled", "true")
    tests.get_by_role("checkbox", name="Saved tests must pass").check(force=True)
    expect(publish).to_have_attribute("aria-disabled", "true")
    until(lambda: versions.workflow()["tests_required"])
    status, refused = versions.patchbay.request("POST", f"/api/workflows/{versions.id}/publish", {}, versions.token)
    assert (status, refused["code"]) == (409, "TESTS_FAILED")

    dialog.get_by_role("button", name="Compare").click()
    page.wait_for_url("**?compare=2..draft")
    page.get_by_role("button", name="Restore v2").click()
    page.get_by_role("button", name="Publish").click()
    expect(tests.get_by_role("status")).to_have_text("1 of 1 passes")
    publish.click()
    expect(page.get_by_text("Version 3 is published")).to_be_visible()


@pytest.mark.wide
def test_a_run_leads_to_what_the_draft_changed_and_is_forked_from_a_node_by_key(versions: Versions, page: Page) -> None:
    run = versions.ask("POST", f"/api/workflows/{versions.id}/runs", {"version": 1, "inputs": {}, "wait": 60})
    page.goto(f"/runs/{run['id']}")
    page.get_by_role("link", name="Compare with the draft").click()
    page.wait_for_url(f"**?compare={run['id']}..draft")
    expect(versions.change("Greet changed")).to_be_visible()
    page.keyboard.press("Escape")
    card = versions.editor.card("Greet")
    expect(card).to_be_visible()
    card.click()
    expect(versions.editor.inspector.get_by_role("treeitem", name=re.compile("v1 run"))).to_be_visible()
    page.keyboard.press("Alt+Shift+Enter")
    dialog = page.get_by_role("dialog", name="Fork from Greet")
    expect(dialog.get_by_role("checkbox", name="Use current draft")).to_be_checked()
    dialog.get_by_role("button", name="Start the new run").click()
    expect(dialog).to_have_count(0)

    def forked() -> Any:
        rows = versions.ask("GET", f"/api/runs?workflow={versions.id}")["results"]
        return next((row for row in rows if row["origin_run"] == run["id"] and row["finished_at"]), None)

    done = versions.ask("GET", f"/api/runs/{until(forked)['id']}")
    assert (done["state"], done["outputs"]) == ("SUCCESS", {"text": "Good evening"})


@pytest.mark.wide
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_comparison_is_accessible_and_no_wider_than_the_page(versions: Versions, page: Page, theme: str) -> None:
    versions.compare("1..2")
    page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
    versions.change("Greet changed").click()
    expect(versions.detail).to_be_visible()
    assert faults(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.get_by_role("application")).to_have_count(0)
    assert faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
