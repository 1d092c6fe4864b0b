"""Which node runs, and what becomes of it: from the schedule to a coroutine, to its outcome, to the next nodes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from time import thread_time
from typing import TypeVar
from weakref import ref

from backend.engine.document.compile import CompiledNode
from backend.engine.document.ids import Path, step_id
from backend.engine.document.types import ERROR, Result
from backend.engine.execution.context import NodeContext
from backend.engine.execution.current import CURRENT
from backend.engine.execution.frame import Frame, Scope
from backend.engine.execution.items import NOTHING, Items
from backend.engine.execution.needed import of_earlier_round
from backend.engine.execution.ports import Entry, JournalFailed, LeaseLost
from backend.engine.execution.replay import Records, stored_error
from backend.engine.execution.retry import repeat_after
from backend.engine.execution.schedule import Moved
from backend.engine.execution.segment_state import SegmentState, died_here
from backend.engine.execution.step import ROOT_SCOPE, Step, StepScope
from backend.engine.execution.watch import New
from backend.engine.execution.working import working
from backend.engine.language.budget import SHAPES, Meter, Size, Slow, metered
from backend.engine.language.clean import clean, is_large
from backend.engine.language.expressions import SKIPPED, value_at
from backend.errors import Cancelled, InternalError, NodeTimeout, PatchbayError, ResultTooLarge, text_for
from backend.tools.types import JsonObject, JsonValue

T = TypeVar("T")

LOG = logging.getLogger(__name__)

ABANDON_S = 5.0  # what a cancelled coroutine may take to end
BATCH = 200  # nodes settled without letting the loop go on
ROUNDS_AFTER = 50  # records after which a loop or an iteration writes down where it stands


class Walk(SegmentState):
    """The way of a run through its graph."""

    # -- starting and settling nodes -----------------------------------------------------------------------------------

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
                held = self._paused and not self._stopping
                if not self._queue or held or self._fatal is not None or self.dropping:
                    if held or not self._steps:
                        self.poke()
                    return
                self._take(*self._queue.popleft())
        except (LeaseLost, JournalFailed) as error:
            self.abort(error)
            return
        finally:
            self._pumping = False
        asyncio.get_running_loop().call_soon(self._pump)

    def _take(self, frame: Frame, node: CompiledNode, skipped: bool) -> None:
        self.watch.reached(frame.path, node.id)
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
        if step.task is not None and step.task.done():
            step.task = None  # its context leads back here: what the step was answered would stay until Python looks
        if step.size:
            self.costs.hold(step.node.id, -step.size)
            step.size = 0
        step.frame.finish()
        self._tick(step.frame.owner)
        self._activity += 1
        if self._stopping or not self._steps or self._waits:
            self.poke()

    def _step(self, frame: Frame, node: CompiledNode, records: Records | None) -> Step:
        id_ = step_id(self.info.id, frame.path, node.id)
        return Step(frame, node, Records(at=self._replay.count) if records is None else records, id_)

    def _settle_known(self, frame: Frame, node: CompiledNode, outcome: Entry, skipped: bool) -> None:
        data = outcome.data
        if outcome.value and frame.path:
            frame.scope.set_loop_variables(outcome.value["loop"])
            self._set_inside(frame, outcome.value["loop"])
        if skipped:
            frame.scope[node.id] = SKIPPED  # the schedule knows already
        elif outcome.type == "STEP_SKIP":
            self._settle(frame, node, SKIPPED, data.get("port"))
        elif outcome.type == "STEP_OUTPUT":
            if frame.path and data.get("vars"):
                frame.scope.set_loop_variables(data["vars"])  # those of the run were folded from the log
                self._set_inside(frame, data["vars"])
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
                self._answers[node.index] = outputs
        self._push(frame, frame.schedule.settle(node, port))
        frame.finish()

    def _resume(self) -> None:
        self._paused = False
        for wait in list(self._waits):
            if wait.kind == "pause" and not wait.future.done():
                wait.future.set_result(None)
        self._pump()

    def _take_early(self) -> None:
        """Journal answers to questions of the history that their steps have not come to again, and may not soon: in a
        run that pauses nothing goes on, and what is not in the log by then is forgotten."""
        for interaction, answer in list(self._early.items()):
            if interaction in self._replay.answered:
                del self._early[interaction]
                continue
            entry = self._replay.asked.get(interaction)
            records = self._replay.steps.get((entry.path, entry.node or "")) if entry else None
            plan = self.compiled.plans.get(entry.path[-1][0] if entry.path else None) if entry else None
            if entry is None or records is None or records.closed or plan is None or entry.node not in plan.nodes:
                continue
            del self._early[interaction]
            frame = Frame(plan, entry.path, self._root.scope)
            step = self._step(frame, plan.nodes[entry.node], records)
            step.attempt = entry.attempt
            part = StepScope(id=entry.step) if entry.data.get("parent") else ROOT_SCOPE
            self._record_answer(step, entry.key, interaction, answer, part)

    # -- one step ------------------------------------------------------------------------------------------------------

    async def _run_step(self, step: Step) -> None:
        CURRENT.set((self.info.id, ref(step)))
        try:
            try:
                result = await metered(self._attempts(step), partial(self._spend, step))
            except asyncio.CancelledError as error:
                if self.dropping or step.abandoned or self._fatal is not None:
                    return
                if not self.breaks_off(step):
                    raise self.fault(step, "", error) from error  # somebody ended the loop: nobody cancelled this
                self._step_cancelled(step)
            except PatchbayError as error:
                self._step_failed(step, error)
            else:
                self._step_succeeded(step, result)
        except (LeaseLost, JournalFailed) as error:
            self.abort(error)
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
        config: JsonValue = await self.loaded(step, records.input)
        if config is None:
            config, size = await self.with_values(step, lambda: self._config(step))
            step.size = size.memory
            self._keep(step.node.id, step.size)
            self.pace.add(step.size)
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

    async def _config(self, step: Step) -> tuple[JsonObject, Size]:
        """The node's config with its values, and what it comes to. Raises TemplateError, ResultTooLarge."""
        node, scope, bounds = step.node, step.frame.scope, self.info.bounds

        def render(meter: Meter) -> tuple[JsonObject, Size]:
            return node.config.fields(scope, meter), meter.size

        try:
            if not any(is_large(value_at(scope, path)) for path in node.heavy):
                try:
                    return render(Meter(bounds, quick=True))
                except Slow:
                    pass
            return await self.in_thread(step, lambda: render(Meter(bounds)))
        except ResultTooLarge as error:
            error.params.setdefault("node", node.id)
            raise

    async def in_thread(self, step: Step, work: Callable[[], T]) -> T:
        """What `work` gives, made in a thread; its time is the step's."""

        def counted() -> tuple[T, float]:
            began = thread_time()
            return work(), thread_time() - began

        with working(self, step):
            made, seconds = await asyncio.to_thread(counted)
        self._spend(step, seconds)
        return made

    def _spend(self, step: Step, seconds: float) -> None:
        self.costs.spend(step.node.id, seconds)
        self._look_at_costs()

    def _keep(self, node: str, amount: int) -> None:
        self.costs.hold(node, amount)
        self._look_at_costs()

    def _look_at_costs(self) -> None:
        """End a run that passed a bound, whatever its steps would do about errors."""
        over = self.costs.over
        if over is None or self._stopping or self.dropping:
            return
        self._failure = {"code": over.code, "params": over.params, "detail": None, "node": over.params["node"]}
        self._stopping = True  # what comes next may stand in the middle of a step
        asyncio.get_running_loop().call_soon(partial(self._stop, grace=self._grace))

    async def measured(self, step: Step, value: JsonValue, field: str, times: int = 1) -> Size:
        """What a value comes to that a node made. Raises ResultTooLarge."""
        bounds = self.info.bounds

        def measure(*, quick: bool) -> Size:
            meter = Meter(bounds, quick=quick, times=times)
            meter.add(value)
            return meter.size

        try:
            try:
                return measure(quick=True)
            except Slow:
                return await self.in_thread(step, lambda: measure(quick=False))
        except ResultTooLarge as error:
            error.params |= {"node": step.node.id, "field": field}
            raise

    async def _attempt(self, step: Step, config: JsonObject) -> Result:
        await self.gate(step)
        if self.pace.ahead:
            with working(self, step):
                await self.pace.keep()
        skipped = await self._ask_whether(step, config)
        if skipped is not None:
            return skipped
        step.wrote, step.timed_out = False, False
        step.unknown = []
        step.timing, step.since = True, None
        step.ran = step.records.ran.get(step.attempt, 0.0)
        step.tick(self.clock.now())
        if step.deadline is not None:
            self.poke()
        try:
            out = await step.node.type.run(NodeContext(self, step, config))
        except asyncio.CancelledError:
            if not step.timed_out or self._stopping or self.dropping:
                raise
            if step.task is not None:
                step.task.uncancel()
            raise NodeTimeout(params={"seconds": step.node.timeout_s}) from None
        except (PatchbayError, LeaseLost, JournalFailed):
            raise
        except Exception as error:
            LOG.exception("node %s of type %s failed", step.node.id, step.node.type.name)
            raise self.fault(step, "", error) from error
        finally:
            step.since = step.deadline = None
            step.timing = False
        result = out if isinstance(out, Result) else Result(out)
        outputs: object = result.outputs  # a type of another package may give anything
        if not isinstance(outputs, dict):
            LOG.error("node %s of type %s gave no object", step.node.id, step.node.type.name)
            raise InternalError
        size = await self.measured(step, outputs, "outputs", SHAPES)
        step.frame.sizes[step.node.id] = size.memory
        self.pace.add(size.memory)
        if self.watch.doubts(step):
            answer = await self.watch.allows(step, New("", step.node.id, ends=True))
            return result if answer is None else Result(answer.values if isinstance(answer.values, dict) else {})
        return result

    async def _ask_whether(self, step: Step, config: JsonObject) -> Result | None:
        """Where this step failed for our sake, or ended processes, a person says whether it goes on: None, or by which
        outputs it is skipped."""
        answer = await self.ask_after_faults(step, "", config)
        if answer is not None and answer.action not in ("retry", "skip"):
            raise InternalError(params={"reason": "repeated", "times": step.records.faults[(step.attempt, "")]})
        if answer is None or answer.action == "retry":
            answer = await self.ask_after_deaths(step, config)
            if answer is not None and answer.action not in ("retry", "skip"):
                raise died_here(self._deaths_ahead(step))
        if answer is None or answer.action == "retry":
            return None
        return Result(answer.values if isinstance(answer.values, dict) else {})

    def _step_succeeded(self, step: Step, result: Result) -> None:
        port = result.port if result.port in step.node.outgoing else None
        data: JsonObject = {"output": result.outputs, "port": port}
        if result.variables:
            data["vars"] = result.variables
        self._close_step(step, "STEP_OUTPUT", data)
        self._keep(step.node.id, step.frame.sizes.get(step.node.id, 0))
        if result.variables:
            step.frame.scope.set_variables(result.variables)
            self._set_inside(step.frame, result.variables)
            self._keep_variables(step, result.variables)
        self._settle(step.frame, step.node, result.outputs, port)

    def _keep_variables(self, step: Step, values: JsonObject) -> None:
        """Count what the run's variables take: as much as the outputs of the node that set them, shared by name."""
        share = step.frame.sizes.get(step.node.id, 0) // len(values)
        for name in values:
            self._keep(step.node.id, share - self._variable_sizes.get(name, 0))
            self._variable_sizes[name] = share

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
        value: JsonValue = {"loop": step.sets} if step.sets else None
        self.append(step, type, data, record="outcome", value=value)
        step.records.closed = True

    def _set_inside(self, frame: Frame, values: JsonObject) -> None:
        """Variables of the loop around were set inside these iterations: who finds those ended sets them again."""
        while frame.owner is not None and "loop" not in frame.scope:
            frame.owner.sets = frame.owner.sets | values
            frame = frame.owner.frame

    # -- rounds of containers ------------------------------------------------------------------------------------------

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
            for node, size in frame.sizes.items():
                self.costs.hold(node, -size)
        return scope

    def rounds_before(self, step: Step) -> tuple[int, JsonObject, JsonObject] | None:
        """Where a loop stands by its last "rounds" record: (the round that comes next, what is carried into it, the
        outputs of the round before by node)."""
        if step.records.rounds is None:
            return None
        number, carried = step.records.rounds
        plan = self.compiled.plans.get(step.node.id)
        path = (*step.path, (step.node.id, number - 1))
        last: JsonObject = {}
        for id_ in plan.nodes if plan else ():
            known = self._replay.steps.get((path, id_))
            last[id_] = known.outcome.data.get("output") if known and known.outcome else None
        return number, carried, last

    def rounds_over(self, step: Step, number: int, carried: JsonObject) -> None:
        """Round `number` of a loop comes next, with this carried into it: written down once there is much to skip.

        Not where the history holds that round: whoever begins there would not find what it did.
        """
        records = step.records
        if self._replay.count - records.at < ROUNDS_AFTER or self._was_begun(step, number):
            return
        value = {"round": number, "carried": carried, "vars": self.variables}
        self.append(step, record="rounds", key="rounds", value=value)
        records.at = self._replay.count
        for at in [at for at in records.values if of_earlier_round(at[1], number)]:
            del records.values[at]

    def items_before(self, step: Step) -> Items:
        """The items of an iteration that are over, as far as that was written down."""
        records = step.records
        if records.items is None:
            records.items = Items()
        if records.sets:
            step.sets = step.sets | records.sets
            if step.path:
                step.frame.scope.set_loop_variables(records.sets)
                self._set_inside(step.frame, records.sets)
        return records.items

    def item_over(self, step: Step, number: int) -> None:
        """One more item of an iteration is over: written down once there is much to skip."""
        records = step.records
        if records.items is None:
            records.items = Items()
        records.items.add(number)
        if self._replay.count - records.at < ROUNDS_AFTER:
            return
        value = records.items.record(lambda item: records.values.get((step.attempt, f"output:{item}"), NOTHING))
        value |= {"sets": step.sets, "vars": self.variables}
        self.append(step, record="rounds", key="rounds", value=value)
        records.at = self._replay.count

    def _was_begun(self, step: Step, number: int) -> bool:
        """Whether the history holds something of a round."""
        plan = self.compiled.plans.get(step.node.id)
        path = (*step.path, (step.node.id, number))
        return plan is not None and any((path, id_) in self._replay.steps for id_ in plan.nodes)

    def _fail_frame(self, frame: Frame, error: PatchbayError) -> None:
        """A round of a container failed: the same for its nodes; the container decides what becomes of it."""
        if frame.error is None:
            frame.error, frame.stopped = error, True
            self._stopped[frame] = self.clock.now() + self._grace
        self._break_off(frame.live, everything=False)
        frame.finish()
        self.poke()

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
            for id_, prefix in records.parts.items():
                part = StepScope(prefix, id_)
                self.append(step, "STEP_CANCEL", {}, record="emit", key=f"{prefix}end", part=part)
            self._step_cancelled(step)
