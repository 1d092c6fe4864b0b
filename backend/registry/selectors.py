"""Reads of the registry, always for somebody: what the actor may not see does not exist."""

from __future__ import annotations

from django.db import connection
from django.db.models import Count, Exists, IntegerField, OuterRef, Q, QuerySet, Subquery, TextField
from django.db.models.functions import Cast, Coalesce

from backend.accounts.actor import Actor
from backend.database import words  # noqa: F401 - makes the lookup `has`
from backend.errors import McpToolNotFound, NotFound, ValidationFailed
from backend.registry.configuration.user_credentials import SERVERS
from backend.registry.models import CHANGED, Declaration, Server, Tool
from backend.web.lookup import storable


def visible_servers(team_id: str, user_id: str | None) -> QuerySet[Server]:
    """The team's servers and the person's own private ones."""
    return SERVERS.visible(team_id, user_id)


def servers_of(actor: Actor) -> QuerySet[Server]:
    """What the actor sees, with the number of changed tools."""
    changed = Tool.objects.filter(CHANGED, server=OuterRef("pk")).order_by().values("server")
    counted = Subquery(changed.annotate(number=Count("pk")).values("number"), output_field=IntegerField())
    return visible_servers(actor.team.id, actor.user.id).annotate(changed_tools=Coalesce(counted, 0))


_CHANGED = """
SELECT server_id, COUNT(*) FROM registry_tool WHERE server_id IN ({}) AND NOT (definition_hash = pinned_hash)
GROUP BY server_id"""
"""As SQL, for putting it together costs the ORM more than the database's work."""


def changed_tools(servers: list[str]) -> dict[str, int]:
    """How many tools of each of these servers changed; those without any are not in it."""
    if not servers:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_CHANGED.format(", ".join(["%s"] * len(servers))), servers)
        return dict(cursor.fetchall())


def servers_found(actor: Actor, wanted: str) -> QuerySet[Server]:
    """What the actor sees with these words in a server's name, address or command or in a tool's name; "" = all."""
    rows, wanted = visible_servers(actor.team.id, actor.user.id), wanted.strip()
    if not wanted:
        return rows
    if not storable(wanted):
        return rows.none()
    tools = Tool.objects.filter(Q(name__has=wanted) | Q(title__has=wanted), gone=False)
    about = Q(name__has=wanted) | Q(slug__has=wanted) | Q(description__has=wanted)
    reached = Q(url__has=wanted) | Q(command__has=wanted) | Q(args_text__has=wanted)
    rows = rows.alias(args_text=Cast("args", TextField()))
    return rows.filter(about | reached | Exists(tools.filter(server=OuterRef("pk"))))


def server_for(actor: Actor, reference: str, lock: bool = False) -> Server:
    """The server of this id or slug. Raises NotFound."""
    return SERVERS.visible_one(actor, reference, lock)


MOST_NAMED = 200
"""Servers that are asked for by name at once."""


def servers_named(actor: Actor, references: list[str]) -> list[Server]:
    """Those of these ids or slugs that the actor sees. Raises ValidationFailed (`server`) for too many."""
    if len(references) > MOST_NAMED:
        raise ValidationFailed(fields={"server": [f"may be given {MOST_NAMED} times"]})
    names = [name for name in references if storable(name)]
    rows = visible_servers(actor.team.id, actor.user.id)
    return list(rows.filter(Q(id__in=names) | Q(slug__in=names))) if names else []


def team_of(server: str) -> str:
    """The id of the team that a server (by its id) belongs to; "" where there is none. Shows nothing of it."""
    key = Server.objects.filter(pk=server).values_list("team_id", flat=True).first() if storable(server) else None
    return str(key or "")


def tool_for(server: Server, name: str) -> Tool:
    """The listed tool of this name. Raises McpToolNotFound."""
    row = server.tools.filter(name=name).first() if storable(name) else None
    if row is None:
        raise McpToolNotFound(params={"tool": name, "server": server.slug})
    return row


def declarations_of(actor: Actor, state: str | None = None) -> QuerySet[Declaration]:
    """Servers that documents of the team declare."""
    rows = Declaration.objects.filter(team=actor.team).select_related("decided_by").defer("card")
    return rows.filter(state=state) if state else rows


def declaration_for(actor: Actor, digest: str) -> Declaration:
    """The declaration of this hash. Raises NotFound."""
    row = declarations_of(actor).filter(hash=digest).first() if storable(digest) else None
    if row is None:
        raise NotFound
    return row
