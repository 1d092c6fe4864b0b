"""How workflows are shown: the contract's shapes. Documents go out as the text that is stored."""

from __future__ import annotations

from typing import Any

from backend.engine.document.problems import Problem
from backend.workflows.documents import JsonText
from backend.workflows.models import DraftRevision, Version, Workflow


def workflow_summary(workflow: Workflow) -> dict[str, Any]:
    """A workflow as lists show it: without its graph."""
    return {
        "id": workflow.id,
        "name": workflow.name,
        "slug": workflow.slug,
        "description": workflow.description,
        "draft": {
            "revision": workflow.revision,
            "by": workflow.draft_by.email if workflow.draft_by else None,
            "at": workflow.draft_at,
        },
        "published_version": workflow.published_version,
        "expose_as_tool": workflow.expose_as_tool,
        "node_count": workflow.node_count,
        "problem_count": workflow.problem_count,
        "servers": workflow.servers,
        "created_by": workflow.created_by_id,
        "created_at": workflow.created_at,
        "updated_at": workflow.updated_at,
    }


def workflow_json(workflow: Workflow) -> dict[str, Any]:
    """A workflow with its draft."""
    shown = workflow_summary(workflow)
    shown["draft"] = {**shown["draft"], "graph": JsonText(workflow.draft)}
    return shown


def draft_json(workflow: Workflow, problems: list[Problem], language: str) -> dict[str, Any]:
    """The answer to a saved draft."""
    return {"revision": workflow.revision, "problems": problems_json(problems, language)}


def problems_json(problems: list[Problem], language: str) -> list[dict[str, Any]]:
    """Problems in the reader's language."""
    return [problem.as_json(language) for problem in problems]


def revision_json(row: DraftRevision | Workflow) -> dict[str, Any]:
    """One entry of the list of drafts."""
    current = isinstance(row, Workflow)
    by = row.draft_by if isinstance(row, Workflow) else row.by
    at = row.draft_at if isinstance(row, Workflow) else row.at
    return {"revision": row.revision, "by": by.email if by else None, "at": at, "current": current}


def version_json(version: Version, graph: bool = False) -> dict[str, Any]:
    """A published version, with its graph where asked for."""
    shown: dict[str, Any] = {
        "version": version.number,
        "note": version.note,
        "published_at": version.published_at,
        "published_by": version.published_by.email if version.published_by else None,
    }
    return {**shown, "graph": JsonText(version.graph)} if graph else shown
