"""A request as it is sent, from the values of a node: address, headers, body. Pure but for the files it is given."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from urllib.parse import urlencode

import httpx2

from backend.errors import ValidationFailed
from backend.json_types import JsonObject, JsonValue
from backend.net.urls import check_url
from backend.tools.http.terms import RequestTerms

File: TypeAlias = tuple[bytes, str, str]
"""Bytes, mime, name."""

OURS = frozenset(
    {
        *("connection", "content-length", "expect", "host", "keep-alive", "proxy-authorization", "proxy-connection"),
        *("te", "trailer", "transfer-encoding", "upgrade"),
    }
)
"""Headers that the client sets itself: another value would send something else than was checked."""
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


@dataclass(slots=True)
class Built:
    """What is sent. `content` is all but a multipart body, which is in `parts`."""

    url: httpx2.URL
    headers: list[tuple[str, str]]
    content: bytes | None = None
    parts: list[tuple[str, tuple[str | None, bytes, str | None]]] = field(default_factory=list)


def _wrong(name: str, rule: str) -> ValidationFailed:
    params: dict[str, Any] = {"reason": "request", "field": name, "rule": rule}
    return ValidationFailed(params=params, fields={name: [rule]})


def files_in(arguments: JsonObject) -> Iterator[str]:
    """The ids of the files that a body consists of."""
    body = arguments.get("body")
    values: list[JsonValue] = [body] if arguments.get("body_type") == "file" else []
    if arguments.get("body_type") == "multipart" and isinstance(body, dict):
        values = [item for value in body.values() for item in (value if isinstance(value, list) else [value])]
    for value in values:
        if isinstance(value, dict) and isinstance(value.get("$file"), str):
            yield str(value["$file"])


def built(arguments: JsonObject, terms: RequestTerms, reveal: Mapping[str, str], files: Mapping[str, File]) -> Built:
    """The request. `reveal` = by text that names secrets the same text with their values. Raises ValidationFailed."""
    url = httpx2.URL(check_url(address_of(arguments)))
    query = [*_pairs("query", _with_secrets("query", arguments, terms, reveal))]
    if query:
        url = url.copy_with(query="&".join(filter(None, [url.query.decode(), urlencode(query)])).encode())
    headers = _headers(_with_secrets("headers", arguments, terms, reveal))
    headers += _auth(arguments, terms, reveal, {name.lower() for name, _ in headers})
    request = Built(url, headers)
    _body(request, arguments, files)
    return request


def checked(arguments: JsonObject, terms: RequestTerms) -> None:
    """Raise ValidationFailed where no such request can be sent, whatever secrets and files it has."""
    built({**arguments, "body": None}, terms, _Unrevealed(), {})


class _Unrevealed(dict[str, str]):
    """Every text that names secrets, with a stand-in."""

    def __missing__(self, key: str) -> str:
        return "secret"


def address_of(arguments: JsonObject) -> str:
    """The URL, blanks in it written as URLs do."""
    url = arguments.get("url")
    return url.strip().replace(" ", "%20") if isinstance(url, str) else ""


def _with_secrets(name: str, arguments: JsonObject, terms: RequestTerms, reveal: Mapping[str, str]) -> JsonObject:
    """A field with the secrets that the document names in it, and no others."""
    values = arguments.get(name) or {}
    if not isinstance(values, dict):
        raise _wrong(name, "must be object")
    texts = terms.secrets.get(name, {})
    return {key: reveal[texts[key]] if key in texts and texts[key] == value else value for key, value in values.items()}


def _pairs(name: str, values: JsonObject) -> Iterator[tuple[str, str]]:
    """Names with values as texts; a list is its name several times, null is left out."""
    for key, value in values.items():
        for item in value if isinstance(value, list) else [value]:
            if item is not None:
                yield key, _text(item)


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _headers(values: JsonObject) -> list[tuple[str, str]]:
    headers = []
    for name, value in _pairs("headers", values):
        if not _NAME.fullmatch(name):
            raise _wrong(f"headers.{name[:80]}", "must be a header's name")
        if name.lower() in OURS:
            raise _wrong(f"headers.{name}", "is set by Patchbay")
        if not value.isascii() or any(ord(character) < 32 and character != "\t" for character in value):
            raise _wrong(f"headers.{name}", "must be printable ASCII")
        headers.append((name, value.strip()))
    return headers


def _auth(
    arguments: JsonObject, terms: RequestTerms, reveal: Mapping[str, str], names: set[str]
) -> list[tuple[str, str]]:
    auth = terms.auth
    if arguments.get("auth") != auth:
        raise _wrong("auth", "cannot be changed here")
    if auth is None:
        return []
    kind, secret = auth.get("kind"), reveal[auth_text(auth)]
    name = str(auth.get("header") or "X-API-Key") if kind == "header" else "Authorization"
    if name.lower() in names:
        raise _wrong(f"headers.{name}", "is given by auth as well")
    if kind == "basic":
        secret = base64.b64encode(f"{_text(auth.get('user') or '')}:{secret}".encode()).decode()
    scheme = {"bearer": "Bearer ", "basic": "Basic "}.get(str(kind), "")
    return _headers({name: scheme + secret})


def auth_text(auth: JsonObject) -> str:
    """The secret that `auth` names, as texts of documents name it."""
    return f"${{secret:{auth.get('secret')}}}"


def _body(request: Built, arguments: JsonObject, files: Mapping[str, File]) -> None:
    body = arguments.get("body")
    if body is None:
        return
    kind = str(arguments.get("body_type") or "json")
    if kind == "multipart":
        request.parts = list(_parts(body, files))
        return
    content, mime = _CONTENTS[kind](body, files)
    request.content = content
    if not any(name.lower() == "content-type" for name, _ in request.headers):
        request.headers.append(("Content-Type", mime))


def _json(body: JsonValue, files: Mapping[str, File]) -> tuple[bytes, str]:
    """A text is JSON as it stands."""
    if isinstance(body, str):
        try:
            json.loads(body)
        except ValueError:
            raise _wrong("body", "must be JSON") from None
        return body.encode("utf-8", "surrogatepass"), "application/json"
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass"), "application/json"


def _form(body: JsonValue, files: Mapping[str, File]) -> tuple[bytes, str]:
    if not isinstance(body, dict):
        raise _wrong("body", "must be object")
    return urlencode(list(_pairs("body", body))).encode(), "application/x-www-form-urlencoded"


def _plain(body: JsonValue, files: Mapping[str, File]) -> tuple[bytes, str]:
    return _text(body).encode("utf-8", "surrogatepass"), "text/plain; charset=utf-8"


def _file(body: JsonValue, files: Mapping[str, File]) -> tuple[bytes, str]:
    file = _file_at(body, files)
    if file is None:
        raise _wrong("body", "must be a file")
    return file[0], file[1] or "application/octet-stream"


_CONTENTS = {"json": _json, "form": _form, "text": _plain, "file": _file}


def _file_at(value: JsonValue, files: Mapping[str, File]) -> File | None:
    key = value.get("$file") if isinstance(value, dict) else None
    return files.get(key) if isinstance(key, str) else None


def _parts(body: JsonValue, files: Mapping[str, File]) -> Iterator[tuple[str, tuple[str | None, bytes, str | None]]]:
    if not isinstance(body, dict):
        raise _wrong("body", "must be object")
    for name, value in body.items():
        for item in value if isinstance(value, list) else [value]:
            file = _file_at(item, files)
            if file is not None:
                yield name, (file[2] or name, file[0], file[1] or None)
            elif item is not None:
                yield name, (None, _text(item).encode("utf-8", "surrogatepass"), None)
