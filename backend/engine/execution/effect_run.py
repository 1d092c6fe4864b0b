"""One effect that runs now: its start is written, the call is made under the fence, its end is written.

The fence holds until the bytes leave: that the run is still ours, by the fence and by this process's own clock, is
asked when the start is on disk and again by every transport right before it writes the request (`backend.net.fence`),
after all that it waited for; what waits when the lease ends is cancelled. What remains: a request whose bytes had begun
to leave before the lease ended. Nobody can call it back, the next owner cannot see it, and it may still be at work over
there when that owner finds its start without an end. So a write is never repeated unasked, and the question says it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from backend.engine.document.ids import child_id, effect_id
from backend.engine.execution import failpoints
from backend.engine.execution.events import StepProgressData
from backend.engine.execution.ports import CHILD
from backend.engine.execution.records import ChildReport, EndValue, FollowValue, StoredError
from backend.engine.execution.replay import Effect
from backend.engine.execution.retry import may_have_happened
from backend.engine.execution.step import Step, StepScope
from backend.engine.execution.streaming import Stream
from backend.engine.execution.working import working
from backend.engine.language.clean import clean, is_large
from backend.errors import PatchbayError, error_for
from backend.errors.trouble import Trouble
from backend.net.fence import fenced
from backend.net.traces import calling
from backend.tools.types import Answer, EffectHandle, EffectKind, Event, Question

if TYPE_CHECKING:
    from backend.engine.execution.following import Following
    from backend.engine.execution.segment_state import SegmentState

LOG = logging.getLogger(__name__)

UNSAFE: tuple[EffectKind, ...] = ("write", "idempotent")
PROGRESS_EVERY_S = 0.25

Started: TypeAlias = Event | None
Ended: TypeAlias = Callable[[Any], Event] | None
Call: TypeAlias = Callable[[EffectHandle], Awaitable[Any]]
"""What it gives is JSON; what kind of it, the caller knows (`Effects.effect`)."""


class EffectRun:
    """One effect that runs now, between its two records."""

    __slots__ = (
        "_begun",
        "_clean",
        "_effect",
        "_ended",
        "_follows",
        "_id",
        "_key",
        "_kind",
        "_known",
        "_part",
        "_print",
        "_report",
        "_segment",
        "_shown",
        "_started",
        "_step",
        "_stream",
    )

    def __init__(
        self,
        segment: SegmentState,
        step: Step,
        part: StepScope,
        key: str,
        kind: EffectKind,
        print_: str,
        known: Effect | None,
        started: Started,
        ended: Ended,
        report: ChildReport | None,
        follows: Following | None = None,
    ) -> None:
        self._segment, self._step, self._part = segment, step, part
        self._key, self._kind, self._print, self._follows = key, kind, print_, follows
        self._known, self._started, self._ended, self._report = known, started, ended, report
        self._id = effect_id(segment.info.id, step.path, step.node.id, step.attempt, key)
        self._effect = known or Effect(print_)
        self._begun: float | None = None
        self._clean = False  # whether what the call gives is known to be
        self._shown = _Shown(segment, step, part)
        self._stream = Stream(self._shown, str(started[1].get("call") or key) if started else key)

    async def run(self, call: Call) -> Any:
        """Run the call between its two records. Raises what it raised."""
        segment, step, effect = self._segment, self._step, self._effect
        await segment.gate(step)
        effect.live = True
        step.records.effects[(step.attempt, self._key)] = effect
        step.wrote = step.wrote or self._kind == "write"
        try:
            parks = self._report is not None or self._follows is not None
            with nullcontext() if parks else working(segment, step, writes=self._kind in UNSAFE):
                if self._known is None:
                    self._start()
                if self._kind in UNSAFE or self._follows is not None:
                    await segment.journal.barrier()
                self._begun = segment.clock.now()
                self._pass("before")
                segment.journal.check()
                with fenced(segment.journal.check), calling(self._id):
                    result = await call(self._handle())
                self._pass("after")
                if not self._clean:
                    result = await asyncio.to_thread(clean, result) if is_large(result) else clean(result)
                type_, data = self._ended(result) if self._ended else (None, {})
                self._end(type_, data, {"result": result})
                effect.ended, effect.result = True, result
                return result
        except Trouble as trouble:
            segment.abort(trouble)  # before those beside it are cancelled: their ends are not the run's doing
            raise
        except asyncio.CancelledError:
            if self._begun is not None and not segment.over(step) and self._ours():
                self._failed(error_for("NODE_TIMEOUT" if step.timed_out else "CANCELLED"))
            raise
        except PatchbayError as error:
            self._look()  # of a run that may be another's by now nothing is an end
            self._failed(error)
            raise
        except Exception as error:
            self._look()
            LOG.exception("effect %s of %s failed", self._key, step.node.id)
            raise segment.fault(step, self._key, error) from error
        finally:
            effect.live = False
            self._stream.drop()

    def _start(self) -> None:
        if self._follows is not None:  # the call's own event stands in the log
            self._append(None, {}, "start", self._follows.begins())
        else:
            type_, data = self._started or (None, {})
            self._append(type_, data, "start")

    def _look(self) -> None:
        """Raise LeaseLost, JournalFailed where the run may be another worker's: nothing is written from then on."""
        try:
            self._segment.journal.check()
        except Trouble as trouble:
            self._segment.abort(trouble)
            raise

    def _ours(self) -> bool:
        """Whether the run cannot be another worker's by now."""
        try:
            self._look()
        except Trouble:
            return False
        return True

    def _pass(self, moment: Literal["before", "after"]) -> None:
        if self._kind != "pure":
            failpoints.hit(f"effect.{'write' if self._kind in UNSAFE else 'read'}.{moment}")

    def _append(
        self,
        type_: str | None,
        data: Mapping[str, object],
        record: Literal["start", "end"],
        value: EndValue | FollowValue | None = None,
    ) -> None:
        kind, run = "write" if self._follows is not None and self._follows.writes else str(self._kind), ""
        if self._report is not None:
            kind, run = CHILD, child_id(self._id)
            data = {**data, "run": run} if type_ is not None else data
        self._segment.append(
            self._step,
            type_,
            data,
            record=record,
            key=self._key,
            fingerprint=self._print if record == "start" else "",
            effect_kind=kind,
            value=value,
            interaction=run,
            part=self._part,
        )

    def _end(self, type_: str | None, data: Mapping[str, object], value: EndValue) -> None:
        self._stream.close()
        if self._report is not None and "usage" in self._report:
            value["usage"] = self._report["usage"]
        if self._follows is not None and self._follows.open:
            value = {"open": True, **value}  # first, so that it is read however large the rest is
        self._append(type_, data, "end", value)
        if self._kind in UNSAFE or (self._started and self._started[0] == "LLM_REQUEST"):
            self._segment.journal.hurry()

    def _failed(self, error: PatchbayError) -> None:
        writes = self._kind == "write" if self._follows is None else self._follows.writes
        unknown = writes and self._begun is not None and may_have_happened(error)
        if unknown:
            error.params = {**error.params, "may_have_happened": True}
        stored: StoredError = {"code": error.code, "params": clean(error.params), "detail": clean(error.detail)}
        if unknown:
            stored["unknown"] = True
            self._step.unknown.append(self._key)
        ms = 0.0 if self._begun is None else round((self._segment.clock.now() - self._begun) * 1000, 3)
        type_, data = failed_event(self._started, stored, ms)
        self._effect.ended, self._effect.error = True, stored
        self._end(type_, data, {"error": stored})

    def _handle(self) -> EffectHandle:
        segment, effect = self._segment, self._effect
        last = [-PROGRESS_EVERY_S]

        def progress(done: float, total: float | None, message: str) -> None:
            now = segment.clock.now()
            soon = now - last[0] < PROGRESS_EVERY_S and (total is None or done < total)
            if not effect.live or segment.dropping or soon:
                return
            last[0] = now
            call = called_in(self._started)
            data: StepProgressData = {"progress": done, "total": total, "message": clean(message), "call": call}
            self._shown.write("STEP_PROGRESS", data)

        return EffectHandle(self._id, progress, self._stream.add, self._ask, self._mark_clean)

    def _mark_clean(self) -> None:
        self._clean = True

    async def _ask(self, key: str, question: Question) -> Answer:
        """Ask while the call is held open; the step's time stands still."""
        segment, step = self._segment, self._step
        step.open_calls += 1
        segment.changed(step)
        try:
            return await segment.ask(step, f"{self._key}/asked:{key}", question, self._part, held=True)
        finally:
            step.open_calls -= 1
            segment.changed(step)


