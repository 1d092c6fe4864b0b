"""The part of a document that a node needs: what "run to here" and a node alone execute. Pure; reads any JSON."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise
from typing import Final

from backend.engine.language.expressions import references
from backend.tools.types import JsonObject, JsonValue


def upstream_part(document: JsonObject, node: str) -> JsonObject | None:
    """The document with the start, `node`, everything upstream of it, and the edges among them; None: no such node.

    A frame that is upstream (or is `node`) is kept with all that is in it. A frame around `node` keeps the nodes before
    `node`, and those that its own expressions speak of, since its rounds end by them. What cannot be read is left out.
    """
    part = _Part(document)
    if node not in part.nodes:
        return None
    for id_, item in part.nodes.items():
        if item.get("type") == "start":
            part.keep(id_)
    part.keep(node)
    kept = part.kept
    edges = [edge for edge in part.edges if edge.get("source") in kept and edge.get("target") in kept]
    return {**document, "nodes": [node for id_, node in part.nodes.items() if id_ in kept], "edges": list(edges)}


_UNUSED_CONFIG: Final[dict[object, JsonObject]] = {"iteration": {"items": []}, "loop": {}}
"""Of a container that does one given round: its own config speaks of nodes that are not kept."""


def alone_part(document: JsonObject, node: str, inputs: Mapping[str, JsonObject]) -> JsonObject | None:
    """The document in which only `node` runs: everything upstream of it is pinned, to what `inputs` has for it.

    Whichever way its branches went, `node` is reached and what it speaks of is there. A container around `node` does
    one round, of the values that `inputs` has for it: `item`, `index`, `loop`, and the outputs of what is before `node`
    in it. None: no such node, or the start.
    """
    part = upstream_part(document, node)
    if part is None or any(item.get("id") == node and item.get("type") == "start" for item in _objects(part["nodes"])):
        return None
    nodes = {str(item["id"]): item for item in _objects(part["nodes"])}
    chain = _chain(nodes, node)
    inside = {id_ for id_ in nodes if id_ not in chain and _chain(nodes, id_)[0] == chain[0]}
    left_out = {id_ for id_ in inside if node not in _chain(nodes, id_)}
    edges = [edge for edge in _objects(part["edges"]) if not {edge.get("source"), edge.get("target")} & left_out]
    for container, child in pairwise(chain):
        before = _before(_objects(part["edges"]), child)
        nodes[container] = _with_round(nodes[container], [id_ for id_ in nodes if id_ in before], inputs)
    kept = {id_: item for id_, item in nodes.items() if id_ not in left_out}
    kept[node] = {key: value for key, value in kept[node].items() if key not in ("pinned", "disabled")}
    return {**part, **_pinned_before(kept, edges, chain[0], inputs)}


def _pinned_before(
    nodes: dict[str, JsonObject], edges: list[JsonObject], node: str, inputs: Mapping[str, JsonObject]
) -> JsonObject:
    """Nodes and edges in which all else of the run's own frame is pinned, and leads from the start to `node`."""
    start = next((id_ for id_, item in nodes.items() if item.get("type") == "start"), None)
    before = [id_ for id_, item in nodes.items() if id_ not in (node, start) and not item.get("parent")]
    joined = [*edges]
    known = {(edge.get("source"), edge.get("source_port"), edge.get("target")) for edge in edges}

    def join(source: str, port: str, target: str) -> None:
        if (source, port, target) in known:
            return
        known.add((source, port, target))
        into = next((str(edge["target_port"]) for edge in joined if edge.get("target") == target), "in")
        joined.append(
            {
                "id": f"alone_{len(joined)}",
                "source": source,
                "source_port": port,
                "target": target,
                "target_port": into,
            }
        )

    if start is not None:
        for id_ in (*before, node):
            join(start, "out", id_)
    for id_ in before:
        for port in sorted({str(edge.get("source_port")) for edge in edges if edge.get("source") == id_}):
            join(id_, port, node)
    pinned: dict[str, JsonObject] = {id_: {**nodes[id_], "pinned": dict(inputs.get(id_) or {})} for id_ in before}
    return {"nodes": [pinned.get(id_, item) for id_, item in nodes.items()], "edges": [*joined]}


def _with_round(container: JsonObject, before: list[str], inputs: Mapping[str, JsonObject]) -> JsonObject:
    """A container that does one round, in which the nodes of `before` are over."""
    own = inputs.get(str(container["id"])) or {}
    values: JsonObject = {id_: dict(inputs.get(id_) or {}) for id_ in before}
    values |= {key: value for key, value in own.items() if key in ("item", "index", "loop")}
    kept = {key: value for key, value in container.items() if key not in ("pinned", "disabled", "on_error")}
    return {**kept, "config": _UNUSED_CONFIG.get(container.get("type"), container.get("config")), "round": values}


def _chain(nodes: Mapping[str, JsonObject], node: str) -> list[str]:
    """The containers around a node, outermost first, and the node."""
    chain = [node]
    while (parent := str(nodes[chain[0]].get("parent") or "")) in nodes and parent not in chain:
        chain.insert(0, parent)
    return chain


def _before(edges: list[JsonObject], node: str) -> set[str]:
    """All that leads to a node in its frame."""
    before: set[str] = set()
    waiting = [node]
    while waiting:
        target = waiting.pop()
        sources = {str(edge.get("source")) for edge in edges if edge.get("target") == target} - before - {node}
        before |= sources
        waiting += sources
    return before


class _Part:
    """What is kept so far. `whole` = the frames of which everything is."""

    def __init__(self, document: JsonObject) -> None:
        self.nodes = {
            str(item["id"]): item for item in _objects(document.get("nodes")) if isinstance(item.get("id"), str)
        }
        self.edges = _objects(document.get("edges"))
        self.kept: set[str] = set()
        self._whole: set[str] = set()
        self._before: defaultdict[str, list[str]] = defaultdict(list)
        self._inside: defaultdict[str, list[str]] = defaultdict(list)
        for edge in self.edges:
            self._before[str(edge.get("target"))].append(str(edge.get("source")))
        for id_, node in self.nodes.items():
            if node.get("parent"):
                self._inside[str(node["parent"])].append(id_)

    def keep(self, first: str) -> None:
        """Keep a node, what is upstream of it, and what is in it."""
        waiting = [(first, True)]
        while waiting:
            id_, whole = waiting.pop()
            if id_ not in self.nodes or id_ in self._whole or (id_ in self.kept and not whole):
                continue
            self.kept.add(id_)
            waiting += [(item, True) for item in self._before[id_]]
            if whole:
                self._whole.add(id_)
                waiting += [(item, True) for item in self._inside[id_]]
            else:
                named = {reference.root for reference in references(self.nodes[id_].get("config"))}
                waiting += [(item, True) for item in self._inside[id_] if item in named]
            if parent := self.nodes[id_].get("parent"):
                waiting.append((str(parent), False))


def _objects(value: JsonValue) -> list[JsonObject]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
