"""What the gate asks the registry: policy, overrides, pinned definitions, remembered approvals of one server."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime, timedelta
from typing import cast

from django.db import connection, transaction
from django.utils import timezone

from backend.accounts.actor import actor_for
from backend.accounts.audit.trail import audit
from backend.accounts.models import User
from backend.database.threads import in_thread
from backend.registry.models import Declaration, Grant, RunGrant, Server, Tool
from backend.registry.tools.definition_lines import changed_lines
from backend.registry.tools.definitions import DefinitionJson, definition_of, hash_of
from backend.registry.tools.listing import denied_from_start
from backend.tools.approvers import ANYONE, Approvers, enough, stricter
from backend.tools.calls.gate import ToolRules
from backend.tools.servers import ServerConfig
from backend.tools.types import JsonObject, Remember, ToolSpec

_RULES = """
SELECT s.enabled, s.trust_annotations, s.revision, t.policy, t.risk, t.effect, t.approvers,
       t.pinned_hash,
       CASE WHEN t.pinned_hash <> %s THEN t.pinned_definition END, CASE WHEN t.pinned_hash <> %s THEN t.pinned_at END,
       EXISTS (SELECT 1 FROM registry_grant g WHERE g.server_id = s.id)
FROM registry_server s LEFT JOIN registry_tool t ON t.server_id = s.id AND t.name = %s
WHERE s.id = %s AND (s.visibility = 'team' OR s.created_by_id = %s)
"""
"""All that a call needs to know, in one read: it stands before every call."""
RUN_GRANTS_KEPT_DAYS = 400
"""Approvals "for this run" are deleted after so long; a run that still waits then asks again."""


def called_unasked(server: Server, names: list[str]) -> set[str]:
    """Of tools that only read those that nobody switched off, or made one that asks."""
    rows = {tool.name: tool for tool in Tool.objects.filter(server_id=server.id, name__in=names)}

    def unasked(name: str) -> bool:
        tool = rows.get(name)
        if tool is None:
            return not denied_from_start(server.tool_rules, name)
        same = tool.definition_hash == tool.pinned_hash and tool.effect in ("", "read") and tool.risk in ("", "LOW")
        return same and tool.policy in ("", "auto", "allow")

    return {name for name in names if unasked(name)}


def arguments_hash(arguments: JsonObject) -> str:
    """SHA-256 of arguments; the order of keys does not matter."""
    return hashlib.sha256(json.dumps(arguments, sort_keys=True).encode()).hexdigest()


def granted_for_run(run_id: str | None, source: str, tool: str, definition: str, configuration: str) -> bool:
    """Whether this tool of a source without a row was approved for the run, as it is defined and configured now."""
    return RunGrant.objects.filter(
        run=run_id or "", source=source, tool=tool, definition_hash=definition, server_hash=configuration
    ).exists()


def remember_for_run(run_id: str | None, source: str, tool: str, rules: ToolRules) -> None:
    """Keep an approval for the run of a tool whose source has no row. Outside of a run nothing is kept."""
    if run_id:
        RunGrant.objects.filter(created_at__lt=timezone.now() - timedelta(days=RUN_GRANTS_KEPT_DAYS)).delete()
        RunGrant.objects.get_or_create(
            run=run_id,
            source=source,
            tool=tool,
            definition_hash=rules.definition_hash,
            server_hash=rules.server_hash,
        )


def _iso(value: datetime | str | None) -> str:
    """A time out of raw SQL as JSON has it: Postgres gives it with its zone, SQLite without."""
    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    if moment is None:
        return ""
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat()


class RegistryPolicies:
    """The `PolicySource` of a registered server."""

    def __init__(
        self,
        server: Server,
        config: ServerConfig,
        *,
        user_id: str | None,
        run_id: str | None,
        workflow_id: str,
        approvers: Approvers = ANYONE,
    ) -> None:
        """`user_id` = whoever started the run, `approvers` = who must agree by the run's workflow."""
        self._server, self.config, self._user_id = server, config, user_id
        self._run_id, self._workflow_id = run_id, workflow_id
        self._approvers = approvers

    async def rules(self, tool: ToolSpec, arguments: JsonObject) -> ToolRules:
        """The rules of now; a tool that was never listed counts as changed, so it asks."""
        return await in_thread(self._read, tool, arguments)

    def _read(self, tool: ToolSpec, arguments: JsonObject) -> ToolRules:
        digest = hash_of(definition_of(tool))
        with connection.cursor() as cursor:
            cursor.execute(_RULES, [digest, digest, tool.name, self._server.id, self._user_id or ""])
            row = cursor.fetchone()
        if row is None or not row[0]:
            return ToolRules(policy="deny", definition_hash=digest, server_hash=self.config.hash)
        _, trusted, revision, policy, risk, effect, approvers, pinned, accepted, since, grants = row
        if policy is None and denied_from_start(self._server.tool_rules, tool.name):
            policy = "deny"
        before: DefinitionJson | None = json.loads(accepted) if accepted else None
        who = stricter(approvers, self._approvers)
        granted_where = self._granted(tool.name, digest, revision, arguments, who) if grants else frozenset()
        return ToolRules(
            approvers=who,
            pinned=cast(JsonObject, before.get("annotations") or {}) if before else None,
            changes=changed_lines(before, definition_of(tool)) if before else (),
            since=_iso(since),
            policy=policy or "auto",
            risk_override=risk or None,
            effect_override=effect or None,
            changed=pinned != digest,
            definition_hash=digest,
            server_hash=self.config.hash,
            trust_annotations=bool(trusted),
            granted="*" in granted_where,
            granted_where=granted_where,
        )

    def _granted(self, tool: str, digest: str, revision: int, arguments: JsonObject, who: Approvers) -> frozenset[str]:
        """For which expressions a remembered approval fits, "*" = for all: this workflow or run, this definition and
        configuration, given by the people who would have to agree now."""
        rows = Grant.objects.filter(
            server_id=self._server.id,
            tool=tool,
            workflow__in=[scope for scope in (self._workflow_id, self._run_id) if scope],
            definition_hash=digest,
            server_revision=revision,
        ).values_list("arguments_hash", "expressions", "people", "created_by_id")
        fitting = {"", arguments_hash(arguments)}
        return frozenset(
            "*" if where is None else where
            for of, where, people, giver in rows
            if of in fitting and enough(who, people or [giver or ""], self._user_id)
        )

    async def remember(self, tool: ToolSpec, arguments: JsonObject, rules: ToolRules, how: Remember, by: str) -> None:
        """Keep an approval for the run; or for the workflow, where `by` may set policies."""
        scope = self._run_id if how == "run" else self._workflow_id
        if how != "once" and scope:
            await in_thread(self._grant, tool.name, arguments, rules, how, by, scope)

    @transaction.atomic
    def _grant(self, tool: str, arguments: JsonObject, rules: ToolRules, how: Remember, by: str, scope: str) -> None:
        people = list(rules.approved_by) if len(rules.approved_by) > 1 else []
        person = User.objects.filter(id=by).first()
        actor = actor_for(person, self._server.team_id) if person else None
        if actor is None or not actor.may("editor" if how == "run" else "admin"):
            return
        if how == "run":
            old = timezone.now() - timedelta(days=RUN_GRANTS_KEPT_DAYS)
            Grant.objects.filter(team_id=self._server.team_id, workflow__startswith="run_", created_at__lt=old).delete()
        Grant.objects.get_or_create(
            team_id=self._server.team_id,
            server_id=self._server.id,
            tool=tool,
            workflow=scope,
            definition_hash=rules.definition_hash,
            server_revision=self._server.revision,
            arguments_hash=arguments_hash(arguments) if how == "arguments" else "",
            expressions=rules.expressions if how == "tool" else None,
            people=people,
            created_by=person,
        )
        audit(actor, "grant.created", "server", self._server.id, tool=tool, scope=scope, how=how)


