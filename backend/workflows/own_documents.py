"""A document of ours from a file: what it wants from this team, and the names put in that were chosen. Pure."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from backend.engine.document.types import NodeTypes, Text, is_expression
from backend.workflows.agents_named import declare_agents
from backend.workflows.code_modules import missing_modules, modules_of
from backend.workflows.report import (
    Choices,
    CodeWant,
    HostWant,
    Imported,
    Line,
    ModelName,
    ModelWant,
    NameWant,
    Report,
    TeamHas,
)

_SECRET = re.compile(r"\$\{secret:([a-z][a-z0-9_]{0,62})\}")


def looked_at(graph: dict[str, Any], types: NodeTypes, team: TeamHas, choices: Choices) -> Imported:
    """The document with the chosen names in it, and the report. The document may hold anything."""
    graph = copy.deepcopy(graph)
    report = Report("patchbay", edges=len(graph["edges"]) if isinstance(graph.get("edges"), list) else 0)
    agents = declare_agents(graph)
    look = _Look(report, team, choices, frozenset(_declared(graph)))
    for node in _dicts(graph.get("nodes")):
        line = look.node(node, types)
        for name in agents.get(str(node.get("id") or ""), []):
            line.note(
                f"the agent {name} is declared in the document; an admin approves it",
                f"智能体 {name} 已在文档中声明，由管理员批准",
            )
        report.lines.append(line)
    return Imported(look.secrets(graph), report)


def _declared(graph: dict[str, Any]) -> list[str]:
    declared = graph.get("mcp_servers")
    return list(declared) if isinstance(declared, dict) else []


def _dicts(value: Any) -> Iterator[dict[str, Any]]:
    yield from (item for item in value if isinstance(item, dict)) if isinstance(value, list) else ()


def _name(value: Any) -> str:
    return value if isinstance(value, str) and value.strip() and not is_expression(value) else ""


class _Look:
    """Looks at one document; names that were chosen are put in."""

    def __init__(self, report: Report, team: TeamHas, choices: Choices, declared: frozenset[str]) -> None:
        self._wants, self._team, self._choices, self._declared = report.wants, team, choices, declared

    def node(self, node: dict[str, Any], types: NodeTypes) -> Line:
        """The line of a node."""
        kind, key = str(node.get("type") or ""), str(node.get("id") or "")
        title = node.get("title")
        line = Line(key, title if isinstance(title, str) and title else key, kind, key, kind)
        line.why = Text("as it is", "保持不变")
        if kind not in types:
            line.state, line.why = "left", Text("this installation has no such node", "此处没有这种节点")
            return line
        if kind == "placeholder":
            line.state, line.why = "left", Text("a placeholder in the file too", "在文件中已是占位节点")
        config = node.get("config")
        if isinstance(config, dict):
            self._servers(config, line)
            self._models(config, line)
            self._code(kind, key, line.title, config)
            self._host(kind, config)
        return line

    def _servers(self, config: dict[str, Any], line: Line) -> None:
        tools = config.get("tools")
        places = [config, *_dicts(tools.get("servers") if isinstance(tools, dict) else None)]
        for place in places:
            name = _name(place.get("server"))
            if not name or name in self._declared:
                continue
            here = self._choices.servers.get(name) or self._team.servers.get(name.lower(), "")
            want = self._wants.servers.setdefault(name, NameWant(name, here))
            if here:
                place["server"] = here
                if here != name:
                    line.note(f"{name} → {here}", f"{name} → {here}")
            if not want.match:
                line.note(f"the server {name} is missing", f"缺少服务器 {name}")

    def _models(self, config: dict[str, Any], line: Line) -> None:
        fallback = config.get("fallback")
        for place in (config, fallback if isinstance(fallback, dict) else {}):
            provider, model = _name(place.get("provider")), _name(place.get("model"))
            if not model:
                continue
            want = self._wants.models.setdefault(model, ModelWant(model))
            want.count += 1
            chosen = self._choices.models.get(model)
            if chosen is None and provider in self._team.providers:
                chosen = ModelName(provider, model)
            want.match = chosen or self._team.model(model)
            if want.match is None:
                line.note(f"the model {model} is missing", f"缺少模型 {model}")
            elif (want.match.provider, want.match.model) != (provider, model):
                place["provider"], place["model"] = want.match.provider, want.match.model
                line.note(f"{model} → {want.match.model}", f"{model} → {want.match.model}")

    def _code(self, kind: str, key: str, title: str, config: dict[str, Any]) -> None:
        source = config.get("source")
        if kind == "code" and isinstance(source, str):
            modules = modules_of(source)
            self._wants.code.append(CodeWant(key, title, source, modules, missing_modules(modules)))

    def _host(self, kind: str, config: dict[str, Any]) -> None:
        url = config.get("url")
        if kind != "http" or not isinstance(url, str):
            return
        authority = url.partition("://")[2].partition("/")[0]
        if "{{" in url.partition("/")[0] or "{{" in authority or "{{" in url[:9]:
            self._wants.hosts.setdefault(authority[:120] or url[:120], HostWant(authority[:120] or url[:120], False))
            return
        try:
            host = urlsplit(url).hostname or ""
        except ValueError:
            return
        if host:
            self._wants.hosts.setdefault(host, HostWant(host, True))

    def secrets(self, graph: dict[str, Any]) -> dict[str, Any]:
        """Note the secrets that a document names, and put in those that were chosen."""
        for name in dict.fromkeys(_SECRET.findall(json.dumps(graph))):
            here = self._choices.secrets.get(name) or name
            self._wants.secrets[name] = NameWant(name, here if here in self._team.secrets else "")
        renames = {name: self._choices.secrets[name] for name in self._wants.secrets if name in self._choices.secrets}
        return _renamed(graph, renames) if renames else graph


def _renamed(value: Any, renames: dict[str, str]) -> Any:
    if isinstance(value, str):
        return _SECRET.sub(lambda match: f"${{secret:{renames.get(match[1], match[1])}}}", value)
    if isinstance(value, dict):
        return {key: _renamed(inner, renames) for key, inner in value.items()}
    return [_renamed(inner, renames) for inner in value] if isinstance(value, list) else value
