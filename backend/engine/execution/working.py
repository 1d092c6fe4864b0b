"""Marks a step as working: while it does, its segment goes on and its time counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backend.engine.execution.segment_state import SegmentState
    from backend.engine.execution.step import Step


class working:
    """Marks a step as working for the time of a `with`."""

    __slots__ = ("segment", "step", "writes")

    def __init__(self, segment: SegmentState, step: Step, *, writes: bool = False) -> None:
        self.segment, self.step, self.writes = segment, step, writes

    def __enter__(self) -> None:
        self.step.in_flight += 1
        self.step.writing += self.writes
        self.segment.changed(self.step)

    def __exit__(self, *_: object) -> None:
        self.step.in_flight -= 1
        self.step.writing -= self.writes
        self.segment.changed(self.step)
