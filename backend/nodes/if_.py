"""If node: goes one of two ways."""

from __future__ import annotations

from typing import TypedDict

from pydantic import Field

from backend.engine.document.types import NodeConfig, Result, Text, node_type, words
from backend.engine.execution.context import NodeContext
from backend.nodes.conditions import Condition, ConditionValue, Match, hold, match_field


class IfValues(TypedDict):
    """Its values when it runs."""

    match: Match
    conditions: list[ConditionValue]


class IfConfig(NodeConfig):
    """When the way "true" is taken."""

    match: Match = Field(**match_field())
    conditions: list[Condition] = Field(default_factory=list, **words("Conditions", "条件"))


@node_type(
    "if",
    group="flow",
    title=Text("If", "条件分支"),
    description=Text(
        "Continues at “true” if the conditions hold, otherwise at “false”.", "条件成立时走“true”，否则走“false”。"
    ),
    config=IfConfig,
    ports_out=("true", "false"),
    output_schema={
        "type": "object",
        "properties": {"result": {"type": "boolean"}, "port": {"enum": ["true", "false"]}},
        "additionalProperties": False,
    },
)
async def if_(ctx: NodeContext[IfValues]) -> Result:
    """Which way."""
    result = hold(ctx.config["match"], ctx.config["conditions"])
    port = "true" if result else "false"
    return Result({"result": result, "port": port}, port=port)
