"""Variable aggregator: the first value that is there; of several groups a node each."""

from __future__ import annotations

from typing import Any

from backend.engine.document.types import Text
from backend.workflows.dify.context import Context, ref
from backend.workflows.dify.mapping import Mapped, Mapping, Path, Step
from backend.workflows.dify.reading import DifyNode, dict_in, dicts_in, text_in
from backend.workflows.report import plural


def _groups(node: DifyNode) -> list[tuple[str, Any]]:
    """(name, selectors) of each group; one without a name where nothing is grouped."""
    settings = dict_in(node.data, "advanced_settings")
    groups = dicts_in(settings, "groups")
    if settings.get("group_enabled") is True and groups:
        return [(text_in(item, "group_name"), item.get("variables")) for item in groups]
    return [("", node.data.get("variables"))]


def convert(node: DifyNode, ctx: Context) -> Mapped:
    """A node for each group, one after the other."""
    merging = "aggregate" if "aggregate" in ctx.types else "merge"
    groups = _groups(node)
    steps, count = [], 0
    for index, (_, variables) in enumerate(groups):
        values = [ref(item) for item in variables] if isinstance(variables, list) else []
        count += len(values)
        config: dict[str, Any] = {"values": values, **({"mode": "first"} if merging == "aggregate" else {})}
        steps.append(Step(merging, config, f"group_{index + 1}" if index else ""))
    if len(groups) > 1:
        ctx.lines[node.id].note(f"{len(groups)} groups, a node for each", f"{len(groups)} 个分组，每组一个节点")
    return Mapped(steps, Text(f"first of {plural(count, 'value', 'values')}", f"取 {count} 个值中的第一个"))


def outputs(node: DifyNode, keys: tuple[str, ...], ctx: Context) -> Path | None:
    """`output`, or `group.output`."""
    groups = [name for name, _ in _groups(node)]
    if groups == [""]:
        return Path(("value", *keys[1:])) if keys[0] == "output" else None
    if keys[0] not in groups:
        return None
    index = groups.index(keys[0])
    return Path(("value", *keys[2:]), (), f"group_{index + 1}" if index else "")


VARIABLE_AGGREGATOR = Mapping(convert, outputs)
