"""What the nodes of a document may do, as the hints that MCP gives clients of a tool.

Worked out from the node types' effects and from what the registry knows of the tools that are named. What cannot be
known before the run (a tool that an expression names, a server that has listed nothing) counts as a write.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from backend.agents.local_tools import local_tools
from backend.registry.models import Tool
from backend.registry.tools.responses import rules_of, spec_of
from backend.runs.log.encoding import decode
from backend.tools.calls.risk import effect_of
from backend.workflows.models import Version, Workflow
from backend.workflows.validation import Use, uses_in

DEEPEST = 5
"""Workflows below workflows that are looked into."""
_HARMLESS = {"pure", "read"}
_HARMLESS_METHODS = {"GET", "HEAD", "OPTIONS"}


@dataclass(frozen=True, slots=True)
class Hints:
    """`read_only` = nothing that it does changes anything; `destructive` = it may undo or delete what there is;
    `asks` = a node of it asks a person."""

    read_only: bool = True
    destructive: bool = False
    asks: bool = False

    def __or__(self, other: Hints) -> Hints:
        return Hints(self.read_only and other.read_only, self.destructive or other.destructive, self.asks or other.asks)


UNKNOWN = Hints(read_only=False, destructive=True)


def hints_of(team: str, graph: str, depth: int = 0) -> Hints:
    """The hints of a document of this team."""
    document: dict[str, Any] = decode(graph)
    hints = Hints()
    uses: dict[str, list[Use]] = {}
    for use in uses_in(document):
        uses.setdefault(use.node, []).append(use)
    for node in document.get("nodes") or ():
        hints |= _of_node(team, node, uses.get(str(node.get("id")), []), depth)
    return hints


def _of_node(team: str, node: dict[str, Any], uses: list[Use], depth: int) -> Hints:
    from backend.nodes import node_types  # node types of other packages are looked for on first use, not at start

    name, config = str(node.get("type")), node.get("config")
    kind = node_types().get(name)
    if kind is None or not isinstance(config, dict):
        return UNKNOWN
    if name in {"approval", "form"}:
        return Hints(asks=True)
    if name == "http":
        method = config.get("method") or "GET"
        return Hints() if isinstance(method, str) and method.upper() in _HARMLESS_METHODS else UNKNOWN
    if kind.effect == "workflow":
        return _below(team, config.get("workflow"), depth)
    if config.get("server"):
        return _of_use(team, uses[0], chosen=True) if uses else UNKNOWN  # an expression names it
    if isinstance(config.get("tools"), dict):
        return _of_tools(team, config["tools"], uses, depth)
    return Hints() if kind.effect in {"pure", "read", "tool"} else UNKNOWN  # a model without tools only answers


def _below(team: str, reference: Any, depth: int) -> Hints:
    """Of the published version of another workflow."""
    if not isinstance(reference, str) or depth >= DEEPEST:
        return UNKNOWN
    rows = Workflow.objects.filter(Q(pk=reference) | Q(slug=reference), team=team)
    number = rows.values_list("published_version", flat=True).first()
    versions = Version.objects.filter(workflow__in=rows, number=number or 0)
    text = versions.values_list("graph", flat=True).first()
    return hints_of(team, text, depth + 1) if text else UNKNOWN


def _of_tools(team: str, tools: dict[str, Any], uses: list[Use], depth: int) -> Hints:
    """Of the tools that a model is given."""
    servers, workflows, local = (tools.get(name) or [] for name in ("servers", "workflows", "local"))
    if len(uses) < len(servers):
        return UNKNOWN  # an expression names one of them
    hints = Hints()
    for use in uses:
        hints |= _of_use(team, use, chosen=False)
    for reference in workflows:
        hints |= _below(team, reference, depth)
    own = {tool.spec.name: tool.spec for tool in local_tools()}
    for name in local:
        known = own.get(name)
        hints |= Hints() if known is not None and effect_of(known, trusted=True) in _HARMLESS else UNKNOWN
    return hints


def _of_use(team: str, use: Use, *, chosen: bool) -> Hints:
    if chosen and not use.tool:
        return UNKNOWN
    rows = Tool.objects.filter(Q(server__slug=use.server) | Q(server__pk=use.server), server__team=team, gone=False)
    names = {use.tool} if use.tool else {name for name, pointer in use.named if "/include/" in pointer}
    if names:
        rows = rows.filter(name__in=names)
    tools = list(rows.select_related("server"))
    if not tools or (names and len({tool.name for tool in tools}) < len(names)):
        return UNKNOWN
    hints = Hints()
    for tool in tools:
        hints |= of_tool(tool)
    return hints


def of_tool(tool: Tool) -> Hints:
    """Of one listed tool, as it is pinned and as admins decided; its server is read with it."""
    rules, spec = rules_of(tool.server, tool), spec_of(tool.server.slug, tool.definition)
    if rules.effect_of(spec) in _HARMLESS:
        return Hints()
    return Hints(read_only=False, destructive=spec.annotations.get("destructiveHint") is not False)
