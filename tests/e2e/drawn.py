"""Graphs drawn for a test, open in the editor."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, expect

from tests.api.runs.conftest import graph, node
from tests.e2e.editor_page import EditorPage
from tests.instance import Instance


def opened(page: Page, patchbay: Instance, token: str, nodes: list[dict[str, Any]], *arrows: str) -> EditorPage:
    """Make the workflow and open it; what moves by itself is there at once."""
    page.emulate_media(reduced_motion="reduce")
    body = {"name": "Hands", "graph": graph(nodes, *arrows)}
    status, created = patchbay.request("POST", "/api/workflows", body, token)
    assert status == 201, created
    page.goto(f"/workflows/{created['id']}")
    editor = EditorPage(page)
    expect(editor.card("Start")).to_be_visible()
    page.wait_for_load_state("networkidle")
    return editor


def text(name: str, x: float, y: float = 0) -> dict[str, Any]:
    """A node that says something, at a place."""
    return node(name, "template", {"template": name}, title=name.title()) | {"position": {"x": x, "y": y}}


def start() -> dict[str, Any]:
    """Where it begins."""
    return node("start", "start", {}) | {"position": {"x": 0, "y": 0}}


def template(name: str, title: str, says: str, x: float) -> dict[str, Any]:
    """A template with a title, at a place."""
    return node(name, "template", {"template": says}, title=title) | {"position": {"x": x, "y": 0}}
