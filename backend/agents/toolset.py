"""The tools of an agent: several servers, workflows and local functions as one set with names that models accept.

What each source lists is journaled, so that a replay offers the model the same tools, whatever servers list by then. A
tool that cannot be offered (its schema is unusable, its name is taken) is left out with a line in the log.

Where there are many, the model gets one tool that finds the others (`tool_search`): what it loads joins the
definitions and stays as long as the attempt lasts.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NotRequired, TypedDict

from backend.agents.local_tools import SERVER as LOCAL
from backend.agents.local_tools import local_source
from backend.agents.prompting import prompt
from backend.agents.structured import with_system
from backend.agents.tool_lists import KNOWN, KnownList, KnownTool, ListedTool
from backend.agents.tool_search import (
    DEFAULT_RESULTS,
    MOST_RESULTS,
    MOST_TOOLS,
    SEARCH_TOOLS,
    ToolIndex,
    ToolSearch,
    is_searched,
)
from backend.engine.document.ids import derived_id
from backend.engine.document.types import Text
from backend.engine.execution.context import AnyContext
from backend.errors import McpToolNotFound
from backend.llm.types import Message, ToolDefinition
from backend.tools.calls.client_tools import SERVER as CLIENT
from backend.tools.calls.client_tools import client_source
from backend.tools.calls.dropping import drop_connection
from backend.tools.calls.grading import effect_kind
from backend.tools.calls.selected import SelectedToolSource
from backend.tools.calls.workflow_source import SERVER as WORKFLOW
from backend.tools.types import (
    CallContext,
    EffectHandle,
    JsonObject,
    ToolResult,
    ToolSource,
    ToolSpec,
)

MAX_TOOLS = 128
"""Tools offered at once; endpoints refuse more."""
MAX_LOADED = 100
"""Tools that a model may have loaded before it cannot load more."""
MAX_NAMES = 2000
"""Characters of the names of those that are not offered."""

_LEFT_OUT = {
    "schema": Text("Tool {tool} is left out: its schema cannot be used.", "已略去工具 {tool}：其 Schema 无法使用。"),
    "off": Text(
        "Server {tool} is left out: the person who started the run turned it off for agents.",
        "已略去服务器 {tool}：启动此运行的人已对智能体停用它。",
    ),
    "double": Text("Tool {tool} is listed twice; the first one is used.", "工具 {tool} 被列出两次，以第一个为准。"),
    "many": Text("Tool {tool} is left out: there are too many tools.", "已略去工具 {tool}：工具数量过多。"),
    "rest": Text(
        "{count} tools are left out because a model can be offered {most} at most: {names}. Choose fewer in the "
        "node; the model is told which ones are missing.",
        "已略去 {count} 个工具，因为一次最多向模型提供 {most} 个：{names}。"
        "请在节点中少选一些；模型已知道缺少哪些工具。",
    ),
    "unknown": Text("There is no tool named {tool}.", "没有名为 {tool} 的工具。"),
}


_SEARCHED = Text(
    "The model searches {count} tools and loads those that it needs.", "模型在 {count} 个工具中搜索，并按需加载。"
)


class ToolServer(TypedDict):
    """A server in a node's tools: which of its tools (none named = all), and parameters that are settled."""

    server: str | JsonObject
    include: NotRequired[list[str]]
    fixed: NotRequired[dict[str, JsonObject]]


class AgentTools(TypedDict, total=False):
    """The tools of a node as its config holds them."""

    servers: list[ToolServer]
    workflows: list[str]
    local: list[str]


class Listed(TypedDict):
    """What all sources listed: [label, list of `ListedTool`] of each."""

    listed: list[list[Any]]


@dataclass(frozen=True, slots=True)
class Member:
    """One source of a set: `label` = the name it has in the exposed names of its tools. It is a `server`, of which
    `chosen` makes what the model is offered, or what `open` gives."""

    label: str
    open: Callable[[], Awaitable[ToolSource]]
    named: tuple[str, ...] = ()  # tools that the document names
    server: str | JsonObject | None = None
    chosen: Callable[[ToolSource], ToolSource] = lambda source: source


