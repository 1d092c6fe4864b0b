"""Which records of a log a run still needs to go on. Pure.

Of a step that is over that is its outcome. Where rounds of a loop are over and a "rounds" record says where the loop
stands, nothing of them is needed but what the last one gave; where items of an iteration are over and such a record
says so, nothing but what they gave; where a container is over, only the variables that were set inside. So the records
that a resume reads grow neither with the rounds behind it nor with their children. The log itself stays whole: this
says what is read of it.

Held by tests/properties/test_loop_rounds.py: who goes on from what this leaves ends as who reads everything.
"""

from __future__ import annotations

import re

from backend.engine.document.ids import Path
from backend.engine.execution.items import Items
from backend.engine.execution.ports import Entry
from backend.engine.execution.records import ItemsState, ItemsValue, RoundsValue
from backend.engine.execution.watch import UNASKED, Place

_ROUNDS = "\0"
"""Stands for the key of a container's last "rounds" record."""
_PIECE = "\1"
"""Stands for the key of an earlier one, where what items gave is still needed."""
_NUMBERED = re.compile(r".*:([0-9]{1,9})")


def outlives(entry: Entry) -> bool:
    """Whether a record counts when its step is over: the answer by which a person ended the run, and what they said of
    records that nobody asked for."""
    if entry.record == "answer" and entry.data.get("action") == "cancel":
        return True
    return entry.record in ("ask", "answer") and UNASKED in entry.key


class Needed:
    """The positions of what is needed. `add` is told of every record in order, or at least of those that are needed."""

    __slots__ = ("_containers", "_going", "_lasting", "_over", "_pieces", "_variables")

    def __init__(self) -> None:
        self._going: dict[Place, dict[int, str]] = {}  # by position: the key of a value, "" of other records
        self._over: dict[Place, tuple[int, bool]] = {}  # its outcome, and whether that sets variables
        self._containers: set[Place] = set()
        self._pieces: dict[Place, list[int]] = {}  # of an iteration: the positions of what its items gave
        self._variables: set[int] = set()  # only what was set there counts: the next "rounds" says it as well
        self._lasting: set[int] = set()

    def add(self, position: int, entry: Entry) -> None:
        """A record at this position of the log."""
        if entry.record is None or entry.node is None:
            return
        place = (entry.path, entry.node)
        if entry.path:
            self._containers.add((entry.path[:-1], entry.path[-1][0]))
        if outlives(entry):
            self._lasting.add(position)
        if entry.record == "outcome":
            self._ended(place, position, bool(entry.data.get("vars")))
        elif entry.record == "rounds":
            rounds: RoundsValue | ItemsValue = entry.value
            if "items" in rounds:
                self._items_ended(place, position, rounds)
            else:
                self._rounds_ended(place, position, int(rounds["round"]))
        elif place not in self._over:
            self._going.setdefault(place, {})[position] = entry.key if entry.record == "value" else ""

    def positions(self) -> list[int]:
        """What is needed, in order."""
        going = (position for records in self._going.values() for position in records)
        over = (position for position, _ in self._over.values())
        return sorted({*going, *over, *self._variables, *self._lasting})

    def _ended(self, place: Place, position: int, sets: bool) -> None:
        self._variables.update(line for line, key in self._going.pop(place, {}).items() if key == _ROUNDS)
        self._pieces.pop(place, None)
        self._over[place] = (position, sets)
        if place in self._containers:
            self._containers.discard(place)
            path, node = place
            self._forget(self._inside(path, node))

    def _rounds_ended(self, place: Place, position: int, number: int) -> None:
        """Round `number` of a loop comes next; the record says what the variables are."""
        path, node = place
        before = (*path, (node, number - 1))
        self._forget([item for item in self._inside(path, node) if item[0] != before])
        self._variables.clear()
        own = self._going.setdefault(place, {})
        self._going[place] = {
            line: key for line, key in own.items() if key != _ROUNDS and not of_earlier_round(key, number)
        }
        self._going[place][position] = _ROUNDS

    def _items_ended(self, place: Place, position: int, value: ItemsState) -> None:
        """Items of an iteration are over; the record says which, what the small ones gave, what the variables are."""
        path, node = place
        items = Items()
        items.written(value)
        self._forget([item for item in self._inside(path, node) if item[0][len(path)][1] in items])
        self._variables.clear()
        pieces = self._pieces.setdefault(place, [])
        merged = set(pieces[value["depth"] :])
        del pieces[value["depth"] :]
        outputs = {f"output:{item}" for item, _ in value["gave"]}
        own = self._going.setdefault(place, {})
        self._going[place] = {
            line: _PIECE if key == _ROUNDS else key
            for line, key in own.items()
            if line not in merged and key not in outputs
        }
        self._going[place][position] = _ROUNDS
        pieces.append(position)

    def _inside(self, path: Path, node: str) -> list[Place]:
        depth = len(path)
        return [
            place
            for records in (self._going, self._over)
            for place in records
            if len(place[0]) > depth and place[0][depth][0] == node and place[0][:depth] == path
        ]

    def _forget(self, places: list[Place]) -> None:
        for place in places:
            self._containers.discard(place)
            self._pieces.pop(place, None)
            self._variables.update(line for line, key in self._going.pop(place, {}).items() if key == _ROUNDS)
            position, sets = self._over.pop(place, (0, False))
            if sets:
                self._variables.add(position)


def of_earlier_round(key: str, number: int) -> bool:
    """Whether the key of a container's value, as `until:7`, names what a round before this number gave."""
    match = _NUMBERED.fullmatch(key)
    return match is not None and int(match[1]) < number
