"""Runs one segment of a run: from its history to its end, or until everything alive waits for somebody."""

from __future__ import annotations

from collections.abc import Sequence

from backend.engine.compile import Compiled
from backend.engine.ports import Clock, Entry, Journal, Message, RunInfo, SegmentEnd, Services


class Segment:
    """One segment. All methods belong to the event loop that runs it.

    `history` = every line of the run so far that has `record`, in order. The segment writes STEP_*, TOOL_* … lines;
    the owner writes FLOW_* lines, and after `run()` returned waits for a barrier before it believes in the end.
    """

    def __init__(
        self,
        compiled: Compiled,
        run: RunInfo,
        history: Sequence[Entry],
        journal: Journal,
        services: Services,
        clock: Clock,
        *,
        hold_s: float = 5.0,
        write_grace_s: float = 30.0,
    ) -> None:
        """`hold_s`: timers due within it keep the segment; `write_grace_s`: what writes get after another failure."""

    async def run(self) -> SegmentEnd:
        """Work until the run ended or stands still. Raises LeaseLost, JournalPoisoned: nothing more is written then."""
        raise NotImplementedError

    def deliver(self, message: Message) -> None:
        """Hand over an answer, cancel, pause or resume; may be called before, while and after `run()`."""
        raise NotImplementedError

    async def close(self) -> None:
        """Drop every coroutine without writing a line; what was in flight counts as lost."""
        raise NotImplementedError
