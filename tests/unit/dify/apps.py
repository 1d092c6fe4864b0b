"""Apps of Dify for the tests of this folder, and what becomes of them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from backend.engine.document.problems import Problem
from backend.engine.document.validate import validate
from backend.nodes import node_types
from backend.workflows.dify.conversion import converted
from backend.workflows.report import Choices, Imported, KnownTool, Line, ModelName, TeamHas

MODEL = {"provider": "langgenius/openai/openai", "name": "gpt-4o", "completion_params": {"temperature": 0.5}}
TEAM = TeamHas(
    tools=(
        KnownTool("bing", "search", "", "LOW", ("q", "count"), frozenset({"q"}), frozenset({"q"})),
        KnownTool("maps", "route", "", "LOW", ("from", "to"), frozenset({"from", "to"}), frozenset({"from", "to"})),
    ),
    models=(ModelName("house", "gpt-4o"),),
    providers=frozenset({"house"}),
    secrets=frozenset({"weather_key"}),
    servers={"bing": "bing", "bing search": "bing", "maps": "maps"},
    addresses={"https://mcp.maps.example/sse": "maps"},
)


def node(id: str, type: str, parent: str | None = None, **data: Any) -> dict[str, Any]:
    """A node as Dify writes it."""
    out: dict[str, Any] = {"id": id, "data": {"type": type, "title": data.pop("title", id), **data}}
    return {**out, "parentId": parent} if parent else out


def edge(source: str, target: str, handle: str = "source") -> dict[str, Any]:
    return {"source": source, "sourceHandle": handle, "target": target, "targetHandle": "target"}


START = node(
    "start", "start", variables=[{"variable": "topic", "type": "paragraph", "label": "Topic", "required": True}]
)


def app(*nodes: dict[str, Any], edges: Any = None, mode: str = "workflow", **workflow: Any) -> dict[str, Any]:
    """An app: a start, and the nodes behind it in a row where no edges are given."""
    rows = [START, *nodes] if not any(entry["data"]["type"] == "start" for entry in nodes) else list(nodes)
    row = [entry["id"] for entry in rows if "parentId" not in entry]
    values = [edge(a, b) for a, b in pairwise(row)] if edges is None else edges
    return {
        "kind": "app",
        "version": "0.3.1",
        "app": {"mode": mode, "name": "App"},
        "workflow": {"graph": {"nodes": rows, "edges": values}, **workflow},
    }


class Conversion:
    """What became of an app."""

    def __init__(self, imported: Imported) -> None:
        self.graph, self.report = imported.graph, imported.report
        self.nodes: dict[str, dict[str, Any]] = {entry["id"]: entry for entry in self.graph["nodes"]}
        self.edges = {(e["source"], e["source_port"], e["target"]) for e in self.graph["edges"]}

    def line(self, title: str) -> Line:
        return next(line for line in self.report.lines if line.title == title)

    def config(self, id: str) -> dict[str, Any]:
        """The configuration of a node that is no placeholder."""
        assert self.nodes[id]["type"] != "placeholder", self.nodes[id]
        config: dict[str, Any] = self.nodes[id]["config"]
        return config

    @property
    def errors(self) -> list[Problem]:
        """What keeps it from running besides placeholders."""
        problems = validate(self.graph, node_types())
        return [p for p in problems if p.severity == "error" and p.code != "placeholder"]


def conversion(*nodes: dict[str, Any], choices: Choices | None = None, language: str = "en", **more: Any) -> Conversion:
    """The document of an app with these nodes, for a team that has a model and two servers."""
    return Conversion(converted(app(*nodes, **more), node_types(), TEAM, choices, language=language))


def has(*types: str) -> bool:
    """Whether this installation has these node types."""
    return all(type_ in node_types() for type_ in types)
