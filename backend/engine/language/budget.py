"""What a value and a run may cost: counted while it is made, so that it ends before it hurts.

Values share what they hold: a list of ten times the same list takes no memory until somebody writes it out, and five
such lists in a row are a hundred thousand. So what counts is the size written out. `Meter` counts a value while its
expressions are rendered and looks at each shared part once; `Costs` keeps what a segment holds and what it computed.

Held by tests/properties/test_value_budget.py.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Coroutine, Generator
from dataclasses import dataclass
from time import thread_time
from typing import Any, Final, NamedTuple, TypeVar

from backend.engine.language.clean import MAX_DEPTH
from backend.errors import ResultTooLarge, RunOverBudget

T = TypeVar("T")

MB: Final = 1024 * 1024
QUICK: Final = 5_000
"""Parts of values that are counted on the event loop; what has more is counted in a thread."""
PART_BYTES: Final = 64
"""What a part of a value takes in memory besides its text, roughly."""
WORTH: Final = 16
"""Parts from which on it is remembered what a list or object comes to."""
SHAPES: Final = 3
"""How often a tool's answer stands in the outputs of its node: as content, as text, as structured value."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one value may come to, and one run: bytes of values that it holds, seconds that a segment computes.

    0 = no bound.
    """

    value_bytes: int = 64 * MB
    value_parts: int = 2_000_000
    run_bytes: int = 1024 * MB
    cpu_s: float = 600.0


class Slow(Exception):
    """There is more to count than the event loop should wait for: begin anew in a thread."""


class Size(NamedTuple):
    """What a value comes to when it is written out: parts (texts, numbers, lists, objects) and bytes of UTF-8."""

    parts: int
    bytes: int

    @property
    def memory(self) -> int:
        """Bytes that it takes in memory, roughly."""
        return self.bytes + PART_BYTES * self.parts


class Meter:
    """Counts one value while it is made. `quick` = it stops with Slow where counting would hold the loop."""

    __slots__ = ("_known", "_left", "_limits", "_times", "bytes", "parts")

    def __init__(self, limits: Limits, *, quick: bool = False, times: int = 1) -> None:
        self._limits, self._times = limits, times
        self._left = QUICK if quick else -1
        self._known: dict[int, tuple[object, Size]] = {}  # with the values, so that no id is given again
        self.parts = self.bytes = 0

    @property
    def size(self) -> Size:
        """What was counted so far."""
        return Size(self.parts, self.bytes)

    def add(self, value: object) -> None:
        """Count one more part of the value. Raises ResultTooLarge (reason value, parts, depth), Slow."""
        if type(value) is str:
            self.parts += 1
            self.bytes += _length(value)
        elif isinstance(value, dict | list | tuple):
            size = self._size(value, 0)
            self.parts += size.parts
            self.bytes += size.bytes
        else:
            self.parts += 1
            self.bytes += 8
        self._check(self.parts, self.bytes)

    def _check(self, parts: int, size: int) -> None:
        limits = self._limits
        if limits.value_bytes and size > limits.value_bytes * self._times:
            raise ResultTooLarge(params={"reason": "value", "limit": limits.value_bytes * self._times // MB})
        if limits.value_parts and parts > limits.value_parts * self._times:
            raise ResultTooLarge(params={"reason": "parts", "limit": limits.value_parts * self._times})

    def _size(self, value: Any, depth: int) -> Size:
        known = self._known.get(id(value))
        if known is not None:
            return known[1]
        if depth >= MAX_DEPTH:
            raise ResultTooLarge(params={"reason": "depth", "limit": MAX_DEPTH})
        parts, size = 1 + len(value), 2 + 2 * len(value)
        if self._left >= 0:
            self._left -= parts
            if self._left < 0:
                raise Slow
        if isinstance(value, dict):
            for key in value:
                size += (2 + len(key) if key.isascii() else _length(key)) if type(key) is str else 8
            members = value.values()
        else:
            members = value
        for member in members:
            kind = type(member)
            if kind is str:
                size += 2 + len(member) if member.isascii() else _length(member)
            elif kind is dict or kind is list or isinstance(member, dict | list | tuple):
                inner = self._size(member, depth + 1)
                parts += inner.parts - 1
                size += inner.bytes
                self._check(parts, size)
            else:
                size += 8
        total = Size(parts, size)
        if parts >= WORTH:
            self._known[id(value)] = value, total
        return total


def _length(text: str) -> int:
    return 2 + (len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass")))


class Costs:
    """What a segment holds in values, and how long it computed, by node."""

    __slots__ = ("_cpu", "_cpu_of", "_held", "_held_of", "_limits", "over")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._held, self._cpu = 0, 0.0
        self._held_of: dict[str, int] = {}
        self._cpu_of: dict[str, float] = {}
        self.over: RunOverBudget | None = None
        """Set once, when a bound is passed."""

    def hold(self, node: str, amount: int) -> None:
        """A node's values take so many bytes more (or less)."""
        self._held += amount
        self._held_of[node] = self._held_of.get(node, 0) + amount
        limit = self._limits.run_bytes
        if amount > 0 and limit and self._held > limit and self.over is None:
            most = max(self._held_of, key=self._held_of.__getitem__)
            amount_mb = self._held_of[most] // MB
            self.over = RunOverBudget(
                params={"reason": "memory", "limit": limit // MB, "node": most, "amount": amount_mb}
            )

    def spend(self, node: str, seconds: float) -> None:
        """A node computed for so long, on the loop or in a thread."""
        self._cpu += seconds
        self._cpu_of[node] = self._cpu_of.get(node, 0.0) + seconds
        limit = self._limits.cpu_s
        if limit and self._cpu > limit and self.over is None:
            most = max(self._cpu_of, key=self._cpu_of.__getitem__)
            spent = round(self._cpu_of[most], 1)
            self.over = RunOverBudget(params={"reason": "cpu", "limit": limit, "node": most, "amount": spent})


@types.coroutine
def metered(work: Coroutine[Any, Any, T], spend: Callable[[float], None]) -> Generator[Any, Any, T]:
    """Await `work` and tell `spend` the seconds of this thread's CPU after each stretch of it."""
    thrown: BaseException | None = None
    while True:
        began = thread_time()
        try:
            awaited = work.send(None) if thrown is None else work.throw(thrown)
        except StopIteration as end:
            result: T = end.value
            return result
        finally:
            spend(thread_time() - began)
        thrown = None
        try:
            yield awaited
        except GeneratorExit:
            work.close()
            raise
        except BaseException as error:  # noqa: BLE001 - it belongs to `work`, a cancel above all
            thrown = error
