"""One execution of the nodes of a plan: the run itself, or one round of a container. Holds values and bookkeeping."""

from __future__ import annotations

import asyncio
from typing import Any

from backend.engine.compile import Plan
from backend.engine.ports import Path
from backend.engine.schedule import Schedule
from backend.errors import PatchbayError
from backend.tools.types import JsonObject, JsonValue


class Scope(dict[str, JsonValue]):
    """What roots of expressions stand for in a frame; what a frame does not hold is looked up in the one around it."""

    __slots__ = ("outer", "shared")

    def __init__(self, values: JsonObject, *, outer: Scope | None = None, shared: JsonObject | None = None) -> None:
        super().__init__(values)
        self.outer = outer
        self.shared: JsonObject = outer.shared if outer is not None else shared or {}

    def __missing__(self, key: str) -> JsonValue:
        if key in self.shared:
            return self.shared[key]
        if self.outer is None:
            raise KeyError(key)
        return self.outer[key]


class Frame:
    """The nodes of a plan at a path. `done` is set once all are settled, or holds the failure that ended it."""

    __slots__ = ("done", "error", "path", "schedule", "scope")

    def __init__(self, plan: Plan, path: Path, scope: Scope, done: asyncio.Future[Any] | None = None) -> None:
        self.path = path
        self.scope = scope
        self.schedule = Schedule(plan)
        self.done = done  # None for the run itself
        self.error: PatchbayError | None = None
