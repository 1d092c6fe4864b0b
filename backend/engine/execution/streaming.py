"""Text that a model streams: shown at once, stored coalesced.

Every piece goes out as a preview; what was said since goes into the log as a TEXT_ADD line at most once a second per
channel, and the rest right before the line that ends the call. Lines of text are no records: a call that is asked again
after a crash begins again at offset 0, and readers replace what they have from an offset on.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Protocol

from backend.engine.execution.events import TextAddData
from backend.engine.execution.ports import JournalFailed, LeaseLost
from backend.engine.language.clean import clean_text

EVERY_S = 1.0


class Sink(Protocol):
    """Where streamed text goes: the journal, under the step it belongs to."""

    def write(self, type: str, data: TextAddData) -> None:
        """Store a line."""
        ...

    def preview(self, call: str, channel: str, offset: int, delta: str) -> None:
        """Show a piece that is not stored yet."""
        ...

    def now(self) -> float:
        """Epoch seconds."""
        ...


@dataclass(slots=True)
class _Channel:
    """`length` = code points so far; `waiting` = pieces that are not stored yet; `stored_at` = of the last line."""

    stored_at: float
    length: int = 0
    stored: int = 0
    waiting: list[str] = field(default_factory=list)
    timer: asyncio.TimerHandle | None = None


class Stream:
    """The streamed text of one call. Belongs to the event loop."""

    __slots__ = ("_call", "_channels", "_closed", "_sink")

    def __init__(self, sink: Sink, call: str) -> None:
        self._sink, self._call = sink, call
        self._channels: dict[str, _Channel] = {}
        self._closed = False

    def add(self, channel: str, delta: str) -> None:
        """Take a piece of text. After the end of the call it goes nowhere."""
        if self._closed or not delta:
            return
        now = self._sink.now()
        state = self._channels.get(channel)
        if state is None:
            state = self._channels[channel] = _Channel(stored_at=now)
        delta = clean_text(delta)
        self._sink.preview(self._call, channel, state.length, delta)
        state.length += len(delta)
        state.waiting.append(delta)
        if now - state.stored_at >= EVERY_S:
            self._store(channel, state)
        elif state.timer is None:
            left = EVERY_S - (now - state.stored_at)
            state.timer = asyncio.get_running_loop().call_later(left, self._due, channel, state)

    def close(self) -> None:
        """Store what is left; the call is about to end."""
        for channel, state in self._channels.items():
            self._store(channel, state)
        self.drop()

    def drop(self) -> None:
        """Take nothing more and store nothing more."""
        self._closed = True
        for state in self._channels.values():
            if state.timer is not None:
                state.timer.cancel()
                state.timer = None

    def _due(self, channel: str, state: _Channel) -> None:
        try:
            state.timer = None
            self._store(channel, state)
        except (LeaseLost, JournalFailed, asyncio.CancelledError):
            self.drop()  # the segment knows and ends

    def _store(self, channel: str, state: _Channel) -> None:
        if state.timer is not None:
            state.timer.cancel()
            state.timer = None
        if not state.waiting:
            return
        text, offset = "".join(state.waiting), state.stored
        state.waiting, state.stored, state.stored_at = [], state.length, self._sink.now()
        self._sink.write("TEXT_ADD", {"call": self._call, "text": text, "offset": offset, "channel": channel})
