"""One step over all its attempts: its config is rendered, its node runs, what it gives is measured and written down."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from functools import partial
from time import thread_time
from typing import Any, TypeVar
from weakref import ref

from backend.engine.document.types import ERROR, Result
from backend.engine.execution.asking import died_here
from backend.engine.execution.context import NodeContext
from backend.engine.execution.current import CURRENT
from backend.engine.execution.events import (
    StepErrorData,
    StepInitData,
    StepInputData,
    StepOutputData,
    StepRetryData,
)
from backend.engine.execution.ports import JournalFailed, LeaseLost
from backend.engine.execution.retry import repeat_after
from backend.engine.execution.rounds import Rounds
from backend.engine.execution.scheduler import Scheduler
from backend.engine.execution.segment_state import SegmentState
from backend.engine.execution.step import Step
from backend.engine.execution.watch import New
from backend.engine.execution.working import working
from backend.engine.language.budget import SHAPES, Meter, Size, Slow, metered
from backend.engine.language.clean import clean, is_large
from backend.engine.language.expressions import value_at
from backend.engine.language.filters import MISSING
from backend.errors import InternalError, NodeTimeout, PatchbayError, ResultTooLarge, text_for
from backend.tools.types import JsonObject

T = TypeVar("T")

LOG = logging.getLogger(__name__)


class StepRunner:
    """Runs steps; holds what they cost against the bounds of the run."""

    def __init__(self, state: SegmentState) -> None:
        self.state = state
        self.scheduler = Scheduler(state, self.run)
        self.rounds = Rounds(state, self.scheduler)
        self._variable_sizes: dict[str, int] = {}

    async def run(self, step: Step) -> None:
        """Run a step to its outcome. What is ours to answer for ends the segment without one."""
        CURRENT.set((self.state.info.id, ref(step)))
        try:
            try:
                result = await metered(self._attempts(step), partial(self._spend, step))
            except asyncio.CancelledError as error:
                if self.state.dropping or step.abandoned or self.state.fatal is not None:
                    return
                if not self.state.breaks_off(step):
                    raise self.state.fault(step, "", error) from error  # somebody ended the loop: nobody cancelled this
                self.scheduler.close_cancelled(step)
            except PatchbayError as error:
                self._failed(step, error)
            else:
                self._succeeded(step, result)
        except (LeaseLost, JournalFailed) as error:
            self.state.abort(error)
        except asyncio.CancelledError:
            return  # a last line of a step that was given up meanwhile

    async def _attempts(self, step: Step) -> Result:
        node, records = step.node, step.records
        if not records.begun:
            begun: StepInitData = {"attempt": 1}
            self.state.append(step, "STEP_INIT", begun, record="emit", key="init")
            records.begun = True
        if node.pinned is not None and self.state.info.draft:
            if records.input is None:
                pinned: StepInputData = {"input": {}, "pinned": True}
                self.state.append(step, "STEP_INPUT", pinned, record="input")
            return node.pinned
        config: JsonObject | None = None if records.input is None else await self.state.loaded(step, records.input)
        if config is None:
            evaluated, size = await self.state.with_values(step, lambda: self._config(step))
            config = evaluated
            step.size = size.memory
            self._keep(step.node.id, step.size)
            self.state.pace.add(step.size)
            frozen: StepInputData = {"input": config}
            self.state.append(step, "STEP_INPUT", frozen, record="input")
        while True:
            if (step.attempt, "retry") not in records.sleeps:
                try:
                    return await self._attempt(step, config)
                except PatchbayError as error:
                    delay = repeat_after(node.retry, step.attempt, error, unknown=bool(step.unknown), wrote=step.wrote)
                    if delay is None or self.state.stopping or node.type.container:
                        raise  # a container's rounds have outcomes: trying it again would not run them again
                    retry: StepRetryData = {
                        "attempt": step.attempt + 1,
                        "delay_ms": round(delay * 1000),
                        "code": error.code,
                    }
                    await self.state.sleep(step, self.state.clock.now() + delay, "retry", retry)
            else:
                await self.state.sleep(step, 0.0, "retry")
            step.attempt += 1

    async def _config(self, step: Step) -> tuple[JsonObject, Size]:
        """The node's config with its values, and what it comes to. Raises TemplateError, ResultTooLarge."""
        node, scope, bounds = step.node, step.frame.scope, self.state.info.bounds
        if (round_values := self._round_values(step)) is not None:
            shown = {key: value for key, value in round_values.items() if value is not MISSING}
            return shown, await self.measured(step, shown, "round")

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

        with working(self.state, step):
            result, seconds = await asyncio.to_thread(counted)
        self._spend(step, seconds)
        return result

    def _spend(self, step: Step, seconds: float) -> None:
        self.state.costs.spend(step.node.id, seconds)
        if self.state.costs.over is not None:
            self._end_over_budget(self.state.costs.over)

    def _keep(self, node: str, amount: int) -> None:
        self.state.costs.hold(node, amount)
        if self.state.costs.over is not None:
            self._end_over_budget(self.state.costs.over)

    def _end_over_budget(self, over: PatchbayError) -> None:
        """End a run that passed a bound, whatever its steps would do about errors."""
        if self.state.stopping or self.state.dropping:
            return
        self.state.failure = {"code": over.code, "params": over.params, "detail": None, "node": over.params["node"]}
        self.state.stopping = True  # what comes next may stand in the middle of a step
        asyncio.get_running_loop().call_soon(partial(self.state.stop, grace=self.state.grace_s))

    async def measured(self, step: Step, value: object, field: str, times: int = 1) -> Size:
        """What a value comes to that a node made. Raises ResultTooLarge."""
        bounds = self.state.info.bounds

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
        await self.state.gate(step)
        if self.state.pace.ahead:
            with working(self.state, step):
                await self.state.pace.keep()
        if step.records.faults or self.state.info.deaths:
            skipped = await self._ask_whether(step, config)
            if skipped is not None:
                return skipped
        step.wrote, step.timed_out = False, False
        step.unknown = []
        step.timing, step.since = True, None
        step.ran = step.records.ran.get(step.attempt, 0.0)
        step.tick(self.state.clock.now())
        if step.deadline is not None:
            self.state.poke()
        try:
            out: Any = await self._work(step, NodeContext(self.state, step, config, self))
        except asyncio.CancelledError:
            if not step.timed_out or self.state.stopping or self.state.dropping:
                raise
            if step.task is not None:
                step.task.uncancel()
            raise NodeTimeout(params={"seconds": step.node.timeout_s}) from None
        except (PatchbayError, LeaseLost, JournalFailed):
            raise
        except Exception as error:
            LOG.exception("node %s of type %s failed", step.node.id, step.node.type.name)
            raise self.state.fault(step, "", error) from error
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
        self.state.pace.add(size.memory)
        if self.state.watch.doubts(step):
            answer = await self.state.watch.allows(step, New("", step.node.id, ends=True))
            return result if answer is None else Result(answer.values if isinstance(answer.values, dict) else {})
        return result

    async def _work(self, step: Step, ctx: NodeContext[Any]) -> Result | Mapping[str, object]:
        """What the node gives; a container that was given a round does that one and nothing else."""
        round_values = self._round_values(step)
        if round_values is None:
            return await step.node.type.run(ctx)
        await ctx.frame(0, round_values)
        return Result({}, step.node.through)

    def _round_values(self, step: Step) -> dict[str, Any] | None:
        return step.node.round if self.state.info.draft else None

    async def _ask_whether(self, step: Step, config: JsonObject) -> Result | None:
        """Where this step failed for our sake, or ended processes, a person says whether it goes on: None, or by which
        outputs it is skipped."""
        answer = await self.state.ask_after_faults(step, "", config)
        if answer is not None and answer.action not in ("retry", "skip"):
            raise InternalError(params={"reason": "repeated", "times": step.records.faults[(step.attempt, "")]})
        if answer is None or answer.action == "retry":
            answer = await self.state.ask_after_deaths(step, config)
            if answer is not None and answer.action not in ("retry", "skip"):
                raise died_here(self.state.deaths_ahead(step))
        if answer is None or answer.action == "retry":
            return None
        return Result(answer.values if isinstance(answer.values, dict) else {})

    def _succeeded(self, step: Step, result: Result) -> None:
        port = result.port if result.port in step.node.outgoing else None
        data: StepOutputData = {"output": result.outputs, "port": port}
        if result.variables:
            data["vars"] = result.variables
        self.scheduler.close_step(step, "STEP_OUTPUT", data)
        self._keep(step.node.id, step.frame.sizes.get(step.node.id, 0))
        if result.variables:
            step.frame.scope.set_variables(result.variables)
            self.scheduler.set_inside(step.frame, result.variables)
            self._keep_variables(step, result.variables)
        self.scheduler.settle(step.frame, step.node, result.outputs, port)

    def _keep_variables(self, step: Step, values: JsonObject) -> None:
        """Count what the run's variables take: as much as the outputs of the node that set them, shared by name."""
        share = step.frame.sizes.get(step.node.id, 0) // len(values)
        for name in values:
            self._keep(step.node.id, share - self._variable_sizes.get(name, 0))
            self._variable_sizes[name] = share

    def _failed(self, step: Step, error: PatchbayError) -> None:
        message, hint = text_for(error.code, error.params, self.state.info.language)
        params = clean(error.params)
        data: StepErrorData = {"code": error.code, "params": params, "detail": clean(error.detail)}
        if step.unknown:
            data["unknown"] = list(step.unknown)
        node = step.node
        if node.on_error != "fail" and not self.state.stopping and not step.frame.stopped:
            data["port"] = ERROR if node.on_error == "port" else node.through
            shown: JsonObject = {"code": error.code, "params": params, "message": message, "hint": hint}
            data["output"] = node.empty | {"error": shown}
        if self.state.stopping or step.frame.stopped:
            data["stopping"] = True  # not what the run failed of
        self.scheduler.close_step(step, "STEP_ERROR", data)
        if "port" in data:
            self.scheduler.settle(step.frame, node, data["output"], data["port"])
        elif step.path:
            self.scheduler.fail_frame(step.frame, error)
        elif self.state.failure is None and self.state.cancelled_by is None:
            self.state.failure = {
                "code": data["code"],
                "params": data["params"],
                "detail": data["detail"],
                "node": node.id,
            }
            self.state.stop(grace=self.state.grace_s)
