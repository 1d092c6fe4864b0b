"""An MCP server that notes every call in a file, so that a test can count what really happened."""

from __future__ import annotations

import asyncio
import os
import sys

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

server = MCPServer("ledger")
LEDGER = sys.argv[1]


async def note(kind: str, name: str, seconds: float) -> str:
    """One line per call, on disk before the call does anything else."""
    line = f"{kind} {name}\n".encode()
    descriptor = os.open(LEDGER, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(descriptor, line)
    os.close(descriptor)
    await asyncio.sleep(seconds)
    return f"{kind} {name}"


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
async def look(name: str, seconds: float = 0.0) -> str:
    """A read."""
    return await note("read", name, seconds)


@server.tool(annotations=ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False))
async def pay(name: str, seconds: float = 0.0) -> str:
    """A write that must not happen twice."""
    return await note("write", name, seconds)


@server.tool(annotations=ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=False))
async def wipe(name: str, seconds: float = 0.0) -> str:
    """A write that destroys."""
    return await note("wipe", name, seconds)


if __name__ == "__main__":
    server.run("stdio")
