"""Prompt node: fills one prompt of an MCP server and gives its messages, as nodes with a model take them.

Getting a prompt changes nothing, so it is repeated after a crash. Whether the server has the prompt and which arguments
it wants is looked up when the node runs; a message of a role that does not exist is refused there, too.
"""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from pydantic import Field, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from backend.engine.document.types import (
    RETRY_ON_LOST_CONNECTION,
    NodeConfig,
    ObjectValue,
    Retry,
    Text,
    node_type,
    words,
)
from backend.engine.execution.context import NodeContext
from backend.engine.language.filters import to_text
from backend.nodes.tool import ServerRef
from backend.nodes.values import an_object
from backend.tools.calls.contents import contents_of
from backend.tools.types import JsonObject, JsonValue, texts_in


def _filled(value: Any) -> Any:
    if isinstance(value, str) and value.strip():
        return value
    raise PydanticCustomError("expected", "must be {expected}", {"expected": "prompt"})


PromptName = Annotated[str, PlainValidator(_filled), WithJsonSchema({"type": "string"})]
"""The name of a prompt of the server named beside it."""


class PromptValues(TypedDict):
    """Its values when it runs."""

    server: str | JsonObject
    prompt: str
    arguments: JsonValue


class PromptMessage(TypedDict):
    """A message, as a model takes it: `content` = a text, a file, or a list of those."""

    role: str
    content: JsonValue


class PromptBlock(TypedDict):
    """A message as the server gave it: `content` = a block of the protocol, whose bytes are a file."""

    role: str
    content: JsonObject


class PromptOutputs(TypedDict):
    """What it gives: the messages for a model, and what the server gave."""

    messages: list[PromptMessage]
    description: str
    blocks: list[PromptBlock]


class PromptConfig(NodeConfig):
    """Which prompt, and with what."""

    server: ServerRef = Field(**words("Server", "服务器"))
    prompt: PromptName = Field(**words("Prompt", "提示词"))
    arguments: ObjectValue = Field(default_factory=dict, **words("Arguments", "参数", extra={"x-widget": "arguments"}))


@node_type(
    "prompt",
    group="mcp",
    title=Text("Prompt", "提示词"),
    description=Text("Fills a prompt of an MCP server.", "填写 MCP 服务器的提示词。"),
    config=PromptConfig,
    effect="read",
    raw=frozenset({"server", "prompt"}),
    secrets=frozenset({"server"}),
    retry=Retry(max=3, codes=RETRY_ON_LOST_CONNECTION),
    output_schema={
        "type": "object",
        "properties": {
            "messages": {
                "type": "array",
                "title": "Messages",
                "x-zh": {"title": "消息"},
                "items": {
                    "type": "object",
                    "properties": {"role": {"enum": ["user", "assistant"]}, "content": {}},
                },
            },
            "description": {"type": "string", "title": "Description", "x-zh": {"title": "描述"}},
            "blocks": {
                "type": "array",
                "title": "Blocks",
                "x-zh": {"title": "内容块"},
                "items": {
                    "type": "object",
                    "properties": {"role": {"enum": ["user", "assistant"]}, "content": {"type": "object"}},
                },
            },
        },
        "additionalProperties": False,
    },
)
async def prompt(ctx: NodeContext[PromptValues]) -> PromptOutputs:
    """The prompt's messages."""
    arguments = an_object("arguments", ctx.config["arguments"])
    texts = {name: to_text(value) for name, value in arguments.items() if value is not None}
    source = contents_of(await ctx.tools(ctx.config["server"]))
    answer = await source.get_prompt(ctx.config["prompt"], texts, ctx.call("call"))
    about = answer.structured if isinstance(answer.structured, dict) else {}
    roles = texts_in(about, "roles") or ["user"] * len(answer.content)  # a person's own words have none
    messages = list(zip(roles, answer.content, strict=False))
    description = about.get("description")
    return {
        "messages": [{"role": role, "content": _content(block)} for role, block in messages],
        "description": description if isinstance(description, str) else "",
        "blocks": [{"role": role, "content": block} for role, block in messages],
    }


def _content(block: JsonObject) -> JsonValue:
    """A block as the content of a message: its text, its file, or where a link leads."""
    if block.get("type") == "text":
        return block.get("text")
    inner = block.get("resource")
    holder = inner if isinstance(inner, dict) else block
    for name in ("file", "text"):
        if holder.get(name) is not None:
            return holder[name]
    if block.get("type") == "resource_link":
        return "\n".join(str(block[name]) for name in ("title", "name", "uri") if block.get(name))
    return block
