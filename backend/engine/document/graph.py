"""The graph of a document as typed values, read from any JSON: what cannot be read becomes a problem, nothing raises.

A node without a usable id is left out of the graph; everything else of it is kept with a plain value in the place of
what was wrong, so that one mistake does not hide the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from backend.engine.document.concurrency import Concurrency, read_concurrency
from backend.engine.document.problems import Problems
from backend.engine.document.shape import Budget, BudgetsJson, OnError
from backend.engine.document.types import ERROR, IN, OUT, Retry
from backend.engine.language.expressions import RESERVED, pointer_token
from backend.tools.approvers import ANYONE, RULES, Approvers, rule_of
from backend.tools.types import JsonObject, JsonValue

ID: Final = re.compile(r"[a-z][a-z0-9_]{0,62}")

BUDGETS: Final[tuple[Budget, ...]] = ("tokens", "cost", "seconds", "tool_calls")
_ON_ERROR: Final[dict[object, OnError]] = {"fail": "fail", "continue": "continue", "port": "port"}


@dataclass(slots=True)
class Node:
    """One node as the document says. `at` = its JSON pointer; `retry` None = the type's own policy."""

    id: str
    type: str
    v: int
    at: str
    config: JsonObject
    parent: str | None = None
    on_error: OnError = "fail"
    retry: Retry | None = None
    timeout_s: float | None = None
    disabled: bool = False
    pinned: JsonObject | None = None
    round: JsonObject | None = None


@dataclass(slots=True)
class Edge:
    """One edge between two nodes that exist. `at` = its JSON pointer."""

    id: str
    source: str
    source_port: str
    target: str
    target_port: str
    at: str


@dataclass(slots=True)
class Graph:
    """A document's graph: nodes by id in document order, edges whose two ends exist."""

    nodes: dict[str, Node] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    variables: dict[str, JsonObject] = field(default_factory=dict)  # as declared: {default?, scope?, …}
    env: JsonObject = field(default_factory=dict)
    mcp_servers: JsonObject = field(default_factory=dict)
    language: str = "en"
    budgets: BudgetsJson = field(default_factory=BudgetsJson)
    concurrency: Concurrency | None = None
    approvers: Approvers = ANYONE


def read_graph(document: object, problems: Problems) -> Graph:
    """The graph of any JSON value; what is wrong with its shape is added to `problems`."""
    graph = Graph()
    if not isinstance(document, dict):
        problems.add("shape", "", expected="object")
        return graph
    if document.get("schema") != 1 or isinstance(document.get("schema"), bool):
        problems.add("schema_version", "/schema")
    graph.language = "zh" if str(document.get("language") or "").startswith("zh") else "en"
    graph.variables = _read_variables(_member(document, "variables", dict, problems), problems)
    graph.env = _member(document, "env", dict, problems)
    graph.mcp_servers = _member(document, "mcp_servers", dict, problems)
    graph.budgets = _read_budgets(_member(document, "budgets", dict, problems), problems)
    graph.concurrency = read_concurrency(_member(document, "concurrency", dict, problems), problems)
    graph.approvers = _read_approvers(document.get("approvers"), problems)
    for i, raw in enumerate(_member(document, "nodes", list, problems)):
        node = _read_node(raw, f"/nodes/{i}", graph, problems)
        if node:
            graph.nodes[node.id] = node
    seen: set[str] = set()
    for i, raw in enumerate(_member(document, "edges", list, problems)):
        edge = _read_edge(raw, f"/edges/{i}", graph, seen, problems)
        if edge:
            graph.edges.append(edge)
    return graph


def _member(document: JsonObject, key: str, kind: type[Any], problems: Problems) -> Any:
    value = document.get(key)
    if value is None:
        return kind()
    if not isinstance(value, kind):
        problems.add("shape", f"/{key}", expected="object" if kind is dict else "array")
        return kind()
    return value


def _read_approvers(raw: JsonValue, problems: Problems) -> Approvers:
    """Who must agree to what the workflow's runs ask approval for."""
    if raw is not None and raw not in RULES:
        problems.add("config_choice", "/approvers", field="approvers", expected=", ".join(RULES))
    return rule_of(raw)


def _read_budgets(raw: JsonObject, problems: Problems) -> BudgetsJson:
    """What one run may use: `{tokens, cost, seconds, tool_calls}` (absent or null = no limit) and `on_limit`."""
    budgets: Any = {}
    for key, value in raw.items():
        pointer = f"/budgets/{pointer_token(key)}"
        if key == "on_limit":
            if value not in ("stop", "ask", None):
                problems.add("config_choice", pointer, field=key, expected="stop, ask")
        elif key not in BUDGETS:
            problems.add("config_unknown", pointer, severity="warning", field=key)
            continue
        elif value is not None and (
            isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e15
        ):
            problems.add("config_type", pointer, field=key, expected="number")
        if value is not None:
            budgets[key] = value
    checked: BudgetsJson = budgets
    return checked


