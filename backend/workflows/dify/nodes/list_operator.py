"""List operator: our list node."""

from __future__ import annotations

from typing import Any

from backend.engine.document.types import Text
from backend.workflows.dify.conditions import comparison
from backend.workflows.dify.context import Context, ref
from backend.workflows.dify.files import FILE_KEYS
from backend.workflows.dify.mapping import Mapped, Mapping, Own, Path, one_step
from backend.workflows.dify.reading import DifyNode, dict_in, dicts_in, number_in, text_in
from backend.workflows.dify.references import OR_NULL, expression, written


def _item(key: str) -> str:
    """The part of an item that a key names; items need not be alike."""
    keys = tuple(FILE_KEYS.get(part, part) for part in key.split(".") if part)
    return written("item", keys, (OR_NULL,) if keys else ())


def convert(node: DifyNode, ctx: Context) -> Mapped:
    """What is kept, in which order, how many."""
    line = ctx.lines[node.id]
    data, config = node.data, dict[str, Any]()
    config["items"] = ref(data.get("variable"))
    filter_by = dict_in(data, "filter_by")
    if filter_by.get("enabled") is not False and dicts_in(filter_by, "conditions"):
        config["filter"] = [
            {"left": Own(expression(_item(key))), "op": op, "right": right}
            for item in dicts_in(filter_by, "conditions")
            for key in [text_in(item, "key") or text_in(item, "variable")]
            for op, right in [comparison(item, line, key)]
        ]
    order = dict_in(data, "order_by")
    if order.get("enabled") is True:
        by = Own(expression(_item(text_in(order, "key"))))
        config["sort"] = {"by": by, "order": "desc" if text_in(order, "value").lower() == "desc" else "asc"}
    limit, extract = dict_in(data, "limit"), dict_in(data, "extract_by")
    if limit.get("enabled") is True:
        config["limit"] = max(int(number_in(limit, "size")), 1)
    serial = text_in(extract, "serial")
    if extract.get("enabled") is True and serial.isdecimal() and int(serial[:9]) > 0:
        config["offset"], config["limit"] = int(serial[:9]) - 1, 1
    return one_step("list", config, Text("", ""))


def outputs(node: DifyNode, keys: tuple[str, ...], ctx: Context) -> Path | None:
    """The list, and its ends, which an empty one has not."""
    if keys[0] == "result":
        return Path(("items", *keys[1:]))
    if keys[0] == "first_record":
        return Path(("items", 0, *(FILE_KEYS.get(key, key) for key in keys[1:])), (OR_NULL,))
    if keys[0] == "last_record":
        return Path(("items",), ("last", OR_NULL)) if len(keys) == 1 else None
    return None


LIST_OPERATOR = Mapping(convert, outputs)
