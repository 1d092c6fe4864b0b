"""Problems of a document: those of the graph itself, those the registry knows (servers, tools, arguments), and those
with models (`model_problems`).

The registry speaks from its cache and connects to nothing, so a tool it does not know is a warning: the server has the
last word when the node runs.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.db.models import Q
from django.utils.translation import get_language

from backend.accounts.actor import Actor
from backend.agents.local_tools import local_tools
from backend.engine.document.problems import Problem
from backend.engine.document.types import is_expression
from backend.engine.document.validate import validate
from backend.engine.language.expressions import pointer_token
from backend.errors import GraphInvalid, McpProtocolError, SecretMissing
from backend.nodes import node_types
from backend.registry.configuration.declarations import declaration_hash, declared_in, normal_form
from backend.registry.configuration.user_credentials import SERVERS
from backend.registry.models import Declaration, Server, Tool
from backend.registry.selectors import visible_servers
from backend.secrets.names import is_secret_name
from backend.tools.schemas import errors_in
from backend.web.lookup import storable
from backend.workflows.approver_problems import approver_problems
from backend.workflows.model_problems import model_problems
from backend.workflows.workflow_problems import workflow_problems

MOST = 1000
"""Problems given back for one document."""


@dataclass(frozen=True, slots=True)
class Use:
    """A place in a document that names a server. `tool` and `arguments` only in tool nodes; `named` = the tools that
    an agent's entry names, each with its place."""

    node: str
    path: str
    server: str
    tool: str = ""
    arguments: Any = None
    named: tuple[tuple[str, str], ...] = ()


def document_problems(graph: object) -> list[Problem]:
    """Problems that depend on the document alone."""
    return validate(graph, node_types())


def problems_of(actor: Actor, graph: dict[str, Any]) -> list[Problem]:
    """All problems, errors first; at most 1000."""
    problems = document_problems(graph)
    problems += registry_problems(actor, graph, idle=_idle(graph, problems))
    problems += model_problems(actor, graph)
    problems += workflow_problems(actor, graph)
    problems += approver_problems(actor, graph)
    return sorted(problems, key=lambda problem: problem.severity != "error")[:MOST]


def _idle(graph: dict[str, Any], problems: list[Problem]) -> frozenset[str]:
    """The nodes that cannot run: what is wrong with them keeps nothing from running."""
    nodes = graph.get("nodes")
    rows = [node for node in nodes if isinstance(node, dict)] if isinstance(nodes, list) else []
    off = {str(node.get("id")) for node in rows if node.get("disabled") is True}
    return frozenset(off | {problem.node for problem in problems if problem.code == "unreached" and problem.node})


def has_errors(problems: list[Problem]) -> bool:
    """Whether something keeps the document from running."""
    return any(problem.severity == "error" for problem in problems)


def refuse_errors(problems: list[Problem]) -> None:
    """Raise GraphInvalid with the errors among `problems`, in the language of the request that is being answered."""
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        language = "zh" if (get_language() or "").startswith("zh") else "en"
        raise GraphInvalid(detail={"problems": [problem.as_json(language) for problem in errors]})


def uses_in(graph: dict[str, Any]) -> Iterator[Use]:
    """Every place that names a server by a text without expressions."""
    nodes = graph.get("nodes")
    for index, node in enumerate(nodes if isinstance(nodes, list) else []):
        config = node.get("config") if isinstance(node, dict) else None
        if not isinstance(config, dict):
            continue
        node_id, pointer = str(node.get("id") or ""), f"/nodes/{index}/config"
        if _names(config.get("server")):
            tool = config.get("tool") if node.get("type") == "tool" else ""
            name = tool if isinstance(tool, str) and not is_expression(tool) else ""
            yield Use(node_id, f"{pointer}/server", config["server"], name, config.get("arguments"))
        tools = config.get("tools")
        servers = tools.get("servers") if isinstance(tools, dict) else None
        for place, entry in enumerate(servers if isinstance(servers, list) else []):
            if isinstance(entry, dict) and _names(entry.get("server")):
                inside = f"{pointer}/tools/servers/{place}"
                yield Use(node_id, f"{inside}/server", entry["server"], named=tuple(_named_tools(inside, entry)))


