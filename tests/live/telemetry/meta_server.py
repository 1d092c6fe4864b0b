"""An MCP server whose tool answers with the `traceparent` that its call carried in `_meta`."""

from __future__ import annotations

from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ToolAnnotations

server = MCPServer("meta")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
async def told(ctx: Context) -> str:
    """What `_meta` says."""
    return str((ctx.request_context.meta or {}).get("traceparent"))


if __name__ == "__main__":
    server.run("stdio")
