"""Runs one segment of a run: from its history to its end, or until everything alive waits for somebody.

Every node that may run is a coroutine of its own. Nodes whose outcome is in the history are settled from it; the others
run from their top and find in the journal what they need not do twice. A segment *stands still* when nothing is in
flight and every live coroutine is parked; it then returns, and is asked to run again or dropped.

Held by tests/properties/test_engine_crash.py: a crash after any record changes neither effects nor outputs nor events.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from backend.engine.document.compile import Compiled
from backend.engine.execution.events import StepErrorData
from backend.engine.execution.following import TELL_S
from backend.engine.execution.ports import (
    Clock,
    Entry,
    Journal,
    JournalFailed,
    LeaseLost,
    Message,
    RunInfo,
    SegmentEnd,
    Services,
    Waiting,
)
from backend.engine.execution.replay import fold
from backend.engine.execution.schedule import Moved
from backend.engine.execution.scheduler import ABANDON_S
from backend.engine.execution.segment_state import SegmentState
from backend.engine.execution.step_runner import StepRunner
from backend.engine.language.clean import clean
from backend.engine.language.later import Later
from backend.tools.types import Answer, JsonObject

LOG = logging.getLogger(__name__)

SLICE = 500  # records folded without letting the loop go on
PASSES = 4  # turns of the loop after which standing still is believed


class Segment:
    """One segment. All methods belong to the event loop that runs it.

    `history` = every line of the run so far that has `record`, in order. The segment writes STEP_*, TOOL_* … lines;
    the owner writes FLOW_* lines, and after `run()` returned waits for a barrier before it believes in the end.
    """

    def __init__(
        self,
        compiled: Compiled,
        run: RunInfo,
        history: Sequence[Entry],
        journal: Journal,
        services: Services,
        clock: Clock,
        *,
        hold_s: float = 5.0,
        write_grace_s: float = 30.0,
        watched: bool = True,
    ) -> None:
        """`hold_s`: timers due within it keep the segment; `write_grace_s`: what writes get after another failure;
        `watched`: whether a record that nobody asks for stops the run."""
        self.state = SegmentState(
            compiled, run, history, journal, services, clock, hold_s=hold_s, grace_s=write_grace_s, watched=watched
        )
        self.scheduler = StepRunner(self.state).scheduler

    # -- for the owner -------------------------------------------------------------------------------------------------

    async def run(self) -> SegmentEnd:
        """Work until the run ended or stands still. Raises LeaseLost, JournalFailed: nothing more is written then."""
        if not self.state.begun:
            await self._begin()
        while True:
            if self.state.fatal is not None:
                await self.close()
                raise self.state.fatal
            try:
                self._due()
                end = self._end()
            except (LeaseLost, JournalFailed) as error:
                self.state.fatal = error
                continue
            if end is not None:
                await self._tell_servers()
                return await self._report_end(end)
            if self._still():
                if not await self._stays_still():
                    continue  # what moved meanwhile is looked at before waiting for more
                if self.state.paused:
                    return SegmentEnd("PAUSED", waiting=self._waiting())
                due = self._next_timer()
                if due is None or due - self.state.clock.now() > self.state.hold_s:
                    await self._tell_servers()
                    return SegmentEnd("WAITING", waiting=self._waiting())
            await self._idle()

    def deliver(self, message: Message) -> None:
        """Hand over an answer, a child's end, cancel, pause or resume; before, while and after `run()`."""
        if self.state.fatal is not None or self.state.dropping:
            return
        try:
            match message.kind:
                case "answer":
                    self.state.take_answer(message.interaction, Answer.from_json(clean(message.value)))
                    if self.state.begun:
                        self.scheduler.take_early_answers()
                case "child":
                    self.state.take_child_end(message.interaction, message.value)
                case "cancel":
                    self.state.cancel(str(message.value.get("by") or ""))
                case "pause":
                    self.state.paused = True
                case "resume":
                    self.scheduler.resume()
        except (LeaseLost, JournalFailed) as error:
            self.state.fatal = error
        self.state.poke()

    def put_away(self, entry: Entry, later: Later) -> bool:
        """The output of a step of the run itself is stored, and `later` reads it: it is held here no longer. False
        where it is not held."""
        node = self.state.compiled.plans[None].nodes.get(entry.node or "")
        output = entry.data["output"]
        if entry.path or node is None or self.state.root.scope.get(node.id) is not output:
            return False
        self.state.root.scope[node.id] = later
        self.state.costs.hold(node.id, -self.state.root.sizes.pop(node.id, 0))
        if self.state.outputs.get(node.index) is output:
            self.state.outputs[node.index] = later
        return True

    async def close(self) -> None:
        """Drop every coroutine without writing a line; what was in flight counts as lost."""
        self.state.dropping = True
        tasks = [step.task for step in self.state.steps if step.task is not None and not step.task.done()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=ABANDON_S)
        self.state.steps.clear()
        self.state.waits.clear()

    # -- beginning and end ---------------------------------------------------------------------------------------------

    async def _begin(self) -> None:
        for i in range(0, len(self.state.history), SLICE):
            fold(self.state.history[i : i + SLICE], self.state.replay)
            await asyncio.sleep(0)
        self.state.begun, self.state.history = True, ()
        self.state.watch.begin(self.state.replay) if self.state.watched else self.state.watch.forget(self.state.replay)
        self.state.shared["vars"] = self.state.shared["vars"] | self.state.replay.variables
        self.scheduler.take_early_answers()
        failed = self.state.replay.failures.get(())
        if failed is not None:
            error: StepErrorData = failed.data
            self.state.failure = {
                "code": error.get("code"),
                "params": error.get("params"),
                "detail": error.get("detail"),
                "node": failed.node,
            }
            self.state.stopping = True
        elif self.state.replay.cancelled is not None:
            self.state.cancelled_by, self.state.stopping = self.state.replay.cancelled, True
        self.scheduler.push(self.state.root, Moved(self.state.root.schedule.begin(), []))

    def _end(self) -> SegmentEnd | None:
        """How the run ended, or None while it goes on."""
        if self.state.steps or self.state.queue:
            return None
        state: Literal["SUCCESS", "ERROR", "CANCELLED"] = "SUCCESS"
        if not self.state.root.schedule.over or self.state.failure is not None:
            if not self.state.stopping:
                return None
            self.scheduler.cancel_the_rest()
            state = "CANCELLED" if self.state.failure is None else "ERROR"
        lasting = self.state.compiled.lasting
        return SegmentEnd(
            state,
            error=self.state.failure,
            by=self.state.cancelled_by or "",
            variables={name: value for name, value in self.state.variables.items() if name in lasting},
        )

    async def _tell_servers(self) -> None:
        """Tell servers that tasks of theirs are not wanted any more, as far as they listen."""
        tasks, self.state.unwanted = {task["id"]: task for task in self.state.unwanted}, []
        telling = [asyncio.ensure_future(self.state.services.end_task(task)) for task in tasks.values()]
        if not telling:
            return
        done, late = await asyncio.wait(telling, timeout=TELL_S)
        for item in late:
            item.cancel()
        for item in done:
            if not item.cancelled() and (error := item.exception()) is not None:
                LOG.warning("a task at a server was not told that it is over", exc_info=error)

    async def _report_end(self, end: SegmentEnd) -> SegmentEnd:
        """The end with what the run says, read where it is stored."""
        outputs: JsonObject = {}
        for index in sorted(self.state.outputs):
            outputs |= await self._read(self.state.outputs[index])
        return replace(end, outputs=outputs)

    @staticmethod
    async def _read(value: JsonObject | Later) -> JsonObject:
        result: JsonObject = await value.read() if isinstance(value, Later) else value
        return result

    # -- the clock and standing still ----------------------------------------------------------------------------------

    def _due(self) -> None:
        """Wake timers, end timeouts, and end what should have stopped by now."""
        now = self.state.clock.now()
        for wait in list(self.state.waits):
            if wait.until is not None and wait.until <= now and not wait.future.done():
                wait.future.set_result(None)
        for step in list(self.state.steps):
            if step.deadline is not None and step.deadline <= now:
                self.state.time_out(step)
        for frame, by in list(self.state.stopped_frames.items()):
            self.state.break_off(frame.live, everything=now >= by)
            if not frame.live:
                del self.state.stopped_frames[frame]
        if not self.state.stopping:
            return
        if self.state.stop_by is not None and now >= self.state.stop_by + ABANDON_S:
            self._abandon()
        else:
            self.state.break_off(
                self.state.steps, everything=self.state.stop_by is not None and now >= self.state.stop_by
            )

    def _abandon(self) -> None:
        for step in list(self.state.steps):
            LOG.warning("step %s did not end when it was cancelled", step.id)
            self.scheduler.close_cancelled(step)
            step.abandoned = True
            self.scheduler.gone(step)

    def _next_due(self) -> float | None:
        """When `_due` has something to do again, as far as is known."""
        times = [wait.until for wait in self.state.waits if wait.until is not None]
        times += [step.deadline for step in self.state.steps if step.deadline is not None and not step.timed_out]
        now = self.state.clock.now()
        times += [by for by in self.state.stopped_frames.values() if by > now]
        if self.state.stopping and self.state.stop_by is not None:
            past = now >= self.state.stop_by
            times.append(self.state.stop_by + ABANDON_S if past else self.state.stop_by)
        return min(times, default=None)

    def _next_timer(self) -> float | None:
        return min((wait.until for wait in self.state.waits if wait.until is not None), default=None)

    def _still(self) -> bool:
        if self.state.stopping or (self.state.queue and not self.state.paused):
            return False
        return all(step.suspended for step in self.state.steps)

    async def _stays_still(self) -> bool:
        """Whether nothing moves for some turns of the loop (a coroutine may be about to go on)."""
        seen = self.state.activity
        for _ in range(PASSES):
            await asyncio.sleep(0)
        return seen == self.state.activity and self.state.fatal is None and self._still()

    def _waiting(self) -> list[Waiting]:
        out = [Waiting("pause")] if self.state.paused else []
        for wait in self.state.waits:
            if wait.kind == "person":
                out.append(Waiting("person", interaction=wait.interaction))
            elif wait.kind == "timer":
                out.append(Waiting("timer", until=wait.until))
            elif wait.kind == "child":
                out.append(Waiting("child", run=wait.interaction))
        return out

    async def _idle(self) -> None:
        """Wait until somebody pokes or something is due."""
        self.state.wake = asyncio.get_running_loop().create_future()
        due = self._next_due()
        try:
            if due is None:
                await self.state.wake
                return
            sleeper = asyncio.ensure_future(self.state.clock.sleep(max(0.0, due - self.state.clock.now())))
            try:
                await asyncio.wait({self.state.wake, sleeper}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                sleeper.cancel()
        finally:
            self.state.wake = None
