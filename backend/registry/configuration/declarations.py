"""Servers declared inside documents: one normal form, its hash, and the rows that wait for an admin's word.

A declaration is `{transport, command, args, env, cwd, url, headers, timeout_ms}`; secrets stand in it by name
(`${secret:name}`) and expressions nowhere. An agent of others (`a2a`) may say where its card is (`document_url`). What
is approved is exactly this form, by hash: any change waits anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from django.db import transaction
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from backend.engine.language.clean import clean
from backend.net.urls import url_problem
from backend.notifications.clients import notify_team
from backend.registry.configuration.server_fields import with_secrets_named
from backend.registry.models import Declaration, Grant

MOST_PER_DOCUMENT = 50
"""Declarations beyond this number in one document are not recorded (and so never approved)."""

_ALIASES = {"streamable_http": "http", "streamable-http": "http", "streamablehttp": "http", "local": "stdio"}


class DeclaredServer(BaseModel):
    """The normal form of a declaration."""

    model_config = ConfigDict(extra="forbid")

    transport: str = ""
    command: str = Field("", max_length=8192)
    args: list[str] = Field([], max_length=200)
    env: dict[str, str] = {}
    cwd: str = ""
    url: str = Field("", max_length=8192)
    headers: dict[str, str] = {}
    document_url: str = Field("", max_length=8192)
    timeout_ms: int = Field(30_000, ge=1, le=3_600_000)
    trust_annotations: bool | None = None

    @model_validator(mode="after")
    def _whole(self) -> DeclaredServer:
        self.transport = _ALIASES.get(self.transport.lower(), self.transport.lower())
        if not self.transport:
            self.transport = "stdio" if self.command else "http"
        if self.transport not in {"stdio", "http", "sse", "a2a"}:
            raise ValueError("transport must be stdio, http, sse or a2a")
        if self.transport == "stdio" and not self.command.strip():
            raise ValueError("command is required for stdio")
        if self.transport != "stdio" and url_problem(with_secrets_named(self.url)):
            raise ValueError("url must be an http or https address with a host")
        if self.document_url and self.transport != "a2a":
            raise ValueError("document_url is for the transport a2a")
        if self.document_url and url_problem(self.document_url):
            raise ValueError("document_url must be an http or https address with a host, and holds no secret")
        if "{{" in json.dumps(self.model_dump()):
            raise ValueError("expressions may not stand in a server's configuration")
        return self


def normal_form(config: Any) -> dict[str, Any]:
    """The configuration with its defaults. Raises ValueError with a sentence for people."""
    try:
        form = DeclaredServer.model_validate(config).model_dump()
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"{place}: {first['msg']}" if place else first["msg"].removeprefix("Value error, ")) from None
    if not form["document_url"]:
        del form["document_url"]  # what was approved before there was such a field keeps its hash
    return form


def declaration_hash(form: dict[str, Any]) -> str:
    """SHA-256 of a normal form."""
    return hashlib.sha256(json.dumps(form, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def declared_key(digest: str) -> str:
    """What a declared server is called in the pool."""
    return f"decl_{digest[:26]}"


def declared_in(graph: dict[str, Any]) -> list[tuple[str, str, Any]]:
    """(JSON pointer, name, configuration) of every server that a document declares, at its top or inside a node."""
    declared: list[tuple[str, str, Any]] = []
    servers = graph.get("mcp_servers")
    if isinstance(servers, dict):
        declared += [(f"/mcp_servers/{_escaped(name)}", name, config) for name, config in servers.items()]
    nodes = graph.get("nodes")
    for index, node in enumerate(nodes if isinstance(nodes, list) else []):
        config = node.get("config") if isinstance(node, dict) else None
        if isinstance(config, dict):
            declared += _inline(f"/nodes/{index}/config", str(node.get("id") or index), config)
    return declared


def _inline(pointer: str, name: str, config: dict[str, Any]) -> list[tuple[str, str, Any]]:
    declared = [(f"{pointer}/server", name, config["server"])] if isinstance(config.get("server"), dict) else []
    tools = config.get("tools")
    servers = tools.get("servers") if isinstance(tools, dict) else None
    for index, entry in enumerate(servers if isinstance(servers, list) else []):
        if isinstance(entry, dict) and isinstance(entry.get("server"), dict):
            declared.append((f"{pointer}/tools/servers/{index}/server", name, entry["server"]))
    return declared


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _forms(graph: dict[str, Any]) -> dict[str, tuple[str, dict[str, Any]]]:
    """The usable declarations of a document: hash → (name, normal form)."""
    forms: dict[str, tuple[str, dict[str, Any]]] = {}
    for _, name, config in declared_in(graph)[:MOST_PER_DOCUMENT]:
        try:
            form = normal_form(config)
        except ValueError:
            continue
        if clean([name, form]) == [name, form]:
            forms.setdefault(declaration_hash(form), (name, form))
    return forms


def forget_workflow(team_id: str, workflow_id: str, others: Iterable[dict[str, Any]]) -> None:
    """A workflow is deleted: what was remembered for it goes, and declarations that no document of `others` has."""
    Grant.objects.filter(team_id=team_id, workflow=workflow_id).delete()
    rows = Declaration.objects.filter(team_id=team_id, workflow=workflow_id)
    if not rows.exists():
        return
    kept = {digest for graph in others for digest in _forms(graph)}
    rows.exclude(hash__in=kept).delete()
    rows.update(workflow="")


@transaction.atomic
def record_declarations(team_id: str, workflow_id: str, graph: dict[str, Any]) -> dict[str, str]:
    """Make a waiting row of every usable declaration that has none; `{hash: state}` of all of them."""
    forms = _forms(graph)
    if not forms:
        return {}
    rows = Declaration.objects.filter(team_id=team_id, hash__in=forms)
    states = dict(rows.values_list("hash", "state"))
    new = [
        Declaration(team_id=team_id, hash=digest, name=name[:63], config=form, workflow=workflow_id)
        for digest, (name, form) in forms.items()
        if digest not in states
    ]
    if new:
        Declaration.objects.bulk_create(new, ignore_conflicts=True)
        notify_team(team_id, "declaration", new[0].hash, "waiting")
    return {digest: states.get(digest, Declaration.State.WAITING) for digest in forms}


def unapproved_servers(team_id: str, graph: dict[str, Any]) -> list[str]:
    """Names of declared servers in `graph` that no admin has approved; runs refuse to start with any."""
    waiting = []
    for _, name, config in declared_in(graph):
        try:
            digest = declaration_hash(normal_form(config))
        except ValueError:
            continue
        if not Declaration.objects.filter(team_id=team_id, hash=digest, state=Declaration.State.APPROVED).exists():
            waiting.append(name)
    return waiting
