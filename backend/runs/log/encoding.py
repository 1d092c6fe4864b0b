"""How values become text in the database, and how large ones become blobs.

Columns are text, not `jsonb`: one NUL, NaN or lone surrogate in one row would fail the whole batch of many runs. The
text written here is always valid UTF-8 without NUL (both stand escaped inside JSON strings, nothing is lost) and valid
JSON (NaN and the infinities, which JSON lacks, become null).
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import NoneType
from typing import Any, TypedDict

from backend.database.ids import derived_id
from backend.files import parts

Reference = TypedDict("Reference", {"$ref": str, "size": int, "preview": str})
"""What stands in an event instead of a large value."""

INLINE_LIMIT = 16 * 1024
"""Bytes up to which a value stays in its row; above it becomes a blob."""

_PREVIEW = 200
_DEPTH = 8
"""Levels of a value that are looked through for what is large: each costs writing it once more."""

_Place = tuple[str | int, ...]
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
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _ascii(value)
    return text


_read = json.JSONDecoder().raw_decode
"""For what we wrote ourselves, which nothing stands before or behind: half the time of `json.loads` for short texts."""


_SHORTEST: dict[str, Callable[[], Any]] = {"": NoneType, "null": NoneType, "{}": dict, "[]": list}
"""What most columns of a run hold: it needs no reading."""


def decode(text: str) -> Any:
    """Inverse of `encode`; empty text is None."""
    shortest = _SHORTEST.get(text)
    return shortest() if shortest is not None else _read(text)[0]


def plain(text: str, limit: int | None = None) -> str:
    """A text column's value: what no database takes is replaced by U+FFFD."""
    if text.isascii() and "\x00" not in text:
        clean = text
    else:
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


def blob_of(team_id: str, data: bytes) -> BlobRow:
    """The blob with these bytes; the same bytes have the same id in a team (`files.services.blob_key`)."""
    digest = hashlib.sha256(data).hexdigest()
    return BlobRow(derived_id("blob", team_id, digest), digest, data)


def reference(id_: str, size: int, value: Any, text: str) -> Reference:
    """What stands in an event instead of a large value: `{"$ref": id, size, preview}`."""
    preview = value if isinstance(value, str) else text[: 2 * _PREVIEW]
    return {"$ref": id_, "size": size, "preview": plain(preview[:_PREVIEW])}


def encode_value(team_id: str, value: Any, place: str, pieces: Pieces | None = None) -> Encoded:
    """A value as text, or as a reference to a blob at `place` when it is large."""
    text = encode(value)
    size = _size(text)
    if size <= INLINE_LIMIT:
        return Encoded(text)
    pieces = pieces or Pieces(team_id)
    row = pieces.of(value, text)
    return Encoded(encode(reference(row.id, size, value, text)), [place], pieces.under(row))


def encode_object(team_id: str, value: dict[str, Any], place: str, pieces: Pieces | None = None) -> Encoded:
    """An object as text; its large members become references at `place.<name>`, the object itself stays readable."""
    text = encode(value)
    if _size(text) <= INLINE_LIMIT:
        return Encoded(text)
    pieces = pieces or Pieces(team_id)
    members = {name: encode_value(team_id, inner, f"{place}.{name}", pieces) for name, inner in value.items()}
    text = "{" + ",".join(f"{encode(name)}:{member.text}" for name, member in members.items()) + "}"
    return Encoded(
        text,
        [ref for member in members.values() for ref in member.refs],
        [row for member in members.values() for row in member.blobs],
    )


def _size(text: str) -> int:
    """Bytes of the text; of a short one not more than so many."""
    most = len(text) * 4
    return most if most <= INLINE_LIMIT else len(text.encode())


class Pieces:
    """Cuts large values into blobs so that what is large in several of them is stored once (`files.parts`).

    It keeps in mind what it cut, by the objects themselves, which it holds: the lines of one step mostly hold the very
    same object. For the lines of one run in one batch.
    """

    def __init__(self, team_id: str) -> None:
        self._team = team_id
        self._rows: dict[str, BlobRow] = {}
        self._named: dict[str, list[str]] = {}
        self._seen: dict[int, tuple[Any, BlobRow]] = {}
        self._looked: dict[int, tuple[Any, list[tuple[Any, Any, str]]]] = {}

    def of(self, value: Any, text: str, depth: int = 0) -> BlobRow:
        """The blob that stands for a large value whose JSON is `text`."""
        known = self._seen.get(id(value))
        if known is not None:
            return known[1]
        skeleton, cut = self._cut(value, text, depth)
        row = blob_of(self._team, parts.written(encode(skeleton), cut) if cut else text.encode())
        row = self._rows.setdefault(row.id, row)
        self._named[row.id] = [id_ for _, id_ in cut]
        self._seen[id(value)] = value, row
        return row

    def under(self, row: BlobRow) -> list[BlobRow]:
        """The blob with all that it is put together from, each once."""
        blobs = {row.id: row}
        for id_ in (waiting := list(self._named[row.id])):
            if id_ not in blobs:
                blobs[id_] = self._rows[id_]
                waiting += self._named[id_]
        return list(blobs.values())

    def _cut(self, value: Any, text: str, depth: int) -> tuple[Any, list[tuple[_Place, str]]]:
        """The value, whose JSON is `text`, without what is large in it, and (place, blob) of that; nothing where it is
        of one piece."""
        if depth >= _DEPTH or not isinstance(value, dict | list | tuple):
            return value, []
        if isinstance(value, dict) and not all(isinstance(key, str) for key in value):
            return value, []
        large = self._large_in(value, text)
        if not large:
            return value, []
        skeleton: Any = dict(value) if isinstance(value, dict) else list(value)
        cut: list[tuple[_Place, str]] = []
        for member, inner, written in large:
            rest, deeper = self._cut(inner, written, depth + 1)
            if deeper and _large(rest) is None:
                skeleton[member] = rest
                cut += [((member, *place), id_) for place, id_ in deeper]
            else:
                skeleton[member] = None
                cut.append(((member,), self.of(inner, written, depth + 1).id))
        return skeleton, cut

    def _large_in(self, value: Any, text: str) -> list[tuple[Any, Any, str]]:
        """(key, member, its JSON) of what is large in a value; looked for once, and without writing an only member
        again: its JSON stands in the value's."""
        known = self._looked.get(id(value))
        if known is not None:
            return known[1]
        members = list(value.items() if isinstance(value, dict) else enumerate(value))
        key, inner = members[0] if members else ("", None)
        begins = f"{{{encode(key)}:" if isinstance(value, dict) else "["
        if len(members) == 1 and isinstance(inner, dict | list | tuple) and inner and text.startswith(begins):
            alone = text[len(begins) : -1]
            large = [(key, inner, alone)] if _size(alone) > INLINE_LIMIT else []
        else:
            large = [(key, inner, written) for key, inner in members if (written := _large(inner)) is not None]
        self._looked[id(value)] = value, large
        return large


def _large(value: Any) -> str | None:
    """The JSON text of a value that is too large for its row."""
    if isinstance(value, str):
        if len(value) * 6 + 2 <= INLINE_LIMIT:
            return None
    elif not isinstance(value, dict | list | tuple) or not value:
        return None
    text = encode(value)
    return text if _size(text) > INLINE_LIMIT else None
