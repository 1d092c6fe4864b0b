"""The file of a backup: a compressed tar of a manifest, the key file, and every table's rows as lines of JSON.

    manifest.json            format, version, migrations, tables with their columns, a value that only a right key reads
    secret.key               the keys of stored secrets, unless they are kept elsewhere
    *_presets.json           the installation's own presets
    tables/<table>/<n>.jsonl rows, a list of values per line, some megabytes per part
    checksums.json           SHA-256 of every member before it, and the rows per table; without it the file is cut off

Rows are written in one form for both databases, so that a backup of an embedded installation can be restored into a
scaled one and the other way round. Nothing is kept in memory but the part at hand.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import tarfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import IO, Any

from django.db import connection, models

FORMAT = 1
MANIFEST, KEY, CHECKSUMS = "manifest.json", "secret.key", "checksums.json"
PART_BYTES = 4 * 1024 * 1024

_KINDS: list[tuple[type[models.Field[Any, Any]], str]] = [
    (models.BinaryField, "bytes"),
    (models.DateTimeField, "time"),
    (models.DateField, "date"),
    (models.BooleanField, "bool"),
    (models.JSONField, "json"),
]

_AS_THEY_ARE = frozenset({"plain", "json"})
_line = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

Columns = list[tuple[str, str]]
"""(name, kind) of each; kinds: bytes, time, date, bool, json, plain."""


class Damaged(Exception):
    """The file is no backup, cut off, or not what was written. The text says which."""


def kind_of(column: models.Field[Any, Any]) -> str:
    """How values of this column are written."""
    target = column.target_field if isinstance(column, models.ForeignKey) else column
    return next((kind for type_, kind in _KINDS if isinstance(target, type_)), "plain")


def to_json(value: Any, kind: str) -> Any:
    """A value as the database's driver gave it, as JSON."""
    if value is None:
        return None
    match kind:
        case "bytes":
            return base64.b64encode(bytes(value)).decode()
        case "time":
            moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
        case "date":
            return str(value)
        case "bool":
            return bool(value)
    return value


def from_json(value: Any, kind: str) -> Any:
    """The inverse of `to_json`, as this database's driver takes it."""
    if value is None:
        return None
    match kind:
        case "bytes":
            return base64.b64decode(value)
        case "time":
            return connection.ops.adapt_datetimefield_value(datetime.fromisoformat(value))
        case "date":
            return connection.ops.adapt_datefield_value(date.fromisoformat(value))
    return value


@dataclass
class Written:
    """What was written so far: SHA-256 by member, rows by table."""

    members: dict[str, str] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)


class Writer:
    """Writes an archive to an open file."""

    def __init__(self, file: IO[bytes]) -> None:
        self._packed = gzip.GzipFile("", "wb", 3, file)
        self._tar = tarfile.open(fileobj=self._packed, mode="w|")  # noqa: SIM115 - closed by `finish`
        self.written = Written()

    def member(self, name: str, data: bytes) -> None:
        """Add one member."""
        entry = tarfile.TarInfo(name)
        entry.size, entry.mode, entry.mtime = len(data), 0o600, int(time.time())
        self._tar.addfile(entry, io.BytesIO(data))
        self.written.members[name] = hashlib.sha256(data).hexdigest()

    def table(self, name: str, kinds: list[str], rows: Iterator[tuple[Any, ...]]) -> None:
        """Add a table's rows, in parts."""
        part, size, number, count = bytearray(), 0, 0, 0
        special = [(place, kind) for place, kind in enumerate(kinds) if kind not in _AS_THEY_ARE]
        for row in rows:
            values = list(row)
            for place, kind in special:
                values[place] = to_json(values[place], kind)
            line = _line(values).encode("utf-8", "surrogatepass")
            part += line + b"\n"
            size, count = len(part), count + 1
            if size >= PART_BYTES:
                self.member(f"tables/{name}/{number}.jsonl", bytes(part))
                part, number = bytearray(), number + 1
        if part:
            self.member(f"tables/{name}/{number}.jsonl", bytes(part))
        self.written.rows[name] = count

    def finish(self) -> None:
        """Write the checksums and the end."""
        body = {"members": dict(self.written.members), "rows": self.written.rows}
        self.member(CHECKSUMS, json.dumps(body).encode())
        self._tar.close()
        self._packed.close()


class Reader:
    """Reads an archive once, from its beginning to its end, and notices what was changed on the way."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._read = Written()
        self._sums: dict[str, Any] | None = None

    def members(self) -> Iterator[tuple[str, bytes]]:
        """(name, content) of every member but the checksums, the manifest first. Raises Damaged."""
        try:
            with tarfile.open(fileobj=self._file, mode="r|*") as tar:
                for entry in tar:
                    handle = tar.extractfile(entry)
                    if handle is None:
                        raise Damaged("This file is not a backup of Patchbay.")
                    data = handle.read()
                    if not self._read.members and entry.name != MANIFEST:
                        raise Damaged("This file is not a backup of Patchbay.")
                    if entry.name == CHECKSUMS:
                        self._sums = json.loads(data)
                        continue
                    self._read.members[entry.name] = hashlib.sha256(data).hexdigest()
                    yield entry.name, data
        except (tarfile.TarError, EOFError, OSError, ValueError) as error:
            whole = "is cut off or damaged" if self._read.members else "is not a backup of Patchbay"
            raise Damaged(f"This file {whole}: {error}.") from error

    def count(self, table: str, rows: int) -> None:
        """Rows of a table were taken over."""
        self._read.rows[table] = self._read.rows.get(table, 0) + rows

    def check(self) -> None:
        """Compare what was read with what had been written. Raises Damaged."""
        if self._sums is None:
            raise Damaged("This file is cut off: its end is missing.")
        if self._sums["members"] != self._read.members:
            raise Damaged("This file is damaged: its content is not what was written.")
        for table, rows in self._sums["rows"].items():
            if self._read.rows.get(table, 0) != rows:
                raise Damaged(f"This file is damaged: rows of {table} are missing.")
