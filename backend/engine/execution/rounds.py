"""What a container runs inside itself: rounds of its children, and where it stands among them."""

from __future__ import annotations

import asyncio

from backend.engine.execution.frame import Frame, Scope
from backend.engine.execution.items import NOTHING, Items
from backend.engine.execution.needed import of_earlier_round
from backend.engine.execution.records import ItemsValue, RoundsValue
from backend.engine.execution.replay import failed_with
from backend.engine.execution.schedule import Moved
from backend.engine.execution.scheduler import ABANDON_S, Scheduler
from backend.engine.execution.segment_state import SegmentState
from backend.engine.execution.step import Step
from backend.tools.types import JsonObject

ROUNDS_AFTER = 50
"""Records after which a loop or an iteration writes down where it stands."""


class Rounds:
    """The frames of containers (iterations, loops) of one segment."""

    def __init__(self, state: SegmentState, scheduler: Scheduler) -> None:
        self.state, self.scheduler = state, scheduler

    async def run(self, step: Step, index: int, values: JsonObject) -> Scope:
        """Run a container's children once, with `values` for them to read; gives what they see at the end.

        Raises the error of the child that failed.
        """
        path = (*step.path, (step.node.id, index))
        scope = Scope(values, outer=step.frame.scope)
        plan = self.state.compiled.plans.get(step.node.id)
        failed = self.state.replay.failures.get(path)
        if failed is not None:
            self.scheduler.cancel_the_rest(path)
            raise failed_with(failed)
        await self.state.gate(step)
        if plan is None:
            return scope
        frame = Frame(plan, path, scope, step)
        step.frames[frame] = None
        frame.done = asyncio.get_running_loop().create_future()
        try:
            self.scheduler.push(frame, Moved(frame.schedule.begin(), []))
            await self.state.suspend(step, "frame", future=frame.done)
        except asyncio.CancelledError:
            frame.stopped = True
            tasks = [child.task for child in frame.live if child.task is not None]
            if tasks and not self.state.dropping:
                self.state.stopped_frames[frame] = self.state.clock.now() + self.state.grace_s
                self.state.poke()
                await asyncio.wait(tasks, timeout=self.state.grace_s + ABANDON_S)
            raise
        finally:
            step.frames.pop(frame, None)
            for node, size in frame.sizes.items():
                self.state.costs.hold(node, -size)
        return scope

    def rounds_before(self, step: Step) -> tuple[int, JsonObject, JsonObject] | None:
        """Where a loop stands by its last "rounds" record: (the round that comes next, what is carried into it, the
        outputs of the round before by node)."""
        if step.records.rounds is None:
            return None
        number, carried = step.records.rounds
        plan = self.state.compiled.plans.get(step.node.id)
        path = (*step.path, (step.node.id, number - 1))
        last: JsonObject = {}
        for id_ in plan.nodes if plan else ():
            known = self.state.replay.steps.get((path, id_))
            last[id_] = known.outcome.data.get("output") if known and known.outcome else None
        return number, carried, last

    def rounds_over(self, step: Step, number: int, carried: JsonObject) -> None:
        """Round `number` of a loop comes next, with this carried into it: written down once there is much to skip.

        Not where the history holds that round: whoever begins there would not find what it did.
        """
        records = step.records
        if self.state.replay.count - records.at < ROUNDS_AFTER or self._was_begun(step, number):
            return
        value: RoundsValue = {"round": number, "carried": carried, "vars": self.state.variables}
        self.state.append(step, record="rounds", key="rounds", value=value)
        records.at = self.state.replay.count
        for record_key in [record_key for record_key in records.values if of_earlier_round(record_key[1], number)]:
            del records.values[record_key]

    def items_before(self, step: Step) -> Items:
        """The items of an iteration that are over, as far as that was written down."""
        records = step.records
        if records.items is None:
            records.items = Items()
        if records.sets:
            step.sets = step.sets | records.sets
            if step.path:
                step.frame.scope.set_loop_variables(records.sets)
                self.scheduler.set_inside(step.frame, records.sets)
        return records.items

    def item_over(self, step: Step, number: int) -> None:
        """One more item of an iteration is over: written down once there is much to skip."""
        records = step.records
        if records.items is None:
            records.items = Items()
        records.items.add(number)
        if self.state.replay.count - records.at < ROUNDS_AFTER:
            return
        state = records.items.record(lambda item: records.values.get((step.attempt, f"output:{item}"), NOTHING))
        value: ItemsValue = {**state, "sets": step.sets, "vars": self.state.variables}
        self.state.append(step, record="rounds", key="rounds", value=value)
        records.at = self.state.replay.count

    def _was_begun(self, step: Step, number: int) -> bool:
        """Whether the history holds something of a round."""
        plan = self.state.compiled.plans.get(step.node.id)
        path = (*step.path, (step.node.id, number))
        return plan is not None and any((path, id_) in self.state.replay.steps for id_ in plan.nodes)
