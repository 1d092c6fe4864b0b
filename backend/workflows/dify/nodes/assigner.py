"""Variable assigner, both versions: values are set; what is reckoned from the value before is done by a code node."""

from __future__ import annotations

from typing import Any

from backend.engine.document.types import Text
from backend.workflows.dify.context import Context, ref
from backend.workflows.dify.mapping import Left, Mapped, Mapping, Own, Raw, Ref, Step
from backend.workflows.dify.reading import DifyNode, constant_of, dicts_in, selector_of, text_in
from backend.workflows.dify.references import expression, written
from backend.workflows.report import plural

_EMPTY: dict[str, Any] = {"number": 0, "integer": 0, "float": 0, "boolean": False, "object": {}}
_SETTING = frozenset({"over-write", "overwrite", "set"})
_RECKONED = {
    "append": "[*(before_{n} or []), value_{n}]",
    "extend": "[*(before_{n} or []), *(value_{n} or [])]",
    "remove-first": "(before_{n} or [])[1:]",
    "remove-last": "(before_{n} or [])[:-1]",
    "+=": "(before_{n} or 0) + value_{n}",
    "-=": "(before_{n} or 0) - value_{n}",
    "*=": "(before_{n} or 0) * value_{n}",
    "/=": "(before_{n} or 0) / value_{n}",
}


def _items(node: DifyNode) -> list[tuple[tuple[str, ...], str, Any]]:
    """(variable, operation, value) of each assignment."""
    data = node.data
    if "items" not in data:
        target = selector_of(data.get("assigned_variable_selector"))
        return [(target, text_in(data, "write_mode") or "over-write", ref(data.get("input_variable_selector")))]
    out = []
    for item in dicts_in(data, "items"):
        value = item.get("value", item.get("value_selector"))
        by_name = text_in(item, "input_type") == "variable" or "value_selector" in item
        out.append(
            (selector_of(item.get("variable_selector")), text_in(item, "operation"), ref(value) if by_name else value)
        )
    return out


def _kind_of(node: DifyNode, target: tuple[str, ...], ctx: Context) -> str:
    rows = (
        ctx.app.conversation
        if target[0] == "conversation"
        else dicts_in(ctx.app.nodes[target[0]].data, "loop_variables")
    )
    field, kind = ("name", "value_type") if target[0] == "conversation" else ("label", "var_type")
    return next((text_in(row, kind) for row in rows if text_in(row, field) == target[1]), "string")


def _name_of(node: DifyNode, target: tuple[str, ...], ctx: Context) -> str | None:
    """What a variable is called here."""
    if len(target) < 2:
        return None
    if target[0] == "conversation":
        return ctx.variables.get(target[1])
    frame = ctx.app.nodes.get(target[0])
    if frame is None or frame.type != "loop" or frame.id not in ctx.parents(node):
        return None
    return ctx.loop_variables(frame).get(target[1])


def convert(node: DifyNode, ctx: Context) -> Mapped:
    """The values by the variables' names."""
    line = ctx.lines[node.id]
    values: dict[str, Any] = {}
    inputs: dict[str, Any] = {}
    reckoned: list[str] = []
    for target, operation, given in _items(node):
        name = _name_of(node, target, ctx)
        if name is None:
            line.note(f"{'.'.join(target) or 'a variable'} does not exist: not set", "有变量不存在，未设置")
            continue
        kind = _kind_of(node, target, ctx)
        value = given if operation == "append" else constant_of(given, kind)  # an item is of another kind than its list
        if operation == "clear":
            values[name] = [] if kind.startswith("array") else _EMPTY.get(kind, "")
        elif operation in _RECKONED:
            number = len(reckoned) + 1
            inputs[f"before_{number}"] = Ref(target)
            if "value_" in _RECKONED[operation]:
                inputs[f"value_{number}"] = value
            reckoned.append(f'    "value_{number}": {_RECKONED[operation].format(n=number)},')
            values[name] = Own(expression(written(ctx.id_of(node, "reckon"), (f"value_{number}",))))
        else:
            if operation not in _SETTING:
                line.note(f"“{operation[:20]}” became a plain setting", f"“{operation[:20]}”改为直接设置")
            values[name] = value
    steps = [Step("set_variable", {"values": values})]
    if reckoned:
        if "code" not in ctx.types:
            raise Left("this installation has no code node to reckon with", "此处没有用于计算的代码节点")
        line.note("reckoned by a code node before it", "由其前的代码节点计算")
        source = "\n".join(
            [f"def main({', '.join(inputs)}):", "    return {", *(f"    {row}" for row in reckoned), "    }", ""]
        )
        steps.insert(0, Step("code", {"source": Raw(source), "inputs": inputs}, "reckon"))
    why = Text(plural(len(values), "variable", "variables"), f"{len(values)} 个变量")
    return Mapped(steps, why)


ASSIGNER = Mapping(convert)
