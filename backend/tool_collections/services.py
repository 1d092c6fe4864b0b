"""Deeds on collections. Each is one function: right, rows, audit and hint in one transaction."""

from __future__ import annotations

import re
from typing import Any

from django.db import transaction

from backend.accounts.actor import Actor
from backend.accounts.audit.erasing import erase
from backend.accounts.audit.trail import audit, changed
from backend.accounts.models import ApiToken, Team
from backend.accounts.teams.services import token_create, unique_slug
from backend.database.ids import new_id
from backend.errors import Conflict, McpToolNotFound, NotFound, ValidationFailed
from backend.notifications.clients import notify_team
from backend.registry.models import Server, Tool
from backend.registry.selectors import server_for, tool_for
from backend.tool_collections.documents import document_of
from backend.tool_collections.models import Collection, Entry
from backend.tool_collections.selectors import collection_for, entry_for
from backend.workflows.hidden import hidden_workflow
from backend.workflows.models import Workflow
from backend.workflows.selectors import workflow_for

MOST_ENTRIES = 200
"""Tools of one collection: a model reads all of them before each of its calls."""
RESERVED = frozenset({"get_run", "cancel_run", "list_workflows", "run_workflow"})
"""Names that tools of the address itself have."""
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")


@transaction.atomic
def collection_create(actor: Actor, data: dict[str, Any]) -> Collection:
    """A new, empty collection. `data` = {name, slug?, description}. Raises Conflict for a slug that is taken."""
    actor.require("editor")
    slug = data.get("slug")
    taken = _taken_slugs(actor)
    if slug is None:
        slug = unique_slug(data["name"], taken.__contains__, "collection")
    elif slug in taken:
        raise Conflict(params={"reason": "slug_taken", "name": slug})
    texts = {"name": data["name"], "description": data["description"]}
    row = Collection.objects.create(team=actor.team, slug=slug, created_by=actor.user, **texts)
    audit(actor, "collection.created", "collection", row.pk, name=row.name, slug=row.slug)
    _announce(row, "created")
    return row


def _taken_slugs(actor: Actor) -> set[str]:
    Team.objects.select_for_update().get(pk=actor.team.pk)  # one at a time, so that a free slug stays free
    return set(Collection.objects.filter(team=actor.team).values_list("slug", flat=True))


@transaction.atomic
def collection_update(actor: Actor, reference: str, changes: dict[str, Any]) -> Collection:
    """Rename, describe, switch on or off, give another address. Raises NotFound, Conflict for a taken slug."""
    actor.require("editor")
    taken = _taken_slugs(actor) if "slug" in changes else set()
    row = collection_for(actor, reference, lock=True)
    if changes.get("slug", row.slug) in taken - {row.slug}:
        raise Conflict(params={"reason": "slug_taken", "name": changes["slug"]})
    changes = {field: "" if value is None else value for field, value in changes.items()}
    before = {field: getattr(row, field) for field in changes}
    for field, value in changes.items():
        setattr(row, field, value)
    row.save(update_fields=[*changes, "updated_at"])
    differences = changed(before, changes)
    audit(actor, "collection.changed", "collection", row.pk, changes=differences, name=row.name, slug=row.slug)
    _announce(row, "updated")
    return row


@transaction.atomic
def collection_delete(actor: Actor, reference: str) -> None:
    """Delete a collection and end its tokens. The runs of its tools stay. Raises NotFound."""
    actor.require("editor")
    row = collection_for(actor, reference, lock=True)
    ended, _ = ApiToken.objects.filter(team=actor.team, collection=row.pk).delete()
    erase("collection", [row.pk])
    audit(actor, "collection.deleted", "collection", row.pk, name=row.name, slug=row.slug, tokens=ended)
    _announce(row, "deleted")
    row.delete()


@transaction.atomic
def entry_add(actor: Actor, reference: str, data: dict[str, Any]) -> tuple[Collection, Entry]:
    """Put a tool, or a published workflow, into a collection.

    `data` = {server, tool} or {workflow}, name?, description. Raises NotFound for the collection, ValidationFailed for
    what there is not, Conflict for a name that another tool of it has.
    """
    actor.require("editor")
    row = collection_for(actor, reference, lock=True)
    names = set(row.entries.values_list("name", flat=True))
    if len(names) >= MOST_ENTRIES:
        raise ValidationFailed(fields={"": [f"holds {MOST_ENTRIES} tools, which is the most"]})
    entry = Entry(id=new_id("ent"), collection=row, description=data["description"])
    if "workflow" in data:
        entry.workflow = _workflow(actor, data["workflow"])
        entry.name = _name_for(data.get("name"), names, entry.workflow.slug)
    else:
        server, tool = _tool(actor, data["server"], data["tool"])
        entry.server, entry.tool = server, tool.name
        entry.name = _name_for(data.get("name"), names, tool.name, f"{server.slug}_{tool.name}")
        title = f"{row.name}: {tool.name}"[:200]
        entry.workflow = hidden_workflow(actor, entry.pk, title, document_of(server.pk, tool.name))
    entry.save(force_insert=True)
    server_slug = entry.server.slug if entry.server else None
    facts: dict[str, Any] = {"name": row.name, "tool": entry.name, "server": server_slug, "entry": entry.pk}
    audit(actor, "collection.tool_added", "collection", row.pk, **facts)
    _announce(row, "updated")
    return row, entry


