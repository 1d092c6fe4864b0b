"""What the API answers about collections."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Annotated, Any, Literal, TypedDict

from django.conf import settings

from backend.accounts.actor import Actor
from backend.accounts.described import Choices, Help, Timestamp
from backend.json_types import JsonObject
from backend.llm.usage import tokens_in
from backend.registry.contents.responses import PromptArgumentJson
from backend.registry.tools.responses import RiskJson, risk_json
from backend.runs.models import Run, RunState
from backend.runs.responses import CallerJson, caller_of, moment
from backend.runs.waits import WaitsJson, waits_of
from backend.tool_collections import selectors
from backend.tool_collections.models import Collection, Content, Entry
from backend.tool_collections.offered import OfferedTool, original_of
from backend.workflows.example_words import workflow_text

LATEST = 8
"""Calls that are shown."""


class CollectionJson(TypedDict):
    """A collection; `url` is where its clients connect, with a token of it."""

    id: str
    name: str
    slug: str
    description: str
    enabled: bool
    url: str
    tools: Annotated[int, Help("How many tools and workflows are in it.")]
    tokens: Annotated[int, Help("How many tokens open it.")]
    calls_7d: Annotated[int, Help("How many calls came through it in the last seven days.")]
    created_at: Timestamp
    updated_at: Timestamp


class CollectionListJson(TypedDict):
    """Collections, newest first."""

    results: list[CollectionJson]
    next: str | None


class OriginalJson(TypedDict):
    """The original as it is pinned in the registry; of a workflow as it is published."""

    name: str
    title: str
    description: str
    input_schema: JsonObject | None
    pinned_at: Timestamp | None


class CollectionToolJson(TypedDict):
    """What clients are offered. `name` and `description` are what they see, `original` is what is called."""

    id: str
    kind: Literal["tool", "workflow"]
    name: str
    description: str
    edited: Annotated[bool, Help("Whether name or description is other than the original's.")]
    original: OriginalJson
    server: Annotated[str | None, Help("The server's slug; null for a workflow.")]
    server_name: str | None
    workflow: Annotated[str, Help("What a call runs; of a tool a workflow that is in no list.")]
    version: Annotated[int | None, Help("Of a workflow what is published.")]
    gate: Annotated[str, Choices(["allow", "ask", "deny"])]
    risk: RiskJson | None
    changed: Annotated[bool, Help("The server lists it otherwise than it was pinned, so every call asks.")]
    gone: Annotated[bool, Help("It can no longer be called: the server lists it no longer, nothing is published.")]
    size: Annotated[int, Help("About how many tokens a model reads of it.")]


class ContentOriginalJson(TypedDict):
    """What the server listed when it was put in."""

    name: str
    title: str
    description: str
    mime_type: str | None
    arguments: Annotated[list[PromptArgumentJson], Help("Of a prompt what it takes.")]


class CollectionContentJson(TypedDict):
    """A resource, a template or a prompt that clients are offered. `name` and `description` are what they see."""

    id: str
    kind: Annotated[str, Choices(Content.Kind.choices)]
    name: str
    description: str
    edited: Annotated[bool, Help("Whether name or description is other than the original's.")]
    reference: Annotated[str, Help("The URI, the URI template, or the prompt's name at the server.")]
    original: ContentOriginalJson
    server: str
    server_name: str
    off: Annotated[bool, Help("The server is switched off, so it is not offered.")]
    workflow: Annotated[str, Help("What a reading runs: a workflow that is in no list.")]


class CollectionCallJson(WaitsJson):
    """A call that a client made."""

    run: str
    tool: str
    by: Annotated[str | None, Help("E-mail of the member whose token it was.")]
    caller: Annotated[CallerJson | None, Help("The program that called.")]
    state: Annotated[str, Choices(RunState.choices)]
    at: Timestamp
    finished_at: Timestamp | None


class CollectionDetailJson(CollectionJson):
    """A collection with what is in it, and its latest calls."""

    entries: list[CollectionToolJson]
    contents: list[CollectionContentJson]
    calls: list[CollectionCallJson]


def url_of(actor: Actor, slug: str) -> str:
    """Where clients connect."""
    return f"{settings.PUBLIC_URL}/mcp/{actor.team.slug}/{slug}"


def collection_json(actor: Actor, row: Collection, tools: int, tokens: int, calls: int) -> CollectionJson:
    """A collection as lists show it."""
    return {
        "id": row.pk,
        "name": row.name,
        "slug": row.slug,
        "description": row.description,
        "enabled": row.enabled,
        "url": url_of(actor, row.slug),
        "tools": tools,
        "tokens": tokens,
        "calls_7d": calls,
        "created_at": moment(row.created_at),
        "updated_at": moment(row.updated_at),
    }


def collections_json(actor: Actor, rows: Iterable[Collection]) -> list[CollectionJson]:
    """A page of them."""
    listed = {row.pk: row for row in rows}
    tools, tokens = selectors.entry_counts(listed), selectors.token_counts(listed)
    calls = selectors.call_counts(actor, listed)
    return [
        collection_json(actor, row, tools.get(key, 0), tokens.get(key, 0), calls.get(key, 0))
        for key, row in listed.items()
    ]


def detail_json(actor: Actor, row: Collection, language: str) -> CollectionDetailJson:
    """The collection with all that its page shows."""
    entries = [entry for entry in selectors.entries_of(row) if selectors.visible_to(actor, entry)]
    tools = selectors.tools_of(entries)
    tokens = selectors.token_counts([row.pk]).get(row.pk, 0)
    contents = [content for content in selectors.contents_of(row) if selectors.visible_to(actor, content)]
    names = {entry.workflow_id: entry.name for entry in entries}
    names |= {content.workflow_id: content.name for content in contents}
    calls = selectors.calls_of(actor, row)[:LATEST]
    recent = selectors.call_counts(actor, [row.pk]).get(row.pk, 0)
    return {
        **collection_json(actor, row, len(entries), tokens, recent),
        "entries": [_entry(entry, tools, language) for entry in entries],
        "contents": [content_json(content) for content in contents],
        "calls": [_call(run, names) for run in calls],
    }


def entry_json(entry: Entry, language: str) -> CollectionToolJson:
    """One entry."""
    return _entry(entry, selectors.tools_of([entry]), language)


def _entry(entry: Entry, tools: selectors.Tools, language: str) -> CollectionToolJson:
    if entry.server is None:
        return _workflow(entry, language)
    offered = OfferedTool(entry, tools.get((entry.server.pk, entry.tool)))
    original: OriginalJson = {
        "name": entry.tool,
        "title": offered.title,
        "description": str(offered.original.get("description") or ""),
        "input_schema": offered.input_schema,
        "pinned_at": moment(offered.row.pinned_at) if offered.row else None,
    }
    return {
        "id": entry.pk,
        "kind": "tool",
        "name": entry.name,
        "description": offered.description,
        "edited": bool(entry.description) or entry.name != entry.tool,
        "original": original,
        "server": entry.server.slug,
        "server_name": entry.server.name,
        "workflow": entry.workflow_id,
        "version": None,
        "gate": offered.gate,
        "risk": risk_json(offered.risk, language),
        "changed": offered.changed,
        "gone": offered.gone,
        "size": tokens_in(entry.name + offered.description + json.dumps(offered.input_schema)),
    }


def _workflow(entry: Entry, language: str) -> CollectionToolJson:
    workflow = entry.workflow
    name = workflow_text(workflow.name, workflow.example, language)
    description = workflow_text(workflow.description, workflow.example, language)
    return {
        "id": entry.pk,
        "kind": "workflow",
        "name": entry.name,
        "description": entry.description or description or name,
        "edited": bool(entry.description) or entry.name != workflow.slug,
        "original": {
            "name": workflow.slug,
            "title": name,
            "description": description,
            "input_schema": None,
            "pinned_at": None,
        },
        "server": None,
        "server_name": None,
        "workflow": workflow.pk,
        "version": workflow.published_version,
        "gate": "allow" if workflow.published_version else "deny",
        "risk": None,
        "changed": False,
        "gone": workflow.published_version is None,
        "size": tokens_in(entry.name + (entry.description or description)),
    }


def content_json(content: Content) -> CollectionContentJson:
    """A resource, a template or a prompt."""
    about = original_of(content)
    name, description = str(about.get("name") or ""), str(about.get("description") or "")
    arguments: Any = about.get("arguments") or []
    mime = about.get("mime_type")
    return {
        "id": content.pk,
        "kind": content.kind,
        "name": content.name,
        "description": content.description or description,
        "edited": bool(content.description) or content.name != name,
        "reference": content.reference,
        "original": {
            "name": name,
            "title": str(about.get("title") or ""),
            "description": description,
            "mime_type": mime if isinstance(mime, str) else None,
            "arguments": arguments,
        },
        "server": content.server.slug,
        "server_name": content.server.name,
        "off": not content.server.enabled,
        "workflow": content.workflow_id,
    }


def _call(run: Run, names: dict[str, str]) -> CollectionCallJson:
    by: str | None = getattr(run, "starter", None)  # as `runs` of the selectors annotates
    return {
        "run": run.pk,
        "tool": names.get(run.workflow_id) or str(getattr(run, "in_workflow", "")),
        "by": by,
        "state": run.state,
        **waits_of(run.waiting),
        "caller": caller_of(run),
        "at": moment(run.queued_at),
        "finished_at": moment(run.finished_at),
    }
