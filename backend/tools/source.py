"""MCP servers as tool sources."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from backend.tools.pool import Pool
from backend.tools.servers import ServerConfig
from backend.tools.types import CallContext, JsonObject, ToolResult, ToolSpec


class McpToolSource:
    """The tools of one server through the pool. Goes behind a GatedToolSource.

    `on_listed(specs)` is awaited whenever the server was listed anew (after connecting, list-changed, refresh): the
    registry pins definitions there.
    """

    def __init__(
        self,
        pool: Pool,
        config: ServerConfig,
        *,
        on_listed: Callable[[list[ToolSpec]], Awaitable[None]] | None = None,
    ) -> None:
        raise NotImplementedError

    async def list_tools(self, *, refresh: bool = False) -> list[ToolSpec]:
        """All tools, every page; from the connection's list unless `refresh`."""
        raise NotImplementedError

    async def call_tool(self, name: str, arguments: JsonObject, call: CallContext) -> ToolResult:
        """Call a tool as one journaled effect."""
        raise NotImplementedError

    async def list_resources(self) -> list[JsonObject]:
        """`[{uri, name, title, description, mime_type, size}]`, templates too (with `uri_template`)."""
        raise NotImplementedError

    async def list_prompts(self) -> list[JsonObject]:
        """`[{name, title, description, arguments: [{name, description, required}]}]`."""
        raise NotImplementedError
