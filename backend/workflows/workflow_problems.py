"""Problems of a document with the workflows that it calls: as nodes, and as tools of nodes with a model.

All are warnings: a workflow may be made or published before the node runs, and the node has the last word then.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import Q

from backend.accounts.actor import Actor
from backend.engine.document.problems import Problem
from backend.engine.document.types import is_expression
from backend.web.lookup import storable
from backend.workflows.models import Workflow


def workflow_uses(graph: dict[str, Any]) -> Iterator[tuple[str, str, str, int | None]]:
    """(node, JSON pointer, workflow, version or None) for every workflow named by a text without expressions."""
    nodes = graph.get("nodes")
    for index, node in enumerate(nodes if isinstance(nodes, list) else []):
        config = node.get("config") if isinstance(node, dict) else None
        if not isinstance(config, dict):
            continue
        key, pointer = str(node.get("id") or ""), f"/nodes/{index}/config"
        if node.get("type") == "workflow" and _names(config.get("workflow")):
            version = config.get("version")
            yield key, f"{pointer}/workflow", config["workflow"], version if isinstance(version, int) else None
        tools = config.get("tools")
        named = tools.get("workflows") if isinstance(tools, dict) else None
        for place, name in enumerate(named if isinstance(named, list) else []):
            if _names(name):
                yield key, f"{pointer}/tools/workflows/{place}", name, None


def _names(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and not is_expression(value)


def workflow_problems(actor: Actor, graph: dict[str, Any]) -> list[Problem]:
    """Workflows that do not exist, and ones without a published version where that is what would run."""
    uses = list(workflow_uses(graph))
    names = {name for _, _, name, _ in uses if storable(name)}
    if not uses:
        return []
    rows = Workflow.objects.filter(Q(slug__in=names) | Q(id__in=names), team=actor.team)
    known = {name: row[2] for row in rows.values_list("slug", "id", "published_version") for name in row[:2]}
    problems: list[Problem] = []
    for node, path, name, version in uses:
        params = {"workflow": name}
        if name not in known:
            problems.append(Problem("workflow_unknown", "warning", path, node=node, params=params))
        elif known[name] is None and version is None:
            problems.append(Problem("workflow_unpublished", "warning", path, node=node, params=params))
    return problems
