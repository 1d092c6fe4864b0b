"""A run while this process has it: how its segment hears of something new, that it is lost, that it is to stop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from backend.engine.execution.segment import Segment


@dataclass(eq=False)
class ActiveRun:
    """A run in this process, from before its claim until its row says otherwise.

    `notice()` may come from any thread at any moment; one that comes too late for this segment makes the worker look
    at the run again when the segment is over.
    """

    run: str
    loop: asyncio.AbstractEventLoop | None = None
    segment: Segment | None = None
    draining: bool = False
    noticed: bool = False
    lost: bool = False
    suspect: bool = False  # something speaks against it: one at a time
    fence: int = 0
    held: Callable[[], bool] = lambda: True  # whether no lease of this process can have run out
    beside: Callable[[str], bool] = lambda _: False  # whether that run is at work here, and no run wants for a place
    inbox_seq: int = 0
    _rung: bool = False
    _bell: asyncio.Future[None] | None = None

    def ours(self) -> bool:
        """Whether nobody else can have the run by now. A process that was stopped may hear first that it was lost, and
        that its other leases hold, and only then go on where it stood."""
        return not self.lost and self.held()

    def notice(self) -> None:
        """The inbox holds something new."""
        self.noticed = True
        self._poke()

    def drain(self) -> None:
        """Stop at the next quiet moment and hand the run over."""
        self.draining = True
        self._poke()

    def lose(self) -> None:
        """Another owner has the run: stop at once."""
        self.lost = True
        self._poke()

    def _poke(self) -> None:
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._ring)

    def _ring(self) -> None:
        self._rung = True
        if self._bell is not None and not self._bell.done():
            self._bell.set_result(None)

    def attach(self, loop: asyncio.AbstractEventLoop) -> None:
        """Work happens in this loop from now on; what was noticed before is not lost."""
        self.loop = loop
        if self.noticed or self.draining or self.lost:
            self._poke()

    def changes(self) -> asyncio.Future[None]:
        """Done once something is noticed, drained or lost that this was not yet done for."""
        if self._bell is None or self._bell.done():
            self._bell = asyncio.get_running_loop().create_future()
        if self._rung:
            self._bell.set_result(None)
        self._rung = False
        return self._bell
