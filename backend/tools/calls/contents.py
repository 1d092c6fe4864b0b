"""What servers give besides tools: sources that have resources and prompts say so by `read_resource`, `get_prompt`.

Both are reads: they are journaled as a call is, and repeated after a crash without asking.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from backend.errors import McpProtocolError
from backend.tools.types import CallContext, JsonObject, ToolResult, ToolSource

READ, GET = "resources/read", "prompts/get"
"""What stands in the log in the place of a tool's name: the methods of the protocol."""


@runtime_checkable
class HasContents(Protocol):
    """A source over a server."""

    async def read_resource(self, uri: str, call: CallContext, template: str = "") -> ToolResult:
        """Read one of the server's resources: a block for each of its contents. `template` = what the URI was made of.

        Raises McpError, NetworkBlocked, ResultTooLarge; McpInvalidParams where the server offers no such resource.
        """
        ...

    async def get_prompt(self, name: str, arguments: dict[str, str], call: CallContext) -> ToolResult:
        """Fill one of the server's prompts: a block for each message, `structured` = `{description, roles}`.

        Raises McpError, NetworkBlocked, ResultTooLarge; McpInvalidParams where the server offers no such prompt.
        """
        ...


def contents_of(source: ToolSource) -> HasContents:
    """The source as one that has resources and prompts. Raises McpProtocolError where it is no server's."""
    if not isinstance(source, HasContents):
        raise McpProtocolError(params={"reason": "capability"})
    return source


def read_arguments(uri: str) -> JsonObject:
    """How the reading of a resource stands in the log."""
    return {"uri": uri}


def prompt_arguments(name: str, arguments: dict[str, str]) -> JsonObject:
    """How a prompt that is asked for stands in the log."""
    return {"name": name, "arguments": {**arguments}}
