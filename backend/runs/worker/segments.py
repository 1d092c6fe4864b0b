"""One segment of one run: load what is durable, let the engine work, write what became of it.

The engine decides, this module carries: it builds the engine's ports from the database, hands over what lies in the
run's inbox, writes the run-level FLOW_* events and changes the run's row, always together with the lines that say so.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from backend.accounts.models import User
from backend.database.clock import CLOCK
from backend.engine.document.types import Text
from backend.engine.execution import failpoints
from backend.engine.execution.events import StepLogData
from backend.engine.execution.ports import (
    Entry,
    Failure,
    JournalFailed,
    LeaseLost,
    Message,
    SegmentEnd,
    SegmentFault,
    Waiting,
)
from backend.engine.execution.records import FaultValue
from backend.engine.execution.segment import Segment
from backend.errors import InternalError, PatchbayError
from backend.errors.log_context import LOG_CONTEXT, LogContext
from backend.net import traces
from backend.registry.connecting.connections import end_sessions
from backend.runs.conversations.turn_ends import turn_end
from backend.runs.live.hub import HUB
from backend.runs.log import rows
from backend.runs.log.batch import TurnEnd
from backend.runs.log.encoding import BlobRow, Reference, encode, encode_value, iso, plain
from backend.runs.log.events import (
    FlowCancelData,
    FlowResumeData,
    FlowStartData,
    FlowStopData,
    FlowSuccessData,
    WaitingJson,
)
from backend.runs.log.journal import DatabaseJournal, Writer
from backend.runs.models import Run, RunState
from backend.runs.queue import inbox, leases
from backend.runs.queue.leases import Claimed
from backend.runs.worker.active_run import ActiveRun
from backend.runs.worker.loading import Inbox, Loaded, read_inbox
from backend.runs.worker.resuming import CACHE, PUT_AWAY
from backend.runs.worker.run_services import InThread, RunServices
from backend.runs.worker.trying_again import TROUBLES, passes, pause_after
from backend.tools.loop import LOOP
from backend.version import VERSION

log = logging.getLogger(__name__)

FAILED_HERE = Text(
    "Patchbay failed here ({type}); trying again in {seconds} s.",
    "Patchbay 在此处失败（{type}），将在 {seconds} 秒后重试。",
)
CHILD_NEAR_S = 0.025
"""Seconds at most for which a run keeps its place while a child run that it waits for is at work in this process: the
end of a short child is nearer than a suspension and a resume would take."""
MOST_LOSSES = 5
"""Times in a row that a run is given back for what it did before it is paused, and left to a person."""

_AT_REST = frozenset({"WAITING", "PAUSED"})


class RunClock:
    """`engine.ports.Clock`: the database's, so that a timer is due for the engine when it is due for a claim."""

    def __init__(self) -> None:
        self.now: Callable[[], float] = CLOCK.now
        """Epoch seconds."""

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


