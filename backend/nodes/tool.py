"""Tool node (L1): calls one MCP tool with arguments from the canvas; no model is involved.

A tool that answers "error" has failed: the step is ERROR and `on_error` decides what follows; it is never shown as
success. Policy, risk and approval stand in the source's gate; the call is journaled there.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, TypedDict

from pydantic import Field, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from backend.engine.document.types import (
    RETRY_ON_LOST_CONNECTION,
    ObjectValue,
    Retry,
    Text,
    node_type,
    words,
)
from backend.engine.execution.context import NodeContext
from backend.errors import McpExecutionError
from backend.nodes.expiring import Expiring, ExpiringValues
from backend.nodes.values import an_object
from backend.tools.types import JsonObject, JsonValue


def _server(value: Any) -> Any:
    if (isinstance(value, str) and value.strip()) or (isinstance(value, dict) and value):
        return value
    raise PydanticCustomError("expected", "must be {expected}", {"expected": "server"})


def _filled(value: Any) -> Any:
    if isinstance(value, str) and value.strip():
        return value
    raise PydanticCustomError("expected", "must be {expected}", {"expected": "tool"})


ServerRef = Annotated[
    Any, PlainValidator(_server), WithJsonSchema({"type": ["string", "object"], "x-widget": "server"})
]
"""A server: a name declared in the document, a slug, an id, or an inline configuration."""
ToolName = Annotated[str, PlainValidator(_filled), WithJsonSchema({"type": "string", "x-widget": "tool"})]
"""The name of a tool of the server named beside it."""


class ToolValues(ExpiringValues):
    """Its values when it runs."""

    server: str | JsonObject
    tool: str
    arguments: JsonValue


class ToolOutputs(TypedDict):
    """What it gives."""

    result: str
    content: list[JsonObject]
    structured: JsonValue
    is_error: bool


class ToolConfig(Expiring):
    """Which tool, and with what."""

    server: ServerRef = Field(**words("Server", "服务器"))
    tool: ToolName = Field(**words("Tool", "工具"))
    arguments: ObjectValue = Field(default_factory=dict, **words("Arguments", "参数", extra={"x-widget": "arguments"}))


@node_type(
    "tool",
    group="mcp",
    title=Text("Tool", "工具"),
    description=Text("Calls one tool of an MCP server.", "调用 MCP 服务器的一个工具。"),
    config=ToolConfig,
    effect="tool",
    raw=frozenset({"server", "tool"}),
    secrets=frozenset({"server"}),
    retry=Retry(max=3, codes=RETRY_ON_LOST_CONNECTION, writes=False),
    output_schema={
        "type": "object",
        "properties": {
            "result": {"type": "string", "title": "Result", "x-zh": {"title": "结果"}},
            "content": {"type": "array", "title": "Content", "x-zh": {"title": "内容"}},
            "structured": {"title": "Structured", "x-zh": {"title": "结构化数据"}},
            "is_error": {"type": "boolean", "title": "Is error", "x-zh": {"title": "是否错误"}},
        },
        "additionalProperties": False,
    },
)
async def tool(ctx: NodeContext[ToolValues]) -> ToolOutputs:
    """The tool's answer."""
    source = await ctx.tools(ctx.config["server"])
    arguments = an_object("arguments", ctx.config["arguments"])
    answer = await source.call_tool(ctx.config["tool"], arguments, ctx.call("call"))
    if answer.is_error:
        params: dict[str, Any] = {"tool": ctx.config["tool"]}
        if isinstance(answer.structured, dict) and isinstance(
            wait := answer.structured.get("retry_after"), int | float
        ):
            params["retry_after"] = wait  # an API says how long to wait; a retry that the node allows keeps to it
        raise McpExecutionError(params=params, detail=answer.as_json())
    text = answer.text
    if not text and answer.structured is not None:
        text = json.dumps(answer.structured, ensure_ascii=False)
    return {"result": text, "content": answer.content, "structured": answer.structured, "is_error": False}
