"""Parameters and body of an operation as the arguments of a tool: one flat object, whose names never clash.

Of two with one name the earlier keeps it, by place (path, query, header, cookie, body) and name; the other is called
`name_place`. So what a document writes first does not matter, and the same document gives the same tools.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from backend.json_types import JsonObject, JsonValue
from backend.tools.openapi.model import Argument, Body, BodyKind, Place
from backend.tools.openapi.references import BadReference, References

PLACES: tuple[Place, ...] = ("path", "query", "header", "cookie", "body")
MOST_FIELDS = 100
"""Fields of a body up to which each is an argument."""
NEVER = frozenset(
    {
        *("accept", "authorization", "connection", "content-length", "content-type", "cookie", "expect", "host"),
        *("idempotency-key", "keep-alive", "proxy-authorization", "proxy-connection", "te", "trailer"),
        *("transfer-encoding", "upgrade"),
    }
)
"""Headers that no argument sets: they are the client's, or carry the credentials."""
_VARIABLE = re.compile(r"\{([^{}/]+)\}")
_KINDS: tuple[tuple[re.Pattern[str], BodyKind], ...] = (
    (re.compile(r"application/json\b|(?:\*|application)/\*"), "json"),
    (re.compile(r"[\w.-]+/(?:[\w.-]+\+)?json\b"), "json"),
    (re.compile(r"application/x-www-form-urlencoded\b"), "form"),
    (re.compile(r"multipart/form-data\b"), "multipart"),
    (re.compile(r"text/|application/(?:[\w.-]+\+)?xml\b"), "text"),
    (re.compile(r""), "bytes"),
)


@dataclass(slots=True)
class Parameter:
    """A parameter or a field of a body, before it has its name. `schema` as the document has it."""

    name: str
    place: Place
    schema: JsonValue
    description: str = ""
    required: bool = False
    style: str = ""
    explode: bool = True
    as_json: bool = False
    binary: bool = False

    def argument(self, arg: str) -> Argument:
        """With its name."""
        return Argument(arg, self.name, self.place, self.style, self.explode, self.as_json, self.binary)


def named(parameters: list[Parameter]) -> list[tuple[str, Parameter]]:
    """Each with the name of its argument, in the order they came."""
    order = sorted(parameters, key=lambda item: (PLACES.index(item.place), item.name))
    names: dict[int, str] = {}
    taken: set[str] = set()
    for item in order:
        name = _clean(item.name)
        if name not in taken:
            taken.add(name)
            names[id(item)] = name
    for item in order:
        if id(item) not in names:
            names[id(item)] = name = _free(f"{_clean(item.name)}_{item.place}", taken)
            taken.add(name)
    return [(names[id(item)], item) for item in parameters]


def _clean(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]", "_", name)[:64] or "value"


