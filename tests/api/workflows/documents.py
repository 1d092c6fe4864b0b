"""Graphs and workflows for the tests of this folder."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from tests.people import Person

EMPTY: dict[str, Any] = {"schema": 1, "nodes": [], "edges": []}


def node(id: str, type: str, **config: Any) -> dict[str, Any]:
    return {"id": id, "type": type, "v": 1, "position": {"x": 0, "y": 0}, "config": config}


def edge(source: str, target: str) -> dict[str, Any]:
    return {"id": f"{source}_{target}", "source": source, "source_port": "out", "target": target, "target_port": "in"}


def line(*nodes: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A graph: start, the nodes in a row, end."""
    row = [node("start", "start", inputs={"type": "object"}), *nodes, node("end", "end", outputs={"done": True})]
    edges = [edge(a["id"], b["id"]) for a, b in pairwise(row)]
    return {"schema": 1, "nodes": row, "edges": edges, **more}


def create_workflow(person: Person, graph: Any = None, name: str = "One") -> str:
    reply = person.api.post("/api/workflows", {"name": name, **({"graph": graph} if graph is not None else {})})
    assert reply.status == 201, reply.text
    return f"/api/workflows/{reply.data['id']}"