class Execution:
    """Runs one loaded run on the loop until it ended, waits, was handed over or lost."""

    def __init__(self, live: ActiveRun, loaded: Loaded, writer: Writer, in_thread: InThread) -> None:
        self._live, self._loaded, self._in_thread = live, loaded, in_thread
        claimed = loaded.claimed
        self._run = claimed.run
        self.began_at = loaded.position
        self._consumed = loaded.inbox.last
        live.inbox_seq = loaded.inbox.seq or claimed.inbox_seq
        self._paused_to_drain = False
        self.journal = DatabaseJournal(
            writer,
            claimed.run,
            loaded.team,
            claimed.fence,
            position=loaded.position,
            seq=claimed.last_seq,
            usage=loaded.usage,
            waiting=loaded.waiting,
            parent=loaded.parent,
            root=loaded.root,
            held=live.ours,
            workflow=loaded.workflow,
            member=loaded.started_by or "",
            needed=loaded.needed,
            conversation=loaded.conversation,
            about=loaded.about,
            asks=bool(loaded.asked),
        )
        self.journal.recall(loaded.history)
        loaded.stored.in_thread = in_thread
        self.journal.on_preview = HUB.preview
        self.services = RunServices(loaded, self.journal, in_thread)
        self.wake_at: float | None = None

    async def run(self) -> None:
        """Work. Raises LeaseLost (write nothing more) and JournalFailed (give the run back)."""
        loaded = self._loaded
        if any(message.kind == "cancel" for message in loaded.inbox.messages) and not loaded.resumed:
            by = next(message.value.get("by", "") for message in loaded.inbox.messages if message.kind == "cancel")
            return await self._finish(SegmentEnd("CANCELLED", by=by))
        if loaded.claimed.losses >= MOST_LOSSES:
            return await self._leave_to_a_person()
        if loaded.compiled is None:
            return await self.fail(loaded.problem or InternalError())
        self._say_that_it_goes_on()
        segment = Segment(loaded.compiled, loaded.info, loaded.history, self.journal, self.services, RunClock())
        self._live.segment = segment
        self.journal.on_stored = partial(self._put_away, segment)
        try:
            await self._work(segment)
        finally:
            self._live.segment = self.journal.on_stored = None
            await segment.close()
            await end_sessions(self._run)

    async def _leave_to_a_person(self) -> None:
        """Pause a run that is given back again and again, and say so: it may be resumed or cancelled."""
        waiting: list[WaitingJson] = [{"kind": "pause"}]
        error = _failure(InternalError(params={"reason": "given_back", "times": self._loaded.claimed.losses}))
        row = {"waiting": encode(waiting), "wake_at": None, "error": encode(error), "losses": 0}
        data: FlowStopData = {"waiting": waiting, "error": error}
        event = Entry(type="FLOW_STOP", data=data)
        await self.journal.commit_state(RunState.PAUSED, [event], row=row)

    def _say_that_it_goes_on(self) -> None:
        loaded = self._loaded
        if loaded.resumed:
            again: FlowResumeData = {"patchbay": VERSION}
            self.journal.append(Entry(type="FLOW_RESUME", data=again))
        else:
            data: FlowStartData = {"inputs": loaded.info.inputs, "version": loaded.version, "patchbay": VERSION}
            if loaded.servers_off:
                data["servers_off"] = loaded.servers_off
            self.journal.append(Entry(type="FLOW_START", data=data))

    def _put_away(self, segment: Segment, entry: Entry, reference: Reference) -> None:
        """An output is on the disk: what is large is read from there when somebody needs it again."""
        if reference["size"] >= PUT_AWAY and segment.put_away(entry, self._loaded.stored.blob(reference)):
            CACHE.keep(reference["$ref"], reference["size"], entry.data["output"])

    async def _work(self, segment: Segment) -> None:
        self._deliver(segment, self._loaded.inbox.messages)
        while True:
            end = await self._segment_end(segment)
            if end.state not in _AT_REST:
                return await self._finish(end)
            if self._paused_to_drain and end.state == "PAUSED":
                await self.journal.commit_state(RunState.QUEUED, [], row={})
                return None
            if not await self._child_ends(end) and await self._suspend(end):
                return None
            await self._read_inbox(segment)

    async def _segment_end(self, segment: Segment) -> SegmentEnd:
        """The engine's word, while messages, a failing journal and a lost lease are listened to."""
        work = asyncio.ensure_future(segment.run())
        try:
            while True:
                listened: set[asyncio.Future[Any]] = {work, self._live.changes(), self.journal.failure}
                await asyncio.wait(listened, return_when=asyncio.FIRST_COMPLETED)
                if work.done():
                    return work.result()
                if self.journal.failure.done():
                    raise self.journal.failure.result()
                heeded = await self._heed(segment)
                if heeded and work.done() and work.exception() is None and work.result().state in _AT_REST:
                    work = asyncio.ensure_future(segment.run())  # it came to stand before it was told
        finally:
            if not work.done():
                work.cancel()
                await asyncio.wait({work})

    async def _heed(self, segment: Segment) -> bool:
        """See to what was noticed; whether the segment was told something."""
        if self._live.lost:
            raise LeaseLost(self._run)
        if self._live.draining and not self._paused_to_drain:
            self._paused_to_drain = True
            segment.deliver(Message("pause"))
        return self._live.noticed and await self._read_inbox(segment)

    async def _read_inbox(self, segment: Segment) -> bool:
        self._live.noticed = False
        received: Inbox = await self._in_thread(read_inbox, self._run, self._consumed)
        self._live.inbox_seq, self._consumed = received.seq, received.last
        self._deliver(segment, received.messages)
        return bool(received.messages)

    def _deliver(self, segment: Segment, messages: list[Message]) -> None:
        for message in messages:
            failpoints.hit("inbox.read")
            self.services.observe_message(message)
            segment.deliver(message)

    async def _child_ends(self, end: SegmentEnd) -> bool:
        """Whether a message comes while a child run that is waited for is at work beside this one; waits for it a
        moment."""
        if end.state != "WAITING" or any(item.until is not None for item in end.waiting):
            return False
        if not any(item.kind == "child" and self._live.beside(item.run) for item in end.waiting):
            return False
        if not self._live.noticed:  # else the bell may have rung before
            listened: set[asyncio.Future[Any]] = {self._live.changes(), self.journal.failure}
            await asyncio.wait(listened, timeout=CHILD_NEAR_S, return_when=asyncio.FIRST_COMPLETED)
        if self._live.lost:
            raise LeaseLost(self._run)
        return self._live.noticed and not self._live.draining

    async def _suspend(self, end: SegmentEnd) -> bool:
        known = self.journal.waiting
        waiting = [known.get(item.interaction) or _waiting(item) for item in end.waiting]
        if end.state == "PAUSED":  # steps that waited have not come to their waits again
            waiting += [item for item in self.journal.waiting.values() if item not in waiting]
        timers = [item.until for item in end.waiting if item.until is not None]
        wake_at = min(timers) if timers and end.state == "WAITING" else None
        data: FlowStopData = {"waiting": waiting}
        settled = await self.journal.commit_state(
            end.state,
            [Entry(type="FLOW_STOP", data=data)],
            row={"waiting": encode(waiting), "wake_at": wake_at, "usage": encode(self.journal.used())},
            inbox_seq=self._live.inbox_seq,
            consumed=self._consumed,
        )
        self.wake_at = wake_at if settled else None
        return settled

    async def fail(self, error: PatchbayError) -> None:
        """End the run with this error."""
        await self._finish(SegmentEnd("ERROR", error=_failure(error)))

    async def _finish(self, end: SegmentEnd) -> None:
        outputs = encode_value(self._loaded.team, end.outputs if end.state == "SUCCESS" else {}, "outputs")
        error = end.error if end.state == "ERROR" else None
        match end.state:
            case "SUCCESS":
                success: FlowSuccessData = {"outputs": end.outputs}
                event = Entry(type="FLOW_SUCCESS", data=success)
            case "CANCELLED":
                cancel: FlowCancelData = {"by": await self._in_thread(_email, end.by)}
                event = Entry(type="FLOW_CANCEL", data=cancel)
            case _:
                event = Entry(type="FLOW_FAILED", data=dict(error or {}))
        kept, blobs = await self._turn_end(end) if self._loaded.conversation else (None, [])
        await self.journal.commit_state(
            end.state,
            [event],
            row={
                "outputs": outputs.text,
                "refs": encode(refs) if (refs := self._loaded.refs + outputs.refs) else "",
                "error": encode(error),
                "waiting": "[]",
                "wake_at": None,
                "usage": encode(self.journal.used()),
                "finished_at": leases.stamp(),
            },
            blobs=outputs.blobs + blobs,
            children=sorted(self.services.children),
            by=end.by,
            turn_end=kept,
        )
        if end.state == "ERROR":
            code, node = (error["code"], error.get("node")) if error else (None, None)
            log.info("the run failed: %s", code, extra={"node": node or ""})
        else:
            log.debug("the run ended: %s", end.state)
        owners = [*sorted(self.services.children), *([self._loaded.parent] if self._loaded.parent else [])]
        if owners:
            failpoints.hit("over.untold")
            await self._in_thread(inbox.wake_owner, owners)

    async def _turn_end(self, end: SegmentEnd) -> tuple[TurnEnd, list[BlobRow]]:
        """What the run's conversation keeps of it, read from the log, which is on disk by then."""
        await self.journal.barrier()
        result: tuple[TurnEnd, list[BlobRow]] = await self._in_thread(turn_end, self._loaded, end)
        return result

    async def record_fault(self, fault: SegmentFault) -> float:
        """Write down that Patchbay failed at a place of the run; gives the seconds after which it is tried again."""
        tries = self.faults(fault) + 1
        delay = pause_after(tries)
        text = FAILED_HERE.in_(self._loaded.info.language).format(
            type=plain(type(fault.__cause__).__name__), seconds=round(delay)
        )
        data: StepLogData = {"level": "error", "text": text}
        value: FaultValue = {"tries": tries}
        self.journal.append(replace(fault.entry, type="STEP_LOG", data=data, value=value))
        await self.journal.barrier()
        return delay

    def faults(self, fault: SegmentFault) -> int:
        """How often Patchbay failed at this place before."""
        place = (fault.entry.path, fault.entry.node, fault.entry.attempt, fault.entry.key)
        history = self._loaded.history
        return sum((e.path, e.node, e.attempt, e.key) == place for e in history if e.record == "fault")


