"""Writes of the registry: permission, row, audit and announcement in one transaction each. Nothing here connects."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from backend.accounts.actor import Actor
from backend.accounts.audit.erasing import erase
from backend.accounts.audit.trail import audit, changed
from backend.accounts.models import Team
from backend.accounts.teams.deciding import deciders
from backend.accounts.teams.services import unique_slug
from backend.errors import Conflict, Forbidden, ValidationFailed
from backend.notifications.clients import notify_shared, notify_team
from backend.registry.configuration.documents import ReadDocument
from backend.registry.configuration.oauth_client import signs_in_itself
from backend.registry.configuration.presets import fill
from backend.registry.configuration.server_fields import COSMETIC, configure, masked_url, real_url
from backend.registry.configuration.user_credentials import (
    SERVERS,
    credential_target,
    extract_user_values,
    required_slots,
)
from backend.registry.connecting.api_documents import forget_document, has_document, save_document
from backend.registry.models import Declaration, Grant, Server, Tool
from backend.registry.programs.approvals import ask_for_declaration, ask_for_server
from backend.registry.programs.approvals import forget as forget_approvals
from backend.registry.programs.home_dirs import sweep_after_commit
from backend.registry.programs.rules import stdio_rules
from backend.registry.selectors import declaration_for, server_for, tool_for, visible_servers
from backend.registry.tools.responses import is_of
from backend.secrets import user_credentials
from backend.server_signin import sign_ins
from backend.tools.approvers import ANYONE, Approvers, least_members, rule_of

_BATCH = 200


def require_may_configure(actor: Actor, server: Server) -> None:
    """Adding and changing servers is for admins; a program must be one that this installation starts.

    Raises Forbidden, McpPolicyDenied. (Where the program is started the rules are checked again.)
    """
    actor.require("admin")
    if server.transport == Server.Transport.STDIO:
        held: dict[str, str] = server.secrets.get("args", {})
        args = [held.get(str(index), arg) for index, arg in enumerate(server.args)]
        stdio_rules().check(server.command, args, approved=True)  # the rest is for an operator (`approvals`)


def draft_server(actor: Actor, data: dict[str, Any], base: Server | None = None) -> Server:
    """An unsaved server of `data` (`NewServerSerializer`), over its preset or over a saved `base`.

    Raises ValidationFailed, Forbidden, McpPolicyDenied.
    """
    data = dict(data)
    preset, values = data.pop("preset", None), data.pop("values", None) or {}
    if values and not preset:
        raise ValidationFailed(fields={"values": ["go with a preset"]})
    server = base or Server(team=actor.team, created_by=actor.user, preset=preset or "")
    if preset:
        data = {**fill(preset, values), **{name: value for name, value in data.items() if value is not None}}
        data.pop("preset", None)
    configure(server, data)
    server.sent_document = sent_document(server, data)
    require_may_configure(actor, server)
    return server


def sent_document(server: Server, data: dict[str, Any]) -> ReadDocument | None:
    """The document of an API that `data` holds, None where it holds none. Raises ValidationFailed."""
    document: ReadDocument | None = data.get("document")
    if server.transport != Server.Transport.OPENAPI and document:
        raise ValidationFailed(fields={"document": ["is for the transport openapi"]})
    if server.transport not in (Server.Transport.OPENAPI, Server.Transport.A2A) and data.get("document_url"):
        raise ValidationFailed(fields={"document": ["is for the transport openapi"]})
    return document


def keep_document(server: Server, document: ReadDocument | None) -> None:
    """Store what was given with a server that is saved now. Raises ValidationFailed where an API has no document."""
    if document is not None:
        save_document(server.id, document)
    elif server.transport == Server.Transport.A2A:
        return  # its card is read when its skills are first listed
    elif server.transport != Server.Transport.OPENAPI:
        forget_document(server.id)
    elif not server.document_url and not has_document(server.id):
        raise ValidationFailed(fields={"document": ["or its address is required"]})


def free_slug(actor: Actor, requested: str | None, name: str) -> str:
    """The slug of a new server: as `requested`, or made of its name. Raises Conflict where the actor sees it taken.

    Slugs are one list for the whole team, private servers of others included, so none ever stands for two. One that
    only a server the actor does not see has gets a number, as if two had one name: nobody is told what is there.
    """
    Team.objects.select_for_update().get(pk=actor.team.id)  # one at a time, so that a free slug stays free
    taken = set(Server.objects.filter(team=actor.team).values_list("slug", flat=True))
    if requested and requested.startswith("srv_"):  # else it could stand for another one's id
        raise ValidationFailed(fields={"slug": ["may not look like an id"]})
    if requested in taken and visible_servers(actor.team.id, actor.user.id).filter(slug=requested).exists():
        raise Conflict(params={"reason": "slug_taken", "name": requested}, fields={"slug": ["is taken"]})
    return (
        requested
        if requested and requested not in taken
        else unique_slug(requested or name, taken.__contains__, "server")
    )


@transaction.atomic
def server_create(actor: Actor, data: dict[str, Any]) -> Server:
    """A new server. Its slug is made from its name once. Connects to nothing.

    Where each member uses their own credentials, those that are given become the actor's.
    """
    server = draft_server(actor, data)
    if not server.name:
        raise ValidationFailed(fields={"name": ["is required"]})
    server.slug = free_slug(actor, data.get("slug"), server.name)
    entered = extract_user_values(server)
    server.save()
    keep_document(server, server.sent_document)
    if entered:
        user_credentials.save_values(actor, server.id, entered, required_slots(server))
    changes = changed({}, _open_fields(server))
    audit(actor, "server.created", "server", server.id, changes=changes, **_facts(server))
    ask_for_server(actor, server)
    notify_shared("server", server, "created")
    return server


@transaction.atomic
def server_update(actor: Actor, reference: str, data: dict[str, Any]) -> Server:
    """Change a server. Secrets that were given for another address or program are dropped, not carried along."""
    server = server_for(actor, reference, lock=True)
    if "slug" in data and data["slug"] != server.slug:
        raise ValidationFailed(fields={"slug": ["never changes"]})
    data = {name: value for name, value in data.items() if name != "slug"}
    before, was_per_user, was = credential_target(server), SERVERS.is_per_user(server), _open_fields(server)
    program, signing = server.program_hash, (server.auth_type, server.secrets.get("client", {}))
    read_at = _read_at(server)
    dropped = configure(server, data)
    document = sent_document(server, data)
    require_may_configure(actor, server)
    if server.visibility == Server.Visibility.PRIVATE:
        server.created_by = server.created_by or actor.user  # nobody's: it becomes that of whoever makes it private
        if server.created_by_id != actor.user.id:
            raise Forbidden(params={"reason": "role", "role": "creator"})
    entered = extract_user_values(server)
    if set(data) - COSMETIC:
        server.revision += 1
        server.status = {}
    server.save()
    if _read_at(server) != read_at and document is None and (server.document_url or server.kind == Server.Kind.AGENT):
        forget_document(server.id)  # it is read at the new address with the next listing
    keep_document(server, document)
    forgotten = SERVERS.forget_outdated(server, before, was_per_user)
    forgotten += forget_sign_ins(server, (*before, *signing), was_per_user)
    if entered:
        user_credentials.save_values(actor, server.id, entered, required_slots(server))
    facts = {**_facts(server), **({"forgotten_credentials": forgotten} if forgotten else {})}
    changes = changed(was, _open_fields(server))
    audit(actor, "server.changed", "server", server.id, changes=changes, changed=sorted(data), dropped=dropped, **facts)
    ask_for_server(actor, server, changed=server.program_hash != program)
    notify_shared("server", server, "updated")
    return server


def _read_at(server: Server) -> tuple[str, ...]:
    """What decides where a server's document is read, and what it is a document of."""
    agent = real_url(server) if server.transport == Server.Transport.A2A else ""
    return server.kind, server.document_url, agent


