"""Which step the running code belongs to, readable from any thread: who holds the loop is asked from outside of it.

Each step's task says so once, in its context; tasks and threads that it begins inherit it. The reference is weak, for
a connection that a step opened lives longer than the step.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict
from weakref import ReferenceType

from backend.engine.execution.records import FramePlace

if TYPE_CHECKING:
    from backend.engine.document.ids import Path
    from backend.engine.execution.step import Step

CURRENT: ContextVar[tuple[str, ReferenceType[Step]] | None] = ContextVar("patchbay_step", default=None)
"""The run's id and the step."""


class StepPlaceJson(TypedDict):
    """A place as stored."""

    node: str
    path: list[FramePlace]
    attempt: int
    ended: int


class DeathJson(StepPlaceJson):
    """A death as stored."""

    kind: str
    amount: int


@dataclass(frozen=True, slots=True)
class StepPlace:
    """A place in a run: a step's attempt, and how many of its effects had ended. A step that got on is elsewhere."""

    node: str
    path: Path
    attempt: int
    ended: int

    def leads_to(self, other: StepPlace) -> bool:
        """Whether the step has yet to pass the other place; ends that were not on disk at a death are made again."""
        same = (self.node, self.path, self.attempt) == (other.node, other.path, other.attempt)
        return same and self.ended <= other.ended

    def as_json(self) -> StepPlaceJson:
        """For a file or a row."""
        path: list[FramePlace] = [[node, index] for node, index in self.path]
        return {"node": self.node, "path": path, "attempt": self.attempt, "ended": self.ended}


@dataclass(frozen=True, slots=True)
class Death:
    """A process ended while this step held its loop ("held", `amount` in s) or grew its memory ("grew", in MB)."""

    place: StepPlace
    kind: str
    amount: int


def place_of(step: Step) -> StepPlace:
    """Where this step is. Also from another thread, while the step goes on."""
    ended = sum(effect.ended for effect in list(step.records.effects.values()))
    return StepPlace(step.node.id, step.path, step.attempt, ended)


def death_from(value: DeathJson) -> Death:
    """The death of a stored mark."""
    path = tuple((str(node), int(index)) for node, index in value["path"])
    place = StepPlace(str(value["node"]), path, int(value["attempt"]), int(value["ended"]))
    return Death(place, str(value["kind"]), int(value["amount"]))
