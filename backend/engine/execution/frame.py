"""One execution of the nodes of a plan: the run itself, or one round of a container. Holds values and bookkeeping."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from backend.engine.document.compile import Plan
from backend.engine.document.ids import Path
from backend.engine.execution.schedule import Schedule
from backend.errors import PatchbayError
from backend.tools.types import JsonObject

if TYPE_CHECKING:
    from backend.engine.execution.step import Step
    from backend.engine.language.expressions import InScope


class LoopValue(TypedDict):
    """What `loop` stands for in a round of a loop: its number, its variables, the outputs of the round before by node
    (null in the first), which may be stored (`Later`)."""

    index: int
    vars: JsonObject
    last: NotRequired[JsonObject | None]


class Scope(dict[str, Any]):
    """What roots of expressions stand for in a frame; what a frame does not hold is looked up in the one around it.

    Each is an `InScope` of `engine/language/expressions.py`; `loop` is a `LoopValue`.
    """

    __slots__ = ("outer", "shared")

    def __init__(
        self,
        values: Mapping[str, object],
        *,
        outer: Scope | None = None,
        shared: dict[str, JsonObject] | None = None,
    ) -> None:
        super().__init__(values)
        self.outer = outer
        self.shared: dict[str, JsonObject] = outer.shared if outer is not None else shared or {}

    def __missing__(self, key: str) -> InScope:
        if key in self.shared:
            return self.shared[key]
        if self.outer is None:
            raise KeyError(key)
        value: InScope = self.outer[key]
        return value

    def set_variables(self, values: JsonObject) -> None:
        """Set variables, of the run and of the loop around. Nothing is changed in place."""
        self.shared["vars"] = self.shared["vars"] | values
        self.set_loop_variables(values)

    def set_loop_variables(self, values: JsonObject) -> None:
        """Set those variables that the innermost loop declares."""
        scope: Scope | None = self
        while scope is not None and "loop" not in scope:
            scope = scope.outer
        if scope is not None:
            loop: LoopValue = scope["loop"]
            own = {name: value for name, value in values.items() if name in loop["vars"]}
            scope["loop"] = loop | {"vars": loop["vars"] | own}


class Frame:
    """The nodes of a plan at a path; `owner` is the step of the container around it, None for the run itself.

    `done` is set once all its nodes are settled, or gets the error of the step that failed in it. `stopped`: nothing
    more starts in it.
    """

    __slots__ = ("done", "error", "live", "owner", "path", "schedule", "scope", "sizes", "stopped")

    def __init__(self, plan: Plan, path: Path, scope: Scope, owner: Step | None = None) -> None:
        self.path = path
        self.scope = scope
        self.schedule = Schedule(plan)
        self.owner = owner
        self.done: asyncio.Future[Any] | None = None
        self.live: dict[Step, None] = {}
        self.error: PatchbayError | None = None
        self.stopped = False
        self.sizes: dict[str, int] = {}  # bytes that its nodes' outputs take, by node

    def finish(self) -> None:
        """Tell the container, once nothing in it lives any more or all is settled."""
        if self.done is None or self.done.done():
            return
        if self.error is not None:
            if not self.live:
                self.done.set_exception(self.error)
                self.done.exception()  # a container that is being cancelled may never ask
        elif self.schedule.over:
            self.done.set_result(None)