def _read_variables(raw: JsonObject, problems: Problems) -> dict[str, JsonObject]:
    for name, about in raw.items():
        pointer = f"/variables/{pointer_token(name)}"
        if not ID.fullmatch(name):
            problems.add("id_bad", pointer, id=name)
        if not isinstance(about, dict):
            problems.add("shape", pointer, expected="object")
        elif about.get("scope", "run") not in ("run", "conversation"):
            problems.add("config_choice", f"{pointer}/scope", field="scope", expected="run, conversation")
    return {name: about for name, about in raw.items() if isinstance(about, dict)}


def _read_node(raw: JsonValue, pointer: str, graph: Graph, problems: Problems) -> Node | None:
    if not isinstance(raw, dict):
        problems.add("shape", pointer, expected="object")
        return None
    id_ = raw.get("id")
    if not isinstance(id_, str) or not ID.fullmatch(id_):
        problems.add("id_bad", f"{pointer}/id", id=str(id_)[:80])
        return None
    if id_ in graph.nodes:
        problems.add("id_double", f"{pointer}/id", node=id_, id=id_)
        return None
    if id_ in RESERVED:
        problems.add("id_reserved", f"{pointer}/id", node=id_, id=id_)
    node = Node(id_, str(raw.get("type") or ""), 1, pointer, {})
    _read_settings(node, raw, problems)
    return node


def _read_settings(node: Node, raw: JsonObject, problems: Problems) -> None:
    def wrong(key: str, expected: str) -> None:
        problems.add("shape", f"{node.at}/{key}", node=node.id, expected=expected)

    v, config, parent = raw.get("v", 1), raw.get("config"), raw.get("parent")
    if isinstance(v, int) and not isinstance(v, bool) and v > 0:
        node.v = v
    else:
        wrong("v", "whole number")
    if config is None or isinstance(config, dict):
        node.config = config or {}
    else:
        wrong("config", "object")
    if parent is None or isinstance(parent, str):
        node.parent = parent or None
    else:
        wrong("parent", "string")
    on_error, timeout = raw.get("on_error"), raw.get("timeout_s")
    if on_error is None or (isinstance(on_error, str) and on_error in _ON_ERROR):
        node.on_error = _ON_ERROR[on_error or "fail"]
    else:
        wrong("on_error", "fail, continue, port")
    if isinstance(timeout, int | float) and not isinstance(timeout, bool) and 0 < timeout < 1e9:
        node.timeout_s = float(timeout)
    elif timeout is not None:
        wrong("timeout_s", "number")
    node.pinned, node.round = _optional_object(raw, "pinned", wrong), _optional_object(raw, "round", wrong)
    node.disabled = raw.get("disabled") is True
    node.retry = _read_retry(raw.get("retry"), wrong)


def _optional_object(raw: JsonObject, key: str, wrong: Callable[[str, str], None]) -> JsonObject | None:
    value = raw.get(key)
    if value is None or isinstance(value, dict):
        return value
    wrong(key, "object")
    return None


def _read_retry(raw: JsonValue, wrong: Any) -> Retry | None:
    if raw is None:
        return None
    if not isinstance(raw, dict):
        wrong("retry", "object")
        return None
    values: dict[str, float] = {}
    for key, least in (("max", 0), ("delay_s", 0), ("factor", 1), ("max_delay_s", 0)):
        value = raw.get(key)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= 86_400:
            wrong(f"retry/{key}", "number")
        else:
            values[key] = value
    return Retry(
        max=int(values.get("max", 0)),
        delay_s=values.get("delay_s", 1.0),
        factor=values.get("factor", 2.0),
        max_delay_s=values.get("max_delay_s", 10.0),
    )


def _read_edge(raw: JsonValue, pointer: str, graph: Graph, seen: set[str], problems: Problems) -> Edge | None:
    if not isinstance(raw, dict):
        problems.add("shape", pointer, expected="object")
        return None
    id_ = raw.get("id")
    name = id_ if isinstance(id_, str) else None
    if name is None or not name or len(name) > 200:
        problems.add("shape", f"{pointer}/id", expected="string")
        name = pointer
    if name in seen:
        problems.add("edge_double", f"{pointer}/id", edge=name, id=name)
    seen.add(name)
    ends = {}
    for key in ("source", "target"):
        ends[key] = raw.get(key)
        if not isinstance(ends[key], str) or ends[key] not in graph.nodes:
            problems.add("edge_dangling", f"{pointer}/{key}", edge=name, name=str(ends[key])[:80])
    ports = {"source_port": OUT, "target_port": IN}
    for key in ports:
        value = raw.get(key)
        if isinstance(value, str):
            ports[key] = value
        elif value is not None:
            problems.add("shape", f"{pointer}/{key}", edge=name, expected="string")
    if not all(isinstance(end, str) and end in graph.nodes for end in ends.values()):
        return None
    return Edge(name, str(ends["source"]), ports["source_port"], str(ends["target"]), ports["target_port"], pointer)


def error_ports(node: Node) -> tuple[str, ...]:
    """The error port where the node has one."""
    return (ERROR,) if node.on_error == "port" else ()
