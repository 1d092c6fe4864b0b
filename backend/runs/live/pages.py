"""Pages of logs that are being read: whoever asks for the same one meanwhile gets the same.

A hundred sockets that open a run at once, or fall behind together, cost one read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from backend.runs.live.hub import Numbered, frames

Frames = list[tuple[int, int, str]]
"""(first seq, last seq, text) of finished frames."""


class Pages:
    """Belongs to the server's loop. `events(run, after, language)` reads."""

    def __init__(self, events: Callable[[str, int, str], Awaitable[Numbered]]) -> None:
        self._events = events
        self._reading: dict[tuple[str, int, str], asyncio.Task[Frames]] = {}

    async def read(self, run: str, after: int, language: str = "en") -> Frames:
        """The run's next events after `after`; none when there are none now."""
        key = (run, after, language)
        before = self._under_way(key)
        if before is not None:
            batch = await asyncio.shield(before)
            if batch:
                return batch  # an empty one may be older than what the caller was told of
            since = self._under_way(key)
            if since is not None and since is not before:
                return await asyncio.shield(since)  # this one is not
        own = self._reading[key] = asyncio.get_running_loop().create_task(self._read(*key))
        own.add_done_callback(lambda done: self._reading.pop(key) if self._reading.get(key) is done else None)
        return await asyncio.shield(own)

    def _under_way(self, key: tuple[str, int, str]) -> asyncio.Task[Frames] | None:
        other = self._reading.get(key)
        return other if other is not None and other.get_loop() is asyncio.get_running_loop() else None

    async def _read(self, run: str, after: int, language: str) -> Frames:
        return list(frames(f"run:{run}", await self._events(run, after, language)))
