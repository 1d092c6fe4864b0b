"""A run as it is watched: every place tells the same state, and the view goes where something works or waits."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.drawn import opened, start, text
from tests.instance import Instance, until

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
    desk = opened(page, patchbay, owner_token, [start(), text("one", 240)], "start -> one")
    ended(patchbay, owner_token, page)
    page.reload()
    expect(desk.dock.get_by_text("Succeeded").first).to_be_visible()
    expect(desk.card("One")).to_have_accessible_name(SUCCEEDED)


def test_cards_of_a_graph_edited_since_tell_no_state(page: Page, patchbay: Instance, owner_token: str) -> None:
    desk = opened(page, patchbay, owner_token, [start(), text("one", 240)], "start -> one")
    ended(patchbay, owner_token, page)
    page.reload()
    expect(desk.card("One")).to_have_accessible_name(SUCCEEDED)
    desk.card("One").click()
    page.keyboard.press("ArrowDown")
    expect(desk.card("One")).not_to_have_accessible_name(SUCCEEDED)
    expect(desk.dock.get_by_text("edited since")).to_be_visible()
    desk.saved()
    page.reload()
    expect(desk.dock.get_by_text("edited since")).to_be_visible()
    expect(desk.card("One")).not_to_have_accessible_name(SUCCEEDED)
