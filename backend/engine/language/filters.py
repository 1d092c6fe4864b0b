"""The filters of expressions, the whole list. Pure functions over JSON values; none can make more than its input.

Null passes through every filter but `default` and `tojson`; what is missing passes through every filter but `default`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal
from enum import Enum
from typing import Final, Literal, TypeAlias

from backend.engine.language.clean import clean
from backend.errors import ResultTooLarge
from backend.tools.types import JsonLike, JsonValue

MAX_TEXT = 16_000_000
"""Characters that an expression may make."""

MAX_PARTS = 2_000_000
"""Parts (texts, numbers, lists, objects) that a text may be read into."""


class Missing(Enum):
    """What a path that leads nowhere gives."""

    MISSING = "MISSING"

    def __repr__(self) -> str:
        return self.value


MISSING: Final = Missing.MISSING
"""The value of a path that leads nowhere."""

ValueOrMissing: TypeAlias = JsonValue | Literal[Missing.MISSING]
"""What lies at a path."""
Filter: TypeAlias = Callable[..., ValueOrMissing]


class FilterFailed(Exception):
    """A filter cannot take this value; `got` names its type in JSON's words."""

    def __init__(self, value: object) -> None:
        self.got = json_type(value)
        super().__init__(self.got)


def text_too_long() -> ResultTooLarge:
    """The error of a text that grew beyond MAX_TEXT."""
    return ResultTooLarge(params={"reason": "text", "limit": MAX_TEXT // 1_000_000})


@dataclass(frozen=True, slots=True)
class Known:
    """A filter with the least and most number of its arguments."""

    apply: Filter
    least: int = 0
    most: int = 0


def json_type(value: object) -> str:
    """JSON's name of a value's type."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object" if isinstance(value, dict) else "value"


def to_text(value: JsonLike) -> str:
    """How a value stands in a text: null as nothing, text as it is, everything else as JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError as error:
        raise FilterFailed(value) from error


def _passing(apply: Filter) -> Filter:
    def through(value: ValueOrMissing, *arguments: JsonValue) -> ValueOrMissing:
        return value if value is None or value is MISSING else apply(value, *arguments)

    return through


def _default(value: ValueOrMissing, other: JsonValue) -> JsonValue:
    return other if value is None or value is MISSING else value


def _tojson(value: ValueOrMissing) -> ValueOrMissing:
    if value is MISSING:
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError as error:
        raise FilterFailed(value) from error


def _refuse(constant: str) -> JsonValue:
    raise ValueError(constant)


def _fromjson(value: JsonValue) -> JsonValue:
    if not isinstance(value, str):
        raise FilterFailed(value)
    if _parts(value) > MAX_PARTS:
        raise ResultTooLarge(params={"reason": "parts", "limit": MAX_PARTS})
    try:
        read: JsonValue = json.loads(value, parse_constant=_refuse)
        return clean(read)
    except (ValueError, RecursionError) as error:
        raise FilterFailed(value) from error


_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\Z)', re.DOTALL)


def _parts(text: str) -> int:
    """How many parts a JSON text has, more or less; never too few."""
    count: Callable[[str], int] = lambda of: of.count(",") + of.count("[") + of.count("{")  # noqa: E731 - one expression, named
    seen = count(text)
    return 1 + (seen if seen <= MAX_PARTS else count(_STRING.sub("", text)))


def _join(value: JsonValue, between: JsonValue = "") -> JsonValue:
    if not isinstance(value, list):
        raise FilterFailed(value)
    separator = to_text(between)
    size = len(separator) * len(value)
    pieces: list[str] = []
    for item in value:
        if size > MAX_TEXT:
            raise text_too_long()
        pieces.append(piece := to_text(item))
        size += len(piece)
    if size > MAX_TEXT:
        raise text_too_long()
    return separator.join(pieces)


def _length(value: JsonValue) -> JsonValue:
    if not isinstance(value, str | list | dict):
        raise FilterFailed(value)
    return len(value)


def _first(value: JsonValue) -> ValueOrMissing:
    if not isinstance(value, str | list):
        raise FilterFailed(value)
    return value[0] if value else MISSING


def _last(value: JsonValue) -> ValueOrMissing:
    if not isinstance(value, str | list):
        raise FilterFailed(value)
    return value[-1] if value else MISSING


def _keys(value: JsonValue) -> JsonValue:
    if not isinstance(value, dict):
        raise FilterFailed(value)
    return list(value)


def _values(value: JsonValue) -> JsonValue:
    if not isinstance(value, dict):
        raise FilterFailed(value)
    return list(value.values())


def _scalar_text(value: JsonValue) -> str:
    if isinstance(value, list | dict):
        raise FilterFailed(value)
    return to_text(value)


def _round(value: JsonValue, digits: JsonValue = 0) -> JsonValue:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise FilterFailed(value)
    if isinstance(digits, bool) or not isinstance(digits, int) or not 0 <= digits <= 15:
        raise FilterFailed(digits)
    if isinstance(value, int) or abs(value) >= 1e15:
        return value
    rounded = Decimal(repr(value)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    return int(rounded) if digits == 0 else float(rounded)


_CODE = re.compile(r"%(.)", re.DOTALL)
_PARTS: Final[dict[str, Callable[[datetime], str]]] = {
    "Y": lambda t: f"{t.year:04}",
    "y": lambda t: f"{t.year % 100:02}",
    "m": lambda t: f"{t.month:02}",
    "d": lambda t: f"{t.day:02}",
    "H": lambda t: f"{t.hour:02}",
    "M": lambda t: f"{t.minute:02}",
    "S": lambda t: f"{t.second:02}",
    "j": lambda t: f"{t.timetuple().tm_yday:03}",
    "%": lambda t: "%",
}


def _date(value: JsonValue, pattern: JsonValue = "%Y-%m-%d") -> JsonValue:
    """Epoch seconds (in UTC) or ISO text (by its own clock) as a date; codes %Y %y %m %d %H %M %S %j %%."""
    try:
        if isinstance(value, bool):
            raise ValueError
        if isinstance(value, int | float):
            moment = datetime.fromtimestamp(value, UTC)
        elif isinstance(value, str):
            moment = datetime.fromisoformat(value.strip())
        else:
            raise ValueError
        if not isinstance(pattern, str):
            raise ValueError
        return _CODE.sub(lambda m: _PARTS[m[1]](moment), pattern)
    except (ValueError, OverflowError, OSError, KeyError) as error:
        raise FilterFailed(value) from error


FILTERS: Final[dict[str, Known]] = {
    "default": Known(_default, 1, 1),
    "join": Known(_passing(_join), 0, 1),
    "tojson": Known(_tojson),
    "fromjson": Known(_passing(_fromjson)),
    "length": Known(_passing(_length)),
    "first": Known(_passing(_first)),
    "last": Known(_passing(_last)),
    "keys": Known(_passing(_keys)),
    "values": Known(_passing(_values)),
    "upper": Known(_passing(lambda v: _scalar_text(v).upper())),
    "lower": Known(_passing(lambda v: _scalar_text(v).lower())),
    "trim": Known(_passing(lambda v: _scalar_text(v).strip())),
    "round": Known(_passing(_round), 0, 1),
    "date": Known(_passing(_date), 0, 1),
}
