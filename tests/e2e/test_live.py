"""Watching a run: reloads, lost networks, cancel, approval, a killed process; always the same story."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from tests.e2e.conftest import sign_up
from tests.e2e.editor_page import EditorPage
from tests.instance import Instance, until

ENDED = {"SUCCESS", "ERROR", "CANCELLED"}
SUCCEEDED = re.compile("succeeded", re.I)
RUNNING = re.compile("running", re.I)


@pytest.fixture(autouse=True)
def ends_with_the_test(patchbay: Instance, owner_token: str) -> Iterator[None]:
    """No run of one test is still there in the next."""
    yield
    for run in patchbay.request("GET", "/api/runs", token=owner_token)[1]["results"]:
        if run["state"] not in ENDED:
            patchbay.request("POST", f"/api/runs/{run['id']}/cancel", {}, owner_token)
    until(
        lambda: all(
            run["state"] in ENDED for run in patchbay.request("GET", "/api/runs", token=owner_token)[1]["results"]
        )
    )


def test_a_reload_in_mid_run_loses_nothing(page: Page) -> None:
    editor = EditorPage(page).open("A tour")
    editor.run()
    expect(editor.card("Show progress")).to_have_accessible_name(RUNNING)
    page.reload()
    expect(editor.card("Look up the weather")).to_have_accessible_name(SUCCEEDED)
    expect(editor.card("Show progress")).to_have_accessible_name(SUCCEEDED)


def test_a_cut_network_loses_nothing(page: Page, context: BrowserContext) -> None:
    editor = EditorPage(page).open("A tour")
    editor.run()
    expect(editor.card("Show progress")).to_have_accessible_name(RUNNING)
    context.set_offline(True)
    context.set_offline(False)
    expect(editor.card("And another")).to_have_accessible_name(SUCCEEDED)
    editor.dock.get_by_role("tab", name="Log").click()
    lines = editor.dock.get_by_role("log").get_by_role("button")
    expect(lines.first).to_be_visible()
    rows = lines.all_inner_texts()
    numbers = [int(row.split()[0]) for row in rows]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_code_that_does_not_come_takes_nothing_else_from_the_page(page: Page) -> None:
    requests: list[str] = []

    def refuse(route: Route) -> None:
        requests.append(route.request.url)
        route.abort()

    page.route(re.compile("/BudgetLine-"), refuse)  # a line on top of the page that nobody asked for
    editor = EditorPage(page).open("A tour")
    until(lambda: page.title() and len(requests) >= 2)  # a browser's events come while it is asked something
    expect(editor.card("Show progress")).to_be_visible()
    page.wait_for_load_state("networkidle")  # it is given up by now, and nothing more is said of it


@pytest.mark.wide
def test_a_key_pressed_without_a_network_is_heard_when_it_is_back(page: Page, context: BrowserContext) -> None:
    EditorPage(page).open("A tour")
    with page.expect_event("requestfailed", lambda request: "CommandPalette-" in request.url):
        context.set_offline(True)
        page.keyboard.press("Control+k")
    context.set_offline(False)
    expect(page.get_by_role("dialog").get_by_role("option").first).to_be_visible()


def test_stop_cancels_what_is_under_way(page: Page) -> None:
    editor = EditorPage(page).open("A tour")
    editor.run()
    expect(editor.card("Show progress")).to_have_accessible_name(RUNNING)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("Cancelled").first).to_be_visible()


def test_a_destructive_tool_asks_and_the_card_leads_to_the_question(page: Page) -> None:
    editor = EditorPage(page).open("A tour")
    editor.run()
    card = editor.card("Delete a record")
    card.get_by_role("button", name="Review").click()
    expect(card.get_by_role("button", name="Approve")).to_have_count(0)
    editor.dock.get_by_role("button", name="Approve", exact=True).click()
    expect(card).to_have_accessible_name(SUCCEEDED)
    expect(editor.card("It is gone")).to_have_accessible_name(SUCCEEDED)
    expect(editor.card("It was kept")).to_have_accessible_name(re.compile("skipped", re.I))


@pytest.mark.wide
def test_the_inbox_answers_with_other_arguments(page: Page) -> None:
    editor = EditorPage(page).open("A tour")
    editor.run()
    expect(editor.card("Delete a record").get_by_role("button", name="Review")).to_be_visible()
    page.goto("/inbox")
    page.get_by_text("Allow demo/delete_record?").first.click()
    page.get_by_role("textbox", name="record").fill("B-42")
    page.get_by_role("button", name="Approve", exact=True).click()
    page.goto("/runs")
    page.get_by_role("link", name=re.compile("A tour")).first.click()
    expect(page.get_by_text("Succeeded").first).to_be_visible()
    editor.card("Delete a record").click()
    expect(page.get_by_text("B-42").first).to_be_visible()


@pytest.mark.wide
def test_a_decline_goes_the_way_of_the_error_port(page: Page) -> None:
    editor = EditorPage(page).open("A tour")
    editor.run()
    expect(editor.card("Delete a record").get_by_role("button", name="Review")).to_be_visible()
    editor.card("Delete a record").get_by_role("button", name="Review").click()
    editor.dock.get_by_role("textbox", name=re.compile("reason for declining", re.I)).fill("keep it")
    editor.dock.get_by_role("button", name="Decline", exact=True).click()
    expect(editor.card("It was kept")).to_have_accessible_name(SUCCEEDED)


@pytest.mark.wide
def test_a_killed_process_goes_on_by_itself(fresh: Instance, browser: Browser) -> None:
    context = browser.new_context(base_url=fresh.url, viewport={"width": 1440, "height": 900})
    page = context.new_page()
    sign_up(page, fresh.link)
    editor = EditorPage(page).open("A tour")
    editor.run()
    expect(editor.card("A slow call")).to_have_accessible_name(RUNNING)
    fresh.kill()
    fresh.start()
    review = editor.card("Delete a record").get_by_role("button", name="Review")
    expect(review).to_be_visible(timeout=60_000)
    fresh.kill()
    fresh.start()
    page.reload()
    editor.card("Delete a record").get_by_role("button", name="Review").click()
    editor.dock.get_by_role("button", name="Approve", exact=True).click()
    page.get_by_role("button", name="Fit", exact=True).click()  # the question took half of the canvas
    expect(editor.card("The report")).to_have_accessible_name(SUCCEEDED)
    context.close()
