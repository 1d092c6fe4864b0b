"""What a source says whose server offers tools and nothing else, in place of resources, prompts and completions."""

from __future__ import annotations

from typing import Literal

from backend.errors import McpProtocolError
from backend.tools.mcp.contents import Completing
from backend.tools.mcp.listing import Listing
from backend.tools.types import JsonObject


class ToolsOnly:
    """A source without sessions, of a server that has neither resources nor prompts: an API, an agent."""

    async def drop(self) -> None:
        """There is no session: the next request takes a connection that lives, or makes one."""

    async def list_resources(self) -> list[JsonObject]:
        """There are none."""
        return []

    async def list_prompts(self) -> list[JsonObject]:
        """There are none."""
        return []

    async def listing(self, kind: Literal["resources", "prompts"]) -> Listing:
        """There are none."""
        return Listing([])

    async def complete(self, completing: Completing) -> list[str]:
        """There is nothing to complete. Raises McpProtocolError."""
        raise McpProtocolError(params={"reason": "capability", "why": "completions"})