@dataclass(slots=True)
class Toolset:
    """Tools under their exposed names. `definitions` = as the model sees them now, `specs` = as their servers describe
    them (exposed name → spec with the server's own name), `left_out` = exposed names beyond `MAX_TOOLS`.

    Where it is `searched` the definitions are the tool that searches and what was loaded so far."""

    definitions: list[ToolDefinition] = field(default_factory=list)
    specs: dict[str, ToolSpec] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    _hidden: dict[str, ToolDefinition] = field(default_factory=dict)  # what can be loaded
    _index: ToolIndex | None = None
    _labels: dict[str, str] = field(default_factory=dict)
    _known: dict[str, KnownTool] = field(default_factory=dict)
    _members: dict[str, Member] = field(default_factory=dict)
    _open: dict[str, ToolSource] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.definitions)

    def find(self, name: str) -> str | None:
        """The exposed name of the tool that a model means by `name`: that name, or a tool's own name where only one
        tool has it; None where there is none."""
        if name in self.specs or (self.searched and name == SEARCH_TOOLS):
            return name
        own = [exposed for exposed, spec in self.specs.items() if spec.name == name]
        return own[0] if len(own) == 1 else None

    def server_of(self, name: str) -> tuple[str, str]:
        """(server, tool) behind an exposed name. Raises McpToolNotFound."""
        if self.searched and name == SEARCH_TOOLS:
            return LOCAL, SEARCH_TOOLS
        spec = self.specs.get(name)
        if spec is None:
            raise McpToolNotFound(params={"tool": name})
        return self._labels[name], spec.name

    async def call(self, name: str, arguments: JsonObject, call: CallContext) -> ToolResult:
        """Call a tool by its exposed name. Raises McpToolNotFound and what its source raises."""
        label, tool = self.server_of(name)
        return await (await self._source(label)).call_tool(tool, arguments, call)

    async def parallel(self, name: str) -> bool:
        """Whether calls of this tool may run beside others: where they only read, or may happen twice."""
        label, tool = self.server_of(name)
        return await effect_kind(await self._source(label), tool) in ("pure", "read", "idempotent")

    async def drop(self, name: str) -> None:
        """Let go of the connection behind a tool: its next call gets a new one. Raises McpToolNotFound."""
        label, _ = self.server_of(name)
        await drop_connection(await self._source(label))

    # -- many tools ---------------------------------------------------------------------------------------------------

    @property
    def searched(self) -> bool:
        """Whether the model searches the tools instead of being given them all."""
        return self._index is not None

    def is_loaded(self, name: str) -> bool:
        """Whether the model has been given the definition of a tool."""
        return name not in self._hidden

    @property
    def is_full(self) -> bool:
        """Whether no more can be loaded."""
        return len(self.definitions) > MAX_LOADED

    @property
    def sources(self) -> list[str]:
        """The sources with the number of their tools: `label (3)`."""
        return [f"{label} ({count})" for label, count in Counter(self._labels.values()).items()]

    def search(self, query: str, limit: int) -> list[str]:
        """Exposed names of the tools that fit best, loaded or not. Takes CPU where there are many."""
        return self._index.search(query, limit) if self._index else []

    def load(self, names: Iterable[str]) -> None:
        """Give the model these definitions from now on."""
        for name in names:
            if name in self._hidden and len(self.definitions) < MAX_TOOLS:
                self.definitions.append(self._hidden.pop(name))

    def hide(self, language: str) -> None:
        """Leave of all definitions only the tool that searches them."""
        self._hidden = {definition.name: definition for definition in self.definitions}
        self._index = ToolIndex(tool.words for tool in self._known.values())
        values = {"count": str(len(self.specs)), "servers": some(self.sources)}
        self.definitions = [search_definition(language, **values)]

    async def _source(self, label: str) -> ToolSource:
        if label not in self._open:
            member = self._members[label]
            self._open[label] = member.chosen(await member.open())
        return self._open[label]

    async def listed(self, ctx: AnyContext) -> list[tuple[str, list[ToolSpec]]]:
        """What every source lists now, by label; servers are found in one go. Raises what a source raises."""
        servers = [member for label, member in self._members.items() if label not in self._open]
        named = {member.label: member.server for member in servers if member.server is not None}
        if named:
            for label, source in zip(named, await ctx.many_tools(list(named.values())), strict=True):
                self._open[label] = self._members[label].chosen(source)
        sources = [await self._source(label) for label in self._members]
        lists = await asyncio.gather(*(source.list_tools() for source in sources))
        return list(zip(self._members, lists, strict=True))


