"""Schemas of a document as JSON Schema of 2020-12 that stands for itself: what it refers to is in its `$defs`.

A component is converted once and shared by all tools that use it, so two thousand operations cost no more than what
they are written with. A schema keeps only words that are known here; recursion stays a reference. What is larger than
a tool's schema may be ends in `{}`, which anything fits: the API checks its arguments itself.
"""

from __future__ import annotations

import hashlib
import re
from collections import deque
from dataclasses import dataclass, field

from backend.json_types import JsonObject, JsonValue
from backend.tools.openapi.references import BadReference, References

MOST_NODES = 600
"""Subschemas of one tool's input or output; long texts and lists of values count as several."""
MOST_NODES_OF_MANY = 150
"""The same where a document has more than `MANY` paths: each is listed, pinned and shown to models."""
MANY = 300
DEEPEST = 24
MOST_VALUES = 1_000
"""Values of an `enum`, as far as they are kept; a longer one is left to the API."""
LONGEST_TEXT = 600
"""Characters of a description within a schema."""
_TYPES = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})
_MAPS = frozenset({"properties", "patternProperties", "dependentSchemas"})
_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_SINGLE = frozenset({"items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"})
_NUMBERS = frozenset(
    {
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"),
        *("minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains"),
    }
)
_TEXTS = frozenset({"format", "pattern", "contentEncoding", "contentMediaType"})
_FLAGS = frozenset({"uniqueItems", "deprecated", "readOnly", "writeOnly"})


@dataclass(slots=True)
class _Converted:
    """A schema as it stands in a tool's; which components it refers to, and of how many subschemas it consists."""

    value: JsonValue
    refs: dict[str, str] = field(default_factory=dict)
    nodes: int = 0


class Schemas:
    """The schemas of one document. `nullable` = it is of OpenAPI before 3.1, whose schemas are no JSON Schema yet."""

    def __init__(self, references: References, *, nullable: bool, most: int = MOST_NODES) -> None:
        self._references, self._nullable, self._most = references, nullable, most
        self._components: dict[str, _Converted | BadReference] = {}
        self._names: dict[str, str] = {}

    def converted(self, schemas: dict[str, JsonValue]) -> tuple[dict[str, JsonValue], JsonObject]:
        """(the schemas, the `$defs` that they need), together no larger than a tool's may be. Raises BadReference."""
        result: dict[str, JsonValue] = {}
        refs: dict[str, str] = {}
        nodes = 0
        for name, schema in schemas.items():
            converted = self._convert(schema)
            nodes += converted.nodes
            result[name] = converted.value if nodes <= self._most else {}
            if nodes <= self._most:
                refs |= converted.refs
        defs: JsonObject = {}
        todo = deque(refs.items())
        while todo:
            ref, name = todo.popleft()
            if name in defs:
                continue
            component = self._component(ref)
            nodes += component.nodes
            defs[name] = component.value if nodes <= self._most else {}
            if nodes <= self._most:
                todo.extend(component.refs.items())
        return result, defs

    def _component(self, ref: str) -> _Converted:
        known = self._components.get(ref)
        if known is None:
            try:
                known = self._convert(self._references.at(ref))
            except BadReference as error:
                known = error
            self._components[ref] = known
        if isinstance(known, BadReference):
            raise known
        return known

    def _convert(self, schema: JsonValue) -> _Converted:
        converted = _Converted(None)
        converted.value = self._schema(schema, converted, 0)
        return converted

    def _schema(self, schema: JsonValue, into: _Converted, depth: int) -> JsonValue:
        into.nodes += 1
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, dict) or depth > DEEPEST:
            return {}
        if isinstance(ref := schema.get("$ref"), str):
            return self._referring(schema, ref, into)
        result: JsonObject = {}
        for key, value in schema.items():
            if key in _MAPS and isinstance(value, dict):
                result[key] = {name: self._schema(item, into, depth + 1) for name, item in value.items()}
            elif key in _LISTS and isinstance(value, list) and value:
                result[key] = [self._schema(item, into, depth + 1) for item in value]
            elif key in _SINGLE and isinstance(value, dict | bool):
                result[key] = self._schema(value, into, depth + 1)
            else:
                result |= _plain(key, value)
                into.nodes += _weight(value)
        return _of_before(result, schema) if self._nullable else result

    def _referring(self, schema: JsonObject, ref: str, into: _Converted) -> JsonValue:
        if not ref.startswith("#"):
            raise BadReference("remote_ref", ref)
        name = self._name(ref)
        into.refs[ref] = name
        return {"$ref": f"#/$defs/{name}", **_plain("description", schema.get("description"))}

    def _name(self, ref: str) -> str:
        """What a component is called in `$defs`: the same in every tool, whatever else the document has."""
        if ref not in self._names:
            last = re.sub(r"[^A-Za-z0-9_.-]", "_", ref.rpartition("/")[2])[:60] or "schema"
            usual = ref in (f"#/components/schemas/{last}", f"#/definitions/{last}")
            digest = hashlib.sha256(ref.encode("utf-8", "surrogatepass")).hexdigest()[:8]
            self._names[ref] = last if usual else f"{last}-{digest}"
        return self._names[ref]


def _weight(value: JsonValue) -> int:
    """How many subschemas a plain word counts for."""
    return len(value) // 100 if isinstance(value, str) else len(value) // 10 if isinstance(value, list) else 0


def _is_scalar(value: JsonValue) -> bool:
    return not isinstance(value, dict | list) and (not isinstance(value, str) or len(value) <= LONGEST_TEXT)


def _plain(key: str, value: JsonValue) -> JsonObject:
    """A word of a schema without subschemas, where it has a value that it may have."""
    if key == "type":
        names = value if isinstance(value, list) else [value]
        if value == "file":
            return {"type": "string"}
        return {key: value} if names and all(isinstance(name, str) and name in _TYPES for name in names) else {}
    if key in ("title", "description"):
        return {key: value[:LONGEST_TEXT]} if isinstance(value, str) and value else {}
    if key == "enum":
        fits = isinstance(value, list) and 0 < len(value) <= MOST_VALUES and all(map(_is_scalar, value))
        return {key: value} if fits else {}
    if key in ("const", "default"):
        return {key: value} if _is_scalar(value) else {}
    if key == "required":
        listed = dict.fromkeys(name for name in value if isinstance(name, str)) if isinstance(value, list) else {}
        return {key: [*listed]} if listed else {}
    fits = (
        (key in _NUMBERS and isinstance(value, int | float) and not isinstance(value, bool))
        or (key in _TEXTS and isinstance(value, str) and len(value) <= LONGEST_TEXT)
        or (key in _FLAGS and value is True)
    )
    return {key: value} if fits else {}


def _of_before(result: JsonObject, schema: JsonObject) -> JsonObject:
    """What OpenAPI 3.0 and 2.0 write in their own way."""
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if schema.get(exclusive) is True and bound in result:
            result[exclusive] = result.pop(bound)
    if schema.get("nullable") is True or schema.get("x-nullable") is True:
        kind = result.get("type")
        if isinstance(kind, str):
            result["type"] = [kind, "null"]
            if isinstance(values := result.get("enum"), list) and None not in values:
                result["enum"] = [*values, None]
        elif "allOf" in result or "oneOf" in result or "anyOf" in result:
            return {"anyOf": [result, {"type": "null"}]}
    return result
