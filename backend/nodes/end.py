"""End node: names outputs of the run. A run ends when everything is settled; its outputs are the union of all ends."""

from __future__ import annotations

from typing import TypedDict

from pydantic import Field

from backend.engine.document.types import NodeConfig, ObjectValue, Text, node_type, words
from backend.engine.execution.context import NodeContext
from backend.nodes.values import an_object
from backend.tools.types import JsonObject, JsonValue


class EndValues(TypedDict):
    """Its values when it runs."""

    outputs: JsonValue


class EndConfig(NodeConfig):
    """Which values leave the run."""

    outputs: ObjectValue = Field(
        default_factory=dict,
        **words("Outputs", "输出", help=Text("Names and values that the run returns.", "运行返回的名称和值。")),
    )


@node_type(
    "end",
    group="flow",
    title=Text("End", "结束"),
    description=Text("Returns values to whoever started the run.", "把值返回给运行的发起者。"),
    config=EndConfig,
    ports_out=(),
)
async def end(ctx: NodeContext[EndValues]) -> JsonObject:
    """The named values."""
    return an_object("outputs", ctx.config["outputs"])
