"""Schemas that would cost hours stop nobody: not when a draft is saved, not where a form is filled in."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from backend.registry.models import Server, Tool
from backend.sandbox.pool import POOL
from tests.api.workflows.documents import EMPTY
from tests.people import Person
from tests.unit.sandbox.costly import doubled, nested

pytestmark = pytest.mark.django_db(transaction=True)


def node(key: str, type_: str, config: dict[str, Any]) -> dict[str, Any]:
    return {"id": key, "type": type_, "v": 1, "position": {"x": 0, "y": 0}, "config": config}


@pytest.mark.parametrize("below", [True, False], ids=["by depth of the value", "at one place"])
def test_a_draft_that_names_a_tool_with_a_bomb_is_saved(bob: Person, adam: Person, below: bool) -> None:
    adam.api.post("/api/mcp/servers", {"name": "Clock", "transport": "http", "url": "https://example.org/mcp"})
    about = {"name": "now", "title": "", "description": "", "input_schema": doubled(40, below)}
    hashes = {"definition_hash": "x", "pinned_hash": "x", "listed_at": timezone.now()}
    Tool.objects.create(server=Server.objects.get(), name="now", definition=about, pinned_definition=about, **hashes)
    calls = [node(f"n{n}", "mcp_tool", {"server": "clock", "tool": "now", "arguments": nested(40)}) for n in range(20)]
    graph = {**EMPTY, "nodes": [node("start", "start", {}), *calls]}
    created = bob.api.post("/api/workflows", {"name": "Bomb"}).data
    saved = bob.api.put(f"/api/workflows/{created['id']}/draft", {"revision": 1, "graph": graph})
    assert saved.status == 200 and saved.data["problems"] is not None


def test_inputs_that_cannot_be_checked_are_not_let_through(bob: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = {**EMPTY, "nodes": [node("start", "start", {"inputs": {"type": "object", **doubled(40, True)}})]}
    created = bob.api.post("/api/workflows", {"name": "Bomb", "graph": graph}).data
    at = f"/api/workflows/{created['id']}/runs"
    assert bob.api.post(at, {"version": "draft", "inputs": {}}).status == 202
    monkeypatch.setattr(POOL, "longest_s", 1.0)
    refused = bob.api.post(at, {"version": "draft", "inputs": nested(40)})
    assert refused.status == 400 and "takes too long" in str(refused.data["fields"])


def test_a_schema_that_explodes_by_itself_is_a_problem_of_the_draft(bob: Person) -> None:
    graph = {**EMPTY, "nodes": [node("start", "start", {"inputs": {"type": "object", **doubled(40, False)}})]}
    created = bob.api.post("/api/workflows", {"name": "Bomb", "graph": graph}).data
    checked = bob.api.post(f"/api/workflows/{created['id']}/validate", {}).data
    assert any(problem["path"].startswith("/nodes/0/config/inputs") for problem in checked["problems"]), checked
