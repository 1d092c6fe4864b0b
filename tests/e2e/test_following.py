"""A run as it is watched: every place tells the same state, and the view goes where something works or waits."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.api.runs.conftest import graph, node
from tests.bench.opened_run import document as rounds
from tests.e2e.drawn import opened, start, text
from tests.e2e.editor_page import EditorPage
from tests.e2e.pictures import STILL
from tests.instance import Instance, until

pytestmark = pytest.mark.wide

SUCCEEDED = re.compile("succeeded", re.I)
SIZES = [(1440, 900), (768, 1024), (390, 844)]


def ended(patchbay: Instance, token: str, page: Page) -> None:
    """Run the draft that is open, by the API, to its end."""
    workflow = page.url.split("?")[0].rsplit("/", 1)[-1]
    body = {"version": "draft", "inputs": {}, "wait": 60}
    status, run = patchbay.request("POST", f"/api/workflows/{workflow}/runs", body, token)
    assert status in (200, 201), run
    until(lambda: patchbay.request("GET", f"/api/runs/{run['id']}", token=token)[1]["state"] == "SUCCESS")


@pytest.mark.parametrize("size", SIZES)
def test_cards_tell_the_last_run_after_a_reload(
    page: Page, patchbay: Instance, owner_token: str, size: tuple[int, int]
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    editor = opened(page, patchbay, owner_token, [start(), text("one", 240)], "start -> one")
    ended(patchbay, owner_token, page)
    page.reload()
    expect(editor.dock.get_by_text("Succeeded").first).to_be_visible()
    expect(editor.card("One")).to_have_accessible_name(SUCCEEDED)


WATCH = """() => {
  window.told = new Set()
  new MutationObserver(() => {
    const header = document.querySelector('header .status')?.textContent
    if (!header) return
    const cards = [...document.querySelectorAll('.react-flow__node [aria-label]')].map((card) => card.ariaLabel)
    const states = cards.flatMap((name) => name.match(/succeeded|running|queued/gi) ?? ['none'])
    const rows = [...document.querySelectorAll('[role=treeitem] .sr-only')].map((row) => row.textContent.split(' ')[0])
    const [seq, all] = document.querySelector('.scrubber')?.textContent.match(/[\\d,]+/g) ?? []
    window.told.add(JSON.stringify([header, ...new Set(states), ...new Set(rows), seq === all]))
  }).observe(document, {subtree: true, childList: true, characterData: true, attributes: true})
}"""
"""Notes what header, cards, waterfall and scrubber tell, at every moment."""


def test_a_long_run_that_is_over_is_never_told_as_going_on(page: Page, patchbay: Instance, owner_token: str) -> None:
    status, created = patchbay.request("POST", "/api/workflows", {"name": "Long", "graph": rounds(700)}, owner_token)
    assert status == 201, created
    body = {"version": "draft", "inputs": {}}
    _, run = patchbay.request("POST", f"/api/workflows/{created['id']}/runs", body, owner_token)
    until(lambda: patchbay.request("GET", f"/api/runs/{run['id']}", token=owner_token)[1]["state"] == "SUCCESS", 120)
    page.add_init_script(f"({WATCH})()")
    page.goto(f"/runs/{run['id']}")
    expect(page.get_by_role("treeitem").first).to_be_visible()
    expect(page.locator("header .status").first).to_have_text("Succeeded")
    messages = [json.loads(each) for each in page.evaluate("[...window.told]")]
    assert messages
    assert {word.lower() for each in messages for word in each if isinstance(word, str)} == {"succeeded"}
    assert all(each[-1] for each in messages)


def test_cards_of_a_graph_edited_since_tell_no_state(page: Page, patchbay: Instance, owner_token: str) -> None:
    editor = opened(page, patchbay, owner_token, [start(), text("one", 240)], "start -> one")
    ended(patchbay, owner_token, page)
    page.reload()
    expect(editor.card("One")).to_have_accessible_name(SUCCEEDED)
    editor.card("One").click()
    page.keyboard.press("ArrowDown")
    expect(editor.card("One")).not_to_have_accessible_name(SUCCEEDED)
    expect(editor.dock.get_by_text("edited since")).to_be_visible()
    editor.saved()
    page.reload()
    expect(editor.dock.get_by_text("edited since")).to_be_visible()
    expect(editor.card("One")).not_to_have_accessible_name(SUCCEEDED)


def test_cards_tell_the_run_of_a_published_version_that_is_still_the_draft(
    page: Page, patchbay: Instance, owner_token: str
) -> None:
    editor = opened(page, patchbay, owner_token, [start(), text("one", 240)], "start -> one")
    workflow = page.url.rsplit("/", 1)[-1]
    assert patchbay.request("POST", f"/api/workflows/{workflow}/publish", {}, owner_token)[0] in (200, 201)
    body = {"inputs": {}, "wait": 60}
    assert patchbay.request("POST", f"/api/workflows/{workflow}/runs", body, owner_token)[0] in (200, 201)
    page.reload()
    expect(editor.card("One")).to_have_accessible_name(SUCCEEDED)
    expect(editor.dock.get_by_text("edited since")).to_have_count(0)
    editor.card("One").click()
    page.keyboard.press("ArrowDown")
    expect(editor.dock.get_by_text("edited since")).to_be_visible()
    editor.saved()
    page.reload()
    expect(editor.dock.get_by_text("edited since")).to_be_visible()


def at(name: str, kind: str, config: dict[str, Any], x: float, y: float = 0) -> dict[str, Any]:
    """A node at a place, with its id as its title."""
    return node(name, kind, config, title=name.title()) | {"position": {"x": x, "y": y}}


def row(seconds: float) -> list[dict[str, Any]]:
    """Two waits and a question, too far from each other to be read together."""
    return [
        start(),
        at("rest", "wait", {"seconds": seconds}, 2400),
        at("ask", "approval", {"title": "Go on?", "message": "It is late."}, 4800),
        at("nap", "wait", {"seconds": seconds}, 7200),
    ]


ARROWS = ("start -> rest", "rest -> ask", "ask:approved -> nap")


def afar(page: Page, patchbay: Instance, token: str, nodes: list[dict[str, Any]], *arrows: str) -> EditorPage:
    """A workflow open in the editor, too large for its cards to be read when all of it is in view."""
    page.emulate_media(reduced_motion="reduce")
    body = {"name": "Afar", "graph": graph(nodes, *arrows)}
    status, created = patchbay.request("POST", "/api/workflows", body, token)
    assert status == 201, created
    page.goto(f"/workflows/{created['id']}")
    editor = EditorPage(page)
    expect(editor.canvas).to_be_visible()
    page.wait_for_load_state("networkidle")
    return editor


def stopped(patchbay: Instance, token: str) -> None:
    """End what the test left under way."""
    for run in patchbay.request("GET", "/api/runs", token=token)[1]["results"]:
        if run["state"] not in ("SUCCESS", "ERROR", "CANCELLED"):
            patchbay.request("POST", f"/api/runs/{run['id']}/cancel", {}, token)


@pytest.mark.parametrize("size", SIZES)
def test_the_view_goes_where_something_waits(
    page: Page, patchbay: Instance, owner_token: str, size: tuple[int, int]
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    editor = afar(page, patchbay, owner_token, row(0.1), *ARROWS)
    editor.run(form=False)
    expect(page.get_by_role("button", name="Follow", exact=True)).to_have_attribute("aria-pressed", "true")
    for name in ("Approve", "Review"):
        button = editor.card("Ask").get_by_role("button", name=name)
        expect(button).to_be_in_viewport(ratio=0.99)
        button.click(trial=True)  # nothing lies over it
    editor.card("Ask").get_by_role("button", name="Approve").click()
    workflow = page.url.split("?")[0].rsplit("/", 1)[-1]
    runs = f"/api/runs?workflow={workflow}"  # the view goes on with the run, and leaves the card behind
    until(lambda: patchbay.request("GET", runs, token=owner_token)[1]["results"][0]["state"] == "SUCCESS")
    expect(page.get_by_role("button", name="Follow", exact=True)).to_have_count(0)


def test_moving_the_view_oneself_ends_following(page: Page, patchbay: Instance, owner_token: str) -> None:
    editor = afar(page, patchbay, owner_token, row(1), *ARROWS)
    editor.run(form=False)
    follow = page.get_by_role("button", name="Follow", exact=True)
    expect(follow).to_have_attribute("aria-pressed", "true")
    area = editor.canvas.bounding_box()
    assert area
    page.mouse.move(area["x"] + area["width"] / 2, area["y"] + 120)
    page.mouse.wheel(-40, 0)
    expect(follow).to_have_attribute("aria-pressed", "false")
    page.evaluate(STILL)
    view = page.locator(".react-flow__viewport")
    before = view.get_attribute("style")
    expect(page.get_by_text("Needs a person").first).to_be_visible()
    page.evaluate(STILL)
    assert view.get_attribute("style") == before
    follow.click()
    expect(editor.card("Ask").get_by_role("button", name="Approve")).to_be_in_viewport(ratio=0.99)
    stopped(patchbay, owner_token)


@pytest.mark.parametrize("key", ["f", "1"])
def test_keys_that_move_the_view_end_following(page: Page, patchbay: Instance, owner_token: str, key: str) -> None:
    editor = afar(page, patchbay, owner_token, row(60), *ARROWS)
    editor.run(form=False)
    follow = page.get_by_role("button", name="Follow", exact=True)
    expect(follow).to_have_attribute("aria-pressed", "true")
    page.keyboard.press(key)
    expect(follow).to_have_attribute("aria-pressed", "false")
    stopped(patchbay, owner_token)


def test_the_map_makes_room_for_a_question(page: Page, patchbay: Instance, owner_token: str) -> None:
    ask = at("ask", "approval", {"title": "Go on?", "message": "It is late."}, 800, 420)
    editor = opened(page, patchbay, owner_token, [start(), ask], "start -> ask")
    overview = page.get_by_role("img", name="Map")
    expect(overview).to_be_visible()
    editor.run(form=False)
    review = editor.card("Ask").get_by_role("button", name="Review")
    expect(review).to_be_in_viewport(ratio=0.99)
    corner = editor.canvas.bounding_box()
    assert corner
    page.mouse.move(corner["x"] + 300, corner["y"] + 60)
    card = editor.card("Ask").locator(".card").bounding_box()
    assert card
    # into the corner where the map is; a wheel moves the view by half of what it turns
    right = corner["x"] + corner["width"] - 8 - card["x"] - card["width"]
    down = corner["y"] + corner["height"] - 8 - card["y"] - card["height"]
    page.mouse.wheel(-2 * right, -2 * down)
    expect(overview).to_be_hidden()
    review.click(trial=True)
    page.mouse.wheel(400, 0)
    expect(overview).to_be_visible()
    stopped(patchbay, owner_token)


def test_a_dock_that_opens_does_not_cover_a_question(page: Page, patchbay: Instance, owner_token: str) -> None:
    ask = at("ask", "approval", {"title": "Go on?", "message": "It is late."}, 300, 600)
    editor = opened(page, patchbay, owner_token, [start(), ask], "start -> ask")
    page.evaluate("localStorage.setItem('flag:dock-open', '0')")
    page.reload()
    editor.run(form=False)
    review = editor.card("Ask").get_by_role("button", name="Review")
    expect(review).to_be_in_viewport(ratio=0.99)
    page.keyboard.press("\\")
    expect(editor.dock.get_by_role("tab", name="Waterfall")).to_be_visible()
    review.click(trial=True)
    page.evaluate("localStorage.removeItem('flag:dock-open')")
    stopped(patchbay, owner_token)


def test_the_rack_folds_by_keyboard_and_stays_folded(page: Page, patchbay: Instance, owner_token: str) -> None:
    editor = opened(page, patchbay, owner_token, [start()])
    expect(editor.palette).to_be_visible()
    wide = editor.canvas.bounding_box()
    page.keyboard.press("[")
    expect(editor.palette).to_have_count(0)
    more = editor.canvas.bounding_box()
    assert wide and more and more["width"] > wide["width"] + 150
    page.reload()
    expect(editor.canvas).to_be_visible()
    expect(page.get_by_role("button", name="Show tools and nodes")).to_be_visible()
    expect(editor.palette).to_have_count(0)
    page.keyboard.press("[")
    expect(editor.palette).to_be_visible()


def test_a_question_seen_from_afar_leads_to_it(page: Page, patchbay: Instance, owner_token: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    editor = afar(page, patchbay, owner_token, row(0.1), *ARROWS)
    editor.run(form=False)
    approve = editor.card("Ask").get_by_role("button", name="Approve")
    expect(approve).to_be_visible()
    zoom = page.get_by_role("button", name=re.compile("^Zoom .*%|%"))
    out = page.get_by_role("button", name="Zoom out")
    while int(re.sub(r"\D", "", zoom.first.inner_text())) > 50:
        out.click()
        page.evaluate(STILL)
    expect(approve).to_be_hidden()
    review = editor.card("Ask").get_by_role("button", name="Review")
    expect(review).to_be_in_viewport(ratio=0.99)
    size = review.bounding_box()
    assert size and size["height"] >= 22
    review.click()
    expect(editor.dock.get_by_role("button", name="Approve", exact=True)).to_be_visible()
    stopped(patchbay, owner_token)


ROUNDS = 3400
"""Of a loop around one node: each round has three events and more."""


def one_state(page: Page, dock: Locator) -> None:
    """Whatever tells a state of the run or of its loop, in waterfall and detail, says that it succeeded."""
    expect(page.locator(".status").filter(has_text="Succeeded").first).to_be_visible()
    expect(page.locator(".status").filter(has_text=re.compile("Running|Queued"))).to_have_count(0)
    dock.get_by_role("tab", name="Waterfall").click()
    tree = dock.get_by_role("tree", name="Steps of the run over time")
    tree.evaluate("tree => { tree.scrollTop = 0; tree.parentElement.scrollTop = 0 }")  # it followed the rounds
    line = tree.get_by_role("treeitem").filter(has_text="Many")
    expect(line.first).to_have_attribute("data-tip", SUCCEEDED)
    line.first.click()
    detail = dock.get_by_role("region", name="Many")
    tone = line.first.locator("[data-tone]").first.get_attribute("data-tone")
    expect(detail.locator("header [data-tone]").first).to_have_attribute("data-tone", tone or "none")


@pytest.mark.timeout(600)  # of which most is the run itself, where others work too
def test_ten_thousand_events_end_in_one_state(page: Page, patchbay: Instance, owner_token: str) -> None:
    many = at("many", "loop", {"vars": {}, "max": ROUNDS}, 300)
    inner = at("inner", "template", {"template": "{{ loop.index }}"}, 40, 60) | {"parent": "many"}
    editor = opened(page, patchbay, owner_token, [start(), many, inner], "start -> many")
    editor.run(form=False)
    workflow = page.url.split("?")[0].rsplit("/", 1)[-1]

    def newest() -> dict[str, Any]:
        runs = patchbay.request("GET", f"/api/runs?workflow={workflow}", token=owner_token)[1]["results"]
        return dict(runs[0]) if runs else {}

    until(lambda: newest().get("state") == "SUCCESS", seconds=300)
    run = newest()
    assert patchbay.request("GET", f"/api/runs/{run['id']}", token=owner_token)[1]["last_seq"] >= 10_000
    for reloaded in (False, True):  # watched while it went on; opened afterwards
        if reloaded:
            page.reload()
        one_state(page, editor.dock)
        for name in ("Start", "Many", "Inner"):
            expect(editor.card(name)).to_have_accessible_name(SUCCEEDED)
    page.goto(f"/runs/{run['id']}")
    expect(page.locator("header").first.get_by_text("Succeeded")).to_be_visible()
    one_state(page, page.get_by_role("region", name="Run", exact=True))
