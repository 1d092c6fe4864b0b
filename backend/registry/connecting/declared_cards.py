"""The cards of agents that documents declare: kept at the approved declaration, with the skills as they were accepted.

What is kept is `{about, card, etag, modified, read_at, skills: [definition], accepted: {name: definition},
accepted_at}`. A skill that is listed for the first time is accepted as it is, as a server's tool is; one that changed
waits for an admin, and each call of it asks meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone

from backend.accounts.teams.outbound import network_rules
from backend.database.threads import in_thread
from backend.engine.language.clean import clean
from backend.net.rules import NetworkRules
from backend.notifications.clients import notify_team
from backend.registry.models import Declaration, Server
from backend.registry.tools.definitions import definition_of, hash_of
from backend.tools.servers import ServerConfig

if TYPE_CHECKING:
    from backend.tools.a2a.model import Agent
    from backend.tools.a2a.source import StoredCard
    from backend.tools.a2a.wire import FetchedCard


def is_agent(row: Declaration) -> bool:
    """Whether what is declared is an agent of others."""
    return bool(row.config.get("transport") == Server.Transport.A2A)


def card_url(row: Declaration) -> str:
    """Where its card is read, "" where that follows from its address."""
    return str(row.config.get("document_url") or "")


@dataclass(frozen=True, slots=True)
class DeclaredWorld:
    """`tools.a2a.source.World` of a declared agent, as it was approved at this time."""

    declaration: int
    decided_at: datetime | None
    url: str

    def rules(self) -> NetworkRules:
        """The installation's, of now."""
        return network_rules()

    async def stored(self) -> StoredCard | None:
        """The card that was read last."""
        return await in_thread(_stored, self.declaration)

    async def save(self, read: FetchedCard | None) -> None:
        """Keep a card with its skills; None = the stored one is the agent's still."""
        await in_thread(_save, self, read)


def world_of(row: Declaration, config: ServerConfig) -> DeclaredWorld:
    """The world of the agent of an approved declaration."""
    return DeclaredWorld(row.pk, row.decided_at, config.url)


async def read_now(row: Declaration, config: ServerConfig, timeout_s: float) -> None:
    """Read the card and keep it. Await it on the loop. Raises McpError, NetworkBlocked."""
    from backend.tools.a2a.source import read_card  # with the SDK, see `connections`

    world = world_of(row, config)
    read, _ = await read_card(config, world.rules(), card_url(row), timeout_s, await world.stored())
    await world.save(read)


def _stored(declaration: int) -> StoredCard | None:
    from backend.tools.a2a.source import StoredCard

    kept = Declaration.objects.filter(pk=declaration).values_list("card", flat=True).first()
    if not kept:
        return None
    age_s = (timezone.now() - datetime.fromisoformat(kept["read_at"])).total_seconds()
    return StoredCard(kept["card"], age_s, kept["etag"], kept["modified"])


def _save(world: DeclaredWorld, read: FetchedCard | None) -> None:
    from backend.tools.a2a.cards import agent_of

    if read is None:
        _keep(world, {})
        return
    agent = agent_of(read.card, world.url)
    about = {"name": agent.name, "version": agent.version, "description": agent.description}
    columns = {
        "about": {**about, "url": agent.url, "protocol": f"A2A {agent.dialect}"},
        "card": read.card,
        "etag": read.etag,
        "modified": read.modified,
        "skills": _definitions(agent),
    }
    _keep(world, clean(columns))


def _definitions(agent: Agent) -> list[dict[str, Any]]:
    return [dict(definition_of(spec)) for spec in agent.specs("")]


@transaction.atomic
def _keep(world: DeclaredWorld, columns: dict[str, Any]) -> None:
    """Keep what was found, unless the declaration was decided about anew meanwhile; nothing = it is as before."""
    rows = Declaration.objects.select_for_update().filter(pk=world.declaration, decided_at=world.decided_at)
    row = rows.filter(state=Declaration.State.APPROVED).first()
    if row is None or not (columns or row.card):
        return
    now, before = timezone.now().isoformat(), row.card.get("skills")
    kept = {"accepted": {}, "accepted_at": now, **row.card, **columns, "read_at": now}
    new = {skill["name"]: skill for skill in kept["skills"] if skill["name"] not in kept["accepted"]}
    kept["accepted"] = {**kept["accepted"], **new}
    write_card(row, kept)
    if kept["skills"] != before:
        notify_team(row.team_id, "declaration", row.hash, "card")


def write_card(row: Declaration, kept: dict[str, Any]) -> None:
    """Keep it, with what follows of it: the hashes by which the gate knows a skill, and how many changed."""
    row.card = kept
    row.pinned = {name: hash_of(definition) for name, definition in kept["accepted"].items()}
    row.changed = sum(row.pinned[skill["name"]] != hash_of(skill) for skill in kept["skills"])
    row.save(update_fields=["card", "pinned", "changed"])


def version_of(kept: dict[str, Any]) -> str:
    """Names the skills as they are listed now; "" before a card was read."""
    return hash_of({"skills": kept["skills"]})[:40] if kept else ""