def _failure(error: PatchbayError) -> Failure:
    return {"code": error.code, "params": error.params, "detail": error.detail, "node": None}


def _email(user: str) -> str:
    """Whom people know by this: the e-mail of a user's id."""
    return User.objects.filter(pk=user).values_list("email", flat=True).first() or user


def _waiting(pending: Waiting) -> WaitingJson:
    """Contract "run.waiting"."""
    out: WaitingJson = {"kind": pending.kind}
    if pending.interaction:
        out["interaction"] = pending.interaction
    if pending.until is not None:
        out["until"] = iso(pending.until)
    if pending.run:
        out["run"] = pending.run
    return out


def give_up(claimed: Claimed, writer: Writer, error: Exception) -> None:
    """End a run whose stored data cannot be read. In a database thread. Raises LeaseLost, JournalFailed."""
    run = Run.objects.only("team", "workflow", "started_by", "parent_run").get(pk=claimed.run)
    position, _ = rows.last_position(claimed.run)
    LOOP.run(_give_up(claimed, writer, error, run, position))
    if run.parent_run_id:
        inbox.wake_owner([run.parent_run_id])


async def _give_up(claimed: Claimed, writer: Writer, error: Exception, run: Run, position: int) -> None:
    journal = DatabaseJournal(
        writer,
        claimed.run,
        run.team_id,
        claimed.fence,
        position=position,
        seq=claimed.last_seq,
        parent=run.parent_run_id or "",
        workflow=run.workflow_id,
        member=run.started_by_id or "",
    )
    failure = _failure(InternalError(params={"reason": "unreadable", "type": plain(type(error).__name__)}))
    row = {"error": encode(failure), "waiting": "[]", "wake_at": None, "finished_at": leases.stamp()}
    await journal.commit_state(RunState.ERROR, [Entry(type="FLOW_FAILED", data=failure)], row=row)


