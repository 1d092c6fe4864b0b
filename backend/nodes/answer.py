"""Answer node: says something to the person who runs the workflow, without ending it."""

from __future__ import annotations

from typing import TypedDict

from pydantic import Field

from backend.engine.document.types import LongText, NodeConfig, Text, node_type, words
from backend.engine.execution.context import NodeContext
from backend.engine.language.filters import to_text
from backend.tools.types import JsonObject, JsonValue


class AnswerValues(TypedDict):
    """Its values when it runs."""

    text: JsonValue


class AnswerConfig(NodeConfig):
    """What is said."""

    text: LongText = Field(**words("Text", "文本", help=Text("Expressions are replaced.", "其中的表达式会被替换。")))


@node_type(
    "answer",
    group="flow",
    title=Text("Answer", "回复"),
    description=Text("Shows a text to the person; the run continues.", "向用户显示一段文本，运行继续。"),
    config=AnswerConfig,
    output_schema={
        "type": "object",
        "properties": {"text": {"type": "string", "title": "Text", "x-zh": {"title": "文本"}}},
        "additionalProperties": False,
    },
)
async def answer(ctx: NodeContext[AnswerValues]) -> JsonObject:
    """The text."""
    return {"text": to_text(ctx.config["text"])}
