"""The canvas by keyboard."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.e2e.editor_page import EditorPage
from tests.instance import Instance

Place = tuple[float, float]


def graph() -> dict[str, Any]:
    """Start, two templates, and a node that takes long; near enough to be seen beside the inspector."""
    row = [
        ("start", "start", 0, 0, {"inputs": {}}),
        ("first", "template", 240, 0, {"template": "one"}),
        ("second", "template", 240, 160, {"template": "two"}),
        ("rest", "wait", 0, 160, {"seconds": 60}),
    ]
    nodes = [
        {"id": name, "type": kind, "v": 1, "title": name.title(), "position": {"x": x, "y": y}, "config": config}
        for name, kind, x, y, config in row
    ]
    edges = [
        {"id": f"to_{b[0]}", "source": a[0], "source_port": "out", "target": b[0], "target_port": "in"}
        for a, b in pairwise(row)
    ]
    return {"schema": 1, "nodes": nodes, "edges": edges}


def opened(page: Page, patchbay: Instance, token: str, name: str) -> EditorPage:
    """A workflow with that graph, open, with the focus on the canvas."""
    status, created = patchbay.request("POST", "/api/workflows", {"name": name, "graph": graph()}, token)
    assert status == 201, created
    page.goto(f"/workflows/{created['id']}")
    editor = EditorPage(page)
    expect(editor.card("Second")).to_be_visible()
    return editor


def place(card: Locator) -> Place:
    """Where a card stands in the graph."""
    result = re.search(r"translate\((-?[\d.]+)px, ?(-?[\d.]+)px\)", card.get_attribute("style") or "")
    assert result
    return float(result[1]), float(result[2])
