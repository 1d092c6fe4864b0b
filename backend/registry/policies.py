"""What the gate asks the registry: policy, overrides, pinned definitions, remembered approvals of one server."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any

from django.db import transaction

from backend.accounts.actor import actor_for
from backend.accounts.audit import audit
from backend.accounts.models import User
from backend.registry.listing import definition_of, hash_of
from backend.registry.models import Declaration, Grant, Server, Tool
from backend.tools.gate import ToolRules
from backend.tools.servers import ServerConfig
from backend.tools.types import JsonObject, Remember, ToolSpec

InThread = Callable[..., Awaitable[Any]]
_RUNS_REMEMBERED = 1000
_for_run: OrderedDict[tuple[str, str, str, str, str], None] = OrderedDict()
"""Approvals "for this run" of declared servers, which have no rows: (run, server, tool, definition, configuration).
Held by the worker; after a restart it asks again."""


def arguments_hash(arguments: JsonObject) -> str:
    """SHA-256 of arguments; the order of keys does not matter."""
    return hashlib.sha256(json.dumps(arguments, sort_keys=True).encode()).hexdigest()


def _remember_for_run(run_id: str | None, server: str, tool: str, rules: ToolRules) -> None:
    if run_id:
        _for_run[(run_id, server, tool, rules.definition_hash, rules.server_hash)] = None
        while len(_for_run) > _RUNS_REMEMBERED:
            _for_run.popitem(last=False)


class RegistryPolicies:
    """The `PolicySource` of a registered server."""

    def __init__(
        self, server: Server, config: ServerConfig, in_thread: InThread, *, run_id: str | None, workflow_id: str
    ) -> None:
        self._server, self._config, self._in_thread = server, config, in_thread
        self._run_id, self._workflow_id = run_id, workflow_id

    async def rules(self, tool: ToolSpec, arguments: JsonObject) -> ToolRules:
        """The rules of now; a tool that was never listed counts as changed, so it asks."""
        rules: ToolRules = await self._in_thread(self._read, tool, arguments)
        return rules

    def _read(self, tool: ToolSpec, arguments: JsonObject) -> ToolRules:
        digest = hash_of(definition_of(tool))
        server = Server.objects.filter(id=self._server.id).values("enabled", "trust_annotations", "revision").first()
        row = Tool.objects.filter(server_id=self._server.id, name=tool.name).first()
        if server is None or not server["enabled"]:
            return ToolRules(policy="deny", definition_hash=digest, server_hash=self._config.hash)
        return ToolRules(
            policy=(row.policy or "auto") if row else "auto",  # type: ignore[arg-type]
            risk_override=(row.risk or None) if row else None,  # type: ignore[arg-type]
            effect_override=(row.effect or None) if row else None,  # type: ignore[arg-type]
            changed=row is None or row.pinned_hash != digest,
            definition_hash=digest,
            server_hash=self._config.hash,
            trust_annotations=server["trust_annotations"],
            granted=self._granted(tool.name, digest, server["revision"], arguments),
        )

    def _granted(self, tool: str, digest: str, revision: int, arguments: JsonObject) -> bool:
        scopes = [scope for scope in (self._workflow_id, self._run_id) if scope]
        hashes = Grant.objects.filter(
            server_id=self._server.id,
            tool=tool,
            workflow__in=scopes,
            definition_hash=digest,
            server_revision=revision,
        ).values_list("arguments_hash", flat=True)
        return bool({"", arguments_hash(arguments)} & set(hashes))

    async def remember(self, tool: ToolSpec, arguments: JsonObject, rules: ToolRules, how: Remember, by: str) -> None:
        """Keep an approval for the run; or for the workflow, where `by` may set policies."""
        scope = self._run_id if how == "run" else self._workflow_id
        if how != "once" and scope:
            await self._in_thread(self._grant, tool.name, arguments, rules, how, by, scope)

    @transaction.atomic
    def _grant(self, tool: str, arguments: JsonObject, rules: ToolRules, how: Remember, by: str, scope: str) -> None:
        person = User.objects.filter(id=by).first()
        actor = actor_for(person, self._server.team_id) if person else None
        if actor is None or not actor.may("editor" if how == "run" else "admin"):
            return
        Grant.objects.get_or_create(
            team_id=self._server.team_id,
            server_id=self._server.id,
            tool=tool,
            workflow=scope,
            definition_hash=rules.definition_hash,
            server_revision=self._server.revision,
            arguments_hash=arguments_hash(arguments) if how == "arguments" else "",
            defaults={"created_by": person},
        )
        audit(actor, "grant.created", "server", self._server.id, tool=tool, scope=scope, how=how)


class DeclaredPolicies:
    """The `PolicySource` of a server declared in a document: its definitions are pinned at the approved declaration."""

    def __init__(self, declaration: int, config: ServerConfig, in_thread: InThread, *, run_id: str | None) -> None:
        self._declaration, self._config, self._in_thread, self._run_id = declaration, config, in_thread, run_id

    async def rules(self, tool: ToolSpec, arguments: JsonObject) -> ToolRules:
        """The rules of now: refused once the approval was taken back."""
        rules: ToolRules = await self._in_thread(self._read, tool)
        return rules

    def _read(self, tool: ToolSpec) -> ToolRules:
        digest = hash_of(definition_of(tool))
        row = Declaration.objects.filter(pk=self._declaration).first()
        approved = row is not None and row.state == Declaration.State.APPROVED
        key = (self._run_id or "", self._config.key.server, tool.name, digest, self._config.hash)
        return ToolRules(
            policy="auto" if approved else "deny",
            changed=row is None or row.pinned.get(tool.name) != digest,
            definition_hash=digest,
            server_hash=self._config.hash,
            trust_annotations=self._config.trust_annotations,
            granted=key in _for_run,
        )

    async def remember(self, tool: ToolSpec, arguments: JsonObject, rules: ToolRules, how: Remember, by: str) -> None:
        """A declared server has no row for policies, so an approval lasts for the run at most."""
        _remember_for_run(self._run_id, self._config.key.server, tool.name, rules)


@transaction.atomic
def pin_declared(declaration: int, specs: list[ToolSpec]) -> None:
    """Pin the definitions that an approved declaration lists and that were not seen before."""
    row = Declaration.objects.select_for_update().filter(pk=declaration).first()
    if row is None:
        return
    listed = {definition["name"]: hash_of(definition) for definition in map(definition_of, specs)}
    new = {name: digest for name, digest in listed.items() if name not in row.pinned}
    if new:
        row.pinned = {**row.pinned, **new}
        row.save(update_fields=["pinned"])