def _free(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free


class Reader:
    """Reads parameters and bodies of one document. `hidden` = what the credentials set, as (place, name)."""

    def __init__(self, references: References, *, swagger: bool, hidden: frozenset[tuple[str, str]]) -> None:
        self._references, self._swagger, self._hidden = references, swagger, hidden

    def parameters_of(self, item: JsonObject, operation: JsonObject, path: str) -> tuple[list[Parameter], Body | None]:
        """What an operation takes. Raises BadReference."""
        parameters: dict[tuple[str, str], JsonObject] = {}
        for listed in (item.get("parameters"), operation.get("parameters")):
            for raw in listed if isinstance(listed, list) else []:
                parameter = self._references.followed(raw)
                name, place = parameter.get("name"), parameter.get("in")
                if isinstance(name, str) and isinstance(place, str) and name:
                    parameters[place, name.lower() if place == "header" else name] = parameter
        variables = list(dict.fromkeys(_VARIABLE.findall(path)))
        declared = [self._parameter(parameter) for parameter in parameters.values() if self._is_argument(parameter)]
        declared = [argument for argument in declared if argument.place != "path" or argument.name in variables]
        known = {argument.name for argument in declared if argument.place == "path"}
        declared += [
            Parameter(name, "path", {"type": "string"}, required=True) for name in variables if name not in known
        ]
        fields, body = self._swagger_body(parameters, operation) if self._swagger else self._body(operation)
        return declared + fields, body

    def _is_argument(self, parameter: JsonObject) -> bool:
        name, place = str(parameter["name"]), str(parameter["in"])
        low = name.lower()
        if place not in ("path", "query", "header", "cookie") or (place == "header" and low in NEVER):
            return False
        return (place, low if place == "header" else name) not in self._hidden

    def _parameter(self, parameter: JsonObject) -> Parameter:
        place = next(known for known in PLACES if known == parameter["in"])
        schema: JsonValue = parameter if self._swagger else parameter.get("schema", {})
        content = parameter.get("content")
        if isinstance(content, dict) and content:
            media = next(iter(content.values()))
            schema = media.get("schema", {}) if isinstance(media, dict) else {}
        style, explode = self._style(parameter, place)
        description = parameter.get("description")
        return Parameter(
            str(parameter["name"]),
            place,
            schema,
            description if isinstance(description, str) else "",
            required=place == "path" or parameter.get("required") is True,
            style=style,
            explode=explode,
            as_json=isinstance(content, dict) and bool(content),
        )

    def _style(self, parameter: JsonObject, place: Place) -> tuple[str, bool]:
        if self._swagger:
            how = parameter.get("collectionFormat")
            styles = {"ssv": "spaceDelimited", "pipes": "pipeDelimited", "tsv": "tabDelimited"}
            return styles.get(str(how), "form" if place in ("query", "cookie") else "simple"), how == "multi"
        usual = "form" if place in ("query", "cookie") else "simple"
        style = parameter.get("style")
        style = style if isinstance(style, str) else usual
        explode = parameter.get("explode")
        return style, explode if isinstance(explode, bool) else style == "form"

    # -- bodies ------------------------------------------------------------------------------------------------

    def _body(self, operation: JsonObject) -> tuple[list[Parameter], Body | None]:
        body = self._references.followed(operation.get("requestBody"))
        content = body.get("content")
        if not isinstance(content, dict) or not content:
            return [], None
        kind, mime = best_kind(content)
        media = self._references.followed(content[mime])
        description = body.get("description")
        return self._fields(
            media.get("schema", {}),
            kind,
            mime,
            body.get("required") is True,
            description if isinstance(description, str) else "",
        )

    def _swagger_body(
        self, parameters: dict[tuple[str, str], JsonObject], operation: JsonObject
    ) -> tuple[list[Parameter], Body | None]:
        consumes = operation.get("consumes")
        mimes = [mime for mime in consumes if isinstance(mime, str)] if isinstance(consumes, list) else []
        whole = next((parameter for (place, _), parameter in parameters.items() if place == "body"), None)
        if whole is not None:
            kind, mime = best_kind(dict.fromkeys(mimes or ["application/json"]))
            description = whole.get("description")
            return self._fields(
                whole.get("schema", {}),
                kind,
                mime,
                whole.get("required") is True,
                description if isinstance(description, str) else "",
            )
        forms = [parameter for (place, _), parameter in parameters.items() if place == "formData"]
        if not forms:
            return [], None
        files = any(parameter.get("type") == "file" for parameter in forms)
        multipart = files or (bool(mimes) and best_kind(dict.fromkeys(mimes))[0] == "multipart")
        fields = [self._form_field(parameter) for parameter in forms]
        body = Body("multipart", "multipart/form-data") if multipart else Body("form", _KINDS_MIME["form"])
        return fields, body

    def _form_field(self, parameter: JsonObject) -> Parameter:
        description = parameter.get("description")
        return Parameter(
            str(parameter["name"]),
            "body",
            parameter,
            description if isinstance(description, str) else "",
            required=parameter.get("required") is True,
            binary=parameter.get("type") == "file",
        )

    def _fields(
        self, schema: JsonValue, kind: BodyKind, mime: str, required: bool, description: str
    ) -> tuple[list[Parameter], Body | None]:
        fields = self._members(schema) if kind in ("json", "form", "multipart") else None
        if fields is None:
            if kind in ("text", "bytes"):
                schema = {"type": "string"}
            whole = Parameter(
                "body",
                "body",
                schema,
                description,
                required=required,
                binary=kind == "bytes",
            )
            return [whole], Body(kind, mime, whole=True)
        for argument in fields:
            argument.required = argument.required and required
            argument.binary = kind == "multipart" and self._is_binary(argument.schema)
        return fields, Body(kind, mime, required=required)

    def _members(self, schema: JsonValue) -> list[Parameter] | None:
        """The fields of an object that has these and no others; None where it has to be given as a whole."""
        properties: dict[str, JsonValue] = {}
        required: set[str] = set()
        if not self._merged(schema, properties, required, 0) or not 0 < len(properties) <= MOST_FIELDS:
            return None
        read_only = {name for name, value in properties.items() if self._flag(value, "readOnly")}
        return [
            Parameter(name, "body", value, required=name in required)
            for name, value in properties.items()
            if name not in read_only
        ]

    def _merged(self, schema: JsonValue, properties: dict[str, JsonValue], required: set[str], depth: int) -> bool:
        """Whether the schema is of an object whose fields are all known; they are laid into `properties`."""
        value = self._references.followed(schema)
        if depth > 10 or any(key in value for key in ("oneOf", "anyOf", "not", "if", "patternProperties", "enum")):
            return False
        if value.get("nullable") is True or value.get("additionalProperties") not in (None, False):
            return False
        parts = value.get("allOf")
        if not (value.get("type") == "object" or (value.get("type") is None and ("properties" in value or parts))):
            return False
        for part in parts if isinstance(parts, list) else []:
            if not self._merged(part, properties, required, depth + 1):
                return False
        own = value.get("properties")
        if isinstance(own, dict):
            properties |= own
        names = value.get("required")
        required |= {name for name in names if isinstance(name, str)} if isinstance(names, list) else set()
        return True

    def _flag(self, schema: JsonValue, name: str) -> bool:
        try:
            return self._references.followed(schema).get(name) is True
        except BadReference:
            return False

    def _is_binary(self, schema: JsonValue) -> bool:
        value = self._references.followed(schema)
        return value.get("type") == "string" and (
            value.get("format") == "binary" or value.get("contentMediaType") is not None
        )


_KINDS_MIME: dict[BodyKind, str] = {"form": "application/x-www-form-urlencoded"}


def best_kind(mimes: dict[str, JsonValue]) -> tuple[BodyKind, str]:
    """Of several ways to write a body the one that is written from arguments best; its media type as it stands."""
    _, kind, mime = min(_kinds_of(mimes), key=lambda entry: entry[0])
    return kind, mime


def _kinds_of(mimes: dict[str, JsonValue]) -> Iterator[tuple[int, BodyKind, str]]:
    for mime in mimes:
        for rank, (pattern, kind) in enumerate(_KINDS):
            if pattern.match(mime.strip().lower()):
                yield rank, kind, mime
                break
