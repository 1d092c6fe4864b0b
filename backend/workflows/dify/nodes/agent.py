"""Agent: our agent, with the MCP servers that its plugin was given."""

from __future__ import annotations

from typing import Any

from backend.engine.document.types import Text
from backend.workflows.dify.context import Context, ref, window_of
from backend.workflows.dify.mapping import Mapped, Mapping, one_step, renamed
from backend.workflows.dify.reading import DifyNode, dict_in, dicts_in, number_in, selector_of, text_in
from backend.workflows.dify.servers import SERVER_PARAMETERS, server_of, servers_of
from backend.workflows.report import Line, listed, plural


def _parameter(node: DifyNode, name: str) -> Any:
    parameter = dict_in(node.data, "agent_parameters").get(name)
    if isinstance(parameter, dict) and "value" in parameter:
        value = parameter["value"]
        return ref(value) if text_in(parameter, "type") == "variable" and selector_of(value) else value
    return parameter


_KNOWN = frozenset({"model", "instruction", "query", "maximum_iterations", "tools", "context", *SERVER_PARAMETERS})
"""Parameters of strategies that our agent has too; a plugin's own ones mean nothing to it."""

_STRATEGIES = frozenset({"function_calling", "react"})
"""Those that do what our agent does."""


def _left_out(node: DifyNode, line: Line) -> None:
    parameters = dict_in(node.data, "agent_parameters")
    left = [name for name in parameters if name not in _KNOWN and _parameter(node, name) not in (None, "", [], {})]
    if left:
        line.note(f"parameters left out: {listed(left)}", f"未带入的参数：{listed(left)}")


def _tools(node: DifyNode, ctx: Context, line: Line) -> dict[str, Any]:
    servers: dict[str, dict[str, Any]] = {}
    missing: list[str] = []
    for name, fields in servers_of(node).items():
        here = server_of(name, fields, ctx)
        if here is None:
            missing.append(name)
        else:
            servers.setdefault(here, {"server": here})
    left: list[str] = []
    for tool in dicts_in(dict_in(dict_in(node.data, "agent_parameters"), "tools"), "value"):
        name = text_in(tool, "tool_name")
        if tool.get("enabled") is False or not name:
            continue
        provider = text_in(tool, "provider_name").lower()
        server = ctx.choices.servers.get(provider) or ctx.team.servers.get(provider.rpartition("/")[2])
        if server and ctx.team.tool(server, name):
            entry = servers.setdefault(server, {"server": server, "include": []})
            if "include" in entry:
                entry["include"].append(name)
        else:
            left.append(name)
    if missing:
        line.note(f"add the server {listed(missing)} to the registry", f"请先在注册表中添加服务器 {listed(missing)}")
    if left:
        line.note(f"tools left out: {listed(left)}", f"未带入的工具：{listed(left)}")
    return {"servers": list(servers.values())} if servers else {}


def convert(node: DifyNode, ctx: Context) -> Mapped:
    """Model, task and tools."""
    line = ctx.lines[node.id]
    strategy = text_in(node.data, "agent_strategy_name").strip()
    if strategy and strategy.lower() not in _STRATEGIES:
        line.note(
            f"there is no strategy {strategy[:40]} here: our agent calls tools until it can answer",
            f"这里没有策略 {strategy[:40]}：智能体会调用工具直到能够回答",
        )
    instruction, query = _parameter(node, "instruction"), _parameter(node, "query")
    rounds = int(number_in(dict_in(dict_in(node.data, "agent_parameters"), "maximum_iterations"), "value"))
    model = _parameter(node, "model")
    config: dict[str, Any] = {
        **ctx.model(model if isinstance(model, dict) else {}, line),
        "system_prompt": instruction if not isinstance(instruction, dict | list | type(None)) else "",
        "query": query if not isinstance(query, dict | list | type(None)) else "{{#sys.query#}}",
        "tools": _tools(node, ctx, line),
    }
    for key in ("system_prompt", "query"):
        if isinstance(config[key], bool | int | float):
            config[key] = str(config[key])
    if rounds > 0:
        config["max_iterations"] = min(rounds, 200)
    memory = node.data.get("memory")
    if isinstance(memory, dict) and ctx.app.mode == "chatflow":
        config["memory"] = window_of(memory)
    _left_out(node, line)
    count = len(config["tools"].get("servers", []))
    return one_step(
        "agent", config, Text(f"our agent; {plural(count, 'server', 'servers')}", f"智能体；{count} 个服务器")
    )


AGENT = Mapping(convert, renamed({"text": "text", "json": "tool_calls", "usage": "usage"}))
