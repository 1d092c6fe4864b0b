"""A task as a stream: where it stands, then what happens, from the run's log until it ends.

Whoever subscribes again gets first where the task stands by then, all of what it said included, and then the rest: the
log is the same on every process. What a model writes is told as it comes, before it is stored (`drafts`). A client that
leaves ends nothing but its stream.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

from a2a.types import Artifact, Task, TaskArtifactUpdateEvent, TaskState, TaskStatus, TaskStatusUpdateEvent

from backend.a2a.caller import Caller
from backend.a2a.drafts import Drafts, Piece
from backend.a2a.tasks import (
    Standing,
    agent_message,
    drafts_of,
    lines_of,
    outputs_artifact,
    rest_of,
    script_for,
    standing_of,
    status_of,
    task_of,
    written,
)
from backend.a2a.threads import in_thread
from backend.runs import selectors
from backend.runs.graphs import node_titles
from backend.runs.live.hub import HUB
from backend.runs.live.open_requests import open_request
from backend.runs.live.run_waiters import RunWaiter
from backend.runs.log.events import TextPreviewJson
from backend.runs.models import Run, RunState

PAGE = 500
"""Events that are read at once where none came live."""
REST_S = 3600.0
"""A stream that hears nothing looks once an hour whether there is anything."""

Event = Task | TaskStatusUpdateEvent | TaskArtifactUpdateEvent
Line = dict[str, Any]


class Bell(RunWaiter):
    """Wakes a stream. `moved` = the run itself may stand otherwise, so that this is to be looked at."""

    moved = False

    def notify(self) -> None:
        """The run's state changed. From any thread."""
        self.moved = True
        super().notify()

    def ring(self) -> None:
        """There is something to tell."""
        super().notify()


class Lines:
    """The events of a run after one of them, as they become durable, and text before it is: a watcher of the hub that
    wakes `bell`."""

    def __init__(self, run: str, after: int, bell: Bell) -> None:
        self.topic = f"run:{run}"
        self._run, self._bell = run, bell
        self._last, self._newest = after, after
        self._live: list[Line] = []
        self._text: list[TextPreviewJson] = []
        self._reading = False

    async def frame(self, first: int, last: int, text: str) -> None:
        """Keep what follows on; of anything else only that there is more."""
        self._newest = max(self._newest, last)
        if first == self._last + 1 and not self._reading:
            self._live += json.loads(text)["events"]
            self._last = last
        self._bell.ring()

    async def send(self, text: str) -> None:
        """Text that is not stored yet."""
        if items := json.loads(text).get("text"):
            self._text += items
            self._bell.ring()

    async def catch_up(self, newest: int) -> None:
        """There are events up to `newest`."""
        if newest > self._newest:
            self._newest = newest
            self._bell.ring()

    def text(self) -> list[TextPreviewJson]:
        """The text that came since this was last asked."""
        items, self._text = self._text, []
        return items

    async def taken(self, newest: int = 0) -> list[Line]:
        """What is new, in order, `newest` at least; read where it did not come live."""
        self._newest = max(self._newest, newest)
        lines, self._live = self._live, []
        self._reading = True
        try:
            while self._newest > self._last:
                page = await in_thread(selectors.event_texts, self._run, self._last, PAGE)
                if not page:
                    break
                lines += [json.loads(text) for _, text in page]
                self._last = page[-1][0]
        finally:
            self._reading = False
        return lines


class Below:
    """Wakes `bell` with every question of the team while a run waits for one below it, whose questions say nothing on
    the topic of the run above."""

    def __init__(self, team: str, bell: RunWaiter) -> None:
        self.topic = f"team:{team}"
        self._bell = bell
        self._watching = False

    def watch(self, standing: Standing) -> bool:
        """Listen, or not any more, as the run stands. True where this began: what was asked before rang nobody."""
        waits = standing.run.state == RunState.WAITING and '"child"' in standing.run.waiting
        if waits != self._watching:
            self._watching = waits
            (HUB.watch if waits else HUB.unwatch)(self)
            return waits
        return False

    def close(self) -> None:
        """Listen no more."""
        if self._watching:
            HUB.unwatch(self)

    async def frame(self, first: int, last: int, text: str) -> None:
        """A team's topic has no numbers."""

    async def send(self, text: str) -> None:
        """A hint came."""
        if '"interaction"' in text:
            self._bell.notify()

    async def catch_up(self, newest: int) -> None:
        """Nothing to catch up with."""


