"""The text of graph documents: strict JSON in (`accounts.bodies`), the same JSON value out.

What JSON can say and a database cannot hold (NUL, lone surrogates) is kept safely, because documents are stored as
ASCII text with escapes.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from rest_framework.parsers import BaseParser

from backend.errors import TooLarge
from backend.web.bodies import parse_json, refuse
from backend.web.json_answers import AnswerEncoder, AnswerRenderer

_HALVES = re.compile("[\ud800-\udfff]")
ENVELOPE = 64 * 1024
"""Bytes of a request around its document."""


def text_of(graph: Mapping[str, object]) -> str:
    """A document as it is stored: compact ASCII, keys in the order they came."""
    return json.dumps(graph, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def size_of(graph: Mapping[str, object]) -> int:
    """Bytes of a document as UTF-8, the measure of the limit (the stored form writes other letters as escapes)."""
    text = json.dumps(graph, ensure_ascii=False, separators=(",", ":"))
    return len(text.encode("utf-8", "surrogatepass"))


def readable_text(graph: dict[str, Any]) -> str:
    """A document for people to read: indented, letters as they are; only halves of surrogate pairs are escaped."""
    text = json.dumps(graph, ensure_ascii=False, allow_nan=False, indent=2) + "\n"
    return _HALVES.sub(lambda half: f"\\u{ord(half.group()):04x}", text)


def graph_of(text: str) -> Any:
    """The document of a stored text: of what runs a `GraphJson`, of a draft an object that may hold anything."""
    return json.loads(text)


def same(left: str, right: str) -> bool:
    """Whether two stored texts hold the same JSON value (the order of keys does not count)."""
    if left == right:
        return True
    return json.dumps(json.loads(left), sort_keys=True) == json.dumps(json.loads(right), sort_keys=True)


def limit_bytes() -> int:
    """Largest document."""
    return int(settings.PATCHBAY.max_graph_mb * 1024 * 1024)


def check_graph(graph: Any, field: str = "graph") -> dict[str, Any]:
    """`graph` when it may be saved: an object with `schema` 1; its problems are no matter. Raises ValidationFailed."""
    if not isinstance(graph, dict):
        refuse(field, "must be an object")
    schema = graph.get("schema")
    if schema != 1 or isinstance(schema, bool):
        refuse(f"{field}.schema" if field else "schema", "must be 1")
    return graph


class StrictJsonParser(BaseParser):
    """Request bodies of this room: JSON as `parse_json` takes it, no larger than a document may be."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        """The value. Raises ValidationFailed, TooLarge."""
        return parse_json(_read(stream)) if stream is not None else {}


class TextParser(BaseParser):
    """A document sent as it is in a file: `{"text": …}`."""

    media_type = "application/yaml"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        """The text. Raises ValidationFailed, TooLarge."""
        try:
            return {"text": _read(stream).decode("utf-8-sig")}
        except UnicodeDecodeError as error:
            refuse("", f"is not UTF-8 (byte {error.start})")


class PlainTextParser(TextParser):
    """The same under the name that browsers give unknown files."""

    media_type = "text/plain"


def _read(stream: Any) -> bytes:
    most = 2 * limit_bytes() + ENVELOPE  # escapes may double a document; its own size is checked when it is saved
    raw: bytes = stream.read(most + 1)
    if len(raw) > most:
        raise TooLarge(params={"limit": f"{settings.PATCHBAY.max_graph_mb:g}"})
    return raw


class JsonText:
    """A stored document inside an answer: its text is put in place as it stands."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.token = f"document:{uuid.uuid4().hex}"


class _Encoder(AnswerEncoder):
    def default(self, obj: Any) -> Any:
        return obj.token if isinstance(obj, JsonText) else super().default(obj)


class DocumentRenderer(AnswerRenderer):
    """JSON answers in ASCII (lone surrogates survive), with `JsonText` put in place unparsed."""

    encoder_class = _Encoder
    ensure_ascii = True
    charset = None

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> Any:
        """The bytes of the answer."""
        body = super().render(data, accepted_media_type, renderer_context)
        for document in _documents(data):
            body = body.replace(f'"{document.token}"'.encode(), document.text.encode("ascii"), 1)
        return body


def _documents(data: Any) -> list[JsonText]:
    """The stored documents in an answer: they stand at most three levels deep."""
    documents, todo = [], [data]
    for _ in range(4):
        below: list[Any] = []
        for item in todo:
            if isinstance(item, JsonText):
                documents.append(item)
            elif isinstance(item, dict):
                below += item.values()
        todo = below
    return documents
