"""A run of its own as an effect: started once, waited for without a worker, stopped when its step is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from backend.engine.document.ids import child_id
from backend.engine.document.types import Text
from backend.engine.execution.ports import Child
from backend.engine.execution.records import ChildReport
from backend.engine.execution.step import Step
from backend.engine.execution.working import working
from backend.errors import error_for
from backend.tools.types import EffectHandle, JsonObject, ToolResponseData

if TYPE_CHECKING:
    from backend.engine.execution.segment_state import SegmentState

STARTS = Text("The workflow {workflow} runs as a child run.", "工作流 {workflow} 作为子运行执行。")
"""What the log of a step says of it."""
NODE = "workflow"
"""The type of node that is nothing but such a run."""
KEY = "run"
"""Its effect's. Both are stored, and stand as they are in `nodes/workflow.py`."""


class ChildResponseData(ToolResponseData, ChildReport):
    """TOOL_RESPONSE of a workflow that was called as a tool."""


class ChildEffect:
    """A run of its own as an effect. While it goes on the step is parked, so the segment may end."""

    __slots__ = ("_before", "_began", "_inputs", "_segment", "_step", "_version", "_workflow", "report")

    def __init__(
        self,
        segment: SegmentState,
        step: Step,
        workflow: str,
        inputs: JsonObject,
        version: int | None,
        before: Callable[[], Awaitable[None]] | None,
    ) -> None:
        self._segment, self._step, self._before = segment, step, before
        self._workflow, self._inputs, self._version = workflow, inputs, version
        self._began = segment.clock.now()
        self.report: ChildReport = {}

    async def run(self, handle: EffectHandle) -> JsonObject:
        """Start it, or find it started, and wait for its end. Raises its error."""
        segment, step = self._segment, self._step
        run = child_id(handle.idempotency_key)
        try:
            with working(segment, step, writes=True):
                if self._before is not None:
                    await self._before()
                place, called = (step.path, step.node.id), None if step.node.type.name == NODE else step.attempt
                child = Child(run, handle.idempotency_key, self._workflow, self._inputs, self._version, place, called)
                end = await segment.services.start_child(child)
            if end is None:
                end = await segment.child_end(step, run)
        except asyncio.CancelledError:
            if not segment.dropping and not step.abandoned:
                await segment.services.stop_child(run)
            raise
        self.report["usage"] = end.get("usage") or {}
        if end["state"] != "SUCCESS":
            error = end.get("error")
            if not error:
                raise error_for("CANCELLED")
            raise error_for(str(error.get("code")), error.get("params"), error.get("detail"))
        return end["outputs"]

    def shown(self, key: str, outputs: JsonObject) -> ChildResponseData:
        """The data of TOOL_RESPONSE."""
        text = json.dumps(outputs, ensure_ascii=False)
        ms = round((self._segment.clock.now() - self._began) * 1000, 3)
        content: list[JsonObject] = [{"type": "text", "text": text}]
        shown: ChildResponseData = {
            "call": key,
            "content": content,
            "structured": outputs,
            "is_error": False,
            "ms": ms,
        }
        if "usage" in self.report:
            shown["usage"] = self.report["usage"]
        return shown
