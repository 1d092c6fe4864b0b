"""Agents that documents declare, as people see them: their cards, read with an approval or when asked, and accepted."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from backend.accounts.actor import Actor
from backend.accounts.audit.trail import audit
from backend.accounts.auth import rate_limits
from backend.errors import Conflict, NotFound, PatchbayError
from backend.notifications.clients import notify_team
from backend.registry.connecting.connections import prepare
from backend.registry.connecting.declared_cards import is_agent, read_now, version_of, write_card
from backend.registry.connecting.resolving import config_of_declaration
from backend.registry.models import Declaration, Server, Tool
from backend.registry.responses import DeclaredAgentJson, DeclaredCardJson
from backend.registry.selectors import declaration_for
from backend.registry.services import declaration_decide
from backend.registry.tools.definitions import hash_of
from backend.registry.tools.responses import tool_json
from backend.web.remote_requests import RemoteWork

AT_APPROVAL_S = 10.0
"""What reading the card may take when an agent is approved; the first run reads it where that was too short."""
MOST_AUDITED = 50


def declaration_approve(actor: Actor, digest: str) -> RemoteWork[Declaration]:
    """Approve what a document declares; the card of an agent is read then, if it can be.

    Raises as `declaration_decide`.
    """
    row = declaration_decide(actor, digest, True)
    if is_agent(row):
        try:
            config = config_of_declaration(row, actor.user.id)
            prepare()
            yield read_now(row, config, min(config.timeout_s, AT_APPROVAL_S))
        except PatchbayError:  # approved it is; whoever reads the card next is told why that fails
            pass
    return declaration_for(actor, digest)


def card_read(actor: Actor, digest: str) -> RemoteWork[Declaration]:
    """Read the card of an approved agent now. Raises NotFound, ServerNotApproved, SecretMissing, McpError,
    NetworkBlocked."""
    actor.require("admin")
    row = agent_for(actor, digest)
    rate_limits.count_connection(actor)
    config = config_of_declaration(row, actor.user.id)
    prepare()
    yield read_now(row, config, config.timeout_s)
    return agent_for(actor, digest)


def agent_for(actor: Actor, digest: str) -> Declaration:
    """The declared agent of this hash. Raises NotFound, also for a declared server."""
    row = declaration_for(actor, digest)
    if not is_agent(row):
        raise NotFound
    return row


@transaction.atomic
def card_accept(actor: Actor, digest: str, version: str) -> Declaration:
    """Accept the skills as they are listed now, which is what was shown as `version`.

    Raises Conflict where none changed, or where a card with others was read meanwhile.
    """
    actor.require("admin")
    row = Declaration.objects.select_for_update().get(pk=agent_for(actor, digest).pk)
    if not row.changed:
        raise Conflict(params={"reason": "not_changed", "tool": row.name})
    kept = row.card
    if version != version_of(kept):
        raise Conflict(params={"reason": "card_version", "server": row.name})
    changed = [skill["name"] for skill in kept["skills"] if row.pinned[skill["name"]] != hash_of(skill)]
    accepted = {**kept["accepted"], **{skill["name"]: skill for skill in kept["skills"]}}
    write_card(row, {**kept, "accepted": accepted, "accepted_at": timezone.now().isoformat()})
    audit(actor, "declaration.accepted", "declaration", row.hash[:40], name=row.name, skills=changed[:MOST_AUDITED])
    notify_team(actor.team.id, "declaration", row.hash, "card")
    return row


def declared_agent_json(row: Declaration, language: str) -> DeclaredAgentJson:
    """What is known of a declared agent: its card, and its skills as a server's tools are shown."""
    kept: dict[str, Any] = row.card
    server = Server(
        slug=row.name, transport=Server.Transport.A2A, trust_annotations=bool(row.config["trust_annotations"])
    )
    return {
        "hash": row.hash,
        "card": _card(kept) if kept else None,
        "version": version_of(kept),
        "changed": row.changed,
        "skills": [tool_json(server, _tool(kept, skill), language) for skill in kept.get("skills", [])],
    }


def _card(kept: dict[str, Any]) -> DeclaredCardJson:
    about = kept["about"]
    return {
        "name": about["name"],
        "version": about["version"],
        "description": about["description"],
        "url": about["url"],
        "protocol": about["protocol"],
        "read_at": datetime.fromisoformat(kept["read_at"]),
    }


def _tool(kept: dict[str, Any], skill: dict[str, Any]) -> Tool:
    """A skill as a row that is not saved."""
    accepted = kept["accepted"][skill["name"]]
    return Tool(
        name=skill["name"],
        definition=skill,
        definition_hash=hash_of(skill),
        pinned_definition=accepted,
        pinned_hash=hash_of(accepted),
        pinned_at=datetime.fromisoformat(kept["accepted_at"]),
        listed_at=datetime.fromisoformat(kept["read_at"]),
    )
