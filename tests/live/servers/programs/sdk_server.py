"""A server on the official SDK over HTTP that behaves as hosted ones do: the path holds a secret and may expire.

`python sdk_server.py SECRET` prints its port. `/SECRET/mcp` streamable HTTP (2026-07-28 and before), `/SECRET/sse`
legacy SSE. `GET /expire/STATUS` lets the address expire: from then on it answers with that status (401 or 404);
`GET /reset` makes all as new.
Its tool `book` asks for a confirmation in mid-call; `slow` can be cancelled; `cancelled` tells how many were.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys
from collections.abc import AsyncIterator
from typing import Annotated, Any

import uvicorn
from mcp.server.mcpserver import AcceptedElicitation, Context, Elicit, ElicitationResult, MCPServer, Resolve
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.routing import Mount

SECRET = sys.argv[1]
server = MCPServer("hosted", version="1")
state: dict[str, Any] = {"expired": 0, "cancelled": 0}


class Confirmation(BaseModel):
    seats: int = 1


def confirm(date: str) -> Elicit[Confirmation]:
    return Elicit(f"Book for {date}? How many seats?", Confirmation)


@server.tool()
def add(a: int, b: int) -> int:
    return a + b


@server.tool()
async def slow(seconds: float, ctx: Context) -> str:
    try:
        await ctx.report_progress(1, 2, "working")
        await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        state["cancelled"] += 1
        raise
    return "slept"


@server.tool()
async def grow(ctx: Context) -> str:
    server.add_tool(lambda: "grown", name="grown")
    await ctx.notify_tools_changed()
    return "grown"


@server.tool()
def cancelled() -> int:
    return int(state["cancelled"])


@server.tool()
def book(date: str, answer: Annotated[ElicitationResult[Confirmation], Resolve(confirm)]) -> str:
    if isinstance(answer, AcceptedElicitation):
        return f"booked {answer.data.seats} for {date}"
    return "not booked"


async def gate(scope: Any, receive: Any, send: Any) -> None:
    """Before the application: expiry."""
    if scope["type"] == "http":
        path = scope["path"]
        status = int(state["expired"])
        if path == "/reset":
            status = 200
            state.update(expired=0, cancelled=0)
        elif path.startswith("/expire/"):
            status = 200
            state["expired"] = int(path.rsplit("/", 1)[1])
        if status:
            await send({"type": "http.response.start", "status": status, "headers": [(b"content-type", b"text/plain")]})
            await send({"type": "http.response.body", "body": b"this address has expired"})
            return
    await application(scope, receive, send)


http_app = server.streamable_http_app(streamable_http_path=f"/{SECRET}/mcp")
sse_app = server.sse_app(sse_path=f"/{SECRET}/sse", message_path=f"/{SECRET}/messages/")


@contextlib.asynccontextmanager
async def lifespan(_: Starlette) -> AsyncIterator[None]:
    async with server.session_manager.run():
        yield


application = Starlette(routes=[*http_app.routes, Mount("/", app=sse_app)], lifespan=lifespan)

if __name__ == "__main__":
    listening = socket.create_server(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 0))
    print(listening.getsockname()[1], flush=True)
    config = uvicorn.Config(gate, log_level="warning", lifespan="on", timeout_graceful_shutdown=1)
    uvicorn.Server(config).run(sockets=[listening])
