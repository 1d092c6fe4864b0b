"""A model's search for tools as a journaled call: a replay finds what was found, however words are compared by then."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import cast

from backend.agents.local_tools import SERVER as LOCAL
from backend.agents.prompting import prompt
from backend.agents.tool_search import DEFAULT_RESULTS, LONGEST_QUERY, MOST_RESULTS, SEARCH_TOOLS
from backend.agents.toolset import Toolset, some
from backend.engine.document.types import Text
from backend.engine.execution.context import AnyContext
from backend.tools.types import (
    EffectHandle,
    Event,
    JsonObject,
    ToolRequestData,
    ToolResponseData,
    ToolResultJson,
    object_in,
    texts_in,
)

SHOWN = 160
"""Characters of a description that the result of a search shows; the definition has it whole."""

_HIDDEN = Text(
    "{tool} was not called: the model had not loaded it. It was given the definition.",
    "未调用 {tool}：模型尚未加载它。已向模型提供其定义。",
)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What came of a search: what the model reads, and which tools it gets. `failed`: it could not be carried out."""

    text: str
    tools: list[str]
    failed: bool = False


async def search_tools(ctx: AnyContext, key: str, tools: Toolset, arguments: JsonObject) -> SearchResult:
    """Search as the call `key`; nothing is loaded yet (`Toolset.load`)."""
    query = arguments.get("query")
    if not isinstance(query, str) or not query.strip():
        return SearchResult(prompt("search_query", ctx.language), [], failed=True)
    if tools.is_full:
        return SearchResult(
            prompt("too_many_loaded", ctx.language, count=str(len(tools.definitions) - 1)), [], failed=True
        )
    search: JsonObject = {"query": query.strip()[:LONGEST_QUERY], "limit": _limit(arguments)}

    async def body(_: EffectHandle) -> ToolResultJson:
        began = time.perf_counter()
        names = await ctx.thread(lambda: tools.search(str(search["query"]), cast(int, search["limit"])))
        text = _listing(ctx, tools, names)
        ms = (time.perf_counter() - began) * 1000
        content: list[JsonObject] = [{"type": "text", "text": text}]
        return {"content": content, "structured": {"tools": [*names]}, "text": text, "is_error": False, "ms": ms}

    def ended(value: ToolResultJson) -> Event:
        shown: ToolResponseData = {
            "call": key,
            "content": value["content"],
            "structured": value["structured"],
            "is_error": value["is_error"],
            "ms": value["ms"],
        }
        return "TOOL_RESPONSE", shown

    request: ToolRequestData = {"call": key, "server": LOCAL, "tool": SEARCH_TOOLS, "arguments": search}
    result = await ctx.effect(
        key,
        body,
        "pure",
        target="search_tools",
        arguments=search,
        started=("TOOL_REQUEST", request),
        ended=ended,
    )
    return SearchResult(result["text"], texts_in(object_in(result, "structured"), "tools"))


def hidden(ctx: AnyContext, key: str, tool: str) -> SearchResult:
    """What a model gets that calls a tool which it has not loaded: the definition, and word of it."""
    ctx.log(f"{key}/hidden", _HIDDEN.in_(ctx.language).format(tool=tool))
    return SearchResult(prompt("tool_was_hidden", ctx.language, tool=tool), [tool], failed=True)


def _limit(arguments: JsonObject) -> int:
    limit = arguments.get("limit")
    whole = (
        int(limit)
        if isinstance(limit, int | float) and not isinstance(limit, bool) and limit == limit
        else DEFAULT_RESULTS
    )
    return max(1, min(whole, MOST_RESULTS))


def _listing(ctx: AnyContext, tools: Toolset, names: list[str]) -> str:
    if not names:
        return prompt("tools_not_found", ctx.language, servers=some(tools.sources))
    lines = [f"- {name}: {_in_short(tools.specs[name].description or tools.specs[name].title)}" for name in names]
    return prompt("tools_loaded", ctx.language, tools="\n".join(lines))


def _in_short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= SHOWN else f"{plain[:SHOWN]}…"
