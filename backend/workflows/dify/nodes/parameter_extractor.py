"""Parameter extractor: our extractor, its parameters as a schema."""

from __future__ import annotations

from typing import Any

from backend.engine.document.types import Text
from backend.workflows.dify.context import Context, ref
from backend.workflows.dify.mapping import Left, Mapped, Mapping, Path, Raw, one_step
from backend.workflows.dify.reading import DifyNode, dict_in, dicts_in, text_in
from backend.workflows.report import plural

_TYPES = {"string": "string", "select": "string", "number": "number", "bool": "boolean", "boolean": "boolean"}


def _property(item: dict[str, Any]) -> dict[str, Any]:
    kind = text_in(item, "type")
    if kind.startswith("array"):
        inner = kind[6:-1] if kind.startswith("array[") else ""
        field: dict[str, Any] = {"type": "array"}
        if inner:
            field["items"] = {"type": _TYPES.get(inner, "object" if inner == "object" else "string")}
    else:
        field = {"type": _TYPES.get(kind, "object" if kind == "object" else "string")}
    if description := text_in(item, "description").strip():
        field["description"] = description
    options = item.get("options")
    if kind == "select" and isinstance(options, list) and options:
        field["enum"] = list(dict.fromkeys(str(option) for option in options))
    return field


def convert(node: DifyNode, ctx: Context) -> Mapped:
    """What is read, and which values are wanted."""
    items = [item for item in dicts_in(node.data, "parameters") if text_in(item, "name")]
    if not items:
        raise Left("it has no parameters", "没有任何参数")
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {text_in(item, "name"): _property(item) for item in items},
        "required": list(dict.fromkeys(text_in(item, "name") for item in items if item.get("required") is True)),
    }
    config = {
        **ctx.model(dict_in(node.data, "model"), ctx.lines[node.id]),
        "text": ref(node.data.get("query") or node.data.get("query_variable_selector")),
        "schema": Raw(schema),
    }
    instruction = text_in(node.data, "instruction") or text_in(node.data, "instructions")
    if instruction.strip():
        config["instructions"] = instruction.strip()
    return one_step("extractor", config, Text(plural(len(items), "value", "values"), f"{len(items)} 个字段"))


def outputs(node: DifyNode, keys: tuple[str, ...], ctx: Context) -> Path | None:
    """The values by name; whether it succeeded is not said here."""
    if keys[0] == "__is_success":
        return Path(keys, ("default(1)",))
    if keys[0] == "__reason":
        return Path(keys, ('default("")',))
    return Path(keys)


PARAMETER_EXTRACTOR = Mapping(convert, outputs)
