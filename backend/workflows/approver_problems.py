"""Problems of a document that lets nobody approve: its approvers are more people than the team has.

Warnings: people may come before it runs, and its questions say whose yes can still count.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from backend.accounts.actor import Actor
from backend.accounts.teams.deciding import deciders
from backend.engine.document.problems import Problem
from backend.tools.approvers import ANYONE, Approvers, least_members, rule_of


def _settings(graph: dict[str, Any]) -> Iterator[tuple[str, str | None, Approvers]]:
    """(JSON pointer, node, rule) of the document's own setting and those of its approval nodes."""
    yield "/approvers", None, rule_of(graph.get("approvers"))
    nodes = graph.get("nodes")
    for index, node in enumerate(nodes if isinstance(nodes, list) else []):
        config = node.get("config") if isinstance(node, dict) else None
        if isinstance(config, dict) and node.get("type") == "approval":
            yield f"/nodes/{index}/config/approvers", str(node.get("id") or ""), rule_of(config.get("approvers"))


def approver_problems(actor: Actor, graph: dict[str, Any]) -> list[Problem]:
    """Settings that ask for more people than may approve in the team, whoever of them starts the run."""
    restricted = [setting for setting in _settings(graph) if setting[2] != ANYONE]
    if not restricted:
        return []
    there = len(deciders(actor.team.id))
    return [
        Problem("approvers_few", "warning", path, node=node, params={"count": least_members(rule)})
        for path, node, rule in restricted
        if there < least_members(rule)
    ]