@transaction.atomic
def server_delete(actor: Actor, reference: str) -> Server:
    """Delete a server with its tools and grants. Workflows that name it say so from then on."""
    server = server_for(actor, reference, lock=True)
    actor.require("admin")
    erase("server", [server.id])
    audit(actor, "server.deleted", "server", server.id, **_facts(server))
    notify_shared("server", server, "deleted")
    server_id = server.id
    user_credentials.forget(server_id)
    sign_ins.forget(server_id)
    forget_approvals(server)
    server.delete()
    sweep_after_commit()
    server.id = server_id
    return server


@transaction.atomic
def tool_update(actor: Actor, reference: str, name: str, changes: dict[str, str | None]) -> Tool:
    """Set a tool's policy, risk, effect or approvers; null = by the rules.

    Raises Conflict where the team has too few people for these approvers.
    """
    actor.require("admin")
    server = server_for(actor, reference)
    tool = tool_for(server, name)
    before = _decided(tool)
    if "policy" in changes:
        tool.policy = "" if changes["policy"] in {None, "auto"} else str(changes["policy"])
    if "risk" in changes:
        tool.risk = changes["risk"] or ""
    if "effect" in changes:
        tool.effect = changes["effect"] or ""
    if "approvers" in changes:
        tool.approvers = "" if changes["approvers"] in {None, ANYONE} else str(changes["approvers"])
        if tool.approvers != before["approvers"]:
            require_people(actor.team.id, rule_of(tool.approvers))
    tool.save()
    audit(actor, "tool.changed", "server", server.id, changes=changed(before, _decided(tool)), tool=name)
    notify_shared("server", server, "tools")
    return tool


