"""Servers that a member switched off for the models that choose tools in runs they start: agents, planners, LLM nodes.

A tool node calls the server that it names all the same. What is off is read once, when a run begins.
"""

from __future__ import annotations

from typing import Any, TypedDict

from backend.accounts.actor import Actor
from backend.accounts.models import Membership
from backend.errors import ValidationFailed
from backend.registry.selectors import visible_servers


class ServerOff(TypedDict):
    """A server that somebody switched off for models."""

    id: str
    slug: str
    name: str


def switched_off(team_id: str, user_id: str | None) -> list[ServerOff]:
    """`[{id, slug, name}]` of what this member switched off and still sees."""
    memberships = Membership.objects.filter(team_id=team_id, user_id=user_id) if user_id else Membership.objects.none()
    ids = memberships.values_list("servers_off", flat=True).first()
    if not ids:
        return []
    rows = visible_servers(team_id, user_id).filter(pk__in=ids).order_by("slug")
    return [{"id": row.id, "slug": row.slug, "name": row.name} for row in rows.only("id", "slug", "name")]


def switch_off(actor: Actor, servers: list[str]) -> list[ServerOff]:
    """Switch off exactly these of the servers that the actor sees, by id or slug. Raises ValidationFailed."""
    rows = visible_servers(actor.team.id, actor.user.id)
    known: dict[str, Any] = {}
    for row in rows.values("id", "slug"):
        known |= {row["id"]: row["id"], row["slug"]: row["id"]}
    for index, name in enumerate(servers):
        if name not in known:
            raise ValidationFailed(fields={f"servers.{index}": ["is not a server of the team"]})
    ids = sorted({known[name] for name in servers})
    Membership.objects.filter(team=actor.team, user=actor.user).update(servers_off=ids or None)
    return switched_off(actor.team.id, actor.user.id)


def off_in(off: list[ServerOff], declared: dict[str, Any]) -> frozenset[str]:
    """The names by which a document means these servers: a name that it declares itself is another server's."""
    names = {name for row in off for name in (row["id"], row["slug"])}
    return frozenset(names - declared.keys())
