"""How long a call may take: its timeout counts from its last progress, up to a maximum for all of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


class Patience:
    """`timeout_s` since the call began or last told of progress, at most `longest_s` in all (never less than one
    `timeout_s`). For one call."""

    def __init__(self, timeout_s: float, longest_s: float) -> None:
        self._timeout_s, self._longest_s = timeout_s, max(timeout_s, longest_s)
        self._limit: asyncio.Timeout | None = None
        self._end = 0.0

    def on_message(self) -> None:
        """The server told how far it is."""
        if self._limit is not None and not self._limit.expired():
            self._limit.reschedule(min(asyncio.get_running_loop().time() + self._timeout_s, self._end))

    async def result(self, call: Awaitable[T]) -> T:
        """What the call gives. Raises TimeoutError when it took too long; the call is cancelled then."""
        self._end = asyncio.get_running_loop().time() + self._longest_s
        async with asyncio.timeout(self._timeout_s) as self._limit:
            try:
                return await call
            finally:
                self._limit = None
