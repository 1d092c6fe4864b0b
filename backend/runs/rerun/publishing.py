"""Saved tests as a condition for publishing: all of a workflow are played with the document that would be published."""

from __future__ import annotations

from backend.errors import FailingTests
from backend.runs.models import WorkflowTest
from backend.runs.rerun.workflow_tests import RIGHT, workflow_test_run
from backend.workflows.models import Workflow


def refuse_failing(workflow: Workflow, text: str, version: int | None) -> None:
    """Raise FailingTests with the tests that give something else, and the nodes that do."""
    tests = list(WorkflowTest.objects.filter(team=workflow.team_id, workflow=workflow).order_by("created_at", "pk"))
    failed = [
        {"id": test.pk, "name": test.name, "nodes": wrong}
        for test in tests
        if (wrong := _wrong_nodes(test, text, version)) is not None
    ]
    if failed:
        raise FailingTests(params={"count": str(len(failed)), "all": str(len(tests))}, detail={"tests": failed})


def _wrong_nodes(test: WorkflowTest, text: str, version: int | None) -> list[str] | None:
    """The nodes that give something else; None = the test passes. A test that takes too long passes for none."""
    try:
        result = workflow_test_run(test, text, version)
    except TimeoutError:
        return []
    return None if result["ok"] else [node["node"] for node in result["nodes"] if node["status"] not in RIGHT]
