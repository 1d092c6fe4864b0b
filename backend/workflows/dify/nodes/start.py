"""Start: the fields of Dify's form as the schema of ours. A chatflow also takes what was said."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from backend.engine.document.types import Text
from backend.workflows.dify.context import Context
from backend.workflows.dify.files import file_part
from backend.workflows.dify.mapping import Mapped, Mapping, Path, Raw, one_step
from backend.workflows.dify.reading import DifyNode, dicts_in, text_in
from backend.workflows.report import NO_WORDS, plural

_FILE = {"type": "object", "format": "file"}
_TYPES: dict[str, dict[str, Any]] = {
    "text-input": {"type": "string"},
    "paragraph": {"type": "string", "x-multiline": True},
    "select": {"type": "string"},
    "number": {"type": "number"},
    "checkbox": {"type": "boolean"},
    "json_object": {"type": "object"},
    "json": {"type": "object"},
    "file": _FILE,
    "file-list": {"type": "array", "items": _FILE},
}
_FILES = frozenset({"file", "file-list"})
_ACCEPT: dict[str, list[str]] = {
    "image": ["image/*"],
    "audio": ["audio/*"],
    "video": ["video/*"],
    "document": [
        *(".txt", ".md", ".mdx", ".markdown", ".pdf", ".html", ".htm", ".xlsx", ".xls", ".doc", ".docx", ".csv"),
        *(".eml", ".msg", ".pptx", ".ppt", ".xml", ".epub"),
    ],
}
"""What the kinds of files of Dify are in a form."""


def _field(item: dict[str, Any]) -> dict[str, Any]:
    kind = text_in(item, "type")
    field: dict[str, Any] = {**_TYPES.get(kind, {"type": "string"})}
    if label := text_in(item, "label").strip():
        field["title"] = label
    if hint := text_in(item, "hint").strip():
        field["description"] = hint
    options = item.get("options")
    if kind == "select" and isinstance(options, list) and options:
        field["enum"] = list(dict.fromkeys(str(option) for option in options if isinstance(option, str | int | float)))
        if not field["enum"]:
            del field["enum"]
    _limit(field, item)
    if kind in _FILES:
        _limit_files(field, item)
    return field


def _limit_files(field: dict[str, Any], item: dict[str, Any]) -> None:
    """Which files are taken, and how many of a list."""
    accept = accepted(item)
    if field["type"] == "array":
        most = item.get("max_length")
        if isinstance(most, int) and not isinstance(most, bool) and 0 < most < 10**6:
            field["maxItems"] = most
        field["items"] = {**_FILE, **({"x-accept": accept} if accept else {})}
    elif accept:
        field["x-accept"] = accept


def accepted(item: dict[str, Any]) -> str:
    """The files that a field takes, as HTML's `accept`; "" = any, also where a kind of them is not known."""
    kinds = item.get("allowed_file_types")
    accept: list[str] = []
    for kind in kinds if isinstance(kinds, list) else []:
        if kind == "custom":
            ends = item.get("allowed_file_extensions")
            texts = [end for end in ends if isinstance(end, str)] if isinstance(ends, list) else []
            part = [f".{end.strip().lstrip('.').lower()}" for end in texts if end.strip(" .")]
        else:
            part = _ACCEPT.get(kind, []) if isinstance(kind, str) else []
        if not part:
            return ""
        accept += part
    return ",".join(dict.fromkeys(accept))


def _limit(field: dict[str, Any], item: dict[str, Any]) -> None:
    """How long a text may be, and what stands in the form to begin with."""
    default, longest = item.get("default"), item.get("max_length")
    if field["type"] == "string" and "enum" not in field and isinstance(longest, int) and 0 < longest < 10**9:
        field["maxLength"] = longest
    if isinstance(default, str) and default and field["type"] == "string":
        if default in field.get("enum", [default]) and len(default) <= field.get("maxLength", len(default)):
            field["default"] = default
    elif field["type"] in _READ and (value := _READ[field["type"]](default)) is not None:
        field["default"] = value


def _number(value: Any) -> int | float | None:
    """A number, also where the form kept it as a text."""
    if isinstance(value, str):
        try:
            value = json.loads(value.strip())
        except (ValueError, RecursionError):
            return None
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _yes_or_no(value: Any) -> bool | None:
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return value if isinstance(value, bool) else None


_READ: dict[str, Callable[[Any], Any]] = {"number": _number, "boolean": _yes_or_no}


def start_fields(ctx: Context) -> dict[str, Any]:
    """What a chat gives to each run."""
    fields: dict[str, Any] = {}
    if "query" in ctx.system_inputs:
        fields[ctx.system_inputs["query"]] = {
            "type": "string",
            "title": ctx.words("Message", "消息"),
            "x-multiline": True,
        }
    if "files" in ctx.system_inputs:
        fields[ctx.system_inputs["files"]] = {
            "type": "array",
            "items": _FILE,
            "title": ctx.words("Files", "文件"),
            "default": [],
        }
    return fields


def convert(node: DifyNode, ctx: Context) -> Mapped:
    """The fields by name."""
    fields, required, files = start_fields(ctx), [ctx.system_inputs["query"]] if "query" in ctx.system_inputs else [], 0
    for item in dicts_in(node.data, "variables"):
        name = text_in(item, "variable")
        if not name:
            continue
        input_name = ctx.input_name(name)
        if input_name != name:
            ctx.lines[node.id].note(f"the input {name} is called {input_name}", f"输入 {name} 改名为 {input_name}")
        fields[input_name] = _field(item)
        files += text_in(item, "type") in _FILES
        if item.get("required") is True:
            required.append(input_name)
    count = len(fields)
    en = plural(count, "input", "inputs") + (f", {files} of files" if files else "")
    why = Text(en, f"{count} 个输入" + (f"，其中文件 {files} 个" if files else ""))
    schema: dict[str, Any] = {"type": "object", "properties": fields}
    if required:
        schema["required"] = list(dict.fromkeys(required))
    return one_step("start", {"inputs": Raw(schema)}, why)


def outputs(node: DifyNode, keys: tuple[str, ...], ctx: Context) -> Path | None:
    """Inputs by name; the parts of a file by ours. What need not be given is nothing where it is not."""
    item = next((item for item in dicts_in(node.data, "variables") if text_in(item, "variable") == keys[0]), {})
    rest = keys[1:]
    part = file_part(rest) if text_in(item, "type") in _FILES else (rest, NO_WORDS)
    if part is None:
        return None
    sure = is_always_filled(node, item.get("required") is True, ctx) or "default" in _field(item)
    return Path((ctx.input_name(keys[0]), *part[0]), () if sure else ("default(null)",), note=part[1])


def is_always_filled(node: DifyNode, required: bool, ctx: Context) -> bool:
    """Whether each run has an input: a further start is joined with the first one and asks for nothing."""
    return required and node is ctx.starts[0]


START = Mapping(convert, outputs)
