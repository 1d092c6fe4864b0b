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
        other = self._reading.get(key)
        if other is not None and other.get_loop() is asyncio.get_running_loop():
            batch = await asyncio.shield(other)
            if batch:
                return batch  # an empty one may be older than what the caller was told of
        own = self._reading[key] = asyncio.get_running_loop().create_task(self._read(*key))
        own.add_done_callback(lambda done: self._reading.pop(key) if self._reading.get(key) is done else None)
        return await asyncio.shield(own)

    async def _read(self, run: str, after: int, language: str) -> Frames:
        return list(frames(f"run:{run}", await self._events(run, after, language)))
