"""The MCP server whose tools, resources and prompts stand in the collection that the conformance suite looks at.

    python -m tests.conformance.served_tools       # prints its port, serves /mcp until killed

Names, contents and questions are those that the suite's scenarios call for; what reaches the suite has gone through
the gate and a run, as every call of a collection does.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import socket
import struct
import zlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, Any

import uvicorn
from mcp.server.mcpserver import AcceptedElicitation, Context, Elicit, ElicitationResult, MCPServer, Resolve
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp_types import (
    AudioContent,
    CallToolResult,
    Completion,
    CompletionArgument,
    ElicitResult,
    EmbeddedResource,
    ImageContent,
    InputRequiredResult,
    TextContent,
    TextResourceContents,
    ToolAnnotations,
)
from pydantic import BaseModel, Field
from starlette.applications import Starlette

server = MCPServer("served tools", version="1")
READS = ToolAnnotations(read_only_hint=True)
STEP_S = 0.4
"""Longer than Patchbay lets pass between two lines of progress."""


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
        await asyncio.sleep(STEP_S)
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


def form(key: str, name: str, kind: str = "string") -> InputRequiredResult:
    """A question for one value, under a key of its own."""
    return fields(key, {"type": "object", "properties": {name: {"type": kind}}, "required": [name]})


def fields(key: str, schema: dict[str, Any]) -> InputRequiredResult:
    """A question for several."""
    params = {"mode": "form", "message": f"Which {key}?", "requestedSchema": schema}
    requests = {key: {"method": "elicitation/create", "params": params}}
    return InputRequiredResult.model_validate({"inputRequests": requests, "requestState": key})


def answer_of(ctx: Context, key: str) -> dict[str, Any] | None:
    """What was answered to a question."""
    answer = (ctx.input_responses or {}).get(key)
    return answer.content if isinstance(answer, ElicitResult) else None


@server.tool(annotations=READS)
def test_input_required_result_elicitation(ctx: Context) -> str | InputRequiredResult:
    """Asks for a name."""
    answer = answer_of(ctx, "user_name")
    return form("user_name", "name") if answer is None else f"Hello, {answer['name']}!"


@server.tool(annotations=READS)
def test_input_required_result_request_state(ctx: Context) -> str | InputRequiredResult:
    """Asks, and says whether its state came back."""
    answer = answer_of(ctx, "confirm")
    return form("confirm", "ok", "boolean") if answer is None else f"state-{'ok' if ctx.request_state else 'lost'}"


@server.tool(annotations=READS)
def test_input_required_result_tampered_state(ctx: Context) -> str | InputRequiredResult:
    """Asks for a yes."""
    return form("confirm", "ok", "boolean") if answer_of(ctx, "confirm") is None else "done"


@server.tool(annotations=READS)
def test_input_required_result_multi_round(ctx: Context) -> str | InputRequiredResult:
    """Asks twice, one after the other."""
    if ctx.request_state is None:
        return form("step1", "name")
    return form("step2", "color") if ctx.request_state == "step1" else "done"


DEFAULTS = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
OPTIONS = ["option1", "option2", "option3"]
TITLED = [{"const": f"value{number}", "title": f"Value {number}"} for number in (1, 2, 3)]
CHOICES = {
    "untitledSingle": {"type": "string", "enum": OPTIONS},
    "titledSingle": {"type": "string", "oneOf": TITLED},
    "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["One", "Two"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": OPTIONS}},
    "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
}


@server.tool(annotations=READS)
def test_elicitation_sep1034_defaults(ctx: Context) -> str | InputRequiredResult:
    """Asks for what has defaults."""
    answer = answer_of(ctx, "values")
    return fields("values", {"type": "object", "properties": DEFAULTS}) if answer is None else json.dumps(answer)


@server.tool(annotations=READS)
def test_elicitation_sep1330_enums(ctx: Context) -> str | InputRequiredResult:
    """Asks for choices of each kind."""
    answer = answer_of(ctx, "choices")
    return fields("choices", {"type": "object", "properties": CHOICES}) if answer is None else json.dumps(answer)


@server.tool(annotations=READS)
def json_schema_2020_12_tool(name: str = "") -> str:
    """Something whose schema says much."""
    return name


@server.tool(annotations=READS)
def test_headers(region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})]) -> str:
    """Something of which an argument stands in a header."""
    return region


@server.tool(annotations=READS)
def greet(name: str) -> str:
    """Says hello."""
    return f"Hello, {name}!"


@server.resource("test://static-text", mime_type="text/plain")
def static_text() -> str:
    """A text."""
    return "A text that a collection hands on."


@server.resource("test://static-binary", mime_type="image/png")
def static_binary() -> bytes:
    """A picture."""
    return base64.b64decode(_png())


@server.resource("test://template/{id}/data", mime_type="application/json")
def of_template(id: str) -> str:
    """One of many."""
    return json.dumps({"id": id, "data": f"Data for {id}"})


@server.prompt()
def test_simple_prompt() -> str:
    """Words."""
    return "Say something kind."


@server.prompt()
def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
    """Words with two others in them."""
    return f"First {arg1!r}, then {arg2!r}."


@server.prompt()
def test_prompt_with_embedded_resource(resourceUri: str) -> list[UserMessage]:
    """A text with its address, and what is to be done with it."""
    contents = TextResourceContents(uri=resourceUri, mime_type="text/plain", text="What this is about.")
    embedded = EmbeddedResource(type="resource", resource=contents)
    return [UserMessage(embedded), UserMessage("Read what stands above.")]


@server.prompt()
def test_prompt_with_image() -> list[UserMessage]:
    """A picture, and what is to be done with it."""
    return [UserMessage(PICTURE), UserMessage("Look at the picture above.")]


@server.prompt()
def test_input_required_result_prompt(ctx: Context) -> str | InputRequiredResult:
    """Asks what it is about."""
    answer = answer_of(ctx, "user_context")
    return form("user_context", "context") if answer is None else f"Think of {answer['context']}."


@server.completion()  # type: ignore[no-untyped-call, untyped-decorator]  # the SDK gives it no types
async def complete(ref: object, argument: CompletionArgument, context: object) -> Completion | None:
    """Two ends for whatever was begun."""
    return Completion(values=[f"{argument.value}{ending}" for ending in ("ing", "ed")])


def takes(tool: str, schema: dict[str, Any]) -> None:
    """Let a tool say that it takes what no signature can say."""
    known = server._tool_manager.get_tool(tool)
    assert known is not None
    known.parameters = schema


takes("json_schema_2020_12_tool", json.loads((Path(__file__).parent / "json_schema_2020_12.json").read_text()))


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
