"""The shape of a graph: frames, cycles, what start reaches, what lies upstream of what. Pure and linear.

A frame is the nodes of one parent (None = the run itself); an edge joins nodes of one frame. What lies upstream is
asked in bulk: bits for the nodes that are asked for travel along the edges once, some thousand at a time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from backend.engine.document.graph import Graph

BITS = 4_096
DEPTH = 25


class Frames:
    """Frames of a graph with their edges; only edges inside one frame count."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.members: dict[str | None, list[str]] = defaultdict(list)
        self.after: dict[str, list[str]] = {id_: [] for id_ in graph.nodes}
        self.before: dict[str, list[str]] = {id_: [] for id_ in graph.nodes}
        for node in graph.nodes.values():
            self.members[node.parent].append(node.id)
        for edge in graph.edges:
            if graph.nodes[edge.source].parent == graph.nodes[edge.target].parent:
                self.after[edge.source].append(edge.target)
                self.before[edge.target].append(edge.source)
        self.order = self._order()

    def _order(self) -> list[str]:
        """All nodes that lie on or behind no cycle, sources first."""
        open_ = {id_: len(before) for id_, before in self.before.items()}
        order = [id_ for id_, count in open_.items() if not count]
        for id_ in order:
            for target in self.after[id_]:
                open_[target] -= 1
                if not open_[target]:
                    order.append(target)
        return order

    def cycles(self) -> list[list[str]]:
        """Rings of nodes, one for every group that hangs together; each node in one ring at most."""
        left = set(self.graph.nodes) - set(self.order)
        open_ = {id_: sum(1 for t in self.after[id_] if t in left) for id_ in self.graph.nodes if id_ in left}
        ends = [id_ for id_, count in open_.items() if not count]
        for id_ in ends:
            left.discard(id_)
            for source in self.before[id_]:
                if source in left:
                    open_[source] -= 1
                    if not open_[source]:
                        ends.append(source)
        rings: list[list[str]] = []
        seen: set[str] = set()
        for first in (id_ for id_ in self.graph.nodes if id_ in left):
            walk: dict[str, None] = {}
            current = first
            while current not in seen:
                seen.add(current)
                walk[current] = None
                current = next(t for t in self.after[current] if t in left)
            if current in walk:
                trail = list(walk)
                rings.append(trail[trail.index(current) :])
        return rings

    def reached(self, starts: Iterable[str], containers: set[str]) -> set[str]:
        """What runs when `starts` run: along edges, and into containers by their children without an inner edge in."""
        stack = list(starts)
        reached = set(stack)
        while stack:
            id_ = stack.pop()
            targets = list(self.after[id_])
            if id_ in containers:
                targets += self.entries(id_)
            for target in targets:
                if target not in reached:
                    reached.add(target)
                    stack.append(target)
        return reached

    def entries(self, frame: str | None) -> list[str]:
        """The nodes of a frame with no edge in."""
        return [id_ for id_ in self.members.get(frame, []) if not self.before[id_]]

    def parents(self, id_: str) -> list[str]:
        """The containers around a node, innermost first; ends at one that does not exist, repeats or is too deep."""
        out: list[str] = []
        parent = self.graph.nodes[id_].parent
        while (
            parent is not None
            and parent in self.graph.nodes
            and parent not in out
            and parent != id_
            and len(out) < DEPTH
        ):
            out.append(parent)
            parent = self.graph.nodes[parent].parent
        return out

    def not_upstream(self, questions: set[tuple[str, str]]) -> set[tuple[str, str]]:
        """Of the pairs (node, other in its frame) those where no way leads from `other` to `node`."""
        references: dict[str, list[str]] = defaultdict(list)
        for node, other in questions:
            references[other].append(node)
        others = list(references)
        wrong: set[tuple[str, str]] = set()
        for i in range(0, len(others), BITS):
            chunk = others[i : i + BITS]
            own = {other: 1 << bit for bit, other in enumerate(chunk)}
            above: dict[str, int] = {}
            for id_ in self.order:
                bits = 0
                for source in self.before[id_]:
                    bits |= above[source] | own.get(source, 0)
                above[id_] = bits
            for other in chunk:
                wrong |= {(node, other) for node in references[other] if not above.get(node, 0) & own[other]}
        return wrong
