"""Graphs of any shape, for hypothesis."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st


@st.composite
def graphs(draw: st.DrawFn) -> Any:
    """A connected graph of tools and ifs, whose ways are drawn too."""
    count = draw(st.integers(1, 9))
    nodes: list[Any] = [{"id": "start", "type": "start", "config": {}}]
    edges: list[Any] = []
    ports = {"start": ["out"]}
    for i in range(count):
        name = f"n{i}"
        if draw(st.booleans()):
            yes = draw(st.booleans())
            nodes.append({"id": name, "type": "if", "config": {"conditions": [{"left": yes, "op": "is_true"}]}})
            ports[name] = ["true", "false"]
        else:
            nodes.append({"id": name, "type": "tool", "config": {"server": name, "tool": "go", "arguments": {}}})
            ports[name] = ["out"]
        sources = draw(st.lists(st.sampled_from(sorted(set(ports) - {name})), min_size=1, max_size=3, unique=True))
        for source in sources:
            port = draw(st.sampled_from(ports[source]))
            edges.append({"id": f"e{len(edges)}", "source": source, "source_port": port, "target": name})
    return {"schema": 1, "nodes": nodes, "edges": edges}