def _named_tools(pointer: str, entry: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """(tool, JSON pointer) of each tool that an agent's entry chooses or settles parameters of."""
    include, fixed = entry.get("include"), entry.get("fixed")
    for place, name in enumerate(include if isinstance(include, list) else []):
        if _names(name):
            yield name, f"{pointer}/include/{place}"
    for name in fixed if isinstance(fixed, dict) else {}:
        yield name, f"{pointer}/fixed/{pointer_token(name)}"


def _unknown_functions(graph: dict[str, Any]) -> Iterator[Problem]:
    """Functions of this installation that agents name and that do not exist."""
    known = {tool.spec.name for tool in local_tools()}
    nodes = graph.get("nodes")
    for index, node in enumerate(nodes if isinstance(nodes, list) else []):
        config = node.get("config") if isinstance(node, dict) else None
        tools = config.get("tools") if isinstance(config, dict) else None
        local = tools.get("local") if isinstance(tools, dict) else None
        for place, name in enumerate(local if isinstance(local, list) else []):
            if isinstance(name, str) and name not in known:
                path, params = f"/nodes/{index}/config/tools/local/{place}", {"server": "local", "tool": name}
                yield Problem("tool_unknown", "warning", path, node=str(node.get("id") or ""), params=params)


def _names(value: Any) -> bool:
    return isinstance(value, str) and bool(value) and not is_expression(value)


def registry_problems(actor: Actor, graph: dict[str, Any], *, idle: frozenset[str] = frozenset()) -> list[Problem]:
    """What the registry's cache says about the servers and tools that a document names; `idle` = nodes that do not
    run."""
    declared = graph.get("mcp_servers")
    own = set(declared) if isinstance(declared, dict) else set()
    uses = [use for use in uses_in(graph) if use.server not in own]
    problems = [*_declarations(actor, graph), *_unknown_functions(graph)]
    if not uses:
        return problems
    names = {use.server for use in uses}
    askable = {name for name in names if storable(name)}
    rows = visible_servers(actor.team.id, actor.user.id).filter(Q(slug__in=askable) | Q(id__in=askable))
    by_id = {row.id: row for row in rows}
    servers = {**by_id, **{row.slug: row for row in by_id.values()}}
    tools = _tools_of([servers[name] for name in names if name in servers])
    private = SERVERS.private_names(actor.team.id, askable - set(servers)) if askable - set(servers) else set()
    unset = SERVERS.without_own(actor, by_id.values())
    checks: list[tuple[Use, dict[str, Any]]] = []
    for use in uses:
        server = servers.get(use.server)
        if server is None:
            problems.append(_unknown(use, private))
            continue
        if server.id in unset:
            params = {"server": server.slug}
            problems.append(Problem("server_own_missing", "warning", use.path, node=use.node, params=params))
        if not server.enabled:
            params = {"server": server.slug}
            problems.append(Problem("server_off", "warning", use.path, node=use.node, params=params))
        known = tools.get(server.id, {})
        if use.tool and known and use.tool not in known:
            path = use.path.removesuffix("server") + "tool"
            params = {"server": server.slug, "tool": use.tool}
            problems.append(Problem("tool_unknown", "warning", path, node=use.node, params=params))
        elif use.tool in known and isinstance(use.arguments, dict | None):
            checks.append((use, known[use.tool]))
        problems += [
            Problem("tool_unknown", "warning", path, node=use.node, params={"server": server.slug, "tool": name})
            for name, path in use.named
            if known and name not in known
        ]
    if checks:
        problems += asyncio.run(_misfits(checks, idle))
    return problems


def empty_arguments(actor: Actor, graph: dict[str, Any], known: Sequence[Problem]) -> list[Problem]:
    """Required arguments of tools that the document leaves empty, for the start of a draft; `known` = its problems."""
    declared = graph.get("mcp_servers")
    own = set(declared) if isinstance(declared, dict) else set()
    uses = [use for use in uses_in(graph) if use.tool and use.server not in own]
    names = {use.server for use in uses if storable(use.server)}
    if not names:
        return []
    rows = list(visible_servers(actor.team.id, actor.user.id).filter(Q(slug__in=names) | Q(id__in=names)))
    servers = {**{row.id: row for row in rows}, **{row.slug: row for row in rows}}
    tools = _tools_of(rows)
    idle = _idle(graph, list(known))
    return [
        problem
        for use in uses
        if use.server in servers and use.node not in idle and isinstance(use.arguments, dict | None)
        for problem in _empty(use, tools.get(servers[use.server].id, {}).get(use.tool, {}), idle)
    ]


def _empty(use: Use, schema: dict[str, Any], idle: frozenset[str]) -> list[Problem]:
    """One problem for each required argument that is not there."""
    required = schema.get("required")
    arguments = use.arguments or {}
    path = use.path.removesuffix("server") + "arguments"
    severity: Literal["error", "warning"] = "warning" if use.node in idle else "error"
    return [
        Problem(
            "argument_missing",
            severity,
            f"{path}/{pointer_token(name)}",
            node=use.node,
            params={"tool": use.tool, "name": name},
        )
        for name in (required if isinstance(required, list) else [])
        if isinstance(name, str) and arguments.get(name) is None
    ]


def missing_servers(actor: Actor, graph: dict[str, Any]) -> list[Problem]:
    """The errors of `registry_problems` alone, for the start of a run: servers that do not exist or cannot be read.

    Raises SecretMissing for one that takes each person's own credentials, where the actor entered none.
    """
    problems = [problem for problem in _declarations(actor, graph) if problem.severity == "error"]
    declared = graph.get("mcp_servers")
    own = set(declared) if isinstance(declared, dict) else set()
    uses = [use for use in uses_in(graph) if use.server not in own]
    if not uses:
        return problems
    names = {use.server for use in uses if storable(use.server)}
    rows = visible_servers(actor.team.id, actor.user.id).filter(Q(slug__in=names) | Q(id__in=names))
    listed = list(rows.values_list("slug", "id", "credentials"))
    if any(credentials == Server.Credentials.USER for _, _, credentials in listed):
        unset = SERVERS.without_own(actor, rows.filter(enabled=True))
        if unset:
            raise SecretMissing(params={"reason": "own", "server": next(iter(unset.values()))})
    known = {name for slug, key, _ in listed for name in (slug, key)}
    private = SERVERS.private_names(actor.team.id, names - known) if names - known else set()
    return problems + [_unknown(use, private) for use in uses if use.server not in known]


def _unknown(use: Use, private: set[str]) -> Problem:
    code = "server_private" if use.server in private else "server_unknown"
    return Problem(code, path=use.path, node=use.node, params={"server": use.server})


def _tools_of(servers: list[Server]) -> dict[str, dict[str, dict[str, Any]]]:
    """{server id: {tool: input schema}} of the tools that are still listed."""
    schemas: dict[str, dict[str, dict[str, Any]]] = {}
    rows = Tool.objects.filter(server__in=servers, gone=False).values_list("server_id", "name", "definition")
    for server_id, name, definition in rows:
        schemas.setdefault(server_id, {})[name] = definition.get("input_schema") or {}
    return schemas


def _declarations(actor: Actor, graph: dict[str, Any]) -> list[Problem]:
    """Declared servers that cannot be read, hold a secret in the open, or wait for an admin (their nodes say so)."""
    problems: list[Problem] = []
    waiting: list[tuple[str, str, str]] = []
    for path, name, config in declared_in(graph):
        node = name if path.startswith("/nodes/") else None
        try:
            form = normal_form(config)
        except ValueError as error:
            problems.append(Problem("server_bad", path=path, node=node, params={"server": name, "why": str(error)}))
            continue
        waiting.append((path, name, declaration_hash(form)))
        problems += [
            Problem("server_plain_secret", "warning", path, node=node, params={"server": name, "name": key})
            for key, value in {**form["headers"], **form["env"]}.items()
            if value and is_secret_name(key) and "${secret:" not in value
        ]
    if not waiting:
        return problems
    hashes = [digest for _, _, digest in waiting]
    rows = Declaration.objects.filter(team=actor.team, hash__in=hashes, state=Declaration.State.APPROVED)
    approved = set(rows.values_list("hash", flat=True))
    for path, name, digest in waiting:
        if digest not in approved:
            problems += _not_approved(graph, path, name)
    return problems


def _not_approved(graph: dict[str, Any], path: str, name: str) -> list[Problem]:
    """One problem for each node that uses the server; one at the declaration where none does."""
    params = {"server": name}
    if path.startswith("/nodes/"):
        return [Problem("server_not_approved", "warning", path, node=name, params=params)]
    uses = [use for use in uses_in(graph) if use.server == name]
    problems = [Problem("server_not_approved", "warning", use.path, node=use.node, params=params) for use in uses]
    return problems or [Problem("server_not_approved", "warning", path, params=params)]


async def _misfits(checks: list[tuple[Use, dict[str, Any]]], idle: frozenset[str]) -> list[Problem]:
    """Arguments that do not fit the cached schema, as far as they hold no expressions."""
    problems = []
    for use, schema in checks:
        arguments = use.arguments or {}
        try:
            errors = await errors_in(schema, arguments)
        except McpProtocolError:
            continue  # the schema itself cannot be used; the server's page says so
        empty = _empty(use, schema, idle)
        problems += empty
        absent = {f'"{problem.params["name"]}" is a required property' for problem in empty}
        unknown = {name for name, value in arguments.items() if "{{" in json.dumps(value)}
        for place, texts in errors.items():
            reasons = [text for text in texts if _certain(place, text, unknown)]
            reasons = [text for text in reasons if place != "arguments" or text not in absent]
            if reasons:
                field = "" if place == "arguments" else "/" + _top(place).replace("~", "~0").replace("/", "~1")
                path = use.path.removesuffix("server") + "arguments" + field
                params = {"tool": use.tool, "place": place, "why": "; ".join(reasons)[:500]}
                problems.append(Problem("arguments", "warning", path, node=use.node, params=params))
    return problems


def _certain(place: str, text: str, unknown: set[str]) -> bool:
    """Whether a complaint holds whatever the expressions give: it is about a value without one, or a missing key."""
    if place == "arguments":
        return not unknown or "required property" in text or "Additional properties" in text
    return _top(place) not in unknown


def _top(place: str) -> str:
    """The argument that a place in the arguments (`items[2].name`) belongs to."""
    return place.split(".", 1)[0].split("[", 1)[0]
