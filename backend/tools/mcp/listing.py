"""What a server offers, as our specs: every page, bounded, with schemas made safe to keep."""

from __future__ import annotations

from typing import Any

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


async def list_all_tools(client: Client, server: str, *, refresh: bool = False) -> list[ToolSpec]:
    """Every page of tools; of tools with one name the first. Raises what the SDK raises, McpProtocolError (no end)."""
    by_name: dict[str, ToolSpec] = {}
    cursor: str | None = None
    seen: set[str] = set()
    for _ in range(MAX_PAGES):
        page = await client.list_tools(cursor=cursor, cache_mode="refresh" if refresh else "use")
        for tool in page.tools:
            by_name.setdefault(tool.name, spec_of(tool, server))  # names that cannot be called: see `repair`
        cursor = page.next_cursor
        if cursor is None:
            return list(by_name.values())
        if cursor in seen or len(by_name) > MAX_TOOLS:
            break
        seen.add(cursor)
    raise McpProtocolError(params={"reason": "endless_list"}, detail={"tools": len(by_name)})


async def list_all_resources(client: Client, *, refresh: bool = False) -> list[JsonObject]:
    """Resources and templates: `{uri | uri_template, name, title, description, mime_type, size}`.

    A server that has only one of the two may know no method for the other.
    """
    if client.server_capabilities.resources is None:
        return []
    resources: list[JsonObject] = []
    for fetch, field, key in (
        (client.list_resources, "resources", "uri"),
        (client.list_resource_templates, "resource_templates", "uri_template"),
    ):
        try:
            items = await _pages(fetch, field, refresh=refresh)
        except MCPError as error:
            if error.error.code != METHOD_NOT_FOUND or field == "resources":
                raise
            continue
        for item in items:
            listed: JsonObject = {
                key: str(getattr(item, key)),
                "name": item.name,
                "title": item.title,
                "description": item.description,
                "mime_type": item.mime_type,
            }
            resources.append(listed | ({"size": item.size} if key == "uri" else {}))
    return resources


async def list_all_prompts(client: Client, *, refresh: bool = False) -> list[JsonObject]:
    """Prompts: `{name, title, description, arguments: [{name, description, required}]}`."""
    if client.server_capabilities.prompts is None:
        return []
    return [
        {
            "name": prompt.name,
            "title": prompt.title,
            "description": prompt.description,
            "arguments": [
                {"name": a.name, "description": a.description, "required": bool(a.required)}
                for a in prompt.arguments or []
            ],
        }
        for prompt in await _pages(client.list_prompts, "prompts", refresh=refresh)
    ]


async def _pages(fetch: Any, field: str, *, refresh: bool) -> list[Any]:
    items: list[Any] = []
    cursor: str | None = None
    for _ in range(MAX_PAGES):
        page = await fetch(cursor=cursor, cache_mode="refresh" if refresh else "use")
        items += getattr(page, field)
        cursor = page.next_cursor
        if cursor is None or len(items) > MAX_TOOLS:
            break
    return items
