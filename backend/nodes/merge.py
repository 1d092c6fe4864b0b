"""Merge node: brings branches together and gives the value of the one that was taken."""

from __future__ import annotations

from typing import TypedDict

from pydantic import Field

from backend.engine.document.types import ListValue, NodeConfig, Text, node_type, words
from backend.engine.execution.context import NodeContext
from backend.nodes.values import a_list
from backend.tools.types import JsonObject, JsonValue


class MergeValues(TypedDict):
    """Its values when it runs."""

    values: JsonValue


class MergeConfig(NodeConfig):
    """The values to choose from."""

    values: ListValue = Field(
        default_factory=list,
        **words(
            "Values",
            "值",
            help=Text(
                "One expression per branch; a branch that was not taken has no value.",
                "每个分支一个表达式；未执行的分支没有值。",
            ),
        ),
    )


@node_type(
    "merge",
    group="flow",
    title=Text("Merge", "合并"),
    description=Text("Joins branches and gives the first available value.", "合并各分支，取第一个可用的值。"),
    config=MergeConfig,
    output_schema={
        "type": "object",
        "properties": {"value": {}, "values": {"type": "array"}},
        "additionalProperties": False,
    },
)
async def merge(ctx: NodeContext[MergeValues]) -> JsonObject:
    """The first value present, and all of them."""
    values = a_list("values", ctx.config["values"])
    return {"value": next((value for value in values if value is not None), None), "values": values}
