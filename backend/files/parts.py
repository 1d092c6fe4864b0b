"""Large values in pieces: a blob that says how a JSON value is put together from other blobs of its team.

The result of a call stands in the log in several shapes (the call's answer, its record, the step's output, what the
next step was given). What is large in them is the same, so it lies in a blob of its own, once, and each shape is a
small blob that names it. Such a blob begins with a byte that no JSON text begins with.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection

from backend.errors import TooLarge

MARK = b"\x1e"
MOST_BYTES = 512 * 1024 * 1024
"""What a value may have when it is put together for somebody who asks for it by its id."""

_Place = tuple[str | int, ...]
Whole = tuple[Any, list[tuple[_Place, str]]]
"""(the value with null where pieces belong, [(their places, the ids of their blobs)])."""


def written(text: str, parts: Sequence[tuple[_Place, str]]) -> bytes:
    """The bytes of a blob that stands for the value whose JSON is `text`, with null at the places of `parts`."""
    named = json.dumps([[list(place), id_] for place, id_ in parts], separators=(",", ":"))
    return MARK + f'{{"parts":{named},"value":{text}}}'.encode()


def read(data: bytes) -> Whole:
    """What `written` wrote. Raises ValueError for other bytes."""
    whole = json.loads(data[len(MARK) :])
    return whole["value"], [(tuple(place), str(id_)) for place, id_ in whole["parts"]]


def values_of(ids: Iterable[str], team: str | None = None, most: int | None = None) -> dict[str, Any]:
    """The JSON values of blobs by id, pieces put in; the same piece is the same object wherever it stands.

    `team` = whose blobs alone are looked at. Raises LookupError, and TooLarge where one comes to more than `most`
    bytes.
    """
    known = _Known(most)
    wholes: dict[str, Whole] = {}
    unread = set(ids)
    while unread:
        for id_, data in _rows(sorted(unread), team):
            if data[:1] == MARK:
                wholes[id_] = read(data)
            else:
                known.add(id_, json.loads(data) if data else None, len(data))
        missing = unread - known.values.keys() - wholes.keys()
        if missing:
            raise LookupError(f"no blob {min(missing)}")
        named = {part for id_ in unread & wholes.keys() for _, part in wholes[id_][1]}
        unread = named - known.values.keys() - wholes.keys()
    known.put_together(wholes)
    return {id_: known.values[id_] for id_ in ids}


class _Known:
    """Values that are read, with the bytes that each comes to when it is written out."""

    def __init__(self, most: int | None) -> None:
        self.values: dict[str, Any] = {}
        self._sizes: dict[str, int] = {}
        self._most = most

    def add(self, id_: str, value: Any, size: int) -> None:
        """Raise TooLarge where it is larger than anybody may ask for."""
        if self._most is not None and size > self._most:
            raise TooLarge(params={"limit": self._most // (1024 * 1024)})
        self.values[id_], self._sizes[id_] = value, size

    def put_together(self, wholes: dict[str, Whole]) -> None:
        """Add each of `wholes` once all that it names is known; a blob cannot name itself, being named by its hash."""
        while wholes:
            ready = [id_ for id_, (_, parts) in wholes.items() if all(part in self.values for _, part in parts)]
            if not ready:
                raise ValueError("blobs name each other")
            for id_ in ready:
                value, parts = wholes.pop(id_)
                self.add(id_, None, sum(self._sizes[part] for _, part in parts))
                for place, part in parts:
                    value = _put(value, place, self.values[part])
                self.values[id_] = value


def _put(value: Any, place: _Place, part: Any) -> Any:
    if not place:
        return part
    target = value
    for key in place[:-1]:
        target = target[key]
    target[place[-1]] = part
    return value


def pieces(ids: Iterable[str]) -> set[str]:
    """The blobs that these name, and what those name."""
    every: set[str] = set()
    missing = set(ids)
    while missing:
        named = {part for _, data in _rows(sorted(missing), None, only_wholes=True) for _, part in read(data)[1]}
        missing = named - every
        every |= named
    return every


def text_of(team: str, id_: str, data: bytes) -> bytes:
    """The JSON text of a team's blob, pieces put in; bytes that only begin like it (somebody's file) as they are.

    Raises TooLarge.
    """
    if data[:1] != MARK:
        return data
    try:
        return _text(values_of([id_], team, MOST_BYTES)[id_])
    except (LookupError, TypeError, ValueError, RecursionError):
        return data


def _text(value: Any) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode()


def _rows(ids: Sequence[str], team: str | None, *, only_wholes: bool = False) -> Iterable[tuple[str, bytes]]:
    """(id, bytes) of blobs, read in slices that both databases take."""
    for start in range(0, len(ids), 500):
        some = list(ids[start : start + 500])
        marks = ",".join(["%s"] * len(some))
        sql, values = f"SELECT id, data FROM files_blob WHERE id IN ({marks})", list[Any](some)  # noqa: S608 - marks
        if team is not None:
            sql, values = sql + " AND team_id = %s", [*values, team]
        if only_wholes:
            sql, values = sql + " AND substr(data, 1, 1) = %s", [*values, MARK]
        with connection.cursor() as cursor:
            cursor.execute(sql, values)
            rows = cursor.fetchall()
        while rows:
            id_, data = rows.pop()
            yield id_, bytes(data)
