"""The body of a webhook's request: JSON, a form, multipart (its files are kept apart), or text."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from email.message import Message
from typing import Any

from django.core.exceptions import BadRequest, RequestDataTooBig, SuspiciousOperation
from django.core.files.uploadhandler import MemoryFileUploadHandler
from django.http import QueryDict
from django.http.multipartparser import MultiPartParser, MultiPartParserError
from django.utils.datastructures import MultiValueDict

from backend.engine.language.clean import clean
from backend.errors import UnsupportedBody, ValidationFailed
from backend.files.services import mime_of
from backend.json_types import JsonValue
from backend.web.bodies import parse_json

MOST_PARTS = 1000
"""Fields of a form; Django's own limit is as large."""
MOST_FILES = 100


@dataclass(frozen=True, slots=True)
class Part:
    """A file that came in a form."""

    field: str
    name: str
    mime: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Body:
    """A body as expressions see it, and the files that came with it. `form` = all that it holds are texts."""

    value: JsonValue
    files: list[Part] = field(default_factory=list)
    form: bool = False


def read_body(raw: bytes, content_type: str) -> Body:
    """The body. Raises ValidationFailed (`body`), UnsupportedBody."""
    kind, charset = _kind(content_type)
    if not raw and kind not in {"multipart/form-data"}:
        return Body(None)
    if kind == "application/json" or kind.endswith("+json"):
        return Body(clean(parse_json(raw, "body")))
    if kind == "application/x-www-form-urlencoded":
        return Body(_form(raw), form=True)
    if kind == "multipart/form-data":
        return _multipart(raw, content_type)
    if kind.startswith("text/") or not kind or kind == "application/xml" or kind.endswith("+xml"):
        return Body(_text(raw, charset))
    raise UnsupportedBody(params={"type": kind[:100]})


def _kind(content_type: str) -> tuple[str, str]:
    """(media type, charset) of a Content-Type header."""
    head = Message()
    head["content-type"] = content_type or "text/plain"
    charset = head.get_param("charset", "utf-8")
    return (head.get_content_type() if content_type else ""), charset if isinstance(charset, str) else "utf-8"


def _text(raw: bytes, charset: str) -> str:
    try:
        return clean(raw.decode(charset))
    except (LookupError, UnicodeDecodeError):
        raise ValidationFailed(fields={"body": [f"is not text in {charset[:40]}"]}) from None


def _form(raw: bytes) -> dict[str, JsonValue]:
    if raw.count(b"&") >= MOST_PARTS:
        raise _too_many()
    try:
        return values_of(QueryDict(raw, encoding="utf-8").lists())
    except (SuspiciousOperation, BadRequest, UnicodeDecodeError):
        raise ValidationFailed(fields={"body": ["is no form"]}) from None


def values_of(lists: Iterable[tuple[str, list[Any]]]) -> dict[str, JsonValue]:
    """{name: text, or list of texts where the name came several times}."""
    values: Mapping[str, Any] = {name: items[0] if len(items) == 1 else list(items) for name, items in lists if items}
    return clean(dict(values))


def _multipart(raw: bytes, content_type: str) -> Body:
    meta = {"CONTENT_TYPE": content_type, "CONTENT_LENGTH": len(raw)}
    try:
        parser = MultiPartParser(meta, io.BytesIO(raw), [_InMemory()], "utf-8")
        fields, files = parser.parse()
    except MultiPartParserError as error:
        raise ValidationFailed(fields={"body": [f"is no form: {str(error)[:200]}"]}) from None
    except (RequestDataTooBig, SuspiciousOperation):
        raise _too_many() from None
    return Body(values_of(fields.lists()), _parts(files), form=True)


class _InMemory(MemoryFileUploadHandler):
    """Keeps files in memory: the whole body is there already."""

    def handle_raw_input(self, *args: Any, **kwargs: Any) -> None:
        """Whatever the length."""
        self.activated = True


def _parts(files: MultiValueDict[str, Any]) -> list[Part]:
    files_by_name = [(name, item) for name, items in files.lists() for item in items]
    if len(files_by_name) > MOST_FILES:
        raise _too_many()
    return [
        Part(name, item.name or "file", mime_of(item.name or "file", item.content_type), item.read())
        for name, item in files_by_name
    ]


def _too_many() -> ValidationFailed:
    return ValidationFailed(fields={"body": [f"has more than {MOST_PARTS} fields or {MOST_FILES} files"]})
