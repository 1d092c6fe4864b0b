"""Permanent approvals that people gave for a server's tools: which there are, whether they still hold, taking one back.

Approvals for one run are not among them: they go with the run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Annotated, TypedDict

from django.db import transaction
from django.db.models import QuerySet

from backend.accounts.actor import Actor
from backend.accounts.audit.trail import audit
from backend.accounts.described import Choices, Help, Timestamp
from backend.accounts.models import User
from backend.errors import NotFound
from backend.notifications.clients import notify_shared
from backend.registry.models import Grant, Server, Tool
from backend.registry.selectors import server_for
from backend.web.streams import newest_first

FOR_A_RUN = "run_"
"""How the scope of an approval begins that is for one run."""
EXPORTED_AT_ONCE = 500


class GrantJson(TypedDict):
    """A permanent approval for a tool, in one workflow."""

    id: str
    tool: str
    workflow: Annotated[str, Help("The workflow's id.")]
    of: Annotated[
        Annotated[str, Choices(["tool", "arguments"])],
        Help("Of any call of the tool, or of exactly the same arguments."),
    ]
    by: Annotated[list[str], Help("E-mails of those who agreed, as far as they have an account.")]
    valid: Annotated[
        bool, Help("false where the tool's definition or the server's configuration changed since: it covers nothing.")
    ]
    created_at: Timestamp


class GrantListJson(TypedDict):
    """One page of permanent approvals, newest first."""

    results: list[GrantJson]
    next: str | None


def grants_of(server: Server) -> QuerySet[Grant]:
    """Those for a server's tools."""
    return Grant.objects.filter(server=server).exclude(workflow__startswith=FOR_A_RUN)


def grant_shapes(server: Server, rows: Sequence[Grant]) -> list[GrantJson]:
    """The approvals as the API shows them."""
    tools = Tool.objects.filter(server=server, gone=False, name__in={row.tool for row in rows})
    listed = dict(tools.values_list("name", "definition_hash"))
    people = {row.pk: _people(row) for row in rows}
    keys = {key for of_one in people.values() for key in of_one}
    emails = dict(User.objects.filter(pk__in=keys).values_list("pk", "email"))
    return [
        {
            "id": str(row.pk),
            "tool": row.tool,
            "workflow": row.workflow,
            "of": "arguments" if row.arguments_hash else "tool",
            "by": [emails[key] for key in people[row.pk] if key in emails],
            "valid": listed.get(row.tool) == row.definition_hash and row.server_revision == server.revision,
            "created_at": row.created_at,
        }
        for row in rows
    ]


def exported_grants(server: Server) -> Iterator[str]:
    """All approvals for a server's tools, newest first, each a line of JSON."""
    for rows in newest_first(grants_of(server), EXPORTED_AT_ONCE):
        for row, shape in zip(rows, grant_shapes(server, rows), strict=True):
            line = {**shape, "created_at": row.created_at.isoformat(), "server": server.pk}
            yield f"{json.dumps(line, ensure_ascii=False)}\n"


def _people(row: Grant) -> list[str]:
    return [str(key) for key in row.people] or ([row.created_by_id] if row.created_by_id else [])


@transaction.atomic
def grant_withdraw(actor: Actor, reference: str, key: str) -> None:
    """Take an approval back: the next call asks again. Raises NotFound, Forbidden."""
    actor.require("admin")
    server = server_for(actor, reference)
    number = int(key) if key.isascii() and key.isdecimal() and len(key) < 19 else 0
    row = grants_of(server).filter(pk=number).first()
    if row is None:
        raise NotFound
    row.delete()
    audit(actor, "grant.deleted", "server", server.id, tool=row.tool, scope=row.workflow)
    notify_shared("server", server, "grants")