def search_definition(language: str, **values: str) -> ToolDefinition:
    """The tool that finds tools, as a model sees it: `count` of them, of these `servers`."""
    query: JsonObject = {"type": "string", "description": prompt("search_query", language)}
    limit: JsonObject = {"type": "integer", "minimum": 1, "maximum": MOST_RESULTS, "default": DEFAULT_RESULTS}
    schema: JsonObject = {"type": "object", "properties": {"query": query, "limit": limit}, "required": ["query"]}
    return ToolDefinition(SEARCH_TOOLS, prompt("search_tools", language, None, **values), schema)


async def toolset(ctx: AnyContext, tools: AgentTools, offer: ToolSearch = "all", *, client: bool = False) -> Toolset:
    """The tools that a node's config names, offered as it says; with `client` also those of the run's client.

    Raises McpError, NotFound, ServerNotApproved, SecretMissing.
    """
    result = Toolset(_members={member.label: member for member in _members(ctx, tools, client=client)})
    if not result._members:
        return result

    now: list[list[Any]] = []
    read: list[KnownList] = []

    async def body(handle: EffectHandle) -> Listed | list[list[Any]]:
        nonlocal now, read
        now = [[label, [_as_json(spec) for spec in specs]] for label, specs in await result.listed(ctx)]
        read = await _read(ctx, now)  # before the journal writes the list, which takes CPU too
        if all(known.clean for known in read):
            handle.clean()
        return {"listed": now}

    listed = await ctx.effect("tools", body, "pure", target="tools", arguments=tools)
    # journals of before hold the bare list; their models were not told of the rest
    counts, lists = (True, listed["listed"]) if isinstance(listed, dict) else (False, listed)
    if lists is not now:  # from the journal, or cleaned for it
        read = await _read(ctx, lists)
    for (label, _), of_source in zip(lists, read, strict=True):
        for tool in of_source:
            _add(ctx, result, label, tool, counts=counts, most=MAX_TOOLS if offer == "all" else None)
        there = {tool.spec.name for tool in of_source}
        for missing in sorted(set(result._members[label].named) - there):
            _left_out(ctx, "unknown", f"{label}/{missing}")
    if result.left_out:
        values = {"count": str(len(result.left_out)), "most": str(MAX_TOOLS), "names": some(result.left_out)}
        ctx.log("tools/rest", _LEFT_OUT["rest"].in_(ctx.language).format(**values), "warning")
    if is_searched(offer, result.definitions):
        await ctx.thread(lambda: result.hide(ctx.language))
        ctx.log("tools/searched", _SEARCHED.in_(ctx.language).format(count=len(result.specs)))
    return result


async def _read(ctx: AnyContext, lists: list[list[Any]]) -> list[KnownList]:
    """The tools of `Listed`, source by source."""
    if sum(len(stored) for _, stored in lists) <= MOST_TOOLS:
        return [KNOWN.of(label, stored) for label, stored in lists]
    return await ctx.thread(lambda: [KNOWN.of(label, stored) for label, stored in lists])


