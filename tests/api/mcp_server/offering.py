"""Workflows that are offered to MCP clients."""

from __future__ import annotations

from typing import Any

from backend.workflows.models import Version, Workflow
from tests.api.runs.conftest import graph, make_workflow, node
from tests.people import Person

APPROVAL = graph(
    [
        node("start", "start"),
        node("ask", "approval", {"title": "Go on?"}),
        node("end", "end", {"outputs": {"a": 1, "b": [2]}}),
    ],
    "start -> ask",
    "ask:approved -> end",
)
"""A document that asks for a yes."""


def offered(person: Person, document: dict[str, Any]) -> Workflow:
    """A published workflow that is offered."""
    row = make_workflow(person, document)
    Version.objects.create(workflow=row, number=1, graph=row.draft, published_by=person.user)
    Workflow.objects.filter(pk=row.pk).update(published_version=1, expose_as_tool=True, description="About it.")
    return row
