"""JSON out of what a model wrote, which is not always JSON alone. Pure.

Models wrap their JSON in code fences, think aloud before it or explain it afterwards; that is read over. What is
not JSON in any of these places is an error with a sentence that the model can act on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NoReturn

from backend.tools.types import JsonObject, JsonValue

_FENCED = re.compile(r"```[A-Za-z0-9_-]*\s*\n(.*?)```", re.DOTALL)
_THOUGHTS = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_OPENING = re.compile(r"[{\[]")

MAX_STARTS = 50
"""Places in a text at which a JSON value is looked for."""


class NotJson(ValueError):
    """A text holds no JSON value; its message says why, for the model."""


def read_json(text: str) -> JsonValue:
    """The JSON value in `text`: the whole of it, in a code fence, or amid other words. Raises NotJson."""
    plain = _THOUGHTS.sub("", text).strip()
    if not plain:
        raise NotJson("the answer is empty")
    first: NotJson | None = None
    for candidate in (plain, *(match.strip() for match in _FENCED.findall(plain))):
        try:
            return strict_json(candidate)
        except NotJson as error:
            first = first or error
    for value in _amid(plain):
        return value
    raise first or NotJson("the answer is not JSON")


def read_arguments(text: str) -> JsonObject:
    """The arguments of a tool call; no text at all counts as none. Raises NotJson."""
    if not text.strip():
        return {}
    value = strict_json(text)
    if isinstance(value, str):  # some endpoints encode them twice
        value = strict_json(value)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise NotJson("the arguments must be one JSON object")
    return value


def strict_json(text: str) -> JsonValue:
    """The whole text as JSON, without NaN and infinities. Raises NotJson."""
    try:
        value: JsonValue = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise NotJson(str(error)[:300]) from None
    return value


def _amid(text: str) -> Iterator[JsonValue]:
    decoder = json.JSONDecoder(parse_constant=_refuse)
    for count, opening in enumerate(_OPENING.finditer(text)):
        if count == MAX_STARTS:
            return
        try:
            value, _ = decoder.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            continue
        yield value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