class Stream:
    """The events of one task for one client."""

    def __init__(self, caller: Caller, standing: Standing) -> None:
        self._caller, self._standing = caller, standing
        self._titles: dict[str, str] | None = None
        self._drafts: Drafts | None = None
        self._drafted_seq = 0  # up to which event the drafts are

    async def events(self, new: Task | None = None, *, until_question: bool = False) -> AsyncGenerator[Event]:
        """Where the task stands (how a `new` one is told is known), then what happens.

        `until_question` = also a question that a message answers ends it.
        """
        run = self._standing.run
        with open_request(self._caller.actor), Bell(HUB, run.pk) as bell:
            lines, below = Lines(run.pk, run.last_seq, bell), Below(run.team_id, bell)
            HUB.watch(lines)
            try:
                yield new if new is not None else await in_thread(self._first)
                await HUB.joined(lines.topic)
                bell.moved = True  # what happened before the hub was asked
                while not self._ends(until_question):
                    for event in await self._round(lines, bell):
                        yield event
                    if below.watch(self._standing):
                        bell.moved = True
                        continue
                    if self._ends(until_question) or (not await self._rung(bell) and HUB.closing):
                        return
            finally:
                HUB.unwatch(lines)
                below.close()

    async def _rung(self, bell: Bell) -> bool:
        """Wait for the next ring; where none comes for long, the run is looked at."""
        rung = await bell.changed(REST_S)
        bell.moved = bell.moved or not rung
        return rung

    def _ends(self, until_question: bool) -> bool:
        standing = self._standing
        return standing.over or (until_question and standing.stands and not standing.by_person)

    def _first(self) -> Task:
        self._drafts, self._drafted_seq = drafts_of(self._standing.run), self._standing.run.last_seq
        return task_of(self._standing, self._caller.language, drafts=self._drafts)

    async def _round(self, lines: Lines, bell: Bell) -> list[Event]:
        """What is to be told since the last time; where the run stands is looked at when it may stand otherwise."""
        text, look, bell.moved = lines.text(), bell.moved, False  # text first: it must not outrun the lines read next
        taken = await lines.taken()
        now: Standing | None = None
        if look or not (taken or text) or any(line["type"].startswith("FLOW_") for line in taken):
            now = await in_thread(_again, self._standing)
            taken += await lines.taken(now.run.last_seq if now is not None else 0)
            if now is None:  # deleted meanwhile: there is no such task any more
                self._standing.run.state = RunState.CANCELLED
                return []
        if not taken and now is None and self._drafts is not None:
            return self._previewed(self._drafts, text)
        return await in_thread(self._events_of, taken, text, now)

    def _events_of(self, lines: list[Line], text: list[TextPreviewJson], now: Standing | None) -> list[Event]:
        run = self._standing.run
        if self._titles is None:
            self._titles = node_titles(run.graph_id)
        drafts = self._drafts = self._drafts or Drafts(script_for(run.graph_id))
        numbered: list[tuple[int, Event]] = self._saying(drafts, lines)
        numbered += [
            (line["seq"], self._begun(line)) for line in lines if line["type"] == "STEP_INIT" and not line["path"]
        ]
        events = [event for _, event in sorted(numbered, key=lambda item: item[0])]
        events += self._previewed(drafts, text)
        return events if now is None else [*events, *self._moved(now, drafts)]

    def _saying(self, drafts: Drafts, lines: list[Line]) -> list[tuple[int, Event]]:
        """What lines say, with their numbers. They are read anew, with what was moved out of them."""
        if not any(drafts.script.tells(line["type"], line["node"] or "") for line in lines):
            return []
        read = lines_of(self._standing.run, self._drafted_seq, lines[-1]["seq"])
        self._drafted_seq = lines[-1]["seq"]
        return [(line.seq, self._piece(piece)) for line in read for piece in drafts.line(line)]

    def _previewed(self, drafts: Drafts, text: list[TextPreviewJson]) -> list[Event]:
        return [self._piece(piece) for item in text for piece in drafts.preview(item)]

    def _piece(self, piece: Piece) -> TaskArtifactUpdateEvent:
        return self._artifact(written(self._standing.run.pk, piece), append=piece.append, last=piece.last)

    def _artifact(self, artifact: Artifact, *, append: bool = False, last: bool = True) -> TaskArtifactUpdateEvent:
        run, context = self._standing.run, self._standing.context
        return TaskArtifactUpdateEvent(
            task_id=run.pk, context_id=context, artifact=artifact, append=append, last_chunk=last
        )

    def _begun(self, line: Line) -> TaskStatusUpdateEvent:
        """A node begins: the task works, and on what."""
        node, standing = str(line["node"]), self._standing
        status = TaskStatus(state=TaskState.TASK_STATE_WORKING)
        status.timestamp.FromJsonString(line["ts"])
        title = (self._titles or {}).get(node) or node
        status.message.CopyFrom(agent_message(standing, f"{line['run']}-{line['seq']}", [title]))
        event = TaskStatusUpdateEvent(task_id=standing.run.pk, context_id=standing.context, status=status)
        event.metadata.update({"node": node, "seq": line["seq"]})
        return event

    def _moved(self, now: Standing, drafts: Drafts) -> list[Event]:
        """Where the run stands now, where that is something else than was told."""
        before, self._standing = self._standing, now
        if now.mark == before.mark:
            return []
        run, language = now.run, self._caller.language
        outputs = outputs_artifact(run, language) if run.state == RunState.SUCCESS else None
        left = drafts.left() if now.over else []
        events: list[Event] = [self._piece(piece) for piece in left if piece.name or outputs is None]
        if outputs is not None:
            drafted = drafts.drafted()
            rest = rest_of(outputs, *drafted) if drafted is not None else None
            events.append(self._artifact(outputs if rest is None else rest, append=rest is not None))
        status = status_of(now, language)
        return [*events, TaskStatusUpdateEvent(task_id=run.pk, context_id=now.context, status=status)]


async def stood(caller: Caller, standing: Standing, seconds: float, *, until_over: bool = False) -> Standing:
    """Where a task stands once it ended or, without `until_over`, asks something; after so many seconds in any case."""
    deadline = asyncio.get_running_loop().time() + seconds
    with open_request(caller.actor), RunWaiter(HUB, standing.run.pk) as bell:
        below = Below(standing.run.team_id, bell)
        try:
            while True:
                now = await in_thread(_again, standing)
                if now is None:
                    return standing
                standing = now
                left = deadline - asyncio.get_running_loop().time()
                done = standing.over if until_over else standing.stands
                if done or left <= 0 or HUB.closing:
                    return standing
                if below.watch(standing):
                    continue
                await bell.changed(left)
        finally:
            below.close()


def _again(standing: Standing) -> Standing | None:
    """Where the run stands now; None where it was deleted. Of its row alone: each open stream keeps one."""
    run = Run.objects.filter(pk=standing.run.pk).first()
    return None if run is None else standing_of(run, standing.context)
