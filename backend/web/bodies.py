"""Bodies of requests: strict JSON, refused with the place and the reason, before anything walks it.

Refused: doubled keys, NaN and infinities, too deep, not UTF-8. What JSON can say and a database cannot hold (NUL, lone
surrogates) passes: fields and stored documents see to it themselves.
"""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from django.conf import settings
from rest_framework.parsers import BaseParser

from backend.errors import TooLarge, ValidationFailed

MOST_DEPTH = 200
"""Deepest nesting, so that nothing that walks a body recurses too deeply."""


def refuse(field: str, text: str) -> NoReturn:
    """Raise ValidationFailed that says `text` of `field`."""
    raise ValidationFailed(fields={field: [text]})


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys stand once each."""
    parsed = dict(pairs)
    if len(parsed) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise ValueError(f"the key {json.dumps(key)} stands twice in one object")
            seen.add(key)
    return parsed


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"the number {text[:40]} is too large")
    return number


def parse_json(raw: bytes | str, field: str = "") -> Any:
    """A JSON value from text. Raises ValidationFailed naming `field` and why."""
    try:
        text = raw.decode("utf-8-sig") if isinstance(raw, bytes) else raw
    except UnicodeDecodeError as error:
        refuse(field, f"is not UTF-8 (byte {error.start})")
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant, parse_float=_finite)
    except RecursionError:
        refuse(field, f"is nested more than {MOST_DEPTH} levels deep")
    except ValueError as error:
        refuse(field, f"is not acceptable JSON: {_ascii(str(error))[:300]}")
    check_depth(value, field)
    return value


def check_depth(value: Any, field: str = "") -> None:
    """Raise ValidationFailed where `value` is nested too deeply. Without recursion."""
    level, todo = 0, [value]
    while todo:
        if level > MOST_DEPTH:
            refuse(field, f"is nested more than {MOST_DEPTH} levels deep")
        below: list[Any] = []
        for item in todo:
            if isinstance(item, dict):
                below += [child for child in item.values() if isinstance(child, dict | list)]
            elif isinstance(item, list):
                below += [child for child in item if isinstance(child, dict | list)]
        level, todo = level + 1, below


def _ascii(text: str) -> str:
    return text.encode("ascii", "backslashreplace").decode()


def read(stream: Any, most: int) -> bytes:
    """The bytes of a body. Raises TooLarge where there are more than `most`."""
    raw: bytes = stream.read(most + 1)
    if len(raw) > most:
        raise TooLarge(params={"limit": f"{most / 1024 / 1024:.0f}"})
    return raw


class JsonParser(BaseParser):
    """The parser of all views: JSON as `parse_json` takes it, of bounded size; no body at all is an empty object."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        """The value. Raises ValidationFailed, TooLarge."""
        return parse_json(read(stream, self.most())) if stream is not None else {}

    def most(self) -> int:
        """Bytes of a body."""
        return int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
