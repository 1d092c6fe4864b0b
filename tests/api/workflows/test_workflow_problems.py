"""What a draft says of the workflows that it calls."""

from __future__ import annotations

from typing import Any

from tests.api.runs.conftest import graph, node
from tests.people import Person


def problems(person: Person, nodes: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    """(code, severity, path) of what calling workflows has to do with."""
    document = graph(
        [node("start", "start", {"inputs": {"type": "object"}}), *nodes], *(f"start -> {node['id']}" for node in nodes)
    )
    created = person.api.post("/api/workflows", {"name": "Caller", "graph": document}).data
    reply = person.api.post(f"/api/workflows/{created['id']}/validate", {}).data["problems"]
    return [(item["code"], item["severity"], item["path"]) for item in reply if item["code"].startswith("workflow_")]


def test_unknown_and_unpublished_workflows_are_warned_about(bob: Person) -> None:
    created = bob.api.post("/api/workflows", {"name": "Called"}).data
    calls = [
        node("gone", "workflow", {"workflow": "not-there"}),
        node("early", "workflow", {"workflow": created["slug"]}),
        node("exact", "workflow", {"workflow": created["id"], "version": 1}),
        node("later", "workflow", {"workflow": "{{ start.which }}"}),
        node("ask", "agent", {"query": "?", "tools": {"workflows": [created["slug"], "nor-this"]}}),
    ]
    assert problems(bob, calls) == [
        ("workflow_unknown", "warning", "/nodes/1/config/workflow"),
        ("workflow_unpublished", "warning", "/nodes/2/config/workflow"),
        ("workflow_unpublished", "warning", "/nodes/5/config/tools/workflows/0"),
        ("workflow_unknown", "warning", "/nodes/5/config/tools/workflows/1"),
    ]


def test_another_teams_workflow_does_not_exist(bob: Person, charlie: Person) -> None:
    created = charlie.api.post("/api/workflows", {"name": "Secret"}).data
    result = problems(bob, [node("gone", "workflow", {"workflow": created["id"]})])
    assert result == [("workflow_unknown", "warning", "/nodes/1/config/workflow")]


def test_budgets_of_a_document_are_checked(bob: Person) -> None:
    document = graph(
        [node("start", "start", {})],
        budgets={"tokens": 10, "cost": None, "seconds": "long", "tool_calls": -1, "on_limit": "explode", "beer": 2},
    )
    created = bob.api.post("/api/workflows", {"name": "Costly", "graph": document}).data
    reply = bob.api.post(f"/api/workflows/{created['id']}/validate", {}).data["problems"]
    matches = [(item["code"], item["severity"], item["path"]) for item in reply if item["path"].startswith("/budgets")]
    assert sorted(matches) == [
        ("config_choice", "error", "/budgets/on_limit"),
        ("config_type", "error", "/budgets/seconds"),
        ("config_type", "error", "/budgets/tool_calls"),
        ("config_unknown", "warning", "/budgets/beer"),
    ]
