"""The documents that clients of a collection run: start → tool → end, and the same of a resource or prompt."""

from __future__ import annotations

from typing import Any


def document_of(server: str, tool: str) -> dict[str, Any]:
    """Calls one tool with what the run was given, as it was given, and gives all that the tool answered.

    The start node takes any object: the gate checks the arguments by the tool's own schema, which may be accepted anew
    while this document stays.
    """
    outputs = {name: f"{{{{ call.{name} }}}}" for name in ("result", "content", "structured")}
    nodes = [
        _node("start", "start", 0, {"inputs": {"type": "object", "properties": {}}}),
        _node("call", "tool", 1, {"server": server, "tool": tool, "arguments": "{{ start }}"}),
        _node("end", "end", 2, {"outputs": outputs}),
    ]
    return {"schema": 1, "nodes": nodes, "edges": [_edge("start", "call"), _edge("call", "end")], "annotations": []}


def reading_document(server: str, uri: str) -> dict[str, Any]:
    """Reads one resource; `uri` "" = the one that the run is given, which is of a template."""
    config = {"server": server, "uri": uri or "{{ start.uri }}"}
    return _of_content("resource", config, {} if uri else {"uri": {"type": "string"}}, ("contents",))


def prompting_document(server: str, prompt: str) -> dict[str, Any]:
    """Fills one prompt with what the run was given."""
    config = {"server": server, "prompt": prompt, "arguments": "{{ start }}"}
    return _of_content("prompt", config, {}, ("description", "blocks"))


def _of_content(kind: str, config: dict[str, Any], inputs: dict[str, Any], filled: tuple[str, ...]) -> dict[str, Any]:
    nodes = [
        _node("start", "start", 0, {"inputs": {"type": "object", "properties": inputs, "required": [*inputs]}}),
        _node("call", kind, 1, config),
        _node("end", "end", 2, {"outputs": {name: f"{{{{ call.{name} }}}}" for name in filled}}),
    ]
    return {"schema": 1, "nodes": nodes, "edges": [_edge("start", "call"), _edge("call", "end")], "annotations": []}


def _node(key: str, kind: str, column: int, config: dict[str, Any]) -> dict[str, Any]:
    return {"id": key, "type": kind, "v": 1, "position": {"x": 300 * column, "y": 0}, "config": config}


def _edge(source: str, target: str) -> dict[str, Any]:
    ports = {"source_port": "out", "target_port": "in"}
    return {"id": f"{source}_{target}", "source": source, "target": target, **ports}
