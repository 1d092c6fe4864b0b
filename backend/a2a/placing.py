"""Where the parts of a message go: to the fields that a schema has, of a workflow's start or of a question. Pure.

Data are fields by their names. Text is the field `text`, else the only field that is a text, else the only one there
is. Files fill the fields that ask for files, in their order, where their kind is taken. A part whose metadata names an
`input` goes there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from backend.errors import ValidationFailed
from backend.json_types import JsonObject, JsonValue
from backend.runs.starting.given_files import fits

TEXT, JSON, ANY = "text/plain", "application/json", "application/octet-stream"
_ONE, _MANY = "one", "many"


@dataclass(frozen=True, slots=True)
class MessagePart:
    """A part of a message. `at` = its place in the message, `into` = the field that it names itself, "" = none.

    A file's value is `{"$file", name, mime, size}`.
    """

    at: int
    kind: Literal["text", "data", "file"]
    value: JsonValue
    into: str = ""


class NotTaken(Exception):
    """The workflow takes nothing of this kind: "text", "data" or "file"."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


def fields_of(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a schema by name."""
    properties = schema.get("properties")
    named = properties if isinstance(properties, dict) else {}
    return {name: about if isinstance(about, dict) else {} for name, about in named.items()}


def file_fields(schema: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """(name, "one" or "many", what is accepted) of each field that takes files."""
    for name, about in fields_of(schema).items():
        if about.get("format") == "file":
            yield name, _ONE, str(about.get("x-accept") or "")
            continue
        items = about.get("items")
        if isinstance(items, dict) and items.get("format") == "file":
            yield name, _MANY, str(items.get("x-accept") or "")


def text_field(schema: Mapping[str, Any]) -> str | None:
    """The field that text goes to; None where there is none, or several may be meant."""
    fields = fields_of(schema)
    texts = [name for name, about in fields.items() if _is_text(about)]
    if "text" in texts:
        return "text"
    if len(texts) == 1:
        return texts[0]
    needed = [name for name in texts if name in (schema.get("required") or ())]
    if len(needed) == 1:
        return needed[0]
    files = {name for name, _, _ in file_fields(schema)}
    plain = [name for name in fields if name not in files and _reads(fields[name])]
    return plain[0] if len(fields) == 1 and plain else None


def _is_text(about: Mapping[str, Any]) -> bool:
    kinds = about.get("type")
    return kinds == "string" or (isinstance(kinds, list) and "string" in kinds)


def _reads(about: Mapping[str, Any]) -> bool:
    return about.get("type") in {"integer", "number", "boolean"} or "enum" in about


def modes_of(schema: Mapping[str, Any]) -> list[str]:
    """The media types that are taken, for an agent's card."""
    fields = fields_of(schema)
    modes = [TEXT] if not fields or text_field(schema) else []
    if fields:
        modes.append(JSON)
    for _, _, accept in file_fields(schema):
        kinds = [part.strip() for part in accept.split(",") if "/" in part]
        modes += kinds or [ANY]
    return list(dict.fromkeys(modes))


def check_kinds(schema: Mapping[str, Any], kinds: Sequence[str]) -> None:
    """Raise NotTaken for parts that have no place at all, before anything is fetched or stored for them."""
    if "file" in kinds and not list(file_fields(schema)):
        raise NotTaken("file")


def placed(schema: Mapping[str, Any], parts: Sequence[MessagePart]) -> JsonObject:
    """The values of the fields. Raises NotTaken, ValidationFailed (`parts.<n>`)."""
    values: JsonObject = {}
    fields = fields_of(schema)
    for part in parts:
        if part.kind == "data":
            if not isinstance(part.value, dict):
                raise _wrong(part, "must be an object")
            values.update(part.value)
    for part in parts:
        if part.kind != "data" and part.into:
            if part.into not in fields:
                raise _wrong(part, "names an input that the workflow does not have")
            values[part.into] = _fitting(part, fields[part.into])
    _place_text(schema, values, [part for part in parts if part.kind == "text" and not part.into])
    _place_files(schema, values, [part for part in parts if part.kind == "file" and not part.into])
    return values


def _fitting(part: MessagePart, about: Mapping[str, Any]) -> JsonValue:
    if part.kind == "text":
        return read(str(part.value), about)
    return [part.value] if about.get("type") == "array" else part.value


def _place_text(schema: Mapping[str, Any], values: JsonObject, parts: Sequence[MessagePart]) -> None:
    fields = fields_of(schema)
    if not parts or not fields:  # whoever asks for nothing is started by any message
        return
    name = text_field(schema)
    if name is None:
        raise NotTaken("text")
    if name in values:
        raise _wrong(parts[0], "is given twice: the data have this input too")
    values[name] = read("\n\n".join(str(part.value) for part in parts), fields[name])


def _place_files(schema: Mapping[str, Any], values: JsonObject, parts: Sequence[MessagePart]) -> None:
    for part in parts:
        file: Any = part.value
        for name, how, accept in file_fields(schema):
            if not fits(accept, str(file["mime"]), str(file["name"])):
                continue
            if how == _MANY:
                before = values.get(name)
                values[name] = [*(before if isinstance(before, list) else []), file]
                break
            if name not in values:
                values[name] = file
                break
        else:
            raise _wrong(part, "has no input of the workflow that takes such a file")


def read(text: str, about: Mapping[str, Any]) -> JsonValue:
    """A text as the number or switch that a field asks for; as it is where it is none."""
    kind, short = about.get("type"), text.strip()
    if kind == "boolean" and short.lower() in {"true", "false", "yes", "no"}:
        return short.lower() in {"true", "yes"}
    if kind not in {"integer", "number"} or len(short) > 40:
        return text
    try:
        return int(short) if kind == "integer" else float(short)
    except ValueError:
        return text


def _wrong(part: MessagePart, sentence: str) -> ValidationFailed:
    return ValidationFailed(fields={f"parts.{part.at}": [sentence]})
