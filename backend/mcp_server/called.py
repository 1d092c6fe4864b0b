"""What a call names, as far as a call needs it: which workflow runs, and what its headers must agree with.

Every call comes through here: one statement of raw SQL, a tenth of the time in which the ORM reads what a list shows.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from django.db import connection

from backend.accounts.actor import Actor
from backend.errors import NotFound
from backend.json_types import JsonObject
from backend.runs.graphs import input_schema
from backend.web.lookup import storable
from backend.workflows.models import Workflow

_IN_HEADERS = "%x-mcp-header%"
"""What stands in a schema that wants arguments in headers too."""
_WORKFLOW = ("id", "team_id", "name", "slug", "published_version", "example", "hidden")
_COLUMNS = ", ".join(f"w.{name}" for name in _WORKFLOW)
_OFFERED = f"""
SELECT {_COLUMNS}, CASE WHEN v.graph LIKE %s THEN v.graph END, NULL, NULL
FROM workflows_workflow w JOIN workflows_version v ON v.workflow_id = w.id AND v.number = w.published_version
WHERE w.team_id = %s AND w.slug = %s AND w.expose_as_tool"""  # noqa: S608 - our own names
_IN_COLLECTION = f"""
SELECT {_COLUMNS}, CASE WHEN e.server_id IS NULL AND v.graph LIKE %s THEN v.graph END,
    CASE WHEN CAST(t.pinned_definition AS TEXT) LIKE %s THEN CAST(t.pinned_definition AS TEXT) END, e.server_id
FROM tool_collections_entry e JOIN tool_collections_collection c ON c.id = e.collection_id
JOIN workflows_workflow w ON w.id = e.workflow_id
JOIN workflows_version v ON v.workflow_id = w.id AND v.number = w.published_version
LEFT JOIN registry_server s ON s.id = e.server_id
LEFT JOIN registry_tool t ON t.server_id = e.server_id AND t.name = e.tool
WHERE e.collection_id = %s AND e.name = %s AND c.team_id = %s AND c.enabled
    AND (s.id IS NULL OR s.visibility = 'team' OR s.created_by_id = %s)"""  # noqa: S608 - our own names


@dataclass(frozen=True, slots=True)
class Called:
    """A published workflow that a call runs. `schema` = of its arguments, where some of them stand in headers too;
    `is_tool` = its run is one call of somebody else's tool."""

    workflow: Workflow
    version: int
    schema: JsonObject | None
    is_tool: bool


def called(actor: Actor, name: str) -> Called:
    """What has a name in the actor's collection, or among the workflows that it is offered. Raises NotFound.

    What the gate will deny, or cannot run any more, is found too: the run says so.
    """
    row = _callable(actor, name) if storable(name) else None
    if row is None or not (actor.workflows is None or row[0] in actor.workflows):
        raise NotFound
    *values, hidden, graph, definition, server = row
    workflow = Workflow.from_db(connection.alias, _WORKFLOW, [*values, bool(hidden)])
    return Called(workflow, workflow.published_version or 0, _schema(graph, definition), server is not None)


def _callable(actor: Actor, name: str) -> tuple[Any, ...] | None:
    team, person = actor.team.id, actor.user.id
    with connection.cursor() as cursor:
        if actor.collection:
            cursor.execute(_IN_COLLECTION, [_IN_HEADERS, _IN_HEADERS, actor.collection, name, team, person])
        else:
            cursor.execute(_OFFERED, [_IN_HEADERS, team, name])
        row: tuple[Any, ...] | None = cursor.fetchone()
    return row


def _schema(graph: str | None, definition: str | None) -> JsonObject | None:
    if definition is not None:
        schema = json.loads(definition).get("input_schema")
        return schema if isinstance(schema, dict) else None
    return None if graph is None else input_schema(graph)
