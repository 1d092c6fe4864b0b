"""Triggers, with which newer apps begin: our start, and a word on the trigger that is made beside the document."""

from __future__ import annotations

from typing import Any

from backend.engine.document.types import Text
from backend.workflows.dify.context import Context
from backend.workflows.dify.mapping import Mapped, Mapping, Raw, one_step
from backend.workflows.dify.nodes.start import asked_of
from backend.workflows.dify.reading import DifyNode, dicts_in, text_in

_TYPES = {"number": "number", "boolean": "boolean", "object": "object"}


def webhook(node: DifyNode, ctx: Context) -> Mapped:
    """A start that asks for what the webhook takes."""
    fields: dict[str, Any] = asked_of(ctx)
    required: list[str] = []
    for place in ("params", "headers", "body"):
        for item in dicts_in(node.data, place):
            if name := text_in(item, "name"):
                kind = text_in(item, "type")
                fields[name] = {"type": "array"} if kind.startswith("array") else {"type": _TYPES.get(kind, "string")}
                if item.get("required") is True:
                    required.append(name)
    ctx.lines[node.id].note("switch on a webhook under Triggers", "请在“触发器”中启用一个 Webhook")
    schema = {"type": "object", "properties": fields, **({"required": sorted(set(required))} if required else {})}
    return one_step("start", {"inputs": Raw(schema)}, Text("", ""))


def schedule(node: DifyNode, ctx: Context) -> Mapped:
    """A start; when it runs is said by a trigger."""
    if node.type == "trigger-schedule":
        ctx.lines[node.id].note("make a schedule under Triggers", "请在“触发器”中新建定时触发器")
    else:
        ctx.lines[node.id].note("its events are not received here", "这里收不到它的事件")
    return one_step("start", {"inputs": Raw({"type": "object", "properties": asked_of(ctx)})}, Text("", ""))


WEBHOOK = Mapping(webhook)
SCHEDULE = Mapping(schedule)
