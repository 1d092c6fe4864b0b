"""List node: keeps items that meet conditions, sorts them, takes some of them, and makes something of each.

In that order; what is asked of each item reads it as `item` and its place in the list as `index`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypedDict, cast

from pydantic import Field

from backend.engine.document.types import (
    AnyValue,
    ListValue,
    NodeConfig,
    OptionalNumber,
    Text,
    node_type,
    words,
)
from backend.engine.execution.context import NodeContext
from backend.engine.language.filters import to_text
from backend.nodes.conditions import Condition, ConditionValue, Match, hold, match_field, number_of
from backend.nodes.values import a_list, a_number
from backend.tools.types import JsonObject, JsonValue

MOST = 1_000_000_000
_EACH: JsonObject = {"x-item": True}
"""Marks fields in which `item` and `index` may be read."""


class ListValues(TypedDict):
    """Its values when it runs; `filter`, `sort` and `map` are asked of each item."""

    items: JsonValue
    match: Match
    offset: JsonValue
    limit: JsonValue


class SortValue(TypedDict):
    """By what an item is sorted."""

    by: JsonValue
    order: Literal["asc", "desc"]


class Sort(NodeConfig):
    """By what, and which way."""

    by: AnyValue = Field(default="{{ item }}", **words("By", "依据"))
    order: Literal["asc", "desc"] = Field(
        default="asc", **words("Order", "顺序", choices=[("Ascending", "升序"), ("Descending", "降序")])
    )


class ListConfig(NodeConfig):
    """The list, and what becomes of it."""

    items: ListValue = Field(**words("Items", "列表"))
    match: Match = Field(**match_field())
    filter: list[Condition] = Field(
        default_factory=list,
        **words(
            "Keep items where",
            "筛选条件",
            help=Text("Conditions read each item as item.", "条件中用 item 读取每一项。"),
            extra=_EACH,
        ),
    )
    sort: Sort | None = Field(
        default=None,
        **words("Sort", "排序", help=Text("By item.price, for example.", "例如按 item.price。"), extra=_EACH),
    )
    offset: OptionalNumber = Field(default=None, **words("Skip", "跳过"))
    limit: OptionalNumber = Field(default=None, **words("Max items", "最多项数"))
    map: AnyValue = Field(
        default=None,
        **words(
            "Value of each item",
            "每一项的值",
            help=Text("Empty: the item itself.", "留空则为该项本身。"),
            extra=_EACH,
        ),
    )


@node_type(
    "list",
    group="data",
    title=Text("List", "列表"),
    description=Text("Filters, sorts, slices and maps a list.", "对列表进行筛选、排序、截取和映射。"),
    config=ListConfig,
    inner=frozenset({"filter", "sort", "map"}),
    lends="item",
    output_schema={"type": "object", "properties": {"items": {"type": "array"}}, "additionalProperties": False},
)
async def list_(ctx: NodeContext[ListValues]) -> JsonObject:
    """The items that are left."""
    config = ctx.config
    items = a_list("items", config["items"])
    places: Sequence[int] = range(len(items))
    if ctx.asks("filter"):
        conditions = cast("list[list[ConditionValue]]", await ctx.per_item("filter", items, places))
        places = await ctx.thread(
            lambda: [i for i, held in zip(places, conditions, strict=True) if hold(config["match"], held)]
        )
    if ctx.asks("sort"):
        keys = cast("list[SortValue]", await ctx.per_item("sort", items, places))
        places = await ctx.thread(lambda: _sorted(places, keys))
    places = places[_slice(config)]
    if not ctx.asks("map"):
        return {"items": [items[i] for i in places]}
    return {"items": await ctx.per_item("map", items, places)}


def _sorted(places: Sequence[int], keys: list[SortValue]) -> list[int]:
    """The places in the order of their keys: as numbers where all are some, else as texts; null stands last."""
    values = [key["by"] for key in keys]
    numbers = [number_of(value) for value in values if value is not None]
    ranks: list[Any] = [value for value in numbers if value is not None]
    if len(ranks) < len(numbers):
        ranks = [(text.casefold(), text) for text in (to_text(value) for value in values if value is not None)]
    present = [place for place, value in zip(places, values, strict=True) if value is not None]
    missing = [place for place, value in zip(places, values, strict=True) if value is None]
    descending = bool(keys) and keys[0]["order"] == "desc"
    ordered = sorted(range(len(present)), key=ranks.__getitem__, reverse=descending)
    return [present[i] for i in ordered] + missing


def _slice(config: ListValues) -> slice:
    """Which of the items are taken."""
    offset = 0 if config["offset"] is None else int(a_number("offset", config["offset"], 0, MOST))
    if config["limit"] is None:
        return slice(offset, None)
    return slice(offset, offset + int(a_number("limit", config["limit"], 0, MOST)))
