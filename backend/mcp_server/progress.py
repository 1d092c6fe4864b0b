"""How far a run is, told to the client of the call that waits for it: one step more with every node that ended.

A run that is one call of a tool has no steps to speak of: there the client hears what the tool tells of its own.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
from typing import Any

import mcp  # noqa: F401 - whole before its parts, see backend.tools.mcp
from mcp.server.context import ServerRequestContext

from backend.runs.live.hub import HUB

log = logging.getLogger(__name__)
BEGINS, TELLS = "STEP_INIT", "STEP_PROGRESS"
ENDS = {"STEP_OUTPUT", "STEP_ERROR", "STEP_SKIP", "STEP_CANCEL"}


class Progress:
    """Watches a run's live events for the length of a `with`; nothing is watched for who did not ask."""

    def __init__(self, ctx: ServerRequestContext[Any, Any], run: str, *, of_tool: bool = False) -> None:
        self.topic = f"run:{run}"
        self._session = ctx.session
        self._requested = bool(ctx.meta and ctx.meta.get("progress_token") is not None)
        self.of_tool = of_tool
        """Whether the run is one call of a tool; may be said until the run is started."""
        self._ended = 0
        self._reported = -math.inf
        self._telling: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Progress:
        if self._requested:
            HUB.watch(self)
        return self

    def __exit__(self, *args: object) -> None:
        if self._requested:
            HUB.unwatch(self)
        for task in self._telling:
            task.cancel()

    async def frame(self, first: int, last: int, text: str) -> None:
        """Tell of what these events say. Never waits: the hub serves others too."""
        events = json.loads(text)["events"]
        if self.of_tool:
            for data in [event["data"] for event in events if event["type"] == TELLS]:
                if (
                    data["progress"] > self._reported
                ):  # each says more than the one before, or clients take it for a fault
                    self._reported = data["progress"]
                    self._tell(data["progress"], data["total"], data["message"] or None)
            return
        ended = sum(event["type"] in ENDS for event in events)
        node = next((event["node"] for event in reversed(events) if event["type"] == BEGINS), None)
        self._ended += ended
        if ended or node is not None:
            self._tell(float(self._ended), None, node)

    def _tell(self, done: float, total: float | None, message: str | None) -> None:
        telling = self._session.report_progress(done, total, message)
        task = asyncio.get_running_loop().create_task(telling)
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)

    async def send(self, text: str) -> None:
        """Hints and streamed text are not progress."""

    async def catch_up(self, newest: int) -> None:
        """What no frame told is not told: progress is a courtesy, the result is not."""
