"""The states of a planner and of its steps, and the arrows between them. Pure.

A state that is reached by no arrow is a defect of ours, so `Track` refuses it; what it kept can be read as the way
that was taken. The states are those of the contract; the person's "no" (SKIPPED) and what a server asks in mid-call
(RUNNING to WAITING and back) are added to the arrows of the executor's own design.
"""

from __future__ import annotations

from collections.abc import Mapping

Arrows = Mapping[str, frozenset[str]]


def _arrows(**to: str) -> Arrows:
    return {state: frozenset(names.split()) for state, names in to.items()}


STEP: Arrows = _arrows(
    INIT="RUNNING WAITING ERROR CANCELLED",
    WAITING="RUNNING ERROR SKIPPED CANCELLED",
    RUNNING="SUCCESS ERROR WAITING CANCELLED",
    ERROR="INIT PARAM CANCELLED",
    PARAM="RUNNING SKIPPED CANCELLED",
    SUCCESS="",
    SKIPPED="",
    CANCELLED="",
)
"""A step: INIT has or gets its arguments, WAITING for approval, PARAM for missing parameters."""

FLOW: Arrows = _arrows(
    INIT="RUNNING ERROR CANCELLED",
    RUNNING="WAITING SUCCESS ERROR CANCELLED",
    WAITING="RUNNING ERROR CANCELLED",
    SUCCESS="",
    ERROR="",
    CANCELLED="",
)
"""The whole planner."""


class Track:
    """Where something stands, and by which way it came there."""

    def __init__(self, arrows: Arrows) -> None:
        self._arrows = arrows
        self.way: list[str] = ["INIT"]

    @property
    def state(self) -> str:
        """Where it stands."""
        return self.way[-1]

    def to(self, state: str) -> None:
        """Go on to a state; to stay is no move. Raises ValueError where no arrow leads there."""
        if state == self.state:
            return
        if state not in self._arrows[self.state]:
            raise ValueError(f"no arrow leads from {self.state} to {state}")
        self.way.append(state)