class DeclaredPolicies:
    """The `PolicySource` of a server declared in a document: its definitions are pinned at the approved declaration."""

    def __init__(self, declaration: int, config: ServerConfig, *, run_id: str | None) -> None:
        self._declaration, self.config, self._run_id = declaration, config, run_id

    async def rules(self, tool: ToolSpec, arguments: JsonObject) -> ToolRules:
        """The rules of now: refused once the approval was taken back."""
        return await in_thread(self._read, tool)

    def _read(self, tool: ToolSpec) -> ToolRules:
        digest = hash_of(definition_of(tool))
        row = Declaration.objects.filter(pk=self._declaration).defer("card").first()
        approved = row is not None and row.state == Declaration.State.APPROVED
        changed = row is None or row.pinned.get(tool.name) != digest
        card = row.card if row is not None and changed else {}  # read only here: it may be megabytes
        before: DefinitionJson | None = card.get("accepted", {}).get(tool.name)
        return ToolRules(
            policy="auto" if approved else "deny",
            pinned=cast(JsonObject, before.get("annotations") or {}) if before else None,
            changes=changed_lines(before, definition_of(tool)) if before else (),
            since=card["accepted_at"] if before else "",
            changed=changed,
            definition_hash=digest,
            server_hash=self.config.hash,
            trust_annotations=self.config.trust_annotations,
            granted=granted_for_run(self._run_id, self.config.key.server, tool.name, digest, self.config.hash),
        )

    async def remember(self, tool: ToolSpec, arguments: JsonObject, rules: ToolRules, how: Remember, by: str) -> None:
        """A declared server has no row for policies, so an approval lasts for the run at most."""
        await in_thread(remember_for_run, self._run_id, self.config.key.server, tool.name, rules)


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
