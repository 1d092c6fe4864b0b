"""Which items of an iteration are over, and what they gave, in few records however many there are. Pure.

Now and then an iteration writes down which of its items are over; a resume begins behind them and reads none of their
records. What small things they gave is written down with it, in pieces that are put together as they grow, so that
ten thousand items leave some pieces and each was written a few times. What is large stays the record that it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from backend.engine.execution.records import ItemsState
from backend.engine.language.clean import is_large

MOST = 64 * 1024
"""Characters of a piece to which no other is added."""
SMALL = 2048
"""Characters of a value up to which it is put into a piece."""
NOTHING = object()


class Items:
    """The items of one iteration that are over."""

    __slots__ = ("_before", "_fresh", "_others", "_pieces")

    def __init__(self) -> None:
        self._before = 0  # all before this one are over
        self._others: set[int] = set()  # and these behind it
        self._fresh: list[int] = []  # of them, those that are not written down
        self._pieces: list[tuple[int, list[int]]] = []  # that are written down: (characters, items)

    def __contains__(self, item: int) -> bool:
        return item < self._before or item in self._others

    def add(self, item: int) -> None:
        """One more is over."""
        self._fresh.append(item)
        self._others.add(item)
        while self._before in self._others:
            self._others.remove(self._before)
            self._before += 1

    def written(self, value: ItemsState) -> None:
        """What a record says, in place of what is known by now."""
        self._before, self._others, self._fresh = value["items"]["before"], set(), []
        for first, last in value["items"]["and"]:
            self._others.update(range(first, last + 1))
        del self._pieces[value["depth"] :]
        self._pieces.append((value["size"], [item for item, _ in value["gave"]]))

    def record(self, gave: Callable[[int], object]) -> ItemsState:
        """What a record says of now. `gave` = what an item gave, NOTHING where it failed."""
        piece: list[list[Any]] = []
        size = 0
        for item in sorted(self._fresh):
            text = _text(gave(item))
            if text:
                piece.append([item, gave(item)])
                size += len(text)
        while self._pieces and self._pieces[-1][0] <= size and self._pieces[-1][0] + size <= MOST:
            before, items = self._pieces.pop()
            piece = [*([item, gave(item)] for item in items), *piece]
            size += before
        depth = len(self._pieces)
        self._pieces.append((size, [item for item, _ in piece]))
        self._fresh = []
        return {
            "items": {"before": self._before, "and": _stretches(sorted(self._others))},
            "gave": piece,
            "size": size,
            "depth": depth,
        }


def _text(value: object) -> str:
    """The value as JSON where it is small, else ""."""
    if value is NOTHING or is_large(value, SMALL):
        return ""
    try:
        text = json.dumps(value)
    except TypeError:  # lies where it is stored
        return ""
    return text if len(text) <= SMALL else ""


def _stretches(numbers: list[int]) -> list[list[int]]:
    """Rising numbers as first and last of each stretch."""
    stretches: list[list[int]] = []
    for number in numbers:
        if stretches and stretches[-1][1] == number - 1:
            stretches[-1][1] = number
        else:
            stretches.append([number, number])
    return stretches