class _Shown:
    """Where the streamed text and the progress of an effect go; knows nothing of the effect, so that what it was
    answered is let go of with its step, and not when Python next looks for circles."""

    __slots__ = ("_part", "_segment", "_step")

    def __init__(self, segment: SegmentState, step: Step, part: StepScope) -> None:
        self._segment, self._step, self._part = segment, step, part

    def write(self, type: str, data: Mapping[str, object]) -> None:
        """A line of the step that is no record."""
        self._segment.append(self._step, type, data, part=self._part)

    def preview(self, call: str, channel: str, offset: int, delta: str) -> None:
        """A piece of text for those who watch."""
        step = self._step
        self._segment.journal.preview(self._part.id or step.id, call, step.attempt, channel, offset, delta)

    def now(self) -> float:
        """Epoch seconds."""
        return self._segment.clock.now()


def called_in(started: Started) -> str | None:
    """The `call` of the event that began a call."""
    call = started[1].get("call") if started else None
    return call if isinstance(call, str) else None


def failed_event(started: Started, stored: StoredError, ms: float) -> tuple[str | None, Mapping[str, object]]:
    """The event that ends a call which failed: (type, data) with `error` = {code, params}; no type where none began.

    What else the error carries stands beside it as `detail`, where it is moved out when it is large.
    """
    if started is None or started[0] not in ("TOOL_REQUEST", "LLM_REQUEST"):
        return None, {}
    data: dict[str, object] = {"call": started[1].get("call")}
    if started[0] == "TOOL_REQUEST":
        type_ = "TOOL_RESPONSE"
        data |= {"content": [], "structured": None, "is_error": True}
    else:
        type_ = "LLM_RESPONSE"
        data |= {"text": "", "reasoning": "", "tool_calls": [], "usage": {}, "finish": "error"}
    if stored.get("detail") is not None:
        data["detail"] = stored["detail"]
    return type_, data | {"ms": ms, "error": {k: v for k, v in stored.items() if k != "detail"}}
