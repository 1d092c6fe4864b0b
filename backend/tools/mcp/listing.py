"""What a server offers, as our specs: every page, bounded, with schemas made safe to keep."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import mcp  # noqa: F401 - whole before its parts, see backend.tools.mcp
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import METHOD_NOT_FOUND, Tool

from backend.errors import McpProtocolError
from backend.tools.mcp.repair import MAX_NAME
from backend.tools.schemas import kept
from backend.tools.types import JsonObject, ToolSpec

MAX_TOOLS = 10_000
MAX_PAGES = 500
MAX_DESCRIPTION = 16_384
MAX_ABOUT = 2_000
"""Characters of a resource's or prompt's description that are kept."""


class Listing(NamedTuple):
    """What a server lists of one kind, and how long that is good for whom: of all its pages the least."""

    items: list[JsonObject]
    ttl_ms: int = 0
    scope: Literal["public", "private"] = "private"


class ToolList(NamedTuple):
    """All tools of a server, and how long it says that they stay so: of all pages the least."""

    tools: list[ToolSpec]
    ttl_ms: int


def spec_of(tool: Tool, server: str) -> ToolSpec:
    """One tool as we keep it. `title` is the tool's own or its annotations'."""
    annotations = {} if tool.annotations is None else tool.annotations.model_dump(by_alias=True, exclude_none=True)
    return ToolSpec(
        server=server,
        name=tool.name,
        title=(tool.title or str(annotations.get("title") or ""))[:MAX_NAME],
        description=(tool.description or "")[:MAX_DESCRIPTION],
        input_schema=kept(tool.input_schema),
        output_schema=None if tool.output_schema is None else kept(tool.output_schema),
        annotations=annotations,
    )


async def list_all_tools(client: Client, server: str, *, refresh: bool = False) -> ToolList:
    """Every page of tools; of tools with one name the first. Raises what the SDK raises, McpProtocolError (no end)."""
    by_name: dict[str, ToolSpec] = {}
    cursor: str | None = None
    seen: set[str] = set()
    ttls: list[int] = []
    for _ in range(MAX_PAGES):
        page = await client.list_tools(cursor=cursor, cache_mode="refresh" if refresh else "use")
        for tool in page.tools:
            by_name.setdefault(tool.name, spec_of(tool, server))  # names that cannot be called: see `repair`
        ttls.append(page.ttl_ms)
        cursor = page.next_cursor
        if cursor is None:
            return ToolList(list(by_name.values()), min(ttls))
        if cursor in seen or len(by_name) > MAX_TOOLS:
            break
        seen.add(cursor)
    raise McpProtocolError(params={"reason": "endless_list"}, detail={"tools": len(by_name)})


async def list_resources(client: Client, *, refresh: bool = False) -> Listing:
    """Resources and templates: `{uri | uri_template, name, title, description, mime_type, size}`.

    A server that has only one of the two may know no method for the other.
    """
    if client.server_capabilities.resources is None:
        return Listing([])
    pages = await _pages(client.list_resources, "resources", refresh=refresh)
    try:
        pages += await _pages(client.list_resource_templates, "resource_templates", refresh=refresh)
    except MCPError as error:
        if error.error.code != METHOD_NOT_FOUND:
            raise
    resources: list[JsonObject] = [
        {"uri": item.uri, **_about(item), "mime_type": item.mime_type, "size": item.size}
        for page in pages
        for item in getattr(page, "resources", ())
    ]
    templates: list[JsonObject] = [
        {"uri_template": item.uri_template, **_about(item), "mime_type": item.mime_type}
        for page in pages
        for item in getattr(page, "resource_templates", ())
    ]
    return _listing(pages, resources + templates)


async def list_prompts(client: Client, *, refresh: bool = False) -> Listing:
    """Prompts: `{name, title, description, arguments: [{name, description, required}]}`."""
    if client.server_capabilities.prompts is None:
        return Listing([])
    pages = await _pages(client.list_prompts, "prompts", refresh=refresh)
    prompts: list[JsonObject] = [
        {
            **_about(prompt),
            "arguments": [
                {"name": a.name, "description": (a.description or "")[:MAX_ABOUT] or None, "required": bool(a.required)}
                for a in prompt.arguments or []
            ],
        }
        for page in pages
        for prompt in page.prompts
    ]
    return _listing(pages, prompts)


def _about(item: Any) -> JsonObject:
    return {
        "name": item.name,
        "title": item.title and item.title[:MAX_NAME],
        "description": item.description and item.description[:MAX_ABOUT],
    }


def _listing(pages: list[Any], items: list[JsonObject]) -> Listing:
    public = all(page.cache_scope == "public" for page in pages)
    return Listing(items, min(page.ttl_ms for page in pages), "public" if public else "private")


async def _pages(fetch: Any, field: str, *, refresh: bool) -> list[Any]:
    """Every page of a list, as far as anybody would look through it."""
    pages: list[Any] = []
    cursor: str | None = None
    seen: set[str] = set()
    count = 0
    for _ in range(MAX_PAGES):
        page = await fetch(cursor=cursor, cache_mode="refresh" if refresh else "use")
        pages.append(page)
        cursor = page.next_cursor
        count += len(getattr(page, field))
        if cursor is None or cursor in seen or count > MAX_TOOLS:
            break
        seen.add(cursor)
    return pages