async def execute(live: ActiveRun, loaded: Loaded, writer: Writer, in_thread: InThread) -> float | None:
    """Run one segment; gives the time of its next timer where it waits for one."""
    claimed = loaded.claimed
    LOG_CONTEXT.set(LogContext(loaded.request_id, claimed.run, loaded.team))  # of this task and those that it begins
    traces.RUN.set(loaded.about.trace)
    execution = Execution(live, loaded, writer, in_thread)
    try:
        try:
            await execution.run()
        except (LeaseLost, JournalFailed):
            raise
        except PatchbayError as error:
            await execution.fail(error)
    except LeaseLost:
        log.info("run %s has another owner", claimed.run)
    except Exception as error:  # noqa: BLE001 - whatever it is, the run is given back and goes on from what is durable
        return await _give_back(execution, claimed, error, in_thread)
    TROUBLES.over(claimed.run)
    return execution.wake_at


async def _give_back(execution: Execution, claimed: Claimed, error: Exception, in_thread: InThread) -> float | None:
    """Let go of a run that met trouble of ours, to be tried again a little later; gives when.

    Trouble of the machine or the database is nobody's fault. A defect in one place of the run is written down there
    (the third makes its step ask a person); any other counts as a loss of the run, for it may be the run's own.
    """
    counts = not passes(error)
    delay = pause_after(1) if counts else TROUBLES.pause(claimed.run, execution.began_at)
    if counts and isinstance(error, SegmentFault):
        try:
            delay, counts = await execution.record_fault(error), False
        except LeaseLost:
            return None
        except JournalFailed as worse:
            error, counts = worse, not passes(worse)
    log.warning("run %s is given back: %s", claimed.run, error, exc_info=None if passes(error) else error)
    released = await in_thread(partial(leases.release, claimed.run, claimed.fence, counts=counts, after_s=delay))
    return CLOCK.now() + delay if released else None
