"""What is kept of things that never change: those used last, up to so many characters of text."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class SizedCache(Generic[Key, Value]):
    """Values by keys that always have the same one. Any thread.

    `most` = characters that all of them may weigh; what alone weighs more than a quarter of that is not kept, lest it
    drives all others out. `weight(value)` = the characters of one.
    """

    def __init__(self, most: int, weight: Callable[[Value], int]) -> None:
        self._most, self._weight = most, weight
        self._values: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self._held = 0
        self._lock = threading.Lock()

    def get(self, key: Key) -> Value | None:
        """The value, if it is kept."""
        with self._lock:
            entry = self._values.get(key)
            if entry is None:
                return None
            self._values.move_to_end(key)
            return entry[0]

    def put(self, key: Key, value: Value) -> None:
        """Keep a value; those that were used longest ago make room."""
        weight = self._weight(value)
        if weight > self._most // 4:
            return
        with self._lock:
            if key in self._values:
                return
            self._values[key] = value, weight
            self._held += weight
            while self._held > self._most:
                _, (_, freed) = self._values.popitem(last=False)
                self._held -= freed

    @property
    def held(self) -> int:
        """Characters that are kept now."""
        return self._held
