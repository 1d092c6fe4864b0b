"""What a resumed run reads of its own past: all of the steps that go on, and how those ended that are over.

The large values of the past are not read with it. They stand in the records as `StoredLater`, and what somebody needs
of them comes through one cache of so many bytes per process.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.db import connection

from backend.engine.execution.needed import Needed, outlives
from backend.engine.execution.ports import Entry
from backend.engine.language.later import Later
from backend.runs.log import rows
from backend.runs.log.encoding import Reference, decode
from backend.tools.types import JsonObject

AT_ONCE = 500
SMALL = 2048
"""Characters up to which a line's values are kept when its step is over."""
CACHED_BYTES = 32 * 1024 * 1024

PUT_AWAY = 64 * 1024
"""Bytes from which on an output is not held in memory once it is on the disk."""

Key = str | tuple[str, int]
"""A blob, or (run, position) of a line."""
_PAGE = (
    f"SELECT {rows.HISTORY} FROM runs_logline WHERE run_id = %s AND record <> '' AND position > %s "  # noqa: S608 - our own names only
    "ORDER BY position LIMIT %s"
)
_SOME = f"SELECT {rows.HISTORY} FROM runs_logline WHERE run_id = %s AND position IN ({{}}) ORDER BY position"  # noqa: S608 - our own names only
_LIST = "SELECT value, refs FROM runs_logline WHERE run_id = %s AND position = %s"
_DATA = "SELECT data, value FROM runs_logline WHERE run_id = %s AND position = %s"


