"""Arguments of a tool as a request of HTTP. Pure.

Whatever a model writes stays where it belongs: a value of a path is one part of it, a header has no line breaks, and
the address begins with the server's own. The credentials are laid over everything else.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn
from urllib.parse import quote, unquote, urlencode, urlsplit

from backend.errors import McpInvalidParams
from backend.json_types import JsonObject, JsonValue
from backend.net.urls import url_problem
from backend.tools.openapi.model import Argument, Operation

_SEPARATORS = {"spaceDelimited": " ", "pipeDelimited": "|", "tabDelimited": "\t"}
_IN_PATH = "/:@!$&'()*+,;=-._~%"


@dataclass(frozen=True, slots=True)
class Credentials:
    """What the server's settings add to every request."""

    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Request:
    """What is sent. `content` is all but a multipart body, which is in `parts`."""

    method: str
    url: str
    headers: dict[str, str]
    content: bytes | None = None
    parts: list[tuple[str, tuple[str | None, bytes, str | None]]] = field(default_factory=list)


def request_of(
    operation: Operation, arguments: JsonObject, base: str, credentials: Credentials, idempotency_key: str = ""
) -> Request:
    """The request. Raises McpInvalidParams naming the argument that cannot be sent."""
    pairs = [(argument, arguments[argument.arg]) for argument in operation.arguments if argument.arg in arguments]
    address, _, fixed = base.partition("?")
    path = _path(operation, [pair for pair in pairs if pair[0].place == "path"])
    query = [pair for argument, value in pairs if argument.place == "query" for pair in _pairs(argument, value)]
    taken = {name for name, _ in credentials.query.items()}
    query = [pair for pair in query if pair[0] not in taken]
    tail = [fixed, urlencode(query, quote_via=quote), urlencode(list(credentials.query.items()), quote_via=quote)]
    text = "&".join(filter(None, tail))
    url = f"{address.rstrip('/')}{path}{f'?{text}' if text else ''}"
    if url_problem(url) is not None:
        raise McpInvalidParams(fields={"arguments": [f"make an address that cannot be used ({url_problem(url)})"]})
    request = Request(operation.method, url, {"Accept": "application/json, */*;q=0.8"})
    if operation.method not in ("GET", "HEAD", "OPTIONS") and idempotency_key:
        request.headers["Idempotency-Key"] = idempotency_key
    _write_body(request, operation, [pair for pair in pairs if pair[0].place == "body"])
    for argument, value in pairs:
        if argument.place == "header" and value is not None:
            request.headers[argument.name] = _header(argument, value)
    sign(request, credentials, [pair for pair in pairs if pair[0].place == "cookie"])
    return request


def plain_request(base: str, credentials: Credentials) -> Request:
    """A request for the base address itself."""
    address, _, fixed = base.partition("?")
    text = "&".join(filter(None, [fixed, urlencode(list(credentials.query.items()), quote_via=quote)]))
    request = Request("GET", f"{address}{f'?{text}' if text else ''}", {"Accept": "application/json, */*;q=0.8"})
    sign(request, credentials)
    return request


def _wrong(argument: Argument, why: str) -> NoReturn:
    raise McpInvalidParams(fields={f"arguments.{argument.arg}": [why]})


def _path(operation: Operation, pairs: list[tuple[Argument, JsonValue]]) -> str:
    values = {argument.name: _segment(argument, value) for argument, value in pairs}

    def filled(match: re.Match[str]) -> str:
        if match[1] not in values:
            raise McpInvalidParams(fields={f"arguments.{match[1]}": ["is required"]})
        return values[match[1]]

    pieces = re.split(r"(\{[^{}/]+\})", operation.path)
    return "".join(
        re.sub(r"\{([^{}/]+)\}", filled, piece) if piece.startswith("{") else quote(piece, safe=_IN_PATH)
        for piece in pieces
    )


def _segment(argument: Argument, value: JsonValue) -> str:
    """A value as one part of a path: nothing in it leads to another one, however often it is decoded over there."""
    text = ",".join(_flat(value)) if isinstance(value, list | dict) else _text(value)
    if argument.style == "label":
        text = f".{text}"
    plain = text
    for _ in range(3):
        plain = unquote(plain)
    if not text or any(part in (".", "..") for part in re.split(r"[/\\]", plain)):
        _wrong(argument, "must not be empty, nor lead to another path")
    encoded = quote(text.encode("utf-8", "surrogatepass"), safe="")
    return f";{quote(argument.name, safe='')}={encoded}" if argument.style == "matrix" else encoded


