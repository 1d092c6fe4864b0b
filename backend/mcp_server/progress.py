"""How far a run is, told to the client of the call that waits for it: one step more with every node that ended."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

from mcp.server.context import ServerRequestContext

from backend.runs.live.hub import HUB

log = logging.getLogger(__name__)
BEGINS = "STEP_INIT"
ENDS = {"STEP_OUTPUT", "STEP_ERROR", "STEP_SKIP", "STEP_CANCEL"}


class Progress:
    """Watches a run's live events for the length of a `with`; nothing is watched for who did not ask."""

    def __init__(self, ctx: ServerRequestContext[Any, Any], run: str) -> None:
        self.topic = f"run:{run}"
        self._session = ctx.session
        self._wanted = bool(ctx.meta and ctx.meta.get("progress_token") is not None)
        self._ended = 0
        self._telling: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Progress:
        if self._wanted:
            HUB.watch(self)
        return self

    def __exit__(self, *args: object) -> None:
        if self._wanted:
            HUB.unwatch(self)
        for task in self._telling:
            task.cancel()

    async def frame(self, first: int, last: int, text: str) -> None:
        """Tell of the newest step that began, and count those that ended. Never waits: the hub serves others too."""
        events = json.loads(text)["events"]
        ended = sum(event["type"] in ENDS for event in events)
        node = next((event["node"] for event in reversed(events) if event["type"] == BEGINS), None)
        self._ended += ended
        if ended or node is not None:
            task = asyncio.get_running_loop().create_task(self._tell(self._ended, node))
            self._telling.add(task)
            task.add_done_callback(self._telling.discard)

    async def _tell(self, ended: int, node: str | None) -> None:
        await self._session.report_progress(float(ended), message=node)

    async def send(self, text: str) -> None:
        """Hints and streamed text are not progress."""

    async def catch_up(self, newest: int) -> None:
        """What no frame told is not told: progress is a courtesy, the result is not."""
