"""Runs one segment of a run: from its history to its end, or until everything alive waits for somebody.

Every node that may run is a coroutine of its own. Nodes whose outcome is in the history are settled from it; the others
run from their top and find in the journal what they need not do twice. A segment *stands still* when nothing is in
flight and every live coroutine is parked; it then returns, and is asked to run again or dropped.

Held by tests/properties/test_engine_crash.py: a crash after any record changes neither effects nor outputs nor events.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import Literal

from backend.engine.execution.ports import Entry, JournalFailed, LeaseLost, Message, SegmentEnd, Waiting
from backend.engine.execution.replay import fold
from backend.engine.execution.schedule import Moved
from backend.engine.execution.scheduler import ABANDON_S, Walk
from backend.engine.language.clean import clean
from backend.engine.language.later import Later
from backend.tools.types import Answer, JsonObject, JsonValue

LOG = logging.getLogger(__name__)

SLICE = 500  # records folded without letting the loop go on
PASSES = 4  # turns of the loop after which standing still is believed


class Segment(Walk):
    """One segment. All methods belong to the event loop that runs it.

    `history` = every line of the run so far that has `record`, in order. The segment writes STEP_*, TOOL_* … lines;
    the owner writes FLOW_* lines, and after `run()` returned waits for a barrier before it believes in the end.
    """

    # -- for the owner -------------------------------------------------------------------------------------------------

    async def run(self) -> SegmentEnd:
        """Work until the run ended or stands still. Raises LeaseLost, JournalFailed: nothing more is written then."""
        if not self._begun:
            await self._begin()
        while True:
            if self._fatal is not None:
                await self.close()
                raise self._fatal
            try:
                self._due()
                end = self._end()
            except (LeaseLost, JournalFailed) as error:
                self._fatal = error
                continue
            if end is not None:
                return await self._told(end)
            if self._still():
                if not await self._stays_still():
                    continue  # what moved meanwhile is looked at before waiting for more
                if self._paused:
                    return SegmentEnd("PAUSED", waiting=self._waiting())
                due = self._next_timer()
                if due is None or due - self.clock.now() > self._hold:
                    return SegmentEnd("WAITING", waiting=self._waiting())
            await self._idle()

    def deliver(self, message: Message) -> None:
        """Hand over an answer, a child's end, cancel, pause or resume; before, while and after `run()`."""
        if self._fatal is not None or self.dropping:
            return
        try:
            match message.kind:
                case "answer":
                    self._answer(message.interaction, Answer.from_json(clean(message.value)))
                    if self._begun:
                        self._take_early()
                case "child":
                    self._child(message.interaction, message.value)
                case "cancel":
                    self._cancel(str(message.value.get("by") or ""))
                case "pause":
                    self._paused = True
                case "resume":
                    self._resume()
        except (LeaseLost, JournalFailed) as error:
            self._fatal = error
        self.poke()

    def put_away(self, entry: Entry, later: Later) -> bool:
        """The output of a step of the run itself is stored, and `later` reads it: it is held here no longer. False
        where it is not held."""
        node = self.compiled.plans[None].nodes.get(entry.node or "")
        output = entry.data["output"]
        if entry.path or node is None or self._root.scope.get(node.id) is not output:
            return False
        self._root.scope[node.id] = later
        self.costs.hold(node.id, -self._root.sizes.pop(node.id, 0))
        for shown in (self._outputs, self._answers):
            if shown.get(node.index) is output:
                shown[node.index] = later
        return True

    async def close(self) -> None:
        """Drop every coroutine without writing a line; what was in flight counts as lost."""
        self.dropping = True
        tasks = [step.task for step in self._steps if step.task is not None and not step.task.done()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=ABANDON_S)
        self._steps.clear()
        self._waits.clear()

    # -- beginning and end ---------------------------------------------------------------------------------------------

    async def _begin(self) -> None:
        for i in range(0, len(self._history), SLICE):
            fold(self._history[i : i + SLICE], self._replay)
            await asyncio.sleep(0)
        self._begun, self._history = True, ()
        self.watch.begin(self._replay) if self._watched else self.watch.forget(self._replay)
        self._shared["vars"] = self._shared["vars"] | self._replay.variables
        self._take_early()
        failed = self._replay.failures.get(())
        if failed is not None:
            self._failure = {k: failed.data.get(k) for k in ("code", "params", "detail")} | {"node": failed.node}
            self._stopping = True
        elif self._replay.cancelled is not None:
            self._cancelled, self._stopping = self._replay.cancelled, True
        self._push(self._root, Moved(self._root.schedule.begin(), []))

    def _end(self) -> SegmentEnd | None:
        """How the run ended, or None while it goes on."""
        if self._steps or self._queue:
            return None
        state: Literal["SUCCESS", "ERROR", "CANCELLED"] = "SUCCESS"
        if not self._root.schedule.over or self._failure is not None:
            if not self._stopping:
                return None
            self._cancel_the_rest()
            state = "CANCELLED" if self._failure is None else "ERROR"
        return SegmentEnd(
            state,
            error=self._failure,
            by=self._cancelled or "",
        )

    async def _told(self, end: SegmentEnd) -> SegmentEnd:
        """The end with what the run says, read where it is stored."""
        outputs: JsonObject = {}
        for index in sorted(self._outputs):
            outputs |= await self._read(self._outputs[index])
        answers = [await self._read(self._answers[index]) for index in sorted(self._answers)]
        return replace(end, outputs=outputs, answers=[str(answer.get("text") or "") for answer in answers])

    @staticmethod
    async def _read(value: JsonValue) -> JsonObject:
        found: JsonObject = await value.read() if isinstance(value, Later) else value
        return found

    # -- the clock and standing still ----------------------------------------------------------------------------------

    def _due(self) -> None:
        """Wake timers, end timeouts, and end what should have stopped by now."""
        now = self.clock.now()
        for wait in list(self._waits):
            if wait.until is not None and wait.until <= now and not wait.future.done():
                wait.future.set_result(None)
        for step in list(self._steps):
            if step.deadline is not None and step.deadline <= now and not step.timed_out and step.task is not None:
                step.timed_out = True
                step.task.cancel()
        for frame, by in list(self._stopped.items()):
            self._break_off(frame.live, everything=now >= by)
            if not frame.live:
                del self._stopped[frame]
        if not self._stopping:
            return
        if self._stop_by is not None and now >= self._stop_by + ABANDON_S:
            self._abandon()
        else:
            self._break_off(self._steps, everything=self._stop_by is not None and now >= self._stop_by)

    def _abandon(self) -> None:
        for step in list(self._steps):
            LOG.warning("step %s did not end when it was cancelled", step.id)
            self._step_cancelled(step)
            step.abandoned = True
            self._gone(step)

    def _next_due(self) -> float | None:
        """When `_due` has something to do again, as far as is known."""
        times = [wait.until for wait in self._waits if wait.until is not None]
        times += [step.deadline for step in self._steps if step.deadline is not None and not step.timed_out]
        now = self.clock.now()
        times += [by for by in self._stopped.values() if by > now]
        if self._stopping and self._stop_by is not None:
            past = now >= self._stop_by
            times.append(self._stop_by + ABANDON_S if past else self._stop_by)
        return min(times, default=None)

    def _next_timer(self) -> float | None:
        return min((wait.until for wait in self._waits if wait.until is not None), default=None)

    def _still(self) -> bool:
        if self._stopping or (self._queue and not self._paused):
            return False
        return all(step.suspended for step in self._steps)

    async def _stays_still(self) -> bool:
        """Whether nothing moves for some turns of the loop (a coroutine may be about to go on)."""
        seen = self._activity
        for _ in range(PASSES):
            await asyncio.sleep(0)
        return seen == self._activity and self._fatal is None and self._still()

    def _waiting(self) -> list[Waiting]:
        out = [Waiting("pause")] if self._paused else []
        for wait in self._waits:
            if wait.kind == "person":
                out.append(Waiting("person", interaction=wait.interaction))
            elif wait.kind == "timer":
                out.append(Waiting("timer", until=wait.until))
            elif wait.kind == "child":
                out.append(Waiting("child", run=wait.interaction))
        return out

    async def _idle(self) -> None:
        """Wait until somebody pokes or something is due."""
        self._wake = asyncio.get_running_loop().create_future()
        due = self._next_due()
        try:
            if due is None:
                await self._wake
                return
            sleeper = asyncio.ensure_future(self.clock.sleep(max(0.0, due - self.clock.now())))
            try:
                await asyncio.wait({self._wake, sleeper}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                sleeper.cancel()
        finally:
            self._wake = None
