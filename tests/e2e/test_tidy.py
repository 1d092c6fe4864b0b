"""Tidy, as a builder sees it: the order of ports is kept, and the width there is is used."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.api.runs.conftest import node
from tests.e2e.drawn import opened, start, text
from tests.e2e.keyboard import place
from tests.instance import Instance, until

pytestmark = pytest.mark.wide


def test_tidy_keeps_the_order_of_ports(page: Page, patchbay: Instance, owner_token: str) -> None:
    cases: list[dict[str, Any]] = [{"id": name, "conditions": []} for name in ("c", "a", "b")]
    choose = node("choose", "switch", {"cases": cases}) | {"position": {"x": 200, "y": 0}}
    order = ["default", "a", "b", "c"]
    nodes = [start(), choose, *(text(f"to_{name}", 480, 120 * at) for at, name in enumerate(order))]
    arrows = [f"choose:{name} -> to_{name}" for name in order]
    editor = opened(page, patchbay, owner_token, nodes, "start -> choose", *arrows)
    editor.canvas.click(position={"x": 30, "y": 500})
    page.get_by_role("button", name="Tidy", exact=True).click()
    cards = [editor.card(f"To_{name}".title()) for name in ("c", "a", "b", "default")]

    def in_order() -> bool:
        heights = [place(card)[1] for card in cards]
        return heights == sorted(heights)

    until(in_order)


def test_tidy_uses_the_width_there_is(page: Page, patchbay: Instance, owner_token: str) -> None:
    names = ["one", "two", "three", "four", "five", "six", "seven"]
    chain = ["start", *names]
    nodes = [start(), *(text(name, 240 * (at % 3), 200 * (at // 3 + 1)) for at, name in enumerate(names))]
    editor = opened(page, patchbay, owner_token, nodes, *(f"{a} -> {b}" for a, b in pairwise(chain)))
    cards = [editor.card(name.title()) for name in chain]

    def rows() -> int:
        return len({round(place(card)[1] / 40) for card in cards})

    page.get_by_role("button", name="Tidy", exact=True).click()
    until(lambda: rows() == 2)
    page.set_viewport_size({"width": 2400, "height": 900})
    page.get_by_role("button", name="Tidy", exact=True).click()
    until(lambda: rows() == 1)