class Cache:
    """Values that were read last, so many bytes of them as they are stored."""

    def __init__(self, most: int = CACHED_BYTES) -> None:
        self.most, self.size, self.reads = most, 0, 0
        self._lock = threading.Lock()
        self._values: OrderedDict[Key, tuple[Any, int]] = OrderedDict()

    def get(self, key: Key, size: int, read: Callable[[], Any]) -> Any:
        """The value; `read` where it is not there. One that would fill the cache alone is not kept."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key][0]
        value = read()
        with self._lock:
            self.reads += 1
            self._add(key, size, value)
        return value

    def keep(self, key: Key, size: int, value: Any) -> None:
        """A value that was stored just now."""
        with self._lock:
            self._add(key, size, value)

    def _add(self, key: Key, size: int, value: Any) -> None:
        if size * 4 <= self.most and key not in self._values:
            self._values[key] = value, size
            self.size += size
        while self.size > self.most:
            self.size -= self._values.popitem(last=False)[1][1]

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._values.clear()
            self.size = 0


CACHE = Cache()


class Stored:
    """Where the past of one run lies. `in_thread` is given by whoever runs it."""

    def __init__(self, run: str) -> None:
        self.run = run
        self.in_thread: Callable[..., Awaitable[Any]] | None = None

    def blob(self, reference: Reference, *members: str) -> StoredLater:
        """What a reference in a line stands for, or a member of it."""
        return StoredLater(self, reference["$ref"], reference["size"], members)

    def line(self, position: int, size: int, *members: str) -> StoredLater:
        """A member of a line: `"data"` or `"value"`, and what is in it."""
        return StoredLater(self, (self.run, position), size, members)


class StoredLater(Later):
    """A value in a blob or a line of the log."""

    __slots__ = ("_key", "_members", "_size", "_stored")

    def __init__(self, stored: Stored, key: Key, size: int, members: tuple[str, ...]) -> None:
        super().__init__()
        self._stored, self._key, self._size, self._members = stored, key, size, members

    async def read(self) -> Any:
        """The value. Raises what the database raises."""
        if self._stored.in_thread is None:
            raise RuntimeError("nobody runs this run")
        return await self._stored.in_thread(self._read)

    def read_now(self) -> Any:
        """The value, while the loop stands still."""
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(self._read_and_close).result()

    def _read_and_close(self) -> Any:
        try:
            return self._read()
        finally:
            connection.close()

    def _read(self) -> Any:
        value = CACHE.get(self._key, self._size, self._from_disk)
        for member in self._members:
            value = value[member]
        return value

    def _from_disk(self) -> Any:
        if isinstance(self._key, str):
            return rows.read_blobs([self._key])[self._key]
        with connection.cursor() as cursor:
            cursor.execute(_DATA, list(self._key))
            row = cursor.fetchone()
        if row is None:
            raise LookupError(f"no line {self._key}")
        return {"data": decode(row[0]), "value": decode(row[1])}


def read_past(stored: Stored, listed: int = 0, needed: Needed | None = None) -> list[Entry]:
    """The records that the engine replays from, in order: every record of steps that go on, the outcomes of others.

    `listed` = the newest line that says which of the records before it are needed; 0 where there is none. `needed` is
    told what of the log is needed by now.
    """
    past = _past(stored, listed)
    if needed is None:
        return [entry for _, entry in past]
    for position, entry in past:
        needed.add(position, entry)
    kept = set(needed.positions())
    return [entry for position, entry in past if position in kept]


def _past(stored: Stored, listed: int) -> list[tuple[int, Entry]]:
    going: dict[tuple[str, str], list[tuple[int, tuple[Any, ...]]]] = {}
    over: set[tuple[str, str]] = set()
    kept: list[tuple[int, Entry]] = []
    for row in _lines(stored.run, listed):
        position, node, path, record = row[0], row[3], row[4], row[7]
        step = (path, node)
        if record == "outcome":
            over.add(step)
            before = going.pop(step, [])
            stood = next(
                (entry_position for entry_position, item in reversed(before) if item[7] == "rounds"), 0
            )  # says what was set inside
            kept += [
                (entry_position, _eager(item))
                for entry_position, item in before
                if entry_position == stood or _outlives(item)
            ]
            kept.append((position, _outcome(stored, row)))
        elif step not in over:
            going.setdefault(step, []).append((position, row))
        elif _outlives(row):
            kept.append((position, _eager(row)))
    kept += [(entry_position, _record(stored, row)) for lines in going.values() for entry_position, row in lines]
    return sorted(kept, key=lambda item: item[0])


def _lines(run: str, listed: int) -> Iterator[tuple[Any, ...]]:
    """The rows of what was needed at the line `listed`, and all from there on."""
    before = _needed_at(run, listed) if listed else []
    for start in range(0, len(before), AT_ONCE):
        some = before[start : start + AT_ONCE]
        with connection.cursor() as cursor:
            cursor.execute(_SOME.format(",".join(["%s"] * len(some))), [run, *some])
            yield from cursor.fetchall()
    after = max(0, listed - 1)
    while True:
        with connection.cursor() as cursor:
            cursor.execute(_PAGE, [run, after, AT_ONCE])
            page = cursor.fetchall()
        yield from page
        if len(page) < AT_ONCE:
            return
        after = page[-1][0]


def _needed_at(run: str, listed: int) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(_LIST, [run, listed])
        text, refs = cursor.fetchone()
    value = decode(text)
    if refs:
        value = rows.read_blobs([value["$ref"]])[value["$ref"]]
    positions: list[int] = value["needed"]
    return positions


def _outlives(row: tuple[Any, ...]) -> bool:
    """Whether it counts when its step is over."""
    return row[7] in ("ask", "answer") and outlives(rows.entry_of(row, decode(row[13]) or {}, None))


def _eager(row: tuple[Any, ...]) -> Entry:
    """The line with all its values."""
    data, value, refs = decode(row[13]) or {}, decode(row[14]), decode(row[12]) or []
    blobs = rows.read_blobs(sorted(set(rows.ref_ids(data, value, refs)))) if refs else {}
    return rows.entry_of(row, *rows.resolved(data, value, refs, blobs))


def _outcome(stored: Stored, row: tuple[Any, ...]) -> Entry:
    """How a step ended: its variables and its error, its output where it lies."""
    data, refs = decode(row[13]) or {}, decode(row[12]) or []
    if "data.output" in refs:
        data["output"] = stored.blob(data["output"])
    elif len(row[13]) > SMALL and "output" in data:
        data["output"] = stored.line(row[0], len(row[13]), "data", "output")
    fails = data.get("port") is None
    wanted = [ref for ref in refs if ref == "data.vars" or (fails and ref in ("data.detail", "data.params"))]
    if wanted:
        data, _ = rows.resolved(data, None, wanted, rows.read_blobs([*rows.ref_ids(data, None, wanted)]))
    value = decode(row[14])
    if "value" in refs:
        value = rows.read_blobs([value["$ref"]])[value["$ref"]]
    return rows.entry_of(row, data, value)


def _record(stored: Stored, row: tuple[Any, ...]) -> Entry:
    """A record of a step that goes on, what is large in it where it lies."""
    record, text, refs = row[7], row[14], decode(row[12]) or []
    if record == "emit" or (record == "start" and not text):  # who was asked what: nothing large of it is read again
        return rows.entry_of(row, decode(row[13]) or {}, None)
    if record == "input" and "data.input" in refs:
        data = decode(row[13])
        return rows.entry_of(row, {**data, "input": stored.blob(data["input"])}, None)
    if record in ("end", "value"):
        member = "result" if record == "end" else "value"
        if "value" in refs:
            reference = decode(text)
            if reference["preview"].startswith(f'{{"{member}":'):
                return rows.entry_of(row, _words(row), {member: stored.blob(reference, member)})
        elif record == "value" and len(text) > SMALL:
            return rows.entry_of(row, {}, {member: stored.line(row[0], len(text), "value", member)})
        elif text:
            return rows.entry_of(row, _words(row), decode(text))
    return _eager(row)


def _words(row: tuple[Any, ...]) -> JsonObject:
    """The data of a line whose record's value stands beside it: what is large in it is not read."""
    return decode(row[13]) or {}
