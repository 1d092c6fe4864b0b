"""Values that stay where they are stored until somebody needs them.

What ended before this segment began is not read again with the run: its large values stand in the scope as `Later`.
Expressions that come to one raise `NotHere`; `with_values` reads it, holds it and lets them begin anew, for rendering
is pure. So a run holds as much of its past as is being looked at.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

T = TypeVar("T")


class NotHere(Exception):
    """A value is needed that has to be read first."""

    def __init__(self, later: Later) -> None:
        super().__init__("a stored value")
        self.later = later


class Later:
    """A stored value. `runs` knows where it lies."""

    __slots__ = ("_holds", "_value")

    def __init__(self) -> None:
        self._holds = 0
        self._value: Any = None

    async def read(self) -> Any:
        """The value, as it was when it was stored. Raises what the database raises."""
        raise NotImplementedError

    def read_now(self) -> Any:
        """The value, while the loop stands still: for those who cannot await."""
        raise NotImplementedError

    def held(self) -> Any:
        """The value while somebody holds it. Raises NotHere."""
        if not self._holds:
            raise NotHere(self)
        return self._value

    def hold(self, value: Any) -> None:
        """Keep the value until as many `release`."""
        self._value = value
        self._holds += 1

    def release(self) -> None:
        """Forget the value where nobody else holds it."""
        self._holds -= 1
        if not self._holds:
            self._value = None


async def with_values(work: Callable[[], Awaitable[T]]) -> T:
    """What `work` gives, begun anew after each value that it came to and that had to be read."""
    held: list[Later] = []
    try:
        while True:
            try:
                return await work()
            except NotHere as missing:
                value = await missing.later.read()
                missing.later.hold(value)
                held.append(missing.later)
    finally:
        for later in held:
            later.release()


def with_values_now(work: Callable[[], T]) -> T:
    """The same while the loop stands still."""
    held: list[Later] = []
    try:
        while True:
            try:
                return work()
            except NotHere as missing:
                missing.later.hold(missing.later.read_now())
                held.append(missing.later)
    finally:
        for later in held:
            later.release()


def whole(value: Any, levels: int = 2) -> Any:
    """The value with what is stored in it, so many levels down. Raises NotHere."""
    if isinstance(value, Later):
        return value.held()
    if levels and isinstance(value, dict):
        filled = {key: whole(item, levels - 1) for key, item in value.items()}
        return filled if any(filled[key] is not item for key, item in value.items()) else value
    return value
