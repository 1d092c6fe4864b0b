"""Workflows that are offered to MCP clients."""

from __future__ import annotations

from typing import Any

from backend.workflows.models import Version, Workflow
from tests.api.runs.conftest import make_workflow
from tests.people import Person


def offered(person: Person, document: dict[str, Any]) -> Workflow:
    """A published workflow that is offered."""
    row = make_workflow(person, document)
    Version.objects.create(workflow=row, number=1, graph=row.draft, published_by=person.user)
    Workflow.objects.filter(pk=row.pk).update(published_version=1, expose_as_tool=True, description="About it.")
    return row
