"""Aggregate node: makes one value of several: the first that is there, a list of all, or one object of all."""

from __future__ import annotations

from typing import Literal, TypedDict

from pydantic import Field

from backend.engine.document.types import ListValue, NodeConfig, Text, node_type, words
from backend.engine.execution.context import NodeContext
from backend.nodes.values import a_list, misfit
from backend.tools.types import JsonObject, JsonValue

Mode = Literal["first", "list", "object"]


class AggregateValues(TypedDict):
    """Its values when it runs."""

    values: JsonValue
    mode: Mode


class AggregateConfig(NodeConfig):
    """The values, and what becomes of them."""

    values: ListValue = Field(
        default_factory=list,
        **words("Values", "值", help=Text("What has no value is left out.", "没有值的项会被略过。")),
    )
    mode: Mode = Field(
        default="first",
        **words(
            "Result",
            "结果",
            choices=[
                ("the first value", "第一个值"),
                ("a list of all", "全部组成列表"),
                ("one object of all", "合并为一个对象"),
            ],
        ),
    )


@node_type(
    "aggregate",
    group="data",
    title=Text("Aggregate", "聚合"),
    description=Text("Makes one value of several.", "将多个值合为一个。"),
    config=AggregateConfig,
    output_schema={"type": "object", "properties": {"value": {}}, "additionalProperties": False},
)
async def aggregate(ctx: NodeContext[AggregateValues]) -> JsonObject:
    """The value; in an object what comes later goes before."""
    values: list[JsonValue] = [value for value in a_list("values", ctx.config["values"]) if value is not None]
    match ctx.config["mode"]:
        case "first":
            return {"value": values[0] if values else None}
        case "list":
            return {"value": values}
    merged: JsonObject = {}
    for value in values:
        if not isinstance(value, dict):
            raise misfit("values", "array of object", value)
        merged |= value
    return {"value": merged}