def _workflow(actor: Actor, reference: str) -> Workflow:
    try:
        workflow = workflow_for(actor, reference)
    except NotFound:
        raise ValidationFailed(fields={"workflow": ["does not exist"]}) from None
    if workflow.hidden or workflow.published_version is None:
        raise ValidationFailed(fields={"workflow": ["has no published version"]})
    return workflow


def team_server(actor: Actor, reference: str) -> Server:
    """A server whose offers may be in a collection. Raises ValidationFailed."""
    try:
        server = server_for(actor, reference)
    except NotFound:
        raise ValidationFailed(fields={"server": ["does not exist"]}) from None
    if server.visibility != Server.Visibility.TEAM:
        raise ValidationFailed(fields={"server": ["is private; share it with the team first"]})
    return server


def _tool(actor: Actor, reference: str, name: str) -> tuple[Server, Tool]:
    server = team_server(actor, reference)
    try:
        tool = tool_for(server, name)
    except McpToolNotFound:
        raise ValidationFailed(fields={"tool": ["is not among the tools that the server listed"]}) from None
    if tool.gone:
        raise ValidationFailed(fields={"tool": ["is no longer listed by the server"]})
    return server, tool


def _name_for(requested: str | None, taken: set[str], *originals: str) -> str:
    """The name that was asked for; else the first of the originals', made fit for clients, that is free."""
    if requested is not None:
        return _free(requested, taken)
    fit = [_NOT_IN_NAMES.sub("_", original)[:60].strip("_") or "tool" for original in originals]
    numbered = [f"{fit[-1]}_{number}" for number in range(2, MOST_ENTRIES + 2)]
    return next(name for name in (*fit, *numbered) if name not in taken | RESERVED)


def _free(name: str, taken: set[str]) -> str:
    if name in RESERVED:
        raise ValidationFailed(fields={"name": ["is a tool that every address has"]})
    if name in taken:
        raise Conflict(params={"reason": "name_taken", "name": name})
    return name


@transaction.atomic
def entry_update(actor: Actor, reference: str, key: str, changes: dict[str, Any]) -> tuple[Collection, Entry]:
    """Change the name and description that clients see. Raises NotFound, Conflict for a name that is taken."""
    actor.require("editor")
    row = collection_for(actor, reference, lock=True)
    entry = entry_for(row, key)
    if "name" in changes:
        _free(changes["name"], set(row.entries.exclude(pk=entry.pk).values_list("name", flat=True)))
    changes = {field: "" if value is None else value for field, value in changes.items()}
    before = {field: getattr(entry, field) for field in changes}
    for field, value in changes.items():
        setattr(entry, field, value)
    entry.save(update_fields=list(changes))
    facts: dict[str, Any] = {"name": row.name, "tool": entry.name, "entry": entry.pk}
    audit(actor, "collection.tool_changed", "collection", row.pk, changes=changed(before, changes), **facts)
    _announce(row, "updated")
    return row, entry


@transaction.atomic
def entry_remove(actor: Actor, reference: str, key: str) -> None:
    """Take a tool out of a collection; what it did stays among the runs. Raises NotFound."""
    actor.require("editor")
    row = collection_for(actor, reference, lock=True)
    entry = entry_for(row, key)
    audit(actor, "collection.tool_removed", "collection", row.pk, name=row.name, tool=entry.name, entry=entry.pk)
    entry.delete()
    _announce(row, "updated")


@transaction.atomic
def collection_token(actor: Actor, reference: str, data: dict[str, Any]) -> tuple[ApiToken, str]:
    """A token of the actor that opens this collection alone. Raises NotFound and what `token_create` does."""
    actor.require("editor")
    row = collection_for(actor, reference)
    created = token_create(actor, {"expires_in_days": None, "workflows": [], **data, "collection": row.pk})
    _announce(row, "updated")
    return created


def _announce(row: Collection, change: str) -> None:
    notify_team(row.team_id, "collection", row.pk, change)