@transaction.atomic
def tools_update(actor: Actor, reference: str, which: str, policy: str) -> tuple[int, int]:
    """Set the policy of all tools of one kind ("read", "write", "high_risk"): how many there are, how many changed.

    Tools that the server lists for the first time later are judged by the rules, as any new one.
    """
    actor.require("admin")
    server = server_for(actor, reference, lock=True)  # so that no listing comes between
    stored = "" if policy == "auto" else policy
    fitting = [tool for tool in server.tools.all() if is_of(server, tool, which)]
    moved = [tool for tool in fitting if tool.policy != stored]
    if moved:
        for start in range(0, len(moved), _BATCH):
            keys = [tool.pk for tool in moved[start : start + _BATCH]]
            Tool.objects.filter(pk__in=keys).update(policy=stored)
        changes = {tool.name: [tool.policy or "auto", policy] for tool in moved}
        audit(
            actor, "tools.changed", "server", server.id, changes=changes, which=which, policy=policy, count=len(moved)
        )
        notify_shared("server", server, "tools")
    return len(fitting), len(moved)


def require_people(team_id: str, rule: Approvers) -> None:
    """Raise Conflict unless the team has enough people for a rule, whoever of them starts the run."""
    least = least_members(rule)
    if len(deciders(team_id)) < least:
        raise Conflict(params={"reason": "approvers", "count": least})


def _decided(tool: Tool) -> dict[str, str]:
    """What admins decided about a tool, as the audit trail compares it."""
    return {"policy": tool.policy, "risk": tool.risk, "effect": tool.effect, "approvers": tool.approvers}


@transaction.atomic
def tool_accept(actor: Actor, reference: str, name: str) -> Tool:
    """Pin the definition that the server lists now. Grants for the old one end with it."""
    actor.require("admin")
    server = server_for(actor, reference)
    tool = tool_for(server, name)
    if tool.definition_hash == tool.pinned_hash:
        raise Conflict(params={"reason": "not_changed", "tool": name})
    tool.pinned_definition, tool.pinned_hash, tool.pinned_at = tool.definition, tool.definition_hash, timezone.now()
    tool.save()
    Grant.objects.filter(server=server, tool=name).exclude(definition_hash=tool.pinned_hash).delete()
    audit(actor, "tool.accepted", "server", server.id, tool=name, hash=tool.pinned_hash)
    notify_shared("server", server, "tools")
    return tool


@transaction.atomic
def declaration_decide(actor: Actor, digest: str, approve: bool) -> Declaration:
    """Approve or reject a server that a document declares, exactly as it stands (by its hash)."""
    actor.require("admin")
    row = declaration_for(actor, digest)
    if approve and row.config.get("transport") == "stdio":
        config = row.config
        stdio_rules().check(str(config.get("command") or ""), config.get("args") or [], approved=True)
    row.state = Declaration.State.APPROVED if approve else Declaration.State.REJECTED
    row.decided_by, row.decided_at, row.pinned = actor.user, timezone.now(), {}
    row.package, row.card, row.changed = {}, {}, 0
    row.save()
    audit(actor, f"declaration.{row.state}", "declaration", row.hash[:40], name=row.name)
    if approve:
        ask_for_declaration(actor, row)
    notify_team(actor.team.id, "declaration", row.hash, row.state)
    return row


def forget_sign_ins(server: Server, before: tuple[Any, ...], was_per_user: bool) -> int:
    """End the sign-ins that may not be used any more: for another address, client or way of signing in. How many."""
    now = (*credential_target(server), server.auth_type, server.secrets.get("client", {}))
    if before != now or was_per_user != SERVERS.is_per_user(server):
        number = sign_ins.forget(server.id)
        if signs_in_itself(server):
            sign_ins.ready(server.team_id, server.id)  # runs that wait for it try with what was entered
        return number
    if server.visibility == Server.Visibility.PRIVATE and was_per_user:
        return sign_ins.forget(server.id, but=server.created_by_id or "")
    return 0


def _facts(server: Server) -> dict[str, Any]:
    """What the audit trail says about a server: where it goes, never with what. Of a private one that it is there,
    and which program it starts on this machine."""
    facts = {"slug": server.slug, "transport": server.transport, "command": server.command}
    if server.visibility == Server.Visibility.PRIVATE:
        return {**facts, "visibility": server.visibility}
    return {"name": server.name, **facts}


_OPEN = (
    *("name", "description", "transport", "command", "args", "env", "cwd", "auth_type", "headers", "timeout_ms"),
    *("visibility", "enabled", "session", "credentials", "asks", "trust_annotations", "max_runs", "max_calls"),
    *("box", "folders", "network", "document_url", "api_key_in"),
)


def _open_fields(server: Server) -> dict[str, Any]:
    """What the audit trail compares before and after: what every member may read; of a private one only that it is."""
    if server.visibility == Server.Visibility.PRIVATE:
        return {"visibility": server.visibility}
    hidden = {f"hidden_{kind}": sorted(server.secrets.get(kind, {})) for kind in ("headers", "env")}
    return {**{name: getattr(server, name) for name in _OPEN}, "url": masked_url(server), **hidden}
