"""Deeds on what a collection offers besides tools: resources, templates of resources and prompts of servers.

Who puts one in is told by its server what it is: the server is asked for its list, and what it says there is kept as
the original. The server's words reach clients only until somebody writes others; what is asked of the server stays.
"""

from __future__ import annotations

import json
import re
from typing import Any

from django.db import transaction

from backend.accounts.actor import Actor
from backend.accounts.audit.trail import audit, changed
from backend.database.ids import new_id
from backend.errors import Conflict, ValidationFailed
from backend.json_types import JsonObject
from backend.notifications.clients import notify_team
from backend.registry.contents.offers import listed
from backend.registry.models import Server
from backend.tool_collections.documents import prompting_document, reading_document
from backend.tool_collections.models import Collection, Content
from backend.tool_collections.selectors import collection_for, content_for
from backend.tool_collections.services import MOST_ENTRIES, team_server
from backend.web.remote_requests import RemoteWork
from backend.workflows.hidden import hidden_workflow

Kind = Content.Kind
NAMED_BY: dict[Kind, str] = {Kind.RESOURCE: "uri", Kind.TEMPLATE: "uri_template", Kind.PROMPT: "name"}
"""By which member of a server's list it is asked."""
PROMPT_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
"""A prompt's name that all clients take: they make commands of them."""
_LONGEST_NAME = 200


def content_add(actor: Actor, reference: str, data: dict[str, Any]) -> RemoteWork[Content]:
    """Put something in that a server lists. `data` = {server, resource | template | prompt, name?, description}.

    Asks the server. Raises NotFound for the collection, ValidationFailed for what there is not, Conflict for a name or
    URI that the collection has, McpError, NetworkBlocked.
    """
    actor.require("editor")
    collection_for(actor, reference)
    server = team_server(actor, data["server"])
    kind = next(kind for kind in Kind if kind.value in data)
    original_name = data[kind.value]
    known, _ = yield from listed(
        actor, server.pk, "prompts" if kind is Kind.PROMPT else "resources", anew=False, further=False
    )
    original = next((item for item in known.listing.items if item.get(NAMED_BY[kind]) == original_name), None)
    if original is None:
        raise ValidationFailed(fields={kind.value: ["is not among those that the server lists"]})
    return _put_in(actor, reference, server, kind, original, data)


@transaction.atomic
def _put_in(
    actor: Actor, reference: str, server: Server, kind: Kind, original: JsonObject, data: dict[str, Any]
) -> Content:
    row = collection_for(actor, reference, lock=True)
    held = list(row.contents.values_list("kind", "name", "reference"))
    if len(held) >= MOST_ENTRIES:
        raise ValidationFailed(fields={"": [f"holds {MOST_ENTRIES} resources and prompts, which is the most"]})
    original_name = str(original[NAMED_BY[kind]])
    if kind is not Kind.PROMPT and original_name in {uri for of, _, uri in held if of == kind}:
        raise Conflict(params={"reason": "name_taken", "name": original_name[:200]})
    names = {name for of, name, _ in held if of == kind}
    content = Content(id=new_id("cnt"), collection=row, server=server, kind=kind, reference=original_name)
    content.original, content.description = json.dumps(original), data["description"]
    content.name = _free(kind, data["name"], names) if "name" in data else _name_for(kind, original, server, names)
    document = (
        prompting_document(server.pk, original_name)
        if kind is Kind.PROMPT
        else reading_document(server.pk, "" if kind is Kind.TEMPLATE else original_name)
    )
    content.workflow = hidden_workflow(actor, content.pk, f"{row.name}: {content.name}"[:200], document)
    content.save(force_insert=True)
    audit(actor, "collection.content_added", "collection", row.pk, **_facts(row, content))
    _announce(row)
    return content


def _name_for(kind: Kind, original: JsonObject, server: Server, taken: set[str]) -> str:
    """The original's name, made fit for clients; else the first with the server's or a number that is free."""
    name = str(original["name"] or original[NAMED_BY[kind]])[: _LONGEST_NAME - 70]
    if kind is Kind.PROMPT:
        name = re.sub(r"[^A-Za-z0-9_.-]+", "_", name)[:60].strip("_") or "prompt"
        of_server = f"{server.slug}_{name}"[:60]
    else:
        of_server = f"{name} ({server.slug})"
    numbered = (f"{of_server}_{number}" for number in range(2, MOST_ENTRIES + 2))
    return next(free for free in (name, of_server, *numbered) if free not in taken)


def _free(kind: Kind, name: str, taken: set[str]) -> str:
    if kind is Kind.PROMPT and not PROMPT_NAME.fullmatch(name):
        raise ValidationFailed(fields={"name": ["may hold letters, digits, _, . and -, at most 64"]})
    if name in taken:
        raise Conflict(params={"reason": "name_taken", "name": name})
    return name


@transaction.atomic
def content_update(actor: Actor, reference: str, key: str, changes: dict[str, Any]) -> Content:
    """Change the name and description that clients see. Raises NotFound, Conflict for a name that is taken."""
    actor.require("editor")
    row = collection_for(actor, reference, lock=True)
    content = content_for(row, key)
    if "name" in changes:
        others = row.contents.filter(kind=content.kind).exclude(pk=content.pk)
        _free(Kind(content.kind), changes["name"], set(others.values_list("name", flat=True)))
    changes = {field: "" if value is None else value for field, value in changes.items()}
    before = {field: getattr(content, field) for field in changes}
    for field, value in changes.items():
        setattr(content, field, value)
    content.save(update_fields=list(changes))
    facts = _facts(row, content)
    audit(actor, "collection.content_changed", "collection", row.pk, changes=changed(before, changes), **facts)
    _announce(row)
    return content


@transaction.atomic
def content_remove(actor: Actor, reference: str, key: str) -> None:
    """Take it out; its readings stay among the runs. Raises NotFound."""
    actor.require("editor")
    row = collection_for(actor, reference, lock=True)
    content = content_for(row, key)
    audit(actor, "collection.content_removed", "collection", row.pk, **_facts(row, content))
    content.delete()
    _announce(row)


def _facts(row: Collection, content: Content) -> dict[str, Any]:
    named = {"name": row.name, "kind": content.kind, "offered": content.name, "entry": content.pk}
    return {**named, "server": content.server.slug, "of": content.reference[:500]}


def _announce(row: Collection) -> None:
    notify_team(row.team_id, "collection", row.pk, "updated")
