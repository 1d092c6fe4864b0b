"""An MCP server of the SDK's whose tools ask two questions at once and tell how far they are.

`python asking_server.py` prints its port and serves streamable HTTP at /mcp, in both eras.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ElicitResult, InputRequiredResult, ToolAnnotations
from starlette.applications import Starlette

server = MCPServer("asking", version="1")
READS = ToolAnnotations(read_only_hint=True)
STEP_S = 0.4
"""Longer than Patchbay lets pass between two lines of progress."""


@server.tool(annotations=READS)
def introduce(ctx: Context) -> str | InputRequiredResult:
    """Asks for a name and a colour, both at once."""
    answers = ctx.input_responses or {}
    values = {key: answer.content for key, answer in answers.items() if isinstance(answer, ElicitResult)}
    if {"name", "colour"} <= values.keys():
        return f"{(values['name'] or {})['value']} likes {(values['colour'] or {})['value']}"
    schema = {"type": "object", "properties": {"value": {"type": "string"}}, "required": ["value"]}
    requests = {
        key: {"method": "elicitation/create", "params": {"mode": "form", "message": key, "requestedSchema": schema}}
        for key in ("name", "colour")
    }
    return InputRequiredResult.model_validate({"inputRequests": requests, "requestState": "asked"})


@server.tool(annotations=READS)
async def count(ctx: Context) -> str:
    """Tells how far it is, once backwards."""
    for done in (0, 50, 20, 100):
        await ctx.report_progress(done, 100, f"at {done}")
        await asyncio.sleep(STEP_S)
    return "counted"


@contextlib.asynccontextmanager
async def lifespan(_: Starlette) -> AsyncIterator[None]:
    """While it serves."""
    async with server.session_manager.run():
        yield


if __name__ == "__main__":
    listening = socket.create_server(("127.0.0.1", 0))
    print(listening.getsockname()[1], flush=True)
    application = Starlette(routes=[*server.streamable_http_app().routes], lifespan=lifespan)
    config = uvicorn.Config(application, log_level="warning", lifespan="on", timeout_graceful_shutdown=1)
    uvicorn.Server(config).run(sockets=[listening])
