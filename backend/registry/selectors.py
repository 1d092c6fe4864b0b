"""Reads of the registry, always for somebody: what the actor may not see does not exist."""

from __future__ import annotations

from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from backend.accounts.actor import Actor
from backend.database.listing import Conditions, ListedRows
from backend.database.words import words_in
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


LISTED = ListedRows(
    Server,
    [field.attname for field in Server._meta.concrete_fields if field.name != "tool_rules"],
    beside={
        "changed_tools": "(SELECT COUNT(*) FROM registry_tool t"
        " WHERE t.server_id = registry_server.id AND NOT (t.definition_hash = t.pinned_hash))",
        "by_name": "LOWER(registry_server.name)",
    },
)
"""What lists show of servers, with the number of changed tools as `servers_of` gives it."""
_ABOUT = [f"registry_server.{column}" for column in ("name", "slug", "description", "url", "command")]
_TOOLS = "EXISTS (SELECT 1 FROM registry_tool u WHERE NOT u.gone AND {} AND u.server_id = registry_server.id)"


def matching_servers(actor: Actor, search: str) -> Conditions:
    """What the actor sees with these words in a server's name, address or command or in a tool's name; "" = all.

    To be `LISTED`.
    """
    conditions = Conditions().add("registry_server.team_id = %s", actor.team.id)
    conditions.add("(registry_server.visibility = 'team' OR registry_server.created_by_id = %s)", actor.user.id)
    if not (search := search.strip()):
        return conditions
    if not storable(search):
        return conditions.add("1 = 0")
    about, values = words_in([*_ABOUT, "CAST(registry_server.args AS text)"], search)
    tools, more = words_in(["u.name", "u.title"], search)
    return conditions.add(f"({about} OR {_TOOLS.format(tools)})", *values, *more)


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
