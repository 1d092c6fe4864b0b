"""Loop: our loop; what ends it is asked by an `if` behind everything inside."""

from __future__ import annotations

from typing import Any

from backend.engine.document.types import Text
from backend.workflows.dify.conditions import conditions_of, match_of
from backend.workflows.dify.context import Context, ref
from backend.workflows.dify.mapping import Mapped, Mapping, Own, Path, Step, one_step
from backend.workflows.dify.reading import DifyNode, constant_of, dicts_in, number_in, text_in
from backend.workflows.dify.references import expression, written
from backend.workflows.report import plural

LEAVE = "leave"
"""The loop's variable that an exit sets."""


def _initial(item: dict[str, Any]) -> Any:
    value = item.get("value")
    if text_in(item, "value_type") == "variable":
        return ref(value)
    return constant_of(value, text_in(item, "var_type"))


def convert(node: DifyNode, ctx: Context) -> Mapped:
    """Variables, rounds, and the condition that ends it."""
    line = ctx.lines[node.id]
    names = ctx.loop_variables(node)
    variables: dict[str, Any] = {
        names[label]: _initial(item)
        for item in dicts_in(node.data, "loop_variables")
        if (label := text_in(item, "label"))
    }
    exits = any(child.type == "loop-end" for child in ctx.children(node))
    if exits:
        variables[LEAVE] = False
    config: dict[str, Any] = {
        "vars": variables,
        "max": min(max(int(number_in(node.data, "loop_count")) or 10, 1), 10_000),
    }
    closing: list[Step] = []
    conditions = conditions_of(node.data, line, "break_conditions")
    if conditions:
        match = match_of(node.data, "break_conditions")
        closing.append(Step("if", {"match": match, "conditions": conditions}, "check", Text("Enough?", "可以结束？")))
        config["until"] = Own(expression(written(ctx.id_of(node, "check"), ("result",))))
    if conditions and exits:
        either = [
            {"left": Own(expression(written(ctx.id_of(node, "check"), ("result",)))), "op": "is_true", "right": None},
            {"left": Own(expression(written("loop.vars", (LEAVE,)))), "op": "is_true", "right": None},
        ]
        closing.append(
            Step("if", {"match": "any", "conditions": either}, "either", Text("Enough, or left?", "可以结束或已退出？"))
        )
        config["until"] = Own(expression(written(ctx.id_of(node, "either"), ("result",))))
    elif exits:
        config["until"] = Own(expression(written("loop.vars", (LEAVE,))))
    count = len(ctx.children(node))
    most = config["max"]
    why = Text(
        f"at most {plural(most, 'round', 'rounds')}; {plural(count, 'node', 'nodes')} inside",
        f"最多 {most} 轮；内部 {count} 个节点",
    )
    return Mapped([Step("loop", config)], why, closing=closing)


def outputs(node: DifyNode, keys: tuple[str, ...], ctx: Context) -> Path | None:
    """Its variables after the last round."""
    name = ctx.loop_variables(node).get(keys[0])
    return Path((name, *keys[1:])) if name else None


def leave(node: DifyNode, ctx: Context) -> Mapped:
    """An exit: the loop ends after the round in which it is reached."""
    ctx.lines[node.id].note("the round is finished first", "先完成当前这一轮")
    return one_step("set_variable", {"values": {LEAVE: True}}, Text("", ""))


LOOP = Mapping(convert, outputs)
LOOP_END = Mapping(leave)
