"""Values as the journal can hold them: no NUL, no lone surrogates, no NaN, no infinity.

What enters a run is cleaned once, where it enters, so that a replay from the journal sees exactly what the first pass
saw. Most values need nothing: one look at their JSON text tells.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, TypeVar

from backend.errors import ResultTooLarge

T = TypeVar("T")

MAX_DEPTH = 200
_BAD = re.compile("[\x00\ud800-\udfff]")


def clean(value: T) -> T:
    """`value` itself where it is clean, else a clean copy: NUL and lone surrogates become U+FFFD, NaN and inf null.

    Raises ResultTooLarge where it is nested too deep to be written. Values that JSON does not know become their text.
    """
    if value is None or value is True or value is False or type(value) is int:
        return value
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        text.encode()
        if "\\u0000" not in text:
            return value
    except (ValueError, TypeError, RecursionError):
        pass
    copy: T = _copy(value, 0)
    return copy


def clean_text(text: str) -> str:
    """The text with NUL and lone surrogates replaced."""
    return _BAD.sub("\ufffd", text)


def is_large(value: object, characters: int = 200_000, parts: int = 2_000) -> bool:
    """Whether looking through a value takes long enough to do it in a thread. Looks at `parts` places at most."""
    stack = [value]
    while stack:
        part = stack.pop()
        parts -= 1
        if isinstance(part, str):
            characters -= len(part)
        elif isinstance(part, dict):
            parts -= len(part)
            if parts > 0:
                stack.extend(part.values())
        elif isinstance(part, list):
            parts -= len(part)
            if parts > 0:
                stack.extend(part)
        if parts <= 0 or characters <= 0:
            return True
    return False


def _copy(value: Any, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise ResultTooLarge(params={"reason": "depth", "limit": MAX_DEPTH})
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {clean_text(str(key)): _copy(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_copy(item, depth + 1) for item in value]
    if value is None or isinstance(value, bool | int):
        return value
    return clean_text(str(value))
