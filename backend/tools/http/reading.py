"""An answer as outputs: status, headers, a body that was parsed, or a file where it is no text or a large one. Pure."""

from __future__ import annotations

import json
import mimetypes
import re
from collections.abc import Sequence
from dataclasses import dataclass
from email.message import Message
from pathlib import PurePosixPath
from typing import NoReturn
from urllib.parse import unquote

import httpx2

from backend.json_types import JsonObject, JsonValue
from backend.net.masking import MIN_LENGTH, Masker
from backend.tools.types import ToolResult

MOST_TEXT = 1024 * 1024
"""Bytes of an answer above which it is a file."""
_TEXTS = re.compile(
    r"text/|application/(?:[\w.-]*\+)?(?:json|xml|yaml)\b|application/(?:x-)?(?:javascript|ecmascript|ndjson|sql|"
    r"yaml|www-form-urlencoded|graphql|toml)\b|image/svg\+xml",
    re.IGNORECASE,
)
_JSON = re.compile(r"(?:application|text)/(?:[\w.-]+\+)?json\b", re.IGNORECASE)
UNKNOWN = "application/octet-stream"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back; `text` None where it becomes a file, of which `name` and `mime` are known. `parsed` = it is JSON,
    and `body` its value."""

    status: int
    headers: dict[str, str]
    data: bytes
    text: str | None
    parsed: bool
    body: JsonValue
    mime: str
    name: str

    def result(self, file: JsonObject | None, wait: float | None, *, is_error: bool, ms: float) -> ToolResult:
        """As it stands in the log; `file` in the place of what is no text, `wait` = seconds that it asks to wait."""
        text = self.text or ""
        content: list[JsonObject] = [{"type": "text", "text": text}] if text else []
        structured: JsonObject = {"status": self.status, "headers": dict[str, JsonValue](self.headers)}
        if file is not None:
            structured["body"] = file
        elif self.parsed:
            structured["body"] = self.body
        if wait is not None:
            structured["retry_after"] = wait
        return ToolResult(content, structured, text, is_error=is_error, ms=ms)


def read(response: httpx2.Response, data: bytes, secrets: Sequence[str]) -> Answer:
    """The answer without the secrets that were sent, also where the other side says them back."""
    masker, charset = Masker(secrets), response.charset_encoding
    mime = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    text = _decoded(data, mime, charset) if len(data) <= MOST_TEXT else None
    parsed, body = _parsed(text, mime) if text is not None else (False, None)
    return Answer(
        status=response.status_code,
        headers={name.lower(): masker.text(value) for name, value in response.headers.items()},
        data=_without(data, mime, charset, masker, secrets) if text is None else b"",
        text=None if text is None else masker.text(text),
        parsed=parsed,
        body=masker.value(body),
        mime=mime or UNKNOWN,
        name=masker.text(_name(response, mime)),
    )


def is_text(mime: str) -> bool:
    """Whether a kind of content is text for people or programs."""
    return bool(_TEXTS.match(mime))


def _decoded(data: bytes, mime: str, charset: str | None) -> str | None:
    """The text, None where it is none."""
    if mime and not is_text(mime):
        return None
    if not mime and b"\0" in data:
        return None
    try:
        return data.decode(charset or "utf-8")
    except (UnicodeDecodeError, LookupError):
        return data.decode("utf-8", "replace") if mime else None


def _parsed(text: str, mime: str) -> tuple[bool, JsonValue]:
    """(whether a text is JSON and does not say that it is something else, its value)."""
    if mime and not _JSON.match(mime):
        return False, None
    try:
        return True, json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return False, None


def _no_number(text: str) -> NoReturn:
    raise ValueError(text)


def _without(data: bytes, mime: str, charset: str | None, masker: Masker, secrets: Sequence[str]) -> bytes:
    """What becomes a file, without secrets: a text is masked as any, other bytes keep their length."""
    if not masker:
        return data
    if is_text(mime):
        text = _decoded(data, mime, charset)
        return data if text is None else masker.text(text).encode("utf-8", "replace")
    for secret in secrets:
        raw = secret.encode("utf-8", "surrogatepass")
        if len(raw) >= MIN_LENGTH:
            data = data.replace(raw, b"*" * len(raw))
    return data


def _name(response: httpx2.Response, mime: str) -> str:
    """What the file is called: as the answer says, else by the address."""
    header = Message()
    header["content-disposition"] = response.headers.get("content-disposition", "")
    filename = header.get_filename() or unquote(PurePosixPath(response.url.path).name)
    name = re.sub(r"[\x00-\x1f\x7f/\\]", "_", filename).strip(". ")[-200:] or "answer"
    if not PurePosixPath(name).suffix:
        name += mimetypes.guess_extension(mime) or ""
    return name
