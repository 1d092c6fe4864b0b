"""Template node: makes a text out of values. It knows expressions only, so it needs no process of its own."""

from __future__ import annotations

from typing import TypedDict

from pydantic import Field

from backend.engine.document.types import LongText, NodeConfig, Text, node_type, words
from backend.engine.execution.context import NodeContext
from backend.engine.language.filters import to_text
from backend.tools.types import JsonObject, JsonValue


class TemplateValues(TypedDict):
    """Its values when it runs."""

    template: JsonValue


class TemplateConfig(NodeConfig):
    """The text with its expressions."""

    template: LongText = Field(
        **words(
            "Template",
            "模板",
            help=Text("Text in which {{ node.value }} is replaced.", "文本，其中的 {{ node.value }} 会被替换。"),
        )
    )


@node_type(
    "template",
    group="data",
    title=Text("Template", "模板"),
    description=Text("Builds a text from values.", "用若干值生成一段文本。"),
    config=TemplateConfig,
    output_schema={
        "type": "object",
        "properties": {"text": {"type": "string", "title": "Text", "x-zh": {"title": "文本"}}},
        "additionalProperties": False,
    },
)
async def template(ctx: NodeContext[TemplateValues]) -> JsonObject:
    """The rendered text."""
    return {"text": to_text(ctx.config["template"])}
