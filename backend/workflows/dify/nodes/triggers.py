"""Triggers, with which newer apps begin: our start, and a word on the trigger that is made beside the document."""

from __future__ import annotations

from typing import Any

from backend.engine.document.types import Text
from backend.workflows.dify.context import Context
from backend.workflows.dify.mapping import Mapped, Mapping, Path, Raw, one_step
from backend.workflows.dify.nodes.start import is_always_filled, start_fields
from backend.workflows.dify.reading import DifyNode, dicts_in, text_in

_PLACES = ("params", "headers", "body")
_TYPES = {"number": "number", "boolean": "boolean", "object": "object"}


def _variable(place: str, name: str) -> str:
    """What Dify calls a part of the request where it is read: a header's dashes become underscores."""
    return name.replace("-", "_") if place == "headers" else name


def webhook(node: DifyNode, ctx: Context) -> Mapped:
    """A start that asks for what the webhook takes."""
    fields: dict[str, Any] = start_fields(ctx)
    required: list[str] = []
    for place in _PLACES:
        for item in dicts_in(node.data, place):
            if name := _variable(place, text_in(item, "name")):
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
    return one_step("start", {"inputs": Raw({"type": "object", "properties": start_fields(ctx)})}, Text("", ""))


def _webhook_outputs(node: DifyNode, keys: tuple[str, ...], ctx: Context) -> Path | None:
    """What it takes, by name, null where it need not come and did not. The request as a whole is not among it."""
    if keys[0] == "_webhook_raw":
        return None
    fields = [
        item
        for place in _PLACES
        for item in dicts_in(node.data, place)
        if _variable(place, text_in(item, "name")) == keys[0]
    ]
    required = any(item.get("required") is True for item in fields)
    return Path(keys, ("default(null)",) if fields and not is_always_filled(node, required, ctx) else ())


WEBHOOK = Mapping(webhook, _webhook_outputs)
SCHEDULE = Mapping(schedule)