def some(names: list[str]) -> str:
    """Names in one line, not too long a one."""
    text = ", ".join(names)
    return text if len(text) <= MAX_NAMES else f"{text[:MAX_NAMES].rpartition(', ')[0]}, …"


def with_left_out(messages: list[Message], tools: Toolset, language: str) -> list[Message]:
    """The messages with a word in the system message on the tools that are not offered."""
    if not tools.left_out:
        return messages
    values = {"count": str(len(tools.left_out)), "most": str(MAX_TOOLS), "names": some(tools.left_out)}
    return with_system(messages, prompt("too_many_tools", language, None, **values))


def _add(ctx: AnyContext, target: Toolset, label: str, tool: KnownTool, *, counts: bool, most: int | None) -> None:
    name = tool.name
    why = ""
    if name in target.specs:
        why = "double"
    elif not tool.usable:
        why = "schema"
    elif most is not None and len(target.definitions) >= most:
        why = "many"
    if why == "many" and counts:
        target.left_out.append(name)
        return
    if why:
        _left_out(ctx, why, f"{label}/{tool.spec.name}")
        return
    target.specs[name], target._labels[name], target._known[name] = tool.spec, label, tool
    target.definitions.append(tool.definition)


def _left_out(ctx: AnyContext, why: str, tool: str) -> None:
    text = _LEFT_OUT[why].in_(ctx.language).format(tool=tool[:200])
    ctx.log(f"tools/{why}/{derived_id('tool', tool)}", text, "warning")


def _as_json(spec: ToolSpec) -> ListedTool:
    return {
        "server": spec.server,
        "name": spec.name,
        "description": spec.description,
        "title": spec.title,
        "input_schema": spec.input_schema,
        "annotations": spec.annotations,
    }


def _members(ctx: AnyContext, tools: AgentTools, *, client: bool) -> list[Member]:
    """The sources that a config names, each under a label of its own."""
    taken: set[str] = set()
    out: list[Member] = []
    for entry in tools.get("servers") or []:
        server = entry["server"]
        if isinstance(server, str) and server in ctx.servers_off:
            _left_out(ctx, "off", server)
            continue
        label = _label(server if isinstance(server, str) else f"inline_{len(out) + 1}", taken)
        include = entry.get("include")
        fixed = {tool: dict(values) for tool, values in (entry.get("fixed") or {}).items() if isinstance(values, dict)}
        out.append(_server(ctx, label, server, include, fixed))
    if workflows := list(tools.get("workflows") or []):
        out.append(Member(_label(WORKFLOW, taken), _workflows(ctx, workflows), tuple(workflows)))
    if local := tools.get("local"):
        out.append(Member(_label(LOCAL, taken), _local(list(local)), tuple(local)))
    if client and ctx.client_tools:
        out.append(Member(_label(CLIENT, taken), _of_client(ctx)))
    return out


def _label(wished: str, taken: set[str]) -> str:
    label, number = wished, 1
    while label in taken:
        number += 1
        label = f"{wished}_{number}"
    taken.add(label)
    return label


def _server(
    ctx: AnyContext, label: str, server: str | JsonObject, include: list[str] | None, fixed: dict[str, JsonObject]
) -> Member:
    def chosen(source: ToolSource) -> ToolSource:
        return source if include is None and not fixed else SelectedToolSource(source, include, fixed)

    named = tuple(dict.fromkeys((*(include or ()), *fixed)))
    return Member(label, lambda: ctx.tools(server), named, server, chosen)


def _workflows(ctx: AnyContext, names: list[str]) -> Callable[[], Awaitable[ToolSource]]:
    async def open_() -> ToolSource:
        return await ctx.workflows(names)

    return open_


def _of_client(ctx: AnyContext) -> Callable[[], Awaitable[ToolSource]]:
    async def open_() -> ToolSource:
        return client_source(ctx.client_tools)

    return open_


def _local(names: list[str]) -> Callable[[], Awaitable[ToolSource]]:
    async def open_() -> ToolSource:
        return SelectedToolSource(local_source(), names)

    return open_
