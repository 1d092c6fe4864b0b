"""Which node runs, and what becomes of it: from the schedule to a coroutine, to its outcome, to the next nodes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Literal, TypeAlias

from backend.engine.document.compile import CompiledNode
from backend.engine.document.ids import Path, step_id
from backend.engine.execution.events import StepCancelData, StepSkipData
from backend.engine.execution.frame import Frame
from backend.engine.execution.ports import Entry, JournalFailed, LeaseLost
from backend.engine.execution.records import OutcomeValue
from backend.engine.execution.replay import Records
from backend.engine.execution.schedule import Moved
from backend.engine.execution.segment_state import SegmentState
from backend.engine.execution.step import ROOT_SCOPE, Step, StepScope
from backend.engine.language.expressions import SKIPPED, Skipped
from backend.engine.language.later import Later
from backend.errors import Cancelled, PatchbayError
from backend.tools.types import JsonObject

ABANDON_S = 5.0  # what a cancelled coroutine may take to end
BATCH = 200  # nodes settled without letting the loop go on


Outputs: TypeAlias = JsonObject | Later | Literal[Skipped.SKIPPED]
"""What a node gave: stored where it was long ago, SKIPPED where it did not run."""


class Scheduler:
    """The way of a run through its graph. `run_step` executes a step whose turn it is (`StepRunner.run`)."""

    def __init__(self, state: SegmentState, run_step: Callable[[Step], Coroutine[Any, Any, None]]) -> None:
        self.state, self._run_step = state, run_step
        self._pumping = False

    def push(self, frame: Frame, moved: Moved) -> None:
        """Queue what the schedule says comes next, and start it."""
        for node in moved.skipped:
            self.state.queue.append((frame, node, True))
        for node in moved.ready:
            self.state.queue.append((frame, node, False))
        self.pump()

    def pump(self) -> None:
        """Take nodes from the queue: settle those whose outcome is known, start the others."""
        if self._pumping:
            return
        self._pumping = True
        try:
            for _ in range(BATCH):
                held = self.state.paused and not self.state.stopping
                if not self.state.queue or held or self.state.fatal is not None or self.state.dropping:
                    if held or not self.state.steps:
                        self.state.poke()
                    return
                self._take(*self.state.queue.popleft())
        except (LeaseLost, JournalFailed) as error:
            self.state.abort(error)
            return
        finally:
            self._pumping = False
        asyncio.get_running_loop().call_soon(self.pump)

    def _take(self, frame: Frame, node: CompiledNode, skipped: bool) -> None:
        self.state.watch.reached(frame.path, node.id)
        records = self.state.replay.steps.get((frame.path, node.id))
        if records is not None and records.outcome is not None:
            self._settle_known(frame, node, records.outcome, skipped)
        elif self.state.stopping or frame.stopped:
            return
        elif skipped:
            frame.scope[node.id] = SKIPPED
            self.close_step(self.step_for(frame, node, records), "STEP_SKIP", {})
        elif node.disabled:
            data: StepSkipData = {"disabled": True, "port": node.through}
            self.close_step(self.step_for(frame, node, records), "STEP_SKIP", data)
            self.settle(frame, node, SKIPPED, node.through)
        else:
            step = self.step_for(frame, node, records)
            self.state.steps[step] = None
            frame.live[step] = None
            self.state.tick(frame.owner)
            self.state.activity += 1
            step.task = asyncio.get_running_loop().create_task(self._run_step(step))
            step.task.add_done_callback(lambda _: self.gone(step))

    def gone(self, step: Step) -> None:
        """A step's task is over (also one that was cancelled before its first line)."""
        self.state.steps.pop(step, None)
        step.frame.live.pop(step, None)
        if step.task is not None and step.task.done():
            step.task = None  # its context leads back here: what the step was answered would stay until Python looks
        if step.size:
            self.state.costs.hold(step.node.id, -step.size)
            step.size = 0
        step.frame.finish()
        self.state.tick(step.frame.owner)
        self.state.activity += 1
        if self.state.stopping or not self.state.steps or self.state.waits:
            self.state.poke()

    def step_for(self, frame: Frame, node: CompiledNode, records: Records | None) -> Step:
        """A step of this node, with what the history knows of it."""
        id_ = step_id(self.state.info.id, frame.path, node.id)
        return Step(frame, node, Records(at=self.state.replay.count) if records is None else records, id_)

    def _settle_known(self, frame: Frame, node: CompiledNode, outcome: Entry, skipped: bool) -> None:
        data = outcome.data
        inside: OutcomeValue | None = outcome.value
        if inside and frame.path:
            frame.scope.set_loop_variables(inside["loop"])
            self.set_inside(frame, inside["loop"])
        if skipped:
            frame.scope[node.id] = SKIPPED  # the schedule knows already
        elif outcome.type == "STEP_SKIP":
            self.settle(frame, node, SKIPPED, data.get("port"))
        elif outcome.type == "STEP_OUTPUT":
            if frame.path and data.get("vars"):
                frame.scope.set_loop_variables(data["vars"])  # those of the run were folded from the log
                self.set_inside(frame, data["vars"])
            self.settle(frame, node, data["output"], data["port"])
        elif outcome.type == "STEP_ERROR" and data.get("port") is not None:
            self.settle(frame, node, data["output"], data["port"])
        elif outcome.type == "STEP_CANCEL" and frame.path:
            self.fail_frame(frame, Cancelled())

    def settle(self, frame: Frame, node: CompiledNode, outputs: Outputs, port: str | None) -> None:
        """A node has given these outputs by this port (SKIPPED: none): whatever follows it may come."""
        frame.scope[node.id] = outputs
        if outputs is not SKIPPED and not frame.path and node.type.name == "end":
            self.state.outputs[node.index] = outputs
        self.push(frame, frame.schedule.settle(node, port))
        frame.finish()

    def resume(self) -> None:
        """Go on after a pause."""
        self.state.paused = False
        for wait in list(self.state.waits):
            if wait.kind == "pause" and not wait.future.done():
                wait.future.set_result(None)
        self.pump()

    def take_early_answers(self) -> None:
        """Journal answers to questions of the history that their steps have not come to again, and may not soon: in a
        run that pauses nothing goes on, and what is not in the log by then is forgotten."""
        for interaction, answer in list(self.state.early_answers.items()):
            if interaction in self.state.replay.answered:
                del self.state.early_answers[interaction]
                continue
            entry = self.state.replay.asked.get(interaction)
            records = self.state.replay.steps.get((entry.path, entry.node or "")) if entry else None
            plan = self.state.compiled.plans.get(entry.path[-1][0] if entry.path else None) if entry else None
            if entry is None or records is None or records.closed or plan is None or entry.node not in plan.nodes:
                continue
            del self.state.early_answers[interaction]
            frame = Frame(plan, entry.path, self.state.root.scope)
            step = self.step_for(frame, plan.nodes[entry.node], records)
            step.attempt = entry.attempt
            part = StepScope(id=entry.step) if entry.data.get("parent") else ROOT_SCOPE
            self.state.record_answer(step, entry.key, interaction, answer, part)

    def close_cancelled(self, step: Step) -> None:
        """The outcome of a step that was cancelled; writes of unknown outcome are named."""
        data: StepCancelData = {"unknown": list(step.unknown)} if step.unknown else {}
        self.close_step(step, "STEP_CANCEL", data)

    def close_step(self, step: Step, type: str, data: Mapping[str, object]) -> None:
        """Write a step's outcome."""
        value: OutcomeValue | None = {"loop": step.sets} if step.sets else None
        self.state.append(step, type, data, record="outcome", value=value)
        step.records.closed = True
        self.state.unwanted += [followed["task"] for followed in step.records.tasks.values()]

    def set_inside(self, frame: Frame, values: JsonObject) -> None:
        """Variables of the loop around were set inside these iterations: who finds those ended sets them again."""
        while frame.owner is not None and "loop" not in frame.scope:
            frame.owner.sets = frame.owner.sets | values
            frame = frame.owner.frame

    def fail_frame(self, frame: Frame, error: PatchbayError) -> None:
        """A round of a container failed: the same for its nodes; the container decides what becomes of it."""
        if frame.error is None:
            frame.error, frame.stopped = error, True
            self.state.stopped_frames[frame] = self.state.clock.now() + self.state.grace_s
        self.state.break_off(frame.live, everything=False)
        frame.finish()
        self.state.poke()

    def cancel_the_rest(self, under: Path = ()) -> None:
        """Close the steps that an earlier segment left at work, where the run or a round stops before they went on."""
        for (path, id_), records in list(self.state.replay.steps.items()):
            if path[: len(under)] != under:
                continue
            plan = self.state.compiled.plans.get(path[-1][0] if path else None)
            node = plan.nodes.get(id_) if plan else None
            if plan is None or node is None or records.closed or not records.begun:
                continue
            step = self.step_for(Frame(plan, path, self.state.root.scope), node, records)
            step.unknown = [key for (_, key), effect in records.effects.items() if not effect.ended]
            for id_, prefix in records.parts.items():
                part = StepScope(prefix, id_)
                self.state.append(step, "STEP_CANCEL", {}, record="emit", key=f"{prefix}end", part=part)
            self.close_cancelled(step)
