"""What looking at every page showed, by its kind: room used as it is there, words whole, failures with a way on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.api.runs.conftest import graph, node
from tests.e2e.axe import dress, faults
from tests.instance import Instance, until

pytestmark = pytest.mark.wide

LONG = "Whoever opens an issue in one of our many repositories, wherever it is"


def box(item: Locator) -> Any:
    """Where something stands."""
    result = item.bounding_box()
    assert result
    return result


def size(page: Page, width: int, height: int) -> None:
    """As large as that screen."""
    page.set_viewport_size({"width": width, "height": height})


LINES = """item => {
  const range = document.createRange()
  range.selectNodeContents(item)
  return range.getClientRects().length
}"""
"""How many lines a text takes."""


def hold(page: Page, pattern: str) -> list[Route]:
    """Leaves requests that fit unanswered; gives them."""
    held: list[Route] = []

    def keep(route: Route) -> None:
        held.append(route)

    page.route(re.compile(pattern), keep)
    return held


@pytest.fixture
def trigger(patchbay: Instance, owner_token: str) -> Iterator[str]:
    """A webhook with a long name that was called; its id."""

    def request(method: str, path: str, body: Any = None) -> Any:
        status, reply = patchbay.request(method, path, body, owner_token)
        assert status < 300, reply
        return reply

    document = graph([node("start", "start", {}), node("end", "end", {})], "start -> end")
    workflow = request("POST", "/api/workflows", {"name": "Called from outside", "graph": document})["id"]
    request("POST", f"/api/workflows/{workflow}/publish", {})
    body = {"kind": "webhook", "name": LONG, "enabled": False, "config": {}}
    yield str(request("POST", f"/api/workflows/{workflow}/triggers", body)["id"])
    request("DELETE", f"/api/workflows/{workflow}")


def test_a_server_opens_below_the_list_where_there_is_no_room_beside(page: Page) -> None:
    size(page, 768, 1024)
    page.goto("/registry")
    table = page.get_by_role("region", name="Servers").get_by_role("table")
    expect(table.get_by_role("columnheader", name="Workflows")).to_be_visible()
    expect(table.get_by_role("columnheader", name="Protocol")).to_be_hidden()
    assert box(table)["width"] > 700
    table.get_by_role("button", name="Demo", exact=True).click()
    opened = page.get_by_role("region", name="Demo", exact=True)
    expect(opened).to_be_visible()
    assert box(opened)["width"] > 700
    assert box(opened)["y"] > box(table)["y"] + box(table)["height"]

    page.get_by_role("button", name="Try a tool").click()
    trial = page.get_by_role("region", name="Try a tool")
    expect(trial.get_by_role("button", name="Call", exact=True)).to_be_in_viewport()
    expect(opened).to_have_count(0)
    table.get_by_role("button", name="Demo", exact=True).click()
    expect(trial).to_have_count(0)
    opened.get_by_role("button", name="Close").click()
    expect(opened).to_have_count(0)
    page.wait_for_url("**/registry")


@pytest.mark.parametrize("width", [1101, 1280])
def test_servers_keep_their_names_beside_the_one_that_is_open(page: Page, width: int) -> None:
    size(page, width, 800)
    page.goto("/registry/demo")
    expect(page.get_by_role("region", name="Demo", exact=True)).to_be_visible()
    name = page.get_by_role("region", name="Servers").get_by_role("columnheader", name="Server")
    assert box(name)["width"] >= 180


def test_a_server_whose_address_ends_soon_keeps_its_name(page: Page, patchbay: Instance, owner_token: str) -> None:
    soon = (datetime.now(UTC) + timedelta(days=1, hours=12)).isoformat()
    ends = {"name": "Issues of the company", "slug": "ends-soon", "transport": "http", "expires_at": soon}
    body = {**ends, "url": "https://issues.example/mcp", "auth": {}}
    assert patchbay.request("POST", "/api/mcp/servers", body, owner_token)[0] == 201
    size(page, 1440, 900)
    page.goto("/registry/demo")
    expect(page.get_by_role("region", name="Demo", exact=True)).to_be_visible()
    name = page.get_by_role("button", name="Issues of the company")
    expect(name.locator("xpath=..")).to_contain_text("URL expires in 2 days")
    assert box(name)["width"] >= 100, "as much as fifteen letters take"
    assert patchbay.request("DELETE", "/api/mcp/servers/ends-soon", token=owner_token)[0] == 204


def test_list_and_question_take_turns_where_both_have_no_room(page: Page, patchbay: Instance, owner_token: str) -> None:
    nodes = [node("start", "start", {}), node("ask", "approval", {"title": "Take turns?"}), node("end", "end", {})]
    document = graph(nodes, "start -> ask", "ask:approved -> end")
    created = patchbay.request("POST", "/api/workflows", {"name": "Turns", "graph": document}, owner_token)[1]
    body = {"version": "draft", "inputs": {}, "wait": 60}
    run = patchbay.request("POST", f"/api/workflows/{created['id']}/runs", body, owner_token)[1]
    size(page, 768, 1024)
    page.goto("/inbox")
    page.get_by_role("link").filter(has_text="Take turns?").click()
    question = page.get_by_role("region", name="Take turns?")
    expect(question).to_be_visible()
    assert box(question)["width"] > 700
    page.get_by_role("button", name=re.compile("^Back")).click()
    expect(page.get_by_role("link").filter(has_text="Take turns?")).to_be_visible()
    size(page, 1440, 900)
    page.get_by_role("link").filter(has_text="Take turns?").click()
    reason = question.get_by_role("textbox", name=re.compile("Reason"))
    assert box(reason)["width"] <= 360
    patchbay.request("POST", f"/api/runs/{run['id']}/cancel", {}, owner_token)
    patchbay.request("DELETE", f"/api/workflows/{created['id']}", token=owner_token)


def test_what_a_question_is_answered_with_stands_together_on_a_wall(
    page: Page, patchbay: Instance, owner_token: str
) -> None:
    nodes = [node("start", "start", {}), node("ask", "approval", {"title": "Stand together?"}), node("end", "end", {})]
    document = graph(nodes, "start -> ask", "ask:approved -> end")
    made = patchbay.request("POST", "/api/workflows", {"name": "Together", "graph": document}, owner_token)[1]
    body = {"version": "draft", "inputs": {}, "wait": 60}
    run = patchbay.request("POST", f"/api/workflows/{made['id']}/runs", body, owner_token)[1]
    size(page, 2560, 1440)
    page.goto("/inbox")
    page.get_by_role("link").filter(has_text="Stand together?").click()
    question = page.get_by_role("region", name="Stand together?")
    approve = question.get_by_role("button", name="Approve", exact=True)
    decline = question.get_by_role("button", name="Decline", exact=True)
    expect(decline).to_be_visible()
    assert box(decline)["x"] - box(approve)["x"] < 800

    page.goto(f"/runs/{run['id']}")
    dock = page.get_by_role("region", name="Run", exact=True)
    expect(dock.get_by_role("button", name="Decline", exact=True)).to_be_visible()
    assert box(dock)["height"] >= 480, "a third of the wall"
    assert box(dock.get_by_role("tree"))["width"] >= 800, "the bars have room"
    patchbay.request("POST", f"/api/runs/{run['id']}/cancel", {}, owner_token)
    patchbay.request("DELETE", f"/api/workflows/{made['id']}", token=owner_token)


def test_a_server_says_since_when_it_fails_beside_its_state_where_there_is_room(
    page: Page, patchbay: Instance, owner_token: str
) -> None:
    gone = {"name": "Nobody there", "slug": "nobody", "transport": "http", "url": "http://127.0.0.1:9/mcp", "auth": {}}
    assert patchbay.request("POST", "/api/mcp/servers", gone, owner_token)[0] == 201
    patchbay.request("POST", "/api/mcp/servers/nobody/test", token=owner_token)
    size(page, 2560, 1440)
    page.goto("/registry")
    row = page.get_by_role("row").filter(has_text="Nobody there")
    word, since = row.get_by_text("Unreachable"), row.get_by_text(re.compile("^since "))
    assert box(since)["y"] < box(word)["y"] + box(word)["height"]
    assert box(since)["x"] > box(word)["x"] + box(word)["width"]
    assert patchbay.request("DELETE", "/api/mcp/servers/nobody", token=owner_token)[0] == 204


@pytest.mark.parametrize("width", [320, 390])
def test_the_sides_of_a_server_are_one_choice_on_a_phone(page: Page, width: int) -> None:
    size(page, width, 844)
    page.goto("/registry/demo/overview")
    sides = page.get_by_role("combobox", name="Demo")
    expect(sides).to_have_value("overview")
    assert box(sides)["height"] <= 44
    sides.select_option("Settings")
    expect(page.get_by_role("textbox", name="Description")).to_be_visible()
    page.wait_for_url("**/registry/demo/settings")


@pytest.mark.parametrize("width", [320, 390])
def test_a_member_and_a_secret_keep_their_names_whole_on_a_phone(
    page: Page, patchbay: Instance, owner_token: str, width: int
) -> None:
    secret = {"name": "github_hook", "value": "v", "hosts": ["api.github.example"]}
    assert patchbay.request("POST", "/api/secrets", secret, owner_token)[0] in (200, 201)
    size(page, width, 844)
    page.goto("/settings/secrets")
    assert page.get_by_text("${secret:github_hook}").evaluate(LINES) == 1
    page.goto("/settings/team")
    assert page.get_by_text("alice@example.org").first.evaluate(LINES) == 1
    assert patchbay.request("DELETE", "/api/secrets/github_hook", token=owner_token)[0] == 204


INK = """canvas => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
  const seen = new Set()
  for (let at = 0; at < data.length; at += 4) if (data[at + 3] === 255) seen.add(data.slice(at, at + 3).join())
  return [...seen]
}"""
"""The colours that a canvas is painted with."""


def has_other_ink(painted: Locator, before: set[str]) -> bool:
    """Whether a canvas is painted with none of the colours that it had before."""
    return not before & set(painted.evaluate(INK))


def are_fewer(shown: Locator, before: int) -> bool:
    return shown.count() < before


def test_what_is_painted_of_a_graph_changes_with_the_theme(page: Page, patchbay: Instance, owner_token: str) -> None:
    steps = [node(f"step{n}", "template", {"template": "hello"}) for n in range(12)]
    nodes = [one | {"position": {"x": 260 * n, "y": 0}} for n, one in enumerate([node("start", "start", {}), *steps])]
    links = ["start -> step0", *(f"step{n} -> step{n + 1}" for n in range(11))]
    body = {"name": "Painted", "graph": graph(nodes, *links)}
    made = patchbay.request("POST", "/api/workflows", body, owner_token)[1]["id"]
    dress(page, "system")
    page.emulate_media(color_scheme="light")
    size(page, 1440, 900)
    page.goto(f"/workflows/{made}")
    for painted in (page.locator("canvas.canvas-far"), page.locator(".canvas-map canvas")):
        expect(painted).to_be_visible()
        light = until(partial(painted.evaluate, INK), 10)
        page.emulate_media(color_scheme="dark")
        until(partial(has_other_ink, painted, set(light)), 10)
        page.emulate_media(color_scheme="light")
    patchbay.request("DELETE", f"/api/workflows/{made}", token=owner_token)


@pytest.mark.parametrize("language, pages", [("en", "All pages"), ("zh", "全部页面")])
def test_the_docs_begin_with_their_text_on_a_phone(page: Page, language: str, pages: str) -> None:
    size(page, 390, 844)
    page.goto(f"/docs/{language}/scaling")
    assert box(page.get_by_role("heading", level=1))["y"] < 160
    glossary = page.get_by_role("navigation").locator("a[href$='/glossary']:visible")
    expect(glossary).to_have_count(0)
    page.get_by_text(pages, exact=True).click()
    glossary.click()
    expect(page).to_have_url(re.compile(f"/docs/{language}/glossary$"))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_docs_stand_in_the_middle_of_a_wall(page: Page, language: str) -> None:
    size(page, 2560, 1440)
    page.goto(f"/docs/{language}/scaling")
    text, pages = box(page.get_by_role("main")), box(page.get_by_role("navigation"))
    left, right = text["x"] - pages["width"], 2560 - text["x"] - text["width"]
    assert abs(left - right) < 20


def test_the_palette_says_that_nothing_matches_only_once_it_knows(page: Page) -> None:
    hold(page, "/tool-names")
    page.goto("/workflows")
    page.get_by_role("heading", name="Workflows", exact=True).wait_for()
    page.keyboard.press("Control+k")
    page.keyboard.type("nothing like this")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("Loading")).to_be_visible()
    expect(dialog.get_by_text("No matches")).to_have_count(0)
    page.unroute_all()
    expect(dialog.get_by_text("No matches")).to_be_visible()


CUT = "(items) => items.filter((item) => item.scrollWidth > item.clientWidth + 1).map((item) => item.textContent)"


@pytest.mark.parametrize("width", [390, 768, 1440])
def test_the_names_of_keys_are_whole(page: Page, width: int) -> None:
    size(page, width, 900)
    page.goto("/workflows")
    page.get_by_role("heading", name="Workflows", exact=True).wait_for()
    page.get_by_role("link", name="A tour").click()
    page.get_by_role("application", name="Workflow graph").wait_for()
    page.keyboard.press("?")
    names = page.get_by_role("dialog", name="Keyboard shortcuts").locator("dt")
    expect(names.nth(20)).to_be_attached()
    assert names.evaluate_all(CUT) == []


@pytest.mark.parametrize("width", [390, 1440])
def test_a_question_before_a_deed_names_the_whole_of_it(page: Page, trigger: str, width: int) -> None:
    size(page, width, 900)
    page.goto(f"/triggers/{trigger}")
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Delete").click()
    title = page.get_by_role("dialog").get_by_role("heading")
    expect(title).to_contain_text(LONG)
    assert title.evaluate_all(CUT) == []
    expect(page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True)).to_be_in_viewport(ratio=1)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("button", name="More actions")).to_be_focused()


WIDE = """() => [...document.querySelectorAll('main p, main dd, main .callout')]
  .filter((item) => item.checkVisibility() && item.getBoundingClientRect().width > 0)
  .flatMap((item) => {
    const range = document.createRange()
    range.selectNodeContents(item)
    return [...range.getClientRects()].filter((line) => line.width > 900).map(() => item.textContent.slice(0, 60))
  })"""


@pytest.mark.wide
@pytest.mark.parametrize(
    "path", ["/", "/registry", "/registry/long-gone", "/triggers", "/inbox", "/usage", "/settings/audit", "/nowhere"]
)
def test_lines_are_short_enough_to_be_read_on_a_wall(page: Page, path: str) -> None:
    size(page, 2560, 1440)
    page.goto(path)
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert page.evaluate(WIDE) == []


READ = {
    "/": r"/api/workflows(\?|$)",
    "/registry": r"/api/mcp/servers\?",
    "/runs": r"/api/runs(\?|$)",
    "/inbox": r"/api/interactions(\?|$)",
    "/triggers": r"/api/triggers(\?|$)",
    "/usage": r"/api/usage",
    "/settings/security": r"/api/me/security",
    "/settings/team": r"/api/teams/",
    "/settings/providers": r"/api/providers(\?|$)",
    "/settings/tokens": r"/api/tokens",
    "/settings/secrets": r"/api/secrets",
    "/settings/audit": r"/api/audit(\?|$)",
    "/settings/installation": r"/api/operator/",
}


@pytest.mark.wide
@pytest.mark.parametrize("path", READ)
def test_what_could_not_be_read_is_asked_for_again(page: Page, path: str) -> None:
    pattern = re.compile(READ[path])
    page.route(pattern, lambda route: route.fulfill(status=500, body="{}"))
    page.goto(path)
    again = page.get_by_role("main").get_by_role("alert").get_by_role("button", name="Try again")
    expect(again.first).to_be_visible()
    assert faults(page) == []
    page.unroute(pattern)
    while again.count():
        before = again.count()
        again.first.click()
        until(partial(are_fewer, again, before), 20)


@pytest.mark.wide
@pytest.mark.parametrize("path", READ)
def test_what_takes_long_has_its_shape_meanwhile(page: Page, path: str) -> None:
    held = hold(page, READ[path])
    page.goto(path, wait_until="domcontentloaded")
    expect(page.get_by_role("main").get_by_role("status", name="Loading").first).to_be_visible()
    assert faults(page) == []
    for route in held:
        route.continue_()


def test_a_link_to_a_trigger_or_workflow_that_is_gone_leads_on(page: Page) -> None:
    page.goto("/triggers/trg_long_gone")
    expect(page.get_by_role("heading", name="Trigger not found")).to_be_visible()
    page.get_by_role("link", name="All triggers").click()
    page.wait_for_url("**/triggers")
    page.goto("/workflows/wf_long_gone")
    page.get_by_role("alert").get_by_role("link", name="Go to workflows").click()
    expect(page.get_by_role("heading", name="Workflows", exact=True)).to_be_visible()


@pytest.mark.wide
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["Webhook", "Schedule", "Event"])
def test_the_form_of_a_trigger_is_accessible(page: Page, trigger: str, kind: str, theme: str) -> None:
    dress(page, theme)
    page.goto("/triggers")
    page.get_by_role("button", name="New trigger", exact=True).click()
    page.get_by_role("menuitem", name=kind).click()
    expect(page.get_by_role("dialog").get_by_label("Name", exact=True)).to_be_focused()
    assert faults(page) == []
    page.get_by_role("dialog").get_by_role("button", name="Create trigger").click()
    expect(page.get_by_role("dialog").locator(".field-error").first).to_be_visible()
    assert faults(page) == []


@pytest.mark.wide
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_is_asked_of_a_trigger_is_accessible(page: Page, trigger: str, theme: str) -> None:
    dress(page, theme)
    page.goto(f"/triggers/{trigger}")
    for deed in ("Edit", "New address", "Delete"):
        page.get_by_role("button", name="More actions").click()
        page.get_by_role("menuitem", name=deed).click()
        expect(page.get_by_role("dialog")).to_be_visible()
        assert faults(page) == []
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="New address").click()
    page.get_by_role("dialog").get_by_role("button", name="New address").click()
    expect(page.get_by_role("dialog", name=re.compile("^Address of"))).to_be_visible()
    assert faults(page) == []


FOCUSED = """() => {
  const item = document.activeElement
  if (!item || item === document.body) return null
  const marked = (one) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one)
    return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none'
  }
  const after = getComputedStyle(item, '::after')
  const beside = getComputedStyle(item).opacity === '0' ? [item.nextElementSibling, item.closest('label')] : []
  const around = [item, item.closest('.input'), ...beside].filter(Boolean)
  const rect = item.getBoundingClientRect()
  return {
    name: item.tagName + ' ' + (item.getAttribute('aria-label') || item.textContent || item.name || '').slice(0, 40),
    seen: around.some(marked) || (after.outlineStyle !== 'none' && parseFloat(after.outlineWidth) > 0),
    inside: rect.bottom > 0 && rect.top < innerHeight && rect.right > 0 && rect.left < innerWidth,
    forced: item.tabIndex > 0,
  }
}"""
WALKED = ["/", *READ, "/registry/demo/settings", "/registry?add=1", "/settings/profile", "/settings/about", "/nowhere"]


@pytest.mark.wide
@pytest.mark.parametrize("path", dict.fromkeys(WALKED))
def test_the_focus_is_seen_wherever_tab_leads(page: Page, path: str) -> None:
    page.goto(path)
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    page.wait_for_load_state("networkidle")
    met: list[dict[str, Any]] = []
    for _ in range(60):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        if focused is None:
            break
        met.append(focused)
    assert len(met) > 5
    assert [item["name"] for item in met if not item["seen"]] == []
    assert [item["name"] for item in met if not item["inside"]] == []
    assert [item["name"] for item in met if item["forced"]] == []
