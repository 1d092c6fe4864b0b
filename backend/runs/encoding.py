"""How values become text in the database, and how large ones become blobs.

Columns are text, not `jsonb`: one NUL, NaN or lone surrogate in one row would fail the whole batch of many runs. The
text written here is always valid UTF-8 without NUL (both stand escaped inside JSON strings, nothing is lost) and valid
JSON (NaN and the infinities, which JSON lacks, become null).
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from backend.accounts.ids import derived_id

INLINE_LIMIT = 16 * 1024
"""Bytes up to which a value stays in its row; above it becomes a blob."""

_PREVIEW = 200
_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
_ascii = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode


def _finite(value: Any) -> Any:
    """The value with null where a number is not finite."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return value


def encode(value: Any) -> str:
    """JSON text that both databases and every browser take. Raises TypeError for what is no JSON value."""
    try:
        text = _compact(value)
    except ValueError as error:
        if "Circular" in str(error):
            raise TypeError("the value contains itself") from None
        value = _finite(value)
        text = _compact(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        return _ascii(value)
    return text


def decode(text: str) -> Any:
    """Inverse of `encode`; empty text is None."""
    return json.loads(text) if text else None


def plain(text: str, limit: int | None = None) -> str:
    """A text column's value: what no database takes is replaced by U+FFFD."""
    clean = text.replace("\x00", "�").encode("utf-8", "replace").decode()
    return clean if limit is None else clean[:limit]


def iso(ts: float) -> str:
    """Epoch seconds as the API writes times: ISO 8601, UTC, milliseconds."""
    return datetime.fromtimestamp(ts, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass(slots=True)
class BlobRow:
    """Bytes to store once per team."""

    id: str
    sha256: str
    data: bytes


@dataclass(slots=True)
class Encoded:
    """The texts of one value with what was moved out of it. `refs` are the places of ours: `["output"]`."""

    text: str
    refs: list[str] = field(default_factory=list)
    blobs: list[BlobRow] = field(default_factory=list)


def blob_of(team_id: str, text: str) -> BlobRow:
    """The blob that holds `text`; the same text has the same id in a team (`files.services.blob_key`)."""
    data = text.encode()
    digest = hashlib.sha256(data).hexdigest()
    return BlobRow(derived_id("blob", team_id, digest), digest, data)


def reference(row: BlobRow, value: Any, text: str) -> dict[str, Any]:
    """What stands in an event instead of a large value: `{"$ref": id, size, preview}`."""
    preview = value if isinstance(value, str) else text[: 2 * _PREVIEW]
    return {"$ref": row.id, "size": len(row.data), "preview": plain(preview[:_PREVIEW])}


def encode_value(team_id: str, value: Any, place: str) -> Encoded:
    """A value as text, or as a reference to a blob at `place` when it is large."""
    text = encode(value)
    if len(text) * 4 <= INLINE_LIMIT or len(text.encode()) <= INLINE_LIMIT:
        return Encoded(text)
    row = blob_of(team_id, text)
    return Encoded(encode(reference(row, value, text)), [place], [row])


def encode_object(team_id: str, value: dict[str, Any], place: str) -> Encoded:
    """An object as text; its large members become references at `place.<name>`, the object itself stays readable."""
    text = encode(value)
    if len(text) * 4 <= INLINE_LIMIT or len(text.encode()) <= INLINE_LIMIT:
        return Encoded(text)
    members = {name: encode_value(team_id, inner, f"{place}.{name}") for name, inner in value.items()}
    text = "{" + ",".join(f"{encode(name)}:{member.text}" for name, member in members.items()) + "}"
    return Encoded(
        text,
        [ref for member in members.values() for ref in member.refs],
        [row for member in members.values() for row in member.blobs],
    )
