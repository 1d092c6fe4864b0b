"""One step while it lives: what it does right now, and the waits it is parked in.

A step *works* while an effect of it is in flight or its coroutine computes; it is *parked* once it has a wait and
nothing in flight. Time counts towards `timeout_s` and budgets of seconds only while it works.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from backend.engine.document.compile import CompiledNode
from backend.engine.document.ids import Path
from backend.engine.execution.replay import Records
from backend.tools.types import JsonObject

if TYPE_CHECKING:
    from backend.engine.execution.frame import Frame

SuspensionKind = Literal["person", "timer", "child", "pause", "frame"]


@dataclass(frozen=True, slots=True)
class StepScope:
    """A step inside a step: what its keys begin with, and its public id. Both are empty for the step as a whole."""

    prefix: str = ""
    id: str = ""


ROOT_SCOPE = StepScope()


@dataclass(eq=False, slots=True)
class Suspension:
    """One reason why a step stands still. `until` in epoch seconds; `frame` waits are for its own children."""

    step: Step
    kind: SuspensionKind
    future: asyncio.Future[Any]  # gives an Answer, a ChildEnd or nothing, as `kind` says
    interaction: str = ""
    until: float | None = None
    key: str = ""
    part: StepScope = ROOT_SCOPE


class Step:
    """A node of a frame while it runs, over all its attempts."""

    __slots__ = (
        "__weakref__",
        "abandoned",
        "attempt",
        "broken_off",
        "deadline",
        "frame",
        "frames",
        "id",
        "in_flight",
        "node",
        "open_calls",
        "ran",
        "records",
        "sets",
        "since",
        "size",
        "task",
        "timed_out",
        "timing",
        "unknown",
        "waits",
        "writing",
        "wrote",
    )

    def __init__(self, frame: Frame, node: CompiledNode, records: Records, id_: str) -> None:
        self.frame, self.node, self.records, self.id = frame, node, records, id_
        self.task: asyncio.Task[None] | None = None
        self.attempt = 1
        self.in_flight = 0  # effects and threads in flight
        self.writing = 0  # of those, effects that change the world
        self.open_calls = 0  # of those, effects whose call is held open while a person is asked
        self.waits: list[Suspension] = []
        self.frames: dict[Frame, None] = {}  # a container's rounds that are going on
        self.wrote = False  # a write was started in this attempt
        self.sets: JsonObject = {}  # variables that were set in its rounds, for the loop around it
        self.unknown: list[str] = []  # keys of writes whose outcome is unknown
        self.ran = 0.0  # seconds worked in this attempt, up to `since`
        self.since: float | None = None  # working since; None = parked or not begun
        self.size = 0  # bytes that its config takes while it lives
        self.deadline: float | None = None
        self.timing = False  # an attempt is under way, so its time counts
        self.timed_out = False
        self.broken_off = False  # cancelled because the run stops
        self.abandoned = False  # given up: writes nothing more

    @property
    def path(self) -> Path:
        """The frames around it."""
        return self.frame.path

    @property
    def suspended(self) -> bool:
        """Whether it waits and does nothing. What it waits for may have come while its coroutine has yet to wake."""
        return bool(self.waits) and not self.in_flight and not any(wait.future.done() for wait in self.waits)

    @property
    def idle(self) -> bool:
        """Whether it only waits, and so does everything inside it: then no time passes for it."""
        return (
            bool(self.waits)
            and self.in_flight <= self.open_calls
            and all(child.idle for frame in self.frames for child in frame.live)
        )

    @property
    def changing_the_world(self) -> bool:
        """Whether a write is in flight in it or inside it."""
        return self.writing > 0 or any(child.changing_the_world for frame in self.frames for child in frame.live)

    def tick(self, now: float) -> None:
        """Set the clock of working time after something changed."""
        if self.since is not None:
            self.ran += now - self.since
        self.since = None if self.idle else now
        limit = self.node.timeout_s
        self.deadline = None if limit is None or self.since is None else now + limit - self.ran

    def worked(self, now: float) -> float:
        """Seconds worked in this attempt."""
        return self.ran + (now - self.since if self.since is not None else 0.0)
