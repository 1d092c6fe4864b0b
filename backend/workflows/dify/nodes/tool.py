"""Tool: a tool of an MCP server, by the same name or as chosen, with the arguments that fit."""

from __future__ import annotations

from typing import Any

from backend.engine.document.types import Text
from backend.workflows.dify.arguments import fitted
from backend.workflows.dify.context import Context, ref
from backend.workflows.dify.mapping import Mapped, Mapping, Path, ToChoose, one_step
from backend.workflows.dify.reading import DifyNode, dict_in, selector_of, text_in
from backend.workflows.report import KnownTool, NameWant, ToolAtServer, ToolWant

_OUTPUTS = {"text": "result", "json": "structured", "files": "content"}


def _value(raw: Any) -> Any:
    """A parameter: `{type, value}` in newer files, the value itself in older ones."""
    if isinstance(raw, dict) and "value" in raw:
        value = raw["value"]
        return ref(value) if text_in(raw, "type") == "variable" and selector_of(value) else value
    return raw


def arguments_of(node: DifyNode) -> dict[str, Any]:
    """What is given to the tool: its inputs, then what is set once."""
    arguments = {name: _value(value) for name, value in dict_in(node.data, "tool_parameters").items()}
    settings = {name: _value(value) for name, value in dict_in(node.data, "tool_configurations").items()}
    return {name: value for name, value in {**settings, **arguments}.items() if value not in (None, "", [])}


def convert(node: DifyNode, ctx: Context) -> Mapped:
    """The tool that was chosen, or that has the same name on a server of the same name."""
    line = ctx.lines[node.id]
    name = text_in(node.data, "tool_name") or node.title
    provider = text_in(node.data, "provider_id") or text_in(node.data, "provider_name")
    arguments = arguments_of(node)
    inputs = [key for key in dict_in(node.data, "tool_parameters") if key in arguments] or list(arguments)
    want = ToolWant(f"tool:{provider}/{name}"[:300], name, "tool", inputs)
    line.title = node.title or name
    same = _same_name(node, ctx, name)
    if same is not None and want.key not in ctx.choices.tools and node.id not in ctx.choices.tools:
        known = same
        ctx.report.wants.servers.setdefault(same.server, NameWant(same.server, same.server))
        chosen = ctx.report.wants.tools.setdefault(want.key, want)
        chosen.nodes.append(node.id)
        chosen.titles.append(node.title or name)
        chosen.chosen, line.group = ToolAtServer(same.server, same.tool), want.key
    else:
        try:
            known = ctx.tool(node, want, line)
        except ToChoose as error:
            raise error if error.why.en else ToChoose("no counterpart by that name", "没有同名的对应工具") from None
    return as_tool(known, arguments, ctx, node)


def as_tool(known: KnownTool, parameters: dict[str, Any], ctx: Context, node: DifyNode) -> Mapped:
    """The node that calls a tool with the arguments that fit."""
    line = ctx.lines[node.id]
    pairs = fitted(list(parameters), known)
    arguments = {pairs[name]: value for name, value in parameters.items() if name in pairs}
    other = [f"{name} → {parameter}" for name, parameter in pairs.items() if name != parameter]
    lost = [name for name in parameters if name not in pairs]
    empty = [name for name in known.parameters if name in known.required and name not in arguments]
    if other:
        line.note(", ".join(other[:3]), "，".join(other[:3]))
    if lost:
        line.note(f"left out: {', '.join(lost[:3])}", f"未带入：{'、'.join(lost[:3])}")
    if empty:
        line.note(f"still empty: {', '.join(empty[:3])}", f"尚未填写：{'、'.join(empty[:3])}")
    config = {"server": known.server, "tool": known.tool, "arguments": arguments}
    return one_step("tool", config, Text(f"{known.server}/{known.tool}", f"{known.server}/{known.tool}"))


def _same_name(node: DifyNode, ctx: Context, name: str) -> KnownTool | None:
    """The tool of this name on a server that is called as the provider is; only an MCP tool is surely the same."""
    if text_in(node.data, "provider_type") != "mcp":
        return None
    for called in (text_in(node.data, "provider_name"), text_in(node.data, "provider_id")):
        server = ctx.choices.servers.get(called) or ctx.team.servers.get(called.lower())
        if server and (known := ctx.team.tool(server, name)):
            return known
    return None


def outputs(node: DifyNode, keys: tuple[str, ...], ctx: Context) -> Path | None:
    """Its outputs by our names; any other is part of what it gave as data."""
    name = _OUTPUTS.get(keys[0])
    return Path((name, *keys[1:])) if name else Path(("structured", *keys), ("default(null)",))


TOOL = Mapping(convert, outputs)
