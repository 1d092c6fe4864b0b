"""Loop node: runs its children again and again until a condition holds, carrying variables from round to round."""

from __future__ import annotations

from typing import Annotated, TypedDict

from pydantic import Field

from backend.engine.document.types import AnyValue, NodeConfig, ObjectValue, Text, node_type, words
from backend.engine.execution.context import NodeContext
from backend.engine.language.expressions import SKIPPED
from backend.engine.language.later import Later
from backend.nodes.conditions import hold
from backend.nodes.values import an_object
from backend.tools.types import JsonObject, JsonValue


class LoopValues(TypedDict):
    """Its values when it runs."""

    vars: JsonValue
    max: int


class LoopConfig(NodeConfig):
    """What is carried along, and when it is enough."""

    vars: ObjectValue = Field(
        default_factory=dict,
        **words(
            "Variables", "变量", help=Text("Available inside as loop.vars.name.", "在内部用 loop.vars.名称 读取。")
        ),
    )
    until: AnyValue = Field(
        default=None,
        **words(
            "Until",
            "直到",
            help=Text("Checked after every round; true ends the loop.", "每轮之后判断，为真则结束循环。"),
        ),
    )
    max: Annotated[int, Field(ge=1, le=10_000)] = Field(default=10, **words("Max rounds", "最多轮数"))
    output: AnyValue = Field(
        default=None,
        **words("Output", "输出", help=Text("Empty: the variables are the outputs.", "留空则以各变量作为输出。")),
    )


@node_type(
    "loop",
    group="flow",
    title=Text("Loop", "循环"),
    description=Text("Runs the nodes inside until a condition holds.", "重复运行内部节点，直到条件成立。"),
    config=LoopConfig,
    container="loop",
    inner=frozenset({"until", "output"}),
    output_keys=lambda config: (
        frozenset({"output"})
        if config.get("output") is not None
        else frozenset(config["vars"])
        if isinstance(config.get("vars"), dict)
        else None
    ),
)
async def loop(ctx: NodeContext[LoopValues]) -> JsonObject:
    """The output, or the variables, after the last round."""
    variables = an_object("vars", ctx.config["vars"])
    last: JsonObject = {}
    output: JsonValue | Later = None
    first = 0
    if (before := ctx.rounds_before()) is not None:
        first, variables, last = before
    for i in range(first, ctx.config["max"]):
        scope = await ctx.frame(i, {"loop": {"index": i, "vars": variables, "last": last}, "index": i})
        variables = scope["loop"]["vars"]
        last = {id_: None if scope[id_] is SKIPPED else scope[id_] for id_ in ctx.children}
        output = await ctx.inner_later("output", scope, f"output:{i}")
        until = await ctx.whole(await ctx.inner_later("until", scope, f"until:{i}"))
        if hold("all", [{"left": until, "op": "is_true", "right": None}]):
            break
        if i + 1 < ctx.config["max"]:
            ctx.rounds_over(i + 1, variables)
    return variables if output is None else {"output": await ctx.whole(output)}
