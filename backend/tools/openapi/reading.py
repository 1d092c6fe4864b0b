"""A document (OpenAPI 3.0, 3.1, Swagger 2.0) as an API: its operations as tools, its addresses, how one signs in.

What cannot be a tool is left out and named with its reason; nothing is fetched. The names of tools are the operations'
own, else made of method and path; where two have one name, the path that is first by its letters keeps it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal
from urllib.parse import urljoin, urlsplit

from backend.errors import ValidationFailed
from backend.json_types import JsonObject, JsonValue
from backend.net.urls import origin, url_problem
from backend.tools.openapi.arguments import Parameter, Reader, named
from backend.tools.openapi.model import Api, Base, LeftOut, Operation, Scheme
from backend.tools.openapi.references import BadReference, References
from backend.tools.openapi.schemas import MANY, MOST_NODES, MOST_NODES_OF_MANY, Schemas

MOST_OPERATIONS = 2_000
MOST_LEFT_OUT = 100
MOST_BASES = 20
LONGEST_DESCRIPTION = 4_000
METHODS = ("get", "head", "options", "put", "delete", "post", "patch")
_READS = frozenset({"get", "head", "options"})
_GOOD = ("200", "201", "202", "203", "2XX", "2xx", "206")


def api_of(document: JsonValue, source: str = "") -> Api:
    """What a document describes; `source` = the address that it came from. Raises ValidationFailed (`document`)."""
    if not isinstance(document, dict):
        raise refused("is not an OpenAPI document: it must be an object")
    return _Reading(document, source).api()


def refused(why: str) -> ValidationFailed:
    """The error for a document that cannot be read."""
    return ValidationFailed(fields={"document": [why]})


class _Reading:
    """One document on its way."""

    def __init__(self, document: JsonObject, source: str) -> None:
        self._document, self._source = document, source
        self._swagger, self._dialect = _dialect(document)
        self._references = References(document)
        paths = document.get("paths")
        most = MOST_NODES_OF_MANY if isinstance(paths, dict) and len(paths) > MANY else MOST_NODES
        before = self._swagger or self._dialect.startswith("OpenAPI 3.0")
        self._schemas = Schemas(self._references, nullable=before, most=most)
        self._schemes = list(self._sign_ins())
        hidden = {
            (scheme.place, scheme.parameter.lower() if scheme.place == "header" else scheme.parameter)
            for scheme in self._schemes
        }
        self._reader = Reader(self._references, swagger=self._swagger, hidden=frozenset(hidden))
        self._left_out: list[LeftOut] = []

    def api(self) -> Api:
        """All of it."""
        info = self._document.get("info")
        info = info if isinstance(info, dict) else {}
        described = list(self._operations())
        if not described and not self._left_out:
            raise refused("describes no operations: `paths` is missing or empty")
        for path, method, _, _ in described[MOST_OPERATIONS:]:
            self._leave_out(method, path, "openapi_too_many", str(MOST_OPERATIONS))
        names = _names(described[:MOST_OPERATIONS])
        operations = []
        for path, method, item, operation in described[:MOST_OPERATIONS]:
            try:
                operations.append(self._operation(names[path, method], path, method, item, operation))
            except BadReference as error:
                self._leave_out(method, path, f"openapi_{error.reason}", error.ref)
        return Api(
            title=_text(info.get("title"))[:200],
            version=_text(info.get("version"))[:100],
            dialect=self._dialect,
            bases=tuple(self._bases()),
            schemes=tuple(self._schemes),
            operations=tuple(operations),
            left_out=tuple(self._left_out),
            by_name={operation.name: operation for operation in operations},
        )

    def _leave_out(self, method: str, path: str, reason: str, why: str = "") -> None:
        if len(self._left_out) < MOST_LEFT_OUT:
            self._left_out.append(LeftOut(f"{method.upper()} {path}".strip()[:255], reason, why))

    def _operations(self) -> Iterator[tuple[str, str, JsonObject, JsonObject]]:
        """(path, method, what stands at the path, the operation) of all that can be called, in their order."""
        paths = self._document.get("paths")
        for path, raw in paths.items() if isinstance(paths, dict) else ():
            if path.startswith("x-"):
                continue
            try:
                item = self._references.followed(raw)
            except BadReference as error:
                self._leave_out("", path, f"openapi_{error.reason}", error.ref)
                continue
            for method in METHODS:
                operation = item.get(method)
                if not isinstance(operation, dict):
                    continue
                if not _is_sound(path):
                    self._leave_out(method, path, "openapi_path")
                elif operation.get("servers") or item.get("servers"):
                    self._leave_out(method, path, "openapi_servers")
                else:
                    yield path, method, item, operation

    def _operation(self, name: str, path: str, method: str, item: JsonObject, operation: JsonObject) -> Operation:
        if self._swagger and "consumes" not in operation and "consumes" in self._document:
            operation = {**operation, "consumes": self._document["consumes"]}
        parameters, body = self._reader.parameters_of(item, operation, path)
        arguments = named(parameters)
        input_schema = self._input(arguments)
        title, description = _words(operation)
        goes: JsonObject = {arg: f"{argument.place}:{argument.name}" for arg, argument in arguments}
        sent: JsonObject = {"method": method.upper(), "path": path, "arguments": goes}
        return Operation(
            name=name,
            method=method.upper(),
            path=path,
            title=title,
            description=f"{description}\n\n{method.upper()} {path}".strip(),
            arguments=tuple(argument.argument(arg) for arg, argument in arguments),
            body=body,
            input_schema=input_schema,
            output_schema=self._output(operation),
            # What is pinned of a tool is its definition: so it says what is sent where, and a change of that asks.
            annotations={**_hints(method), "request": sent},
            signs_in=self._signs_in(operation),
        )

    def _signs_in(self, operation: JsonObject) -> bool:
        """Whether every way to call it that the document names is with credentials."""
        ways = operation.get("security", self._document.get("security"))
        return isinstance(ways, list) and bool(ways) and all(isinstance(way, dict) and way for way in ways)

    def _input(self, arguments: list[tuple[str, Parameter]]) -> JsonObject:
        converted, defs = self._schemas.converted({arg: argument.schema for arg, argument in arguments})
        properties: JsonObject = {}
        for arg, argument in arguments:
            schema = converted[arg]
            if isinstance(schema, dict) and argument.description and "description" not in schema:
                schema = {**schema, "description": argument.description[:600]}
            if isinstance(schema, dict) and argument.binary:
                schema = {**schema, "type": "string", "contentEncoding": "base64"}
            properties[arg] = schema
        required: list[JsonValue] = [arg for arg, argument in arguments if argument.required]
        result: JsonObject = {"type": "object", "properties": properties, "additionalProperties": False}
        if required:
            result["required"] = required
        return {**result, "$defs": defs} if defs else result

    def _output(self, operation: JsonObject) -> JsonObject | None:
        """The schema of what it answers, where it is JSON; one that cannot be read is none."""
        responses = operation.get("responses")
        if not isinstance(responses, dict):
            return None
        try:
            answer = self._references.followed(next((responses[code] for code in _GOOD if code in responses), None))
            schema = answer.get("schema") if self._swagger else None
            content = answer.get("content")
            for mime, media in content.items() if isinstance(content, dict) else ():
                if "json" in mime.lower() and isinstance(media, dict):
                    schema = media.get("schema")
                    break
            schema = self._references.followed(schema)
            converted, defs = self._schemas.converted({"answer": schema})
        except BadReference:
            return None
        value = converted["answer"]
        if not isinstance(value, dict) or not value:
            return None
        return {**value, "$defs": defs} if defs else value

    # -- where, and how one signs in ---------------------------------------------------------------------------

    def _bases(self) -> Iterator[Base]:
        known: set[str] = set()
        for text in [*self._named_bases()][:MOST_BASES] or ["/"]:
            url = urljoin(self._source, text) if self._source else text
            url = url.rstrip("/")
            if "?" not in url and url_problem(url) is None and url not in known:
                known.add(url)
                yield Base(url, bool(self._source) and _is_foreign(url, self._source))

    def _named_bases(self) -> Iterator[str]:
        if self._swagger:
            source = urlsplit(self._source)
            host = _text(self._document.get("host")) or source.netloc
            schemes = self._document.get("schemes")
            listed = [scheme for scheme in schemes if scheme in ("https", "http")] if isinstance(schemes, list) else []
            path = _text(self._document.get("basePath"))
            for scheme in sorted(listed, reverse=True) or [source.scheme or "https"]:
                if host:
                    yield f"{scheme}://{host}/{path.lstrip('/')}"
            return
        servers = self._document.get("servers")
        for server in servers if isinstance(servers, list) else []:
            if isinstance(server, dict) and isinstance(url := server.get("url"), str):
                yield _with_defaults(url, server.get("variables"))

    def _sign_ins(self) -> Iterator[Scheme]:
        components = self._document.get("components")
        listed = self._document.get("securityDefinitions") if self._swagger else None
        if isinstance(components, dict):
            listed = components.get("securitySchemes")
        for name, raw in listed.items() if isinstance(listed, dict) else ():
            try:
                scheme = self._references.followed(raw)
            except BadReference:
                continue
            yield _scheme(str(name)[:100], scheme)


def _dialect(document: JsonObject) -> tuple[bool, str]:
    """(whether it is Swagger 2.0, which version it says). Raises ValidationFailed."""
    swagger, version = document.get("swagger"), document.get("openapi")
    if swagger in ("2.0", 2.0, 2):
        return True, "Swagger 2.0"
    if isinstance(version, str | float) and re.match(r"3\.[01](\.|$)", str(version)):
        return False, f"OpenAPI {version}"
    if swagger is None and version is None:
        raise refused("is not an OpenAPI document: it has neither `openapi` nor `swagger`")
    raise refused(f"is of version {str(version or swagger)[:20]}; OpenAPI 3.0, 3.1 and Swagger 2.0 can be read")


def _is_sound(path: str) -> bool:
    """Whether a path can be put behind an address and stays below it."""
    if not path.startswith("/") or re.search(r"[?#\\\x00-\x20\x7f]", path) or len(path) > 1000:
        return False
    return not any(part.lower().replace("%2e", ".") in (".", "..") for part in path.split("/"))


def _names(operations: list[tuple[str, str, JsonObject, JsonObject]]) -> dict[tuple[str, str], str]:
    """What each operation is called as a tool, by path and method."""
    preferred = {(path, method): _tool_name(operation, method, path) for path, method, _, operation in operations}
    names: dict[tuple[str, str], str] = {}
    taken: set[str] = set()
    for key in sorted(preferred):
        if preferred[key] not in taken:
            taken.add(preferred[key])
            names[key] = preferred[key]
    counts: dict[str, int] = {}
    for key in sorted(preferred):
        if key in names:
            continue
        stem = preferred[key]
        number = counts.get(stem, 1) + 1
        while (name := f"{stem[:60]}_{number}") in taken:
            number += 1
        counts[stem] = number
        taken.add(name)
        names[key] = name
    return names


def _tool_name(operation: JsonObject, method: str, path: str) -> str:
    operation_id = operation.get("operationId")
    text = operation_id if isinstance(operation_id, str) and operation_id.strip() else f"{method}_{path}"
    return re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9_-]", "_", text)).strip("_")[:64] or method


def _words(operation: JsonObject) -> tuple[str, str]:
    """(title, description)."""
    summary, text = _text(operation.get("summary")).strip(), _text(operation.get("description")).strip()
    if summary and summary not in text:
        text = f"{summary}\n\n{text}".strip()
    if operation.get("deprecated") is True:
        text = f"Deprecated. {text}"
    return summary[:200], text[:LONGEST_DESCRIPTION]


def _hints(method: str) -> JsonObject:
    """What the method of HTTP says of an operation."""
    if method in _READS:
        return {"readOnlyHint": True}
    if method == "put":
        return {"readOnlyHint": False, "idempotentHint": True}
    if method == "delete":
        return {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True}
    return {"readOnlyHint": False}


def _is_foreign(url: str, source: str) -> bool:
    here, there = origin(source), origin(url)
    return here != there and (here[1] != there[1] or there[::2] != ("https", 443))


def _with_defaults(url: str, variables: JsonValue) -> str:
    """An address with the default of each of its variables."""
    for name, variable in variables.items() if isinstance(variables, dict) else ():
        if isinstance(variable, dict) and isinstance(default := variable.get("default"), str):
            url = url.replace(f"{{{name}}}", default)
    return url


_AT: dict[str, Literal["header", "query", "cookie"]] = {"header": "header", "query": "query", "cookie": "cookie"}


def _scheme(name: str, scheme: JsonObject) -> Scheme:
    kind, how = scheme.get("type"), _text(scheme.get("scheme")).lower()
    place, parameter = _AT.get(_text(scheme.get("in"))), _text(scheme.get("name"))
    if kind == "apiKey" and place and parameter:
        return Scheme(name, "api_key", place, parameter)
    if kind == "basic" or (kind == "http" and how == "basic"):
        return Scheme(name, "basic")
    if kind in ("oauth2", "openIdConnect") or (kind == "http" and how == "bearer"):
        return Scheme(name, "bearer")
    return Scheme(name, "other")


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""
