"""Reads of collections, always for somebody: what is not the actor's team's does not exist."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from django.db import connection
from django.db.models import Count, Exists, OuterRef, QuerySet
from django.utils import timezone

from backend.accounts.actor import Actor
from backend.accounts.models import ApiToken
from backend.errors import NotFound
from backend.registry.models import Server, Tool
from backend.registry.selectors import server_for
from backend.runs import selectors as runs
from backend.runs.models import Run
from backend.tool_collections.models import Collection, Content, Entry
from backend.web.lookup import by_reference, storable


def collections_of(actor: Actor, server: str | None = None) -> QuerySet[Collection]:
    """The team's collections; with `server` those that hold something of it. Raises NotFound (no such server)."""
    rows = Collection.objects.filter(team=actor.team)
    if server is None:
        return rows
    held = {"collection": OuterRef("pk"), "server": server_for(actor, server)}
    return rows.filter(Exists(Entry.objects.filter(**held)) | Exists(Content.objects.filter(**held)))


def collection_for(actor: Actor, reference: str, lock: bool = False) -> Collection:
    """The collection of this id or slug. Raises NotFound."""
    return by_reference(Collection.objects.filter(team=actor.team), reference, lock)


_AT = """
SELECT c.id, c.enabled FROM tool_collections_collection c JOIN accounts_team t ON t.id = c.team_id
WHERE t.slug = %s AND c.slug = %s"""
"""As SQL, for every call comes through here: putting it together costs the ORM more than the database's work."""


def collection_at(team: str, slug: str) -> tuple[str, bool] | None:
    """(id, whether it is enabled) of the collection at `/mcp/{team}/{slug}`. Who asks is not known yet."""
    if not storable(team) or not storable(slug):
        return None
    with connection.cursor() as cursor:
        cursor.execute(_AT, [team, slug])
        row = cursor.fetchone()
    return None if row is None else (row[0], bool(row[1]))


def entries_of(collection: Collection) -> list[Entry]:
    """What is in it, by name."""
    rows = collection.entries.select_related("server", "workflow").defer("workflow__draft")
    return list(rows.order_by("name"))


def callable_entries(actor: Actor) -> list[Entry]:
    """What the actor's client sees in its collection, by name; nothing while it is off."""
    rows = Entry.objects.filter(collection=actor.collection, collection__team=actor.team, collection__enabled=True)
    rows = rows.select_related("server", "workflow").defer("workflow__draft")
    return [entry for entry in rows.order_by("name") if visible_to(actor, entry)]


def entry_for(collection: Collection, key: str) -> Entry:
    """What is in it under this id. Raises NotFound."""
    rows = collection.entries.select_related("server", "workflow").defer("workflow__draft")
    row = rows.filter(pk=key).first() if storable(key) else None
    if row is None:
        raise NotFound
    return row


def contents_of(collection: Collection) -> list[Content]:
    """The resources, templates and prompts in it, by kind and name."""
    rows = collection.contents.select_related("server", "workflow").defer("workflow__draft")
    return list(rows.order_by("kind", "name"))


def content_for(collection: Collection, key: str) -> Content:
    """The resource, template or prompt in it under this id. Raises NotFound."""
    rows = collection.contents.select_related("server", "workflow").defer("workflow__draft")
    row = rows.filter(pk=key).first() if storable(key) else None
    if row is None:
        raise NotFound
    return row


Tools = dict[tuple[str, str], Tool]
"""Rows of the registry by (server's id, tool)."""


def tools_of(entries: Iterable[Entry]) -> Tools:
    """The registry's rows of the entries that are tools."""
    keys = [(entry.server_id, entry.tool) for entry in entries if entry.server_id]
    rows = Tool.objects.filter(server__in={key for key, _ in keys}, name__in={name for _, name in keys})
    return {(row.server_id, row.name): row for row in rows}


def visible_to(actor: Actor, entry: Entry | Content) -> bool:
    """Whether the actor may know of it: a server that somebody keeps to themselves is theirs alone."""
    server = entry.server
    return server is None or server.visibility == Server.Visibility.TEAM or server.created_by_id == actor.user.pk


def tokens_of(actor: Actor, collection: Collection) -> QuerySet[ApiToken]:
    """The collection's tokens: one's own; for admins all."""
    rows = ApiToken.objects.filter(team=actor.team, collection=collection.pk).select_related("user")
    return rows if actor.may("admin") else rows.filter(user=actor.user)


def token_counts(keys: Iterable[str]) -> dict[str, int]:
    """How many tokens each of these collections has."""
    rows = ApiToken.objects.filter(collection__in=list(keys), collection__gt="").order_by()
    return dict(rows.values_list("collection").annotate(number=Count("pk")))


def entry_counts(keys: Iterable[str]) -> dict[str, int]:
    """How much is in each of these collections."""
    rows = Entry.objects.filter(collection__in=list(keys)).order_by()
    return dict(rows.values_list("collection").annotate(number=Count("pk")))


RECENT = timedelta(days=7)


def call_counts(actor: Actor, keys: Iterable[str]) -> dict[str, int]:
    """How many calls came through each of these collections in the last seven days."""
    since = timezone.now() - RECENT
    rows = Run.objects.filter(team=actor.team, trigger="mcp", trigger_id__gt="", trigger_id__in=list(keys))
    recent = rows.filter(queued_at__gte=since).order_by()
    return dict(recent.values_list("trigger_id").annotate(number=Count("pk")))


def calls_of(actor: Actor, collection: Collection) -> QuerySet[Run]:
    """The runs that came through the collection's address, newest first."""
    rows = runs.runs_on_top(actor).filter(trigger_id=collection.pk, trigger="mcp", trigger_id__gt="")
    return rows.order_by("-queued_at", "-pk")
