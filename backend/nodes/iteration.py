"""Iteration node: runs its children once for every item of a list, and gathers what each round gives."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal, TypedDict

from pydantic import Field

from backend.engine.document.types import AnyValue, ListValue, NodeConfig, Text, node_type, words
from backend.engine.execution.context import NodeContext
from backend.engine.execution.items import NOTHING
from backend.errors import PatchbayError
from backend.nodes.values import a_list, misfit
from backend.tools.types import JsonObject, JsonValue

MAX_ITEMS = 10_000


class IterationValues(TypedDict):
    """Its values when it runs."""

    items: JsonValue
    concurrency: int
    on_item_error: Literal["fail", "skip", "keep_null"]


class IterationConfig(NodeConfig):
    """Over what, and what each round gives."""

    items: ListValue = Field(
        **words("Items", "列表", help=Text("Available inside as item and index.", "在内部用 item 和 index 读取。"))
    )
    output: AnyValue = Field(
        default=None, **words("Output", "输出", help=Text("The value each round returns.", "每一轮返回的值。"))
    )
    concurrency: Annotated[int, Field(ge=1, le=50)] = Field(default=1, **words("Concurrent items", "并发项数"))
    on_item_error: Literal["fail", "skip", "keep_null"] = Field(
        default="fail",
        **words(
            "When an item fails",
            "某项失败时",
            choices=[("fail", "整体失败"), ("leave it out", "略过该项"), ("null in its place", "以 null 代替")],
        ),
    )


@node_type(
    "iteration",
    group="flow",
    title=Text("Iteration", "迭代"),
    description=Text("Runs the nodes inside once for every item of a list.", "对列表中的每一项运行一次内部节点。"),
    config=IterationConfig,
    container="item",
    inner=frozenset({"output"}),
    output_schema={"type": "object", "properties": {"items": {"type": "array"}}, "additionalProperties": False},
)
async def iteration(ctx: NodeContext[IterationValues]) -> JsonObject:
    """What the rounds gave, in the order of the items."""
    config = ctx.config
    items = a_list("items", config["items"])
    if len(items) > MAX_ITEMS:
        raise misfit("items", f"array, 0 … {MAX_ITEMS}", items)
    results: list[Any] = [NOTHING] * len(items)
    over = ctx.items_before()
    rounds = iter([i for i in range(len(items)) if i not in over])
    gathered = ctx.gathering("output")

    def null_if_failed(i: int) -> None:
        if results[i] is NOTHING and config["on_item_error"] == "keep_null":
            results[i] = None
        gathered(results[i])

    async def work() -> None:
        for i in rounds:
            try:
                scope = await ctx.frame(i, {"item": items[i], "index": i})
                results[i] = await ctx.inner_later("output", scope, f"output:{i}")
            except PatchbayError:
                if config["on_item_error"] == "fail":
                    raise
            null_if_failed(i)
            ctx.item_over(i)

    for i in range(len(items)):
        if i in over:
            results[i] = ctx.inner_value(f"output:{i}")
            null_if_failed(i)

    workers = [asyncio.ensure_future(work()) for _ in range(min(config["concurrency"], len(items)))]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        if workers:
            await asyncio.wait(workers)
    return {"items": [await ctx.whole(result) for result in results if result is not NOTHING]}
