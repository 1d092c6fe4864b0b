"""Runs one segment of a run: from its history to its end, or until everything alive waits for somebody.

Every node that may run is a coroutine of its own. Nodes whose outcome is in the history are settled from it; the others
run from their top and find in the journal what they need not do twice. A segment *stands still* when nothing is in
flight and every live coroutine is parked; it then returns, and is asked to run again or dropped.

Held by tests/properties/test_engine_crash.py: a crash after any record changes neither effects nor outputs nor events.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from backend.engine.clean import clean, is_large
from backend.engine.compile import Compiled, CompiledNode
from backend.engine.context import NodeContext, working
from backend.engine.expressions import SKIPPED, value_at
from backend.engine.frame import Frame, Scope
from backend.engine.ids import interaction_id, step_id
from backend.engine.ports import (
    Clock,
    Entry,
    Journal,
    JournalPoisoned,
    LeaseLost,
    Message,
    Path,
    RecordKind,
    RunInfo,
    SegmentEnd,
    Services,
    Waiting,
)
from backend.engine.replay import Records, Replay, fold, stored_error
from backend.engine.retry import repeat_after
from backend.engine.schedule import Moved
from backend.engine.step import Step, Wait, WaitKind
from backend.engine.types import ERROR, Result
from backend.errors import Cancelled, InternalError, NodeTimeout, PatchbayError, text_for
from backend.tools.types import Answer, JsonObject, JsonValue, Question

LOG = logging.getLogger(__name__)

ABANDON_S = 5.0  # what a cancelled coroutine may take to end
SLICE = 500  # records folded without letting the loop go on
BATCH = 200  # nodes settled without letting the loop go on
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
    ) -> None:
        """`hold_s`: timers due within it keep the segment; `write_grace_s`: what writes get after another failure."""
        self.compiled, self.info = compiled, run
        self.journal, self.services, self.clock = journal, services, clock
        self.dropping = False  # closed: nothing is written any more
        self._hold, self._grace = hold_s, write_grace_s
        self._history = history
        self._replay = Replay()
        self._shared: JsonObject = {"sys": run.sys, "env": compiled.env | run.env, "vars": compiled.variables}
        self._root = Frame(compiled.plans[None], (), Scope({}, shared=self._shared))
        self._steps: dict[Step, None] = {}  # alive, in the order of their start
        self._waits: dict[Wait, None] = {}
        self._queue: deque[tuple[Frame, CompiledNode, bool]] = deque()  # (…, skipped)
        self._pumping = False
        self._early: dict[str, Answer] = {}  # answers that came before their question was put again
        self._outputs: dict[int, JsonObject] = {}  # of end nodes, by place in the document
        self._answers: dict[int, str] = {}
        self._begun = self._paused = self._stopping = False
        self._failure: JsonObject | None = None
        self._cancelled: str | None = None
        self._stopped: dict[Frame, float] = {}  # rounds that failed, and when what still works in them is broken off
        self._stop_by: float | None = None  # when what still works is broken off
        self._fatal: Exception | None = None
        self._activity = 0
        self._wake: asyncio.Future[None] | None = None

    # -- for the owner ------------------------------------------------------------------------------------------------

    async def run(self) -> SegmentEnd:
        """Work until the run ended or stands still. Raises LeaseLost, JournalPoisoned: nothing more is written then."""
        if not self._begun:
            await self._begin()
        while True:
            if self._fatal is not None:
                await self.close()
                raise self._fatal
            try:
                self._due()
                end = self._end()
            except (LeaseLost, JournalPoisoned) as error:
                self._fatal = error
                continue
            if end is not None:
                return end
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
        """Hand over an answer, cancel, pause or resume; may be called before, while and after `run()`."""
        if self._fatal is not None or self.dropping:
            return
        try:
            match message.kind:
                case "answer":
                    self._answer(message.interaction, Answer.from_json(clean(message.value)))
                case "cancel":
                    self._cancel(str(message.value.get("by") or ""))
                case "pause":
                    self._paused = True
                case "resume":
                    self._resume()
        except (LeaseLost, JournalPoisoned) as error:
            self._fatal = error
        self.poke()

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

    # -- for nodes (through their context) ----------------------------------------------------------------------------

    @property
    def variables(self) -> JsonObject:
        """The variables as they are now; never changed in place."""
        value: JsonObject = self._shared["vars"]
        return value

    def append(
        self,
        step: Step,
        type: str | None = None,
        data: JsonObject | None = None,
        *,
        record: RecordKind | None = None,
        key: str = "",
        fingerprint: str = "",
        effect_kind: str = "",
        value: JsonValue = None,
        question: Question | None = None,
        interaction: str = "",
    ) -> None:
        """Write one line of a step. A step that was given up writes nothing and is told so by CancelledError."""
        if self.dropping or step.mute:
            raise asyncio.CancelledError
        if self._fatal is not None:
            raise self._fatal
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
                    step=step.id,
                )
            )
        except (LeaseLost, JournalPoisoned) as error:
            self._abort(error)
            raise

    def changed(self, step: Step) -> None:
        """A step began or ended to work or to wait."""
        self._activity += 1
        if step.waits or self._stopping or step.frame.stopped:
            self.poke()
        self._tick(step)

    def _tick(self, step: Step | None) -> None:
        """Set the clocks of a step and the containers around it."""
        while step is not None:
            if step.timing:
                step.tick(self.clock.now())
                self.poke()
            step = step.frame.owner

    async def gate(self, step: Step) -> None:
        """Pass only while the run may start things: parks while it is paused, raises CancelledError while it stops."""
        while self._paused and not self._stopping:
            await self._park(step, "pause")
        if self._stopping or self.dropping or step.mute or step.frame.stopped:
            raise asyncio.CancelledError

    async def frame(self, step: Step, index: int, values: JsonObject) -> Scope:
        """Run a container's children once, with `values` for them to read; gives what they see at the end.

        Raises the error of the child that failed.
        """
        path = (*step.path, (step.node.id, index))
        scope = Scope(values, outer=step.frame.scope)
        plan = self.compiled.plans.get(step.node.id)
        failed = self._replay.failures.get(path)
        if failed is not None:
            self._cancel_the_rest(path)
            raise stored_error(failed.data)
        await self.gate(step)
        if plan is None:
            return scope
        frame = Frame(plan, path, scope, step)
        step.frames[frame] = None
        frame.done = asyncio.get_running_loop().create_future()
        try:
            self._push(frame, Moved(frame.schedule.begin(), []))
            await self._park(step, "frame", future=frame.done)
        except asyncio.CancelledError:
            frame.stopped = True
            tasks = [child.task for child in frame.live if child.task is not None]
            if tasks and not self.dropping:
                self._stopped[frame] = self.clock.now() + self._grace
                self.poke()
                await asyncio.wait(tasks, timeout=self._grace + ABANDON_S)
            raise
        finally:
            step.frames.pop(frame, None)
        return scope

    async def sleep(self, step: Step, until: float, key: str, retry: JsonObject | None = None) -> None:
        """Park until epoch seconds. `retry` = data of the STEP_RETRY that announces it."""
        sleeps, at = step.records.sleeps, (step.attempt, key)
        if at not in sleeps:
            value = {"until": until, "ran": step.worked(self.clock.now())}
            self.append(step, "STEP_RETRY" if retry else None, retry or {}, record="sleep", key=key, value=value)
            sleeps[at] = until
        if sleeps[at] > self.clock.now():
            await self._park(step, "timer", until=sleeps[at])

    async def ask(self, step: Step, key: str, question: Question) -> Answer:
        """Put a question, once, and park until it is answered."""
        await self.gate(step)
        at = (step.attempt, key)
        answer = step.records.answers.get(at)
        if answer is None:
            interaction = interaction_id(self.info.id, step.path, step.node.id, step.attempt, key)
            if at not in step.records.asked:
                step.records.asked[at] = interaction
                type_, data = asking(interaction, question)
                self.append(
                    step,
                    type_,
                    data,
                    record="ask",
                    key=key,
                    question=question,
                    interaction=interaction,
                    value={"ran": step.worked(self.clock.now())},
                )
            early = self._early.pop(interaction, None)
            if early is not None:
                self._record_answer(step, key, interaction, early)
                answer = early
            else:
                answer = await self._park(step, "person", interaction=interaction, key=key)
        if answer.action == "cancel":
            self._cancel(answer.by)
            raise asyncio.CancelledError
        return answer

    def poke(self) -> None:
        """Let `run` look at what changed."""
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)

    async def _park(
        self,
        step: Step,
        kind: WaitKind,
        *,
        interaction: str = "",
        until: float | None = None,
        key: str = "",
        future: asyncio.Future[Any] | None = None,
    ) -> Any:
        wait = Wait(step, kind, future or asyncio.get_running_loop().create_future(), interaction, until, key)
        step.waits.append(wait)
        self._waits[wait] = None
        self.changed(step)
        try:
            return await wait.future
        finally:
            step.waits.remove(wait)
            self._waits.pop(wait, None)
            self.changed(step)

    # -- answers, cancel, pause ---------------------------------------------------------------------------------------

    def _answer(self, interaction: str, answer: Answer) -> None:
        if interaction in self._replay.answered:
            return
        for wait in self._waits:
            if wait.interaction == interaction:
                self._record_answer(wait.step, wait.key, interaction, answer)
                if not wait.future.done():
                    wait.future.set_result(answer)
                return
        self._early[interaction] = answer

    def _record_answer(self, step: Step, key: str, interaction: str, answer: Answer) -> None:
        self._replay.answered.add(interaction)
        step.records.answers[(step.attempt, key)] = answer
        data = {"interaction": interaction, "action": answer.action, "by": answer.by}
        self.append(
            step,
            "STEP_ANSWERED",
            data,
            record="answer",
            key=key,
            value=answer.as_json(),
            interaction=interaction,
        )

    def _cancel(self, by: str) -> None:
        if self._stopping and self._failure is None:
            return
        if self._failure is None:
            self._cancelled = by
        self._stop(grace=0.0)

    def _resume(self) -> None:
        self._paused = False
        for wait in list(self._waits):
            if wait.kind == "pause" and not wait.future.done():
                wait.future.set_result(None)
        self._pump()

    # -- starting and settling nodes ----------------------------------------------------------------------------------

    async def _begin(self) -> None:
        for i in range(0, len(self._history), SLICE):
            fold(self._history[i : i + SLICE], self._replay)
            await asyncio.sleep(0)
        self._begun, self._history = True, ()
        self._shared["vars"] = self._shared["vars"] | self._replay.variables
        failed = self._replay.failures.get(())
        if failed is not None:
            self._failure = {k: failed.data.get(k) for k in ("code", "params", "detail")} | {"node": failed.node}
            self._stopping = True
        elif self._replay.cancelled is not None:
            self._cancelled, self._stopping = self._replay.cancelled, True
        self._push(self._root, Moved(self._root.schedule.begin(), []))

    def _push(self, frame: Frame, moved: Moved) -> None:
        for node in moved.skipped:
            self._queue.append((frame, node, True))
        for node in moved.ready:
            self._queue.append((frame, node, False))
        self._pump()

    def _pump(self) -> None:
        """Take nodes from the queue: settle those whose outcome is known, start the others."""
        if self._pumping:
            return
        self._pumping = True
        try:
            for _ in range(BATCH):
                if not self._queue or self._fatal is not None or self.dropping:
                    self.poke()
                    return
                if self._paused and not self._stopping:
                    self.poke()
                    return
                self._take(*self._queue.popleft())
        except (LeaseLost, JournalPoisoned) as error:
            self._abort(error)
            return
        finally:
            self._pumping = False
        asyncio.get_running_loop().call_soon(self._pump)

    def _take(self, frame: Frame, node: CompiledNode, skipped: bool) -> None:
        records = self._replay.steps.get((frame.path, node.id))
        if records is not None and records.outcome is not None:
            self._settle_known(frame, node, records.outcome, skipped)
        elif self._stopping or frame.stopped:
            return
        elif skipped:
            frame.scope[node.id] = SKIPPED
            self._close_step(self._step(frame, node, records), "STEP_SKIP", {})
        elif node.disabled:
            data: JsonObject = {"disabled": True, "port": node.through}
            self._close_step(self._step(frame, node, records), "STEP_SKIP", data)
            self._settle(frame, node, SKIPPED, node.through)
        else:
            step = self._step(frame, node, records)
            self._steps[step] = None
            frame.live[step] = None
            self._tick(frame.owner)
            self._activity += 1
            step.task = asyncio.get_running_loop().create_task(self._run_step(step))
            step.task.add_done_callback(lambda _: self._gone(step))

    def _gone(self, step: Step) -> None:
        """A step's task is over (also one that was cancelled before its first line)."""
        self._steps.pop(step, None)
        step.frame.live.pop(step, None)
        step.frame.finish()
        self._tick(step.frame.owner)
        self._activity += 1
        if self._stopping or not self._steps or self._waits:
            self.poke()

    def _step(self, frame: Frame, node: CompiledNode, records: Records | None) -> Step:
        id_ = step_id(self.info.id, frame.path, node.id)
        return Step(frame, node, Records() if records is None else records, id_)

    def _settle_known(self, frame: Frame, node: CompiledNode, outcome: Entry, skipped: bool) -> None:
        data = outcome.data
        if skipped:
            frame.scope[node.id] = SKIPPED  # the schedule knows already
        elif outcome.type == "STEP_SKIP":
            self._settle(frame, node, SKIPPED, data.get("port"))
        elif outcome.type == "STEP_OUTPUT":
            if frame.path and data.get("vars"):
                frame.scope.set_loop_variables(data["vars"])  # those of the run were folded from the log
            self._settle(frame, node, data["output"], data["port"])
        elif outcome.type == "STEP_ERROR" and data.get("port") is not None:
            self._settle(frame, node, data["output"], data["port"])
        elif outcome.type == "STEP_CANCEL" and frame.path:
            self._fail_frame(frame, Cancelled())

    def _settle(self, frame: Frame, node: CompiledNode, outputs: JsonValue, port: str | None) -> None:
        frame.scope[node.id] = outputs
        if outputs is not SKIPPED and not frame.path:
            if node.type.name == "end":
                self._outputs[node.index] = outputs
            elif node.type.name == "answer":
                self._answers[node.index] = str(outputs.get("text") or "")
        self._push(frame, frame.schedule.settle(node, port))
        frame.finish()

    # -- one step -----------------------------------------------------------------------------------------------------

    async def _run_step(self, step: Step) -> None:
        try:
            try:
                result = await self._attempts(step)
            except asyncio.CancelledError:
                if not self.dropping and not step.mute:
                    self._step_cancelled(step)
            except PatchbayError as error:
                self._step_failed(step, error)
            else:
                self._step_succeeded(step, result)
        except (LeaseLost, JournalPoisoned) as error:
            self._abort(error)
        except asyncio.CancelledError:
            return  # a last line of a step that was given up meanwhile

    async def _attempts(self, step: Step) -> Result:
        node, records = step.node, step.records
        if not records.begun:
            self.append(step, "STEP_INIT", {"attempt": 1}, record="emit", key="init")
            records.begun = True
        if node.pinned is not None and self.info.draft:
            if records.input is None:
                self.append(step, "STEP_INPUT", {"input": {}, "pinned": True}, record="input")
            return node.pinned
        config: JsonValue = records.input
        if config is None:
            scope = step.frame.scope
            if any(is_large(value_at(scope, path)) for path in node.heavy):
                with working(self, step):
                    config = await asyncio.to_thread(node.config.render, scope)
            else:
                config = node.config.render(scope)
            self.append(step, "STEP_INPUT", {"input": config}, record="input")
        while True:
            if (step.attempt, "retry") not in records.sleeps:
                try:
                    return await self._attempt(step, config)
                except PatchbayError as error:
                    delay = repeat_after(node.retry, step.attempt, error, unknown=bool(step.unknown), wrote=step.wrote)
                    if delay is None or self._stopping or node.type.container:
                        raise  # a container's rounds have outcomes: trying it again would not run them again
                    retry = {"attempt": step.attempt + 1, "delay_ms": round(delay * 1000), "code": error.code}
                    await self.sleep(step, self.clock.now() + delay, "retry", retry)
            else:
                await self.sleep(step, 0.0, "retry")
            step.attempt += 1

    async def _attempt(self, step: Step, config: JsonObject) -> Result:
        await self.gate(step)
        step.wrote, step.timed_out = False, False
        step.unknown = []
        limited = step.node.timeout_s is not None
        if limited:
            step.timing, step.since = True, None
            step.ran = step.records.ran.get(step.attempt, 0.0)
            step.tick(self.clock.now())
            self.poke()
        try:
            out = await step.node.type.run(NodeContext(self, step, config))
        except asyncio.CancelledError:
            if not step.timed_out or self._stopping or self.dropping:
                raise
            if step.task is not None:
                step.task.uncancel()
            raise NodeTimeout(params={"seconds": step.node.timeout_s}) from None
        except (PatchbayError, LeaseLost, JournalPoisoned):
            raise
        except Exception as error:
            LOG.exception("node %s of type %s failed", step.node.id, step.node.type.name)
            raise InternalError from error
        finally:
            step.since = step.deadline = None
            step.timing = False
        result = out if isinstance(out, Result) else Result(out)
        outputs: object = result.outputs  # a type of another package may give anything
        if not isinstance(outputs, dict):
            LOG.error("node %s of type %s gave no object", step.node.id, step.node.type.name)
            raise InternalError
        return result

    def _step_succeeded(self, step: Step, result: Result) -> None:
        port = result.port if result.port in step.node.outgoing else None
        data: JsonObject = {"output": result.outputs, "port": port}
        if result.variables:
            data["vars"] = result.variables
        self._close_step(step, "STEP_OUTPUT", data)
        if result.variables:
            step.frame.scope.set_variables(result.variables)
        self._settle(step.frame, step.node, result.outputs, port)

    def _step_failed(self, step: Step, error: PatchbayError) -> None:
        message, hint = text_for(error.code, error.params, self.info.language)
        public: JsonObject = {"code": error.code, "params": clean(error.params)}
        data: JsonObject = public | {"detail": clean(error.detail)}
        if step.unknown:
            data["unknown"] = list(step.unknown)
        node = step.node
        if node.on_error != "fail" and not self._stopping and not step.frame.stopped:
            data["port"] = ERROR if node.on_error == "port" else node.through
            data["output"] = node.empty | {"error": public | {"message": message, "hint": hint}}
        if self._stopping or step.frame.stopped:
            data["stopping"] = True  # not what the run failed of
        self._close_step(step, "STEP_ERROR", data)
        if "port" in data:
            self._settle(step.frame, node, data["output"], data["port"])
        elif step.path:
            self._fail_frame(step.frame, error)
        elif self._failure is None and self._cancelled is None:
            self._failure = {k: data[k] for k in ("code", "params", "detail")} | {"node": node.id}
            self._stop(grace=self._grace)

    def _step_cancelled(self, step: Step) -> None:
        self._close_step(step, "STEP_CANCEL", {"unknown": list(step.unknown)} if step.unknown else {})

    def _close_step(self, step: Step, type: str, data: JsonObject) -> None:
        self.append(step, type, data, record="outcome")
        step.records.closed = True

    # -- stopping -----------------------------------------------------------------------------------------------------

    def _stop(self, *, grace: float) -> None:
        """Start nothing more; break off what does not write, and after `grace` seconds everything."""
        self._stopping = True
        self._queue.clear()
        by = self.clock.now() + grace
        self._stop_by = by if self._stop_by is None else min(self._stop_by, by)
        self._break_off(self._steps, everything=grace <= 0)
        self.poke()

    def _fail_frame(self, frame: Frame, error: PatchbayError) -> None:
        """A round of a container failed: the same for its nodes; the container decides what becomes of it."""
        if frame.error is None:
            frame.error, frame.stopped = error, True
            self._stopped[frame] = self.clock.now() + self._grace
        self._break_off(frame.live, everything=False)
        frame.finish()
        self.poke()

    def _break_off(self, steps: Iterable[Step], *, everything: bool) -> None:
        for step in list(steps):
            if step.task is not None and not step.broken_off and (everything or not step.changing_the_world):
                step.broken_off = True
                step.task.cancel()

    def _abort(self, error: Exception) -> None:
        if self._fatal is None:
            self._fatal = error
        self.poke()

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
            outputs={k: v for _, out in sorted(self._outputs.items()) for k, v in out.items()},
            error=self._failure,
            by=self._cancelled or "",
            answers=[text for _, text in sorted(self._answers.items())],
        )

    def _cancel_the_rest(self, under: Path = ()) -> None:
        """Close the steps that an earlier segment left at work, where the run or a round stops before they went on."""
        for (path, id_), records in list(self._replay.steps.items()):
            if path[: len(under)] != under:
                continue
            plan = self.compiled.plans.get(path[-1][0] if path else None)
            node = plan.nodes.get(id_) if plan else None
            if plan is None or node is None or records.closed or not records.begun:
                continue
            step = self._step(Frame(plan, path, self._root.scope), node, records)
            step.unknown = [key for (_, key), effect in records.effects.items() if not effect.ended]
            self._step_cancelled(step)

    # -- the clock and standing still ---------------------------------------------------------------------------------

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
            step.mute = True
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
        return all(step.parked for step in self._steps)

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


def asking(interaction: str, question: Question) -> tuple[str, JsonObject]:
    """The event that shows a question: (type, data)."""
    data: JsonObject = {"interaction": interaction, "title": question.title, "message": question.message}
    if question.kind == "approval":
        risk = question.risk.as_json() if question.risk else None
        data |= {"tool": question.tool, "arguments": question.proposal, "risk": risk}
        return "STEP_WAITING_FOR_START", data
    if question.kind == "params":
        data |= {"schema": question.schema, "params": question.proposal}
        return "STEP_WAITING_FOR_PARAM", data
    return "STEP_WAITING_FOR_INPUT", data | {"kind": question.kind}
