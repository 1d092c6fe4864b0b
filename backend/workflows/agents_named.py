"""Agents that a document names under `a2a_agents`, at its top or in a node: declared as servers are. Pure.

That is how documents of other programs spell them: `{name: address or configuration}`, or a list of addresses and of
`{name, url, …}`. What cannot be read stays, and is a problem of the document.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from backend.workflows.dify.names import name_of

KEY = "a2a_agents"
_TAKEN = ("url", "document_url", "headers", "timeout_ms")
MOST = 50
"""Of one place; more are left as they are."""


def declare_agents(graph: dict[str, Any]) -> dict[str, list[str]]:
    """Declare them in the document, and put those of a node among its tools; by node their names."""
    _taken(graph, graph)
    named: dict[str, list[str]] = {}
    nodes = graph.get("nodes")
    for node in nodes if isinstance(nodes, list) else []:
        config = node.get("config") if isinstance(node, dict) else None
        if isinstance(config, dict) and (names := _taken(graph, config)):
            _use(config, names)
            named[str(node.get("id") or "")] = names
    return named


def _taken(graph: dict[str, Any], place: dict[str, Any]) -> list[str]:
    """Move the agents of one place into the document's declarations; the names under which they stand there."""
    agents = list(_agents(place.get(KEY)))[: MOST + 1]
    declared = graph.get("mcp_servers", {})
    if not agents or len(agents) > MOST or None in agents or not isinstance(declared, dict):
        return []
    del place[KEY]
    graph["mcp_servers"] = declared
    return [_declared(declared, *entry) for entry in agents if entry is not None]


def _agents(value: Any) -> Iterator[tuple[str, dict[str, Any]] | None]:
    """(wanted name, declaration) of each; None = it cannot be read."""
    if isinstance(value, dict):
        pairs = [(name, entry) for name, entry in value.items()]
    else:
        pairs = [("", entry) for entry in value] if isinstance(value, list) else []
    for name, entry in pairs:
        about = {"url": entry} if isinstance(entry, str) else entry
        if not isinstance(about, dict) or not isinstance(about.get("url"), str):
            yield None
            continue
        label = name or about.get("name")
        form = {"transport": "a2a", **{key: about[key] for key in _TAKEN if about.get(key)}}
        yield (label if isinstance(label, str) and label else _host(about["url"])), form


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _declared(declared: dict[str, Any], preferred: str, form: dict[str, Any]) -> str:
    """Under which name the agent is declared: one that is there already where it is the same."""
    stem = name_of(preferred, "agent")
    name, number = stem, 1
    while name in declared and declared[name] != form:
        number += 1
        name = f"{stem}_{number}"
    declared[name] = form
    return name


def _use(config: dict[str, Any], names: list[str]) -> None:
    """Put them among the tools of a node."""
    tools = config.setdefault("tools", {})
    servers = tools.setdefault("servers", []) if isinstance(tools, dict) else None
    if isinstance(servers, list):
        has = [entry.get("server") for entry in servers if isinstance(entry, dict)]
        servers += [{"server": name} for name in dict.fromkeys(names) if name not in has]