def _pairs(argument: Argument, value: JsonValue) -> Iterator[tuple[str, str]]:
    """A value of the query as names and texts; null is left out."""
    if value is None:
        return
    if argument.as_json:
        yield argument.name, json.dumps(value, ensure_ascii=False)
    elif isinstance(value, dict) and argument.style == "deepObject":
        for key, item in value.items():
            for part in item if isinstance(item, list) else [item]:
                yield f"{argument.name}[{key}]", _text(part)
    elif isinstance(value, dict) and argument.explode:
        for key, item in value.items():
            yield key, _text(item)
    elif isinstance(value, list) and argument.explode:
        for item in value:
            yield argument.name, _text(item)
    elif isinstance(value, list | dict):
        yield argument.name, _SEPARATORS.get(argument.style, ",").join(_flat(value))
    else:
        yield argument.name, _text(value)


def _flat(value: list[JsonValue] | JsonObject) -> list[str]:
    if isinstance(value, list):
        return [_text(item) for item in value]
    return [text for key, item in value.items() for text in (key, _text(item))]


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _header(argument: Argument, value: JsonValue) -> str:
    text = ",".join(_flat(value)) if isinstance(value, list | dict) and not argument.as_json else _text(value)
    if not text.isascii() or any(ord(character) < 32 or ord(character) == 127 for character in text):
        _wrong(argument, "must be printable ASCII without line breaks")
    if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", argument.name):
        _wrong(argument, "goes into a header whose name is not allowed")
    return text.strip()


def sign(request: Request, credentials: Credentials, cookies: Sequence[tuple[Argument, JsonValue]] = ()) -> None:
    """Lay the credentials over the request; of two cookies with one name theirs is sent."""
    ours = {name.lower(): name for name in credentials.headers}
    request.headers = {name: value for name, value in request.headers.items() if name.lower() not in ours}
    request.headers |= dict(credentials.headers)
    held = request.headers.pop(ours["cookie"]) if "cookie" in ours else ""
    known = {part.partition("=")[0].strip() for part in held.split(";") if part.strip()}
    pairs = [
        f"{quote(argument.name, safe='')}={quote(_text(value), safe='')}"
        for argument, value in cookies
        if value is not None and argument.name not in known
    ]
    if held or pairs:
        request.headers["Cookie"] = "; ".join(filter(None, [held, *pairs]))


# -- bodies ----------------------------------------------------------------------------------------------------


def _write_body(request: Request, operation: Operation, values: list[tuple[Argument, JsonValue]]) -> None:
    body = operation.body
    if body is None or not (values or (body.required and body.kind == "json")):
        return
    mime = "application/json" if "*" in body.mime else body.mime
    if body.kind == "multipart":
        request.parts = [part for argument, value in values for part in _parts(argument, value)]
        return
    whole = values[0][1] if body.whole else {argument.name: value for argument, value in values}
    if body.kind == "json":
        request.content = json.dumps(whole, ensure_ascii=False).encode("utf-8", "surrogatepass")
    elif body.kind == "form":
        fields = whole if isinstance(whole, dict) else {}
        pairs = [(name, _text(part)) for name, value in fields.items() for part in _several(value)]
        request.content = urlencode(pairs, errors="replace").encode()
    elif body.kind == "bytes":
        request.content = _bytes(values[0][0], whole)
    else:
        request.content = _text(whole).encode("utf-8", "surrogatepass")
    request.headers["Content-Type"] = mime if _is_mime(mime) else "application/octet-stream"


def _is_mime(mime: str) -> bool:
    return bool(re.fullmatch(r"[\w.+-]+/[\w.+-]+(?:\s*;\s*[\w.+-]+=[\w.+-]+)*", mime, re.ASCII))


def _several(value: JsonValue) -> list[JsonValue]:
    return [part for part in value if part is not None] if isinstance(value, list) else [] if value is None else [value]


def _parts(argument: Argument, value: JsonValue) -> Iterator[tuple[str, tuple[str | None, bytes, str | None]]]:
    for part in _several(value):
        if argument.binary:
            yield argument.name, (argument.name, _bytes(argument, part), "application/octet-stream")
        else:
            yield argument.name, (None, _text(part).encode("utf-8", "surrogatepass"), None)


def _bytes(argument: Argument, value: JsonValue) -> bytes:
    try:
        return base64.b64decode("".join(_text(value).split()), validate=True)
    except (binascii.Error, ValueError):
        _wrong(argument, "must be base64")


def host_of(url: str) -> str:
    """The host of an address, as messages name it."""
    return urlsplit(url).netloc
