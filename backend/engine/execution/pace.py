"""How far a run may be ahead of its log: what is appended and not on disk is held in memory, and the lines of all other
runs wait behind it. So a step begins only once there is not too much of it.
"""

from __future__ import annotations

from typing import Final

from backend.engine.execution.ports import Journal

MOST_AHEAD: Final = 16 * 1024 * 1024
"""Bytes that may be appended and not known to be on disk when a step begins."""
LINE_BYTES: Final = 8 * 1024
"""What a line counts for besides the values of its step."""


class Pace:
    """Counts what a segment appends."""

    __slots__ = ("_appended", "_journal", "_stored")

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._appended = self._stored = 0

    def add(self, size: int = LINE_BYTES) -> None:
        """A line more, or values of so many bytes."""
        self._appended += size

    @property
    def ahead(self) -> bool:
        """Whether there is too much to begin a step."""
        return self._appended - self._stored > MOST_AHEAD

    async def keep(self) -> None:
        """Return once all that was appended is on disk. Raises LeaseLost, JournalFailed."""
        appended = self._appended
        await self._journal.barrier()
        self._stored = max(self._stored, appended)
