"""What steps stand on: the lines they write, the waits they are parked in, and what stops them.

Held by the other parts of a segment: `Scheduler` (which node runs next), `StepRunner` (one step, over its attempts),
`Rounds` (what containers run inside themselves), `Segment` (the whole, for its owner).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from backend.engine.document.compile import Compiled, CompiledNode
from backend.engine.document.ids import interaction_id
from backend.engine.execution.asking import after_failure, asking, died_here
from backend.engine.execution.current import Death, place_of
from backend.engine.execution.events import (
    AnsweredData,
    StepRetryData,
)
from backend.engine.execution.frame import Frame, Scope
from backend.engine.execution.pace import Pace
from backend.engine.execution.ports import (
    WITHDRAWN,
    ChildEnd,
    Clock,
    Entry,
    Failure,
    Journal,
    JournalFailed,
    LeaseLost,
    RecordKind,
    RunInfo,
    SegmentFault,
    Services,
)
from backend.engine.execution.records import AskValue, MismatchAbout, RecordValue, SleepValue
from backend.engine.execution.replay import Replay, excuse_by
from backend.engine.execution.step import ROOT_SCOPE, Step, StepScope, Suspension, SuspensionKind
from backend.engine.execution.watch import Watch
from backend.engine.execution.working import working
from backend.engine.language.budget import Costs
from backend.engine.language.later import Later, NotHere, with_values
from backend.errors import InternalError, NodeTimeout, PatchbayError
from backend.errors.trouble import Trouble
from backend.tools.approvers import stricter
from backend.tools.types import Answer, JsonLike, JsonObject, OpenTask, Question, ToolName

T = TypeVar("T")

MOST_FAULTS = 3
"""Failures of ours in one place after which a person is asked."""

MOST_DEATHS = 2
"""Deaths of the process with evidence against one place after which a person is asked."""


class SegmentState:
    """The state of a segment, and what a node's context needs of it."""

    def __init__(
        self,
        compiled: Compiled,
        run: RunInfo,
        history: Sequence[Entry],
        journal: Journal,
        services: Services,
        clock: Clock,
        *,
        hold_s: float,
        grace_s: float,
        watched: bool,
    ) -> None:
        self.compiled, self.info = compiled, run
        self.journal, self.services, self.clock = journal, services, clock
        self.dropping = False  # closed: nothing is written any more
        self.hold_s, self.grace_s = hold_s, grace_s
        self.history = history
        self.replay = Replay()
        kept = {name: value for name, value in run.kept.items() if name in compiled.lasting}
        self.shared: dict[str, JsonObject] = {
            "sys": run.sys,
            "env": compiled.env | run.env,
            "vars": compiled.variables | kept,
        }
        self.root = Frame(compiled.plans[None], (), Scope({}, shared=self.shared))
        self.steps: dict[Step, None] = {}  # alive, in the order of their start
        self.waits: dict[Suspension, None] = {}
        self.queue: deque[tuple[Frame, CompiledNode, bool]] = deque()  # (…, skipped)
        self.early_answers: dict[str, Answer] = {}  # answers that came before their question was put again
        self.child_ends: dict[str, ChildEnd] = {}  # ends of child runs that came before their step waited for them
        self.outputs: dict[int, JsonObject | Later] = {}  # of end nodes, by place in the document
        self.begun = self.paused = self.stopping = False
        self.failure: Failure | None = None
        self.cancelled_by: str | None = None
        self.stopped_frames: dict[
            Frame, float
        ] = {}  # rounds that failed, and when what still works in them is broken off
        self.stop_by: float | None = None  # when what still works is broken off
        self.fatal: Exception | None = None
        self.unwanted: list[OpenTask] = []  # tasks at servers whose steps are over; their servers are not told yet
        self.activity = 0
        """Grows with everything that begins or ends to work or to wait."""
        self.costs, self.pace = Costs(run.bounds), Pace(journal)
        self.watch, self.watched = Watch(self), watched
        self.wake: asyncio.Future[None] | None = None

    # -- lines ---------------------------------------------------------------------------------------------------------

    @property
    def variables(self) -> JsonObject:
        """The variables as they are now; never changed in place."""
        return self.shared["vars"]

    def append(
        self,
        step: Step,
        type: str | None = None,
        data: Mapping[str, object] | None = None,
        *,
        record: RecordKind | None = None,
        key: str = "",
        fingerprint: str = "",
        effect_kind: str = "",
        value: RecordValue | None = None,
        question: Question | None = None,
        interaction: str = "",
        part: StepScope = ROOT_SCOPE,
    ) -> None:
        """Write one line of a step, or of a part of it. A step that was given up is told so by CancelledError."""
        if self.dropping or step.abandoned:
            raise asyncio.CancelledError
        if self.fatal is not None:
            raise self.fatal
        if part.id and type is not None:
            data = {**(data or {}), "parent": step.id}
        try:
            self.journal.append(
                Entry(
                    node=step.node.id,
                    path=step.path,
                    attempt=step.attempt,
                    type=type,
                    data=data if data is not None else {},
                    record=record,
                    key=key,
                    fingerprint=fingerprint,
                    effect_kind=effect_kind,
                    value=value,
                    question=question,
                    interaction=interaction,
                    step=part.id or step.id,
                )
            )
        except (LeaseLost, JournalFailed) as error:
            self.abort(error)
            raise
        self.replay.count += record is not None
        self.pace.add()

    async def with_values(self, step: Step, work: Callable[[], Awaitable[T]]) -> T:
        """What `work` gives, with the stored values that it comes to (`engine.later`)."""
        try:
            try:
                return await work()
            except NotHere:
                with working(self, step):
                    return await with_values(work)
        except (PatchbayError, Trouble):
            raise
        except Exception as error:
            raise self.fault(step, "", error) from error

    async def loaded(self, step: Step, value: T | Later) -> T:
        """The value, read where it is stored."""
        if not isinstance(value, Later):
            return value
        with working(self, step):
            read: T = await self.with_values(step, value.read)
            return read

    def changed(self, step: Step) -> None:
        """A step began or ended to work or to wait."""
        self.watch.moved()
        self._changed(step)

    def _changed(self, step: Step) -> None:
        self.activity += 1
        if step.waits or self.stopping or step.frame.stopped:
            self.poke()
        self.tick(step)

    def tick(self, step: Step | None) -> None:
        """Set the clocks of a step and the containers around it."""
        while step is not None:
            if step.timing:
                step.tick(self.clock.now())
                if step.node.timeout_s is not None:
                    self.poke()
            step = step.frame.owner

    def poke(self) -> None:
        """Let `run` look at what changed."""
        if self.wake is not None and not self.wake.done():
            self.wake.set_result(None)

    def abort(self, error: Trouble) -> None:
        """The segment is over because of trouble of ours: nothing more is written, whatever its steps still do."""
        if self.fatal is None:
            self.fatal = error
        self.poke()

    def fault(self, step: Step, key: str, error: BaseException | None) -> SegmentFault:
        """Stop because something of ours failed in this effect (key "": in the node itself); gives what to raise."""
        fault = SegmentFault(Entry(step.node.id, step.path, step.attempt, key=key, step=step.id, record="fault"))
        fault.__cause__ = error
        self.abort(fault)
        return fault

    async def ask_after_faults(
        self, step: Step, key: str, proposal: JsonLike, tool: ToolName | None = None, part: StepScope = ROOT_SCOPE
    ) -> Answer | None:
        """What a person says of a place where Patchbay failed again and again: retry, fail or skip; None where it did
        not. Each further failure is a new question."""
        count = step.records.faults[(step.attempt, key)]
        if count < MOST_FAULTS:
            return None
        error = InternalError(params={"reason": "repeated", "times": count})
        question = after_failure(step, error, self.info.language, proposal, tool)
        return await self.ask(step, f"{part.prefix}fault:{key.removeprefix(part.prefix)}:{count}", question, part)

    def deaths_ahead(self, step: Step) -> list[Death]:
        """The deaths at places that this step has yet to pass."""
        place = place_of(step)
        return [death for death in self.info.deaths if place.leads_to(death.place)]

    async def ask_after_deaths(self, step: Step, proposal: JsonLike) -> Answer | None:
        """The same of a place at which processes died while this step held their loop or grew their memory."""
        deaths = self.deaths_ahead(step)
        if len(deaths) < MOST_DEATHS:
            return None
        error = died_here(deaths)
        question = after_failure(step, error, self.info.language, proposal)
        return await self.ask(step, f"death:{place_of(step).ended}:{len(deaths)}", question)

    # -- waiting -------------------------------------------------------------------------------------------------------

    async def gate(self, step: Step) -> None:
        """Pass only while the run may start things: parks while it is paused, raises CancelledError while it stops."""
        while self.paused and not self.stopping:
            await self.suspend(step, "pause")
        if self.stopping or self.dropping or step.abandoned or step.frame.stopped:
            raise asyncio.CancelledError

    async def sleep(self, step: Step, until: float, key: str, retry: StepRetryData | None = None) -> None:
        """Park until epoch seconds. `retry` = data of the STEP_RETRY that announces it."""
        sleeps, record_key = step.records.sleeps, (step.attempt, key)
        if record_key not in sleeps:
            value: SleepValue = {"until": until, "ran": step.worked(self.clock.now())}
            self.append(step, "STEP_RETRY" if retry else None, retry or {}, record="sleep", key=key, value=value)
            sleeps[record_key] = until
        if sleeps[record_key] > self.clock.now():
            await self.suspend(step, "timer", until=sleeps[record_key])

    async def ask(
        self,
        step: Step,
        key: str,
        question: Question,
        part: StepScope = ROOT_SCOPE,
        *,
        held: bool = False,
        about: MismatchAbout | None = None,
    ) -> Answer:
        """Put a question, once, and park until it is answered. `key` as journaled: with the prefix of `part`.

        `held` = in the middle of a call that waits for the answer: it is put while the run pauses too, and taken back
        when the call is over before. `about` = the records that a `mismatch` is about (`watch`).
        """
        if not held:
            await self.gate(step)
        key, interaction = self._open_name(step, key)
        record_key = (step.attempt, key)
        answer = step.records.answers.get(record_key)
        if answer is None:
            if record_key not in step.records.asked:
                step.records.asked[record_key] = interaction
                if question.kind == "approval":
                    question = replace(question, approvers=stricter(question.approvers, self.info.approvers))
                type_, data = asking(interaction, key.removeprefix(part.prefix), question)
                worked: AskValue = {"ran": step.worked(self.clock.now())}
                if about is not None:
                    worked["replay"] = about
                self.append(
                    step,
                    type_,
                    data,
                    record="ask",
                    key=key,
                    question=question,
                    interaction=interaction,
                    value=worked,
                    part=part,
                )
            early = self.early_answers.pop(interaction, None)
            if early is not None:
                self.record_answer(step, key, interaction, early, part)
                answer = early
            else:
                try:
                    answer = await self.suspend(step, "person", interaction=interaction, key=key, part=part)
                except asyncio.CancelledError:
                    if held and not self.dropping and not step.abandoned:
                        self.record_answer(step, key, interaction, Answer("decline", reason=WITHDRAWN), part)
                    raise
        if answer.action == "cancel":
            self.cancel(answer.by)
            raise asyncio.CancelledError
        if answer.action == "fail" and question.kind not in ("recovery", "mismatch"):
            raise NodeTimeout(params={"reason": "expired"})
        return answer

    def _open_name(self, step: Step, key: str) -> tuple[str, str]:
        """The key of a question and its id. One that was answered, but by whose answer nobody knows, is put anew."""
        name, number = key, 1
        while True:
            interaction = interaction_id(self.info.id, step.path, step.node.id, step.attempt, name)
            if (step.attempt, name) in step.records.answers or interaction not in self.replay.answered:
                return name, interaction
            number += 1
            name = f"{key}@{number}"

    def withdraw(self, step: Step, prefix: str, part: StepScope = ROOT_SCOPE) -> None:
        """Take back the open questions of this attempt whose keys begin so: the call that put them is lost."""
        for (attempt, key), interaction in step.records.asked.items():
            if attempt == step.attempt and key.startswith(prefix) and interaction not in self.replay.answered:
                self.record_answer(step, key, interaction, Answer("decline", reason=WITHDRAWN), part)

    def may_come(self, step: Step, *, everywhere: bool, within: float) -> bool:
        """Whether something besides this may go on by itself: in the same step, or in any (`everywhere`). What waits
        for a person, for a child or for a timer further off than `within` seconds does not."""
        if everywhere and self.queue:
            return True
        steps = self.steps if everywhere else [step]
        soon = self.clock.now() + within
        return any(
            step.in_flight > step.open_calls
            or any(w.kind == "pause" or (w.until is not None and w.until <= soon) for w in step.waits)
            for step in steps
        )

    async def park(self, step: Step, future: asyncio.Future[Any]) -> None:
        """Stand still until something in this process says so; no move in the eyes of `watch`."""
        wait = Suspension(step, "frame", future)
        step.waits.append(wait)
        self.waits[wait] = None
        self._changed(step)
        try:
            await future
        finally:
            step.waits.remove(wait)
            self.waits.pop(wait, None)
            self._changed(step)

    async def child_end(self, step: Step, run: str) -> ChildEnd:
        """Park until the child run has ended: `{state, outputs, error, usage}`."""
        early = self.child_ends.pop(run, None)
        end: ChildEnd = await self.suspend(step, "child", interaction=run) if early is None else early
        return end

    def take_child_end(self, run: str, end: ChildEnd) -> None:
        """A child run has ended: its step goes on, or finds it when it comes to wait."""
        for wait in self.waits:
            if wait.kind == "child" and wait.interaction == run:
                if not wait.future.done():
                    wait.future.set_result(end)
                return
        self.child_ends[run] = end  # its step may be about to wait; one that is not will be told when it asks

    async def suspend(
        self,
        step: Step,
        kind: SuspensionKind,
        *,
        interaction: str = "",
        until: float | None = None,
        key: str = "",
        future: asyncio.Future[Any] | None = None,
        part: StepScope = ROOT_SCOPE,
    ) -> Any:
        """Park a step until the future has a result, which is given; `until` in epoch seconds."""
        wait = Suspension(
            step, kind, future or asyncio.get_running_loop().create_future(), interaction, until, key, part
        )
        step.waits.append(wait)
        self.waits[wait] = None
        self.changed(step)
        try:
            return await wait.future
        finally:
            step.waits.remove(wait)
            self.waits.pop(wait, None)
            self.changed(step)

    def take_answer(self, interaction: str, answer: Answer) -> None:
        """A person has answered: the step goes on, or finds it when it asks."""
        if interaction in self.replay.answered:
            return
        for wait in self.waits:
            if wait.interaction == interaction:
                self.record_answer(wait.step, wait.key, interaction, answer, wait.part)
                if not wait.future.done():
                    wait.future.set_result(answer)
                return
        self.early_answers[interaction] = answer

    def record_answer(self, step: Step, key: str, interaction: str, answer: Answer, part: StepScope) -> None:
        """Write an answer down, once."""
        self.replay.answered.add(interaction)
        step.records.answers[(step.attempt, key)] = answer
        excuse_by(self.replay, interaction, answer)
        data: AnsweredData = {"interaction": interaction, "action": answer.action, "by": answer.by}
        if answer.reason:
            data["reason"] = answer.reason
        if answer.client:
            data["client"] = answer.client
        self.append(
            step,
            "STEP_ANSWERED",
            data,
            record="answer",
            key=key,
            value=answer.as_json(),
            interaction=interaction,
            part=part,
        )

    # -- stopping ------------------------------------------------------------------------------------------------------

    def over(self, step: Step) -> bool:
        """Whether a call of this step that is cancelled now has no end to tell of: the segment was dropped or met
        trouble, or the loop was ended from outside."""
        if self.dropping or step.abandoned or self.fatal is not None:
            return True
        outside = step.task is not None and step.task.cancelling() > 0
        return outside and not self.breaks_off(step)

    def breaks_off(self, step: Step) -> bool:
        """Whether the run itself ends what this step does: a cancel, another failure, a time limit."""
        return self.stopping or step.broken_off or step.timed_out or step.frame.stopped

    def cancel(self, by: str) -> None:
        """Somebody cancels the run."""
        if self.stopping and self.failure is None:
            return
        if self.failure is None:
            self.cancelled_by = by
        self.stop(grace=0.0)

    def stop(self, *, grace: float) -> None:
        """Start nothing more; break off what does not write, and after `grace` seconds everything."""
        self.stopping = True
        self.queue.clear()
        by = self.clock.now() + grace
        self.stop_by = by if self.stop_by is None else min(self.stop_by, by)
        self.break_off(self.steps, everything=grace <= 0)
        self.poke()

    def time_out(self, step: Step) -> None:
        """The time of a step is over."""
        if step.task is not None and not step.timed_out:
            step.timed_out = True
            step.task.cancel()

    def break_off(self, steps: Iterable[Step], *, everything: bool) -> None:
        """Cancel the tasks of steps; those that change the world only with `everything`."""
        for step in list(steps):
            if step.task is not None and not step.broken_off and (everything or not step.changing_the_world):
                step.broken_off = True
                step.task.cancel()
