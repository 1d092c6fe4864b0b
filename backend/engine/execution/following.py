"""A task at a server as an effect: looked at now and then, waited for without a worker, ended when nobody wants it.

A call that became a task has an end in the journal, its handle; what follows is this effect, which only reads and so
may begin again in any process, days later. Looks that find it at work leave no record: the log does not grow with
waiting. A look of its own follows every resume.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from typing import TYPE_CHECKING

from backend.engine.document.types import Text
from backend.engine.execution import failpoints
from backend.engine.execution.events import StepProgressData
from backend.engine.execution.records import FollowValue
from backend.engine.execution.step import Step, StepScope
from backend.engine.execution.working import working
from backend.engine.language.clean import clean
from backend.errors import PatchbayError
from backend.tools.signing_in import needed_sign_in
from backend.tools.types import AtWork, EffectHandle, FollowedTask, ToolResultJson

if TYPE_CHECKING:
    from backend.engine.execution.segment_state import SegmentState

LOG = logging.getLogger(__name__)

WORKS = Text(
    "The server works on this as a task and is asked every {seconds} s, less often when it takes long.",
    "服务器正以任务方式处理，每 {seconds} 秒查询一次，耗时较长时会降低频率。",
)
"""What the step says when a call has become a task."""
TELL_S = 3.0
"""What telling a server that its task is not wanted any more may take."""


class Following:
    """One task that is followed. `writes`: the call that became it writes. `open`: it goes on when this has ended."""

    __slots__ = ("_call", "_key", "_part", "_segment", "_step", "_task", "open", "writes")

    def __init__(
        self,
        segment: SegmentState,
        step: Step,
        part: StepScope,
        key: str,
        task: FollowedTask,
        call: str | None,
        *,
        writes: bool,
    ) -> None:
        self._segment, self._step, self._part = segment, step, part
        self._key, self._task, self._call = part.prefix + key, task, call
        self.writes, self.open = writes, False

    def begins(self) -> FollowValue:
        """What the journal keeps of its beginning."""
        value: FollowValue = {"task": self._task.task, "since": self._segment.clock.now()}
        self._step.records.tasks[(self._step.attempt, self._key)] = value
        return value

    async def run(self, handle: EffectHandle) -> ToolResultJson:
        """What the task came to, or what it asks. Raises what a look raises. Ends its step when its time is over."""
        failpoints.hit("task.followed")
        try:
            value = await self._looked()
        except asyncio.CancelledError:
            if not self._segment.over(self._step):
                await self._tell()
            raise
        except PatchbayError as error:
            if needed_sign_in(error) is None:  # it is looked at again once somebody has signed in
                await self._tell()
            raise
        self.open = bool(value.get("input_required"))
        if not self.open:
            self._forget()
        return value

    async def _looked(self) -> ToolResultJson:
        segment, step = self._segment, self._step
        known = step.records.tasks.get((step.attempt, self._key)) or self.begins()
        ends = None if step.node.timeout_s is None else known["since"] + step.node.timeout_s
        pause = self._first()
        while True:
            if pause > 0:
                until = segment.clock.now() + pause
                await segment.suspend(step, "timer", until=until if ends is None else min(until, ends), part=self._part)
            await segment.gate(step)
            if ends is not None and segment.clock.now() >= ends:
                segment.time_out(step)
                await asyncio.get_running_loop().create_future()  # ended by that
            with working(segment, step):
                seen = await self._task.look()
            if not isinstance(seen, AtWork):
                return seen
            self._say(" ".join(seen.trouble.text(segment.info.language)) if seen.trouble else seen.status)
            pause = seen.after_s

    def _first(self) -> float:
        """Seconds until the first look: where it was followed before, the wait is over."""
        if self._task.first_s <= 0 or self._is_repeated(WORKS.en):
            return 0.0
        text = WORKS.in_(self._segment.info.language).format(seconds=f"{round(self._task.first_s, 1):g}")
        self._say(text, WORKS.en)
        return self._task.first_s

    def _name(self, what: str) -> str:
        return f"{self._key}/said:{hashlib.sha256(what.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"

    def _is_repeated(self, what: str) -> bool:
        return (self._step.attempt, self._name(what)) in self._step.records.emitted

    def _say(self, text: str, what: str = "") -> None:
        """Show how far it is; the same words once."""
        text = clean(text)
        if not text or self._is_repeated(what or text):
            return
        self._step.records.emitted.add((self._step.attempt, self._name(what or text)))
        data: StepProgressData = {"progress": 0.0, "total": None, "message": text, "call": self._call}
        key = self._name(what or text)
        self._segment.append(self._step, "STEP_PROGRESS", data, record="emit", key=key, part=self._part)

    def _forget(self) -> None:
        self._step.records.task_is_over((self._step.attempt, self._key))

    async def _tell(self) -> None:
        """Tell the server, as far as it listens."""
        self._forget()
        with working(self._segment, self._step):
            try:
                async with asyncio.timeout(TELL_S):
                    await self._task.cancel()
            except Exception:
                LOG.warning("a task at a server was not told that it is over", exc_info=True)
