"""Reads of the registry, always for somebody: what the actor may not see does not exist."""

from __future__ import annotations

from django.db.models import Count, Exists, IntegerField, OuterRef, Q, QuerySet, Subquery, TextField
from django.db.models.functions import Cast, Coalesce

from backend.accounts.actor import Actor
from backend.errors import McpToolNotFound, NotFound
from backend.registry.models import CHANGED, Declaration, Server, Tool
from backend.registry.user_credentials import SERVERS
from backend.web.lookup import storable


def visible_servers(team_id: str, user_id: str | None) -> QuerySet[Server]:
    """The team's servers and the person's own private ones."""
    return SERVERS.visible(team_id, user_id)


def servers_of(actor: Actor) -> QuerySet[Server]:
    """What the actor sees, with the number of changed tools."""
    changed = Tool.objects.filter(CHANGED, server=OuterRef("pk")).order_by().values("server")
    counted = Subquery(changed.annotate(number=Count("pk")).values("number"), output_field=IntegerField())
    return visible_servers(actor.team.id, actor.user.id).annotate(changed_tools=Coalesce(counted, 0))


def servers_found(actor: Actor, wanted: str) -> QuerySet[Server]:
    """What the actor sees with these words in a server's name, address or command or in a tool's name; "" = all."""
    rows, wanted = servers_of(actor), wanted.strip()
    if not wanted:
        return rows
    if not storable(wanted):
        return rows.none()
    tools = Tool.objects.filter(Q(name__icontains=wanted) | Q(title__icontains=wanted), gone=False)
    about = Q(name__icontains=wanted) | Q(slug__icontains=wanted) | Q(description__icontains=wanted)
    reached = Q(url__icontains=wanted) | Q(command__icontains=wanted) | Q(args_text__icontains=wanted)
    rows = rows.alias(args_text=Cast("args", TextField()))
    return rows.filter(about | reached | Exists(tools.filter(server=OuterRef("pk"))))


def server_for(actor: Actor, reference: str, lock: bool = False) -> Server:
    """The server of this id or slug. Raises NotFound."""
    return SERVERS.visible_one(actor, reference, lock)


def tool_for(server: Server, name: str) -> Tool:
    """The listed tool of this name. Raises McpToolNotFound."""
    row = server.tools.filter(name=name).first() if storable(name) else None
    if row is None:
        raise McpToolNotFound(params={"tool": name, "server": server.slug})
    return row


def declarations_of(actor: Actor, state: str | None = None) -> QuerySet[Declaration]:
    """Servers that documents of the team declare."""
    rows = Declaration.objects.filter(team=actor.team).select_related("decided_by")
    return rows.filter(state=state) if state else rows


def declaration_for(actor: Actor, digest: str) -> Declaration:
    """The declaration of this hash. Raises NotFound."""
    row = declarations_of(actor).filter(hash=digest).first() if storable(digest) else None
    if row is None:
        raise NotFound
    return row
