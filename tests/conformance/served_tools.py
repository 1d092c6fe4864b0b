"""The MCP server whose tools Patchbay offers in a collection while the conformance suite looks at that collection.

    python -m tests.conformance.served_tools       # prints its port, serves /mcp until killed

Names, contents and questions are those that the suite's scenarios call for; what reaches the suite has gone through
the gate and a run, as every call of a collection does.
"""

from __future__ import annotations

import base64
import contextlib
import socket
import struct
import zlib
from collections.abc import AsyncIterator
from typing import Annotated

import uvicorn
from mcp.server.mcpserver import AcceptedElicitation, Context, Elicit, ElicitationResult, MCPServer, Resolve
from mcp_types import (
    AudioContent,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    TextContent,
    TextResourceContents,
    ToolAnnotations,
)
from pydantic import BaseModel, Field
from starlette.applications import Starlette

server = MCPServer("served tools", version="1")
READS = ToolAnnotations(read_only_hint=True)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _png() -> str:
    """One red point."""
    head, body = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0), zlib.compress(b"\0\xff\0\0")
    data = b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", body) + _chunk(b"IEND", b"")
    return base64.b64encode(data).decode()


def _wav() -> str:
    """Eight samples of silence."""
    samples = b"\x80" * 8
    form = struct.pack("<HHIIHH", 1, 1, 8000, 8000, 1, 8)
    body = b"WAVEfmt " + struct.pack("<I", len(form)) + form + b"data" + struct.pack("<I", len(samples)) + samples
    return base64.b64encode(b"RIFF" + struct.pack("<I", len(body)) + body).decode()


PICTURE = ImageContent(type="image", data=_png(), mime_type="image/png")


def _resource(name: str, kind: str, text: str) -> EmbeddedResource:
    contents = TextResourceContents(uri=f"test://{name}", mime_type=kind, text=text)
    return EmbeddedResource(type="resource", resource=contents)


@server.tool(annotations=READS)
def test_simple_text() -> CallToolResult:
    """Words."""
    return CallToolResult(content=[TextContent(type="text", text="Words that a collection hands on.")])


@server.tool(annotations=READS)
def test_image_content() -> CallToolResult:
    """A picture."""
    return CallToolResult(content=[PICTURE])


@server.tool(annotations=READS)
def test_audio_content() -> CallToolResult:
    """A sound."""
    return CallToolResult(content=[AudioContent(type="audio", data=_wav(), mime_type="audio/wav")])


@server.tool(annotations=READS)
def test_embedded_resource() -> CallToolResult:
    """A text with its address."""
    return CallToolResult(content=[_resource("embedded-resource", "text/plain", "A text with its address.")])


@server.tool(annotations=READS)
def test_multiple_content_types() -> CallToolResult:
    """Words, a picture and a text with its address."""
    words = TextContent(type="text", text="Three kinds:")
    mixed = _resource("mixed-content-resource", "application/json", '{"test":"data","value":123}')
    return CallToolResult(content=[words, PICTURE, mixed])


@server.tool(annotations=READS)
def test_error_handling() -> CallToolResult:
    """Something that goes wrong each time."""
    return CallToolResult(content=[TextContent(type="text", text="This goes wrong each time.")], is_error=True)


@server.tool(annotations=READS)
async def test_tool_with_progress(ctx: Context) -> str:
    """Something that tells how far it is."""
    for done in (0, 50, 100):
        await ctx.report_progress(done, 100)
    return "done"


class Person(BaseModel):
    """Who is asked for."""

    username: str = Field(description="What you are called")
    email: str = Field(description="Where mail reaches you")


def who(message: str) -> Elicit[Person]:
    """The question."""
    return Elicit(message, Person)


@server.tool(annotations=READS)
def test_elicitation(message: str, answer: Annotated[ElicitationResult[Person], Resolve(who)]) -> str:
    """A question to a person."""
    return f"User response: {answer.data.username if isinstance(answer, AcceptedElicitation) else 'none'}"


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
