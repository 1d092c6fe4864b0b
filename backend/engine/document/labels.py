"""What a place in a node's configuration is called in its form, in both languages."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from pydantic import BaseModel

from backend.engine.document.types import Text
from backend.tools.types import JsonObject, JsonValue


def label_at(model: type[BaseModel], place: Sequence[str | int]) -> Text:
    """The titles along `place`; a field without one is called by its name, an entry of a list by its number."""
    whole = _schema(model)
    here: list[JsonObject] = [whole]
    english: list[str] = []
    chinese: list[str] = []
    for part in place:
        here = [deeper for schema in here for deeper in _variants(schema, whole)]
        if isinstance(part, int):
            english.append(str(part + 1))
            chinese.append(str(part + 1))
            here = [items for schema in here if isinstance(items := schema.get("items"), dict)]
            continue
        fields = [fields[part] for schema in here if part in (fields := _mapping(schema.get("properties")))]
        if not fields and len(english) > 0 and here:
            continue  # the name of a variant, which is no field
        here = [field for field in fields if isinstance(field, dict)]
        title, words = _titles(here)
        english.append(title or part)
        chinese.append(words or title or part)
    return Text(" › ".join(english), " › ".join(chinese))


@cache
def _schema(model: type[BaseModel]) -> JsonObject:
    return model.model_json_schema()


def _titles(fields: list[JsonObject]) -> tuple[str, str]:
    """The first title, and its Chinese."""
    for field in fields:
        title = field.get("title")
        if isinstance(title, str):
            chinese = field.get("x-zh")
            return title, str(chinese.get("title", title)) if isinstance(chinese, dict) else title
    return "", ""


def _variants(schema: JsonObject, whole: JsonObject) -> list[JsonObject]:
    """A schema and what it may stand for: its reference, its unions."""
    variants: list[JsonObject] = []
    todo: list[JsonValue] = [schema]
    while todo and len(variants) < 100:
        next_ = todo.pop()
        if not isinstance(next_, dict):
            continue
        variants.append(next_)
        reference = next_.get("$ref")
        if isinstance(reference, str):
            todo.append(_mapping(whole.get("$defs")).get(reference.rsplit("/", 1)[-1]))
        for key in ("anyOf", "oneOf", "allOf"):
            choices = next_.get(key)
            todo += choices if isinstance(choices, list) else []
    return variants


def _mapping(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}
