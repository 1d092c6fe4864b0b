"""Replay watches itself: a step does nothing new while the journal holds effects that this version does not ask for.

A step finds its effects again by their names. A version that names them otherwise would find nothing and do them a
second time. So before the first new effect, and before a step ends well, everything that replays comes to a stand;
where the journal still holds an effect that nobody asked for, in this step or in one that was not reached, a person is
asked (`mismatch`), with the records as evidence: let it fail, or go on.

Not counted: what stands in a step or a round that has ended, in an earlier attempt, or was cancelled with a call beside
it (on a replay the call beside it may end first), except where the new effect is that very call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from backend.engine.document.ids import Path
from backend.engine.execution.records import MismatchAbout, RecordPlace
from backend.engine.execution.replay import Key, Records, Replay, excuse
from backend.engine.execution.step import ROOT_SCOPE, Step, StepScope
from backend.errors import ReplayMismatch
from backend.tools.types import Answer, JsonLike, Question, ToolName

if TYPE_CHECKING:
    from backend.engine.execution.segment_state import SegmentState

TURNS = 10
"""Turns of the loop without a move after which what replays is believed to stand."""
CLOCK_S = 120.0
"""Seconds by which the clock of another process may have been ahead: a timer that was over then is waited for."""
UNASKED = "unasked:"
"""In the keys of questions about records that nobody asks for."""
MOST = 20
"""Records that a question shows."""

Place = tuple[Path, str]
Left = tuple[Path, str, Key]


@dataclass(frozen=True, slots=True)
class New:
    """What is about to be done: an effect that the journal does not hold (`ends`: the good end of a step)."""

    key: str
    target: str
    fingerprint: str = ""
    arguments: JsonLike = None
    tool: ToolName | None = None
    ends: bool = False


class Watch:
    """The effects of the history of one segment that nobody has asked for."""

    __slots__ = ("_asking", "_movers", "_replay", "_segment", "_unreached")

    def __init__(self, segment: SegmentState) -> None:
        self._segment = segment
        self._replay = Replay()
        self._unreached: dict[Place, Records] = {}
        self._movers: list[asyncio.Future[None]] = []
        self._asking: list[asyncio.Future[None]] | None = None  # who waits for the answer to the question that is put

    def begin(self, replay: Replay) -> None:
        """The history is folded."""
        self._replay = replay
        self._unreached = {
            place: records for place, records in replay.steps.items() if records.unasked and not self._over(place)
        }

    def forget(self, replay: Replay) -> None:
        """Nobody watches: the history is of another document."""
        for records in replay.steps.values():
            records.unasked.clear()

    def reached(self, path: Path, node: str) -> None:
        """A step begins."""
        if self._unreached:
            self._unreached.pop((path, node), None)

    def moved(self) -> None:
        """A step began or ended to work or to wait."""
        movers, self._movers = self._movers, []
        for mover in movers:
            if not mover.done():
                mover.set_result(None)

    def doubts(self, step: Step) -> bool:
        """Whether there may be anything that was not asked for. Cheap: of what never was interrupted there is none."""
        return bool(step.records.unasked or self._unreached)

    async def allows(self, step: Step, new: New, part: StepScope = ROOT_SCOPE) -> Answer | None:
        """Before something new. None = go on; else that a person said "skip", with a value in its place. Raises
        ReplayMismatch where they let it fail."""
        number = 1
        while earlier := step.records.answers.get((step.attempt, _name(new.key, number, part))):
            if earlier.action != "retry":
                return _decided(earlier, new, [])
            number += 1
        while left := await self._left(step, new):
            if self._asking is not None:
                await self._wait_for_the_other(step)
                continue
            self._asking = []
            try:
                name = _name(new.key, number, part)
                answer = await self._segment.ask(
                    step, name, _question(self._segment, new, left), part, about=_about(new, left)
                )
            finally:
                waiting, self._asking = self._asking, None
                for item in waiting:
                    if not item.done():
                        item.set_result(None)
            decided = _decided(answer, new, left)
            excuse(self._replay, [_shown(item) for item in left])
            return decided
        return None

    async def _wait_for_the_other(self, step: Step) -> None:
        """The question that is put already is about the same records."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if self._asking is not None:
            self._asking.append(future)
            await self._segment.park(step, future)

    async def _left(self, step: Step, new: New) -> list[Left]:
        """What is left once nothing that replays can come to ask for it."""
        while self.doubts(step):
            await self._segment.gate(step)
            left = list(self._counted(step, new))
            if not left:
                break
            if await self._stands(step):
                return left
        return []

    async def _stands(self, step: Step) -> bool:
        """Whether nothing has moved for some turns, and nobody is at work who may come to ask."""
        seen = (self._segment.activity, len(step.records.unasked), len(self._unreached))
        for _ in range(TURNS):
            await asyncio.sleep(0)
            if seen != (self._segment.activity, len(step.records.unasked), len(self._unreached)):
                return False
        if self._segment.may_come(step, everywhere=bool(self._unreached), within=CLOCK_S):
            mover: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._movers.append(mover)
            await self._segment.park(step, mover)
            return False
        return True

    def _counted(self, step: Step, new: New) -> Iterator[Left]:
        place = (step.path, step.node.id)
        yield from self._of(place, step.records, step.attempt, new)
        inside = (*step.path, (step.node.id, 0))
        for other, records in self._unreached.items():
            within = len(other[0]) > len(step.path) and other[0][: len(step.path)] == step.path
            if new.ends and not (within and other[0][len(step.path)][0] == inside[-1][0]):
                continue
            if not self._over(other):
                yield from self._of(other, records, 1, new)

    def _of(self, place: Place, records: Records, attempt: int, new: New) -> Iterator[Left]:
        for key in records.unasked:
            effect = records.effects[key]
            broken_off = effect.error is not None and effect.error.get("code") in ("CANCELLED", "NODE_TIMEOUT")
            if key[0] >= attempt and not (broken_off and effect.fingerprint != new.fingerprint):
                yield (*place, key)

    def _over(self, place: Place) -> bool:
        """Whether the step has ended, or what it stands in: nobody comes to it again."""
        path, _ = place
        steps = self._replay.steps
        if steps[place].closed:
            return True
        for depth, (container, _) in enumerate(path):
            around = steps.get((path[:depth], container))
            if path[: depth + 1] in self._replay.failures or (around is not None and around.closed):
                return True
        return False


def _name(key: str, number: int, part: StepScope) -> str:
    """The key of a question."""
    key = key.removeprefix(part.prefix)
    return f"{part.prefix}{UNASKED}{key}" if number == 1 else f"{part.prefix}{UNASKED}{number}:{key}"


def _shown(left: Left) -> RecordPlace:
    path, node, (attempt, key) = left
    return {"node": node, "path": [list(frame) for frame in path], "attempt": attempt, "key": key}


def _about(new: New, left: list[Left]) -> MismatchAbout:
    """What the question's record keeps: all that was not asked for, and what was about to be done instead."""
    return {"recorded": [_shown(item) for item in left], "asked": {"key": new.key, "target": new.target}}


def _mismatch(new: New, left: list[Left]) -> ReplayMismatch:
    names = ", ".join(key for *_, (_, key) in left[:MOST]) + ("…" if len(left) > MOST else "")
    reason = "unasked_end" if new.ends else "unasked"
    return ReplayMismatch(params={"reason": reason, "target": new.target, "recorded": names})


def _question(segment: SegmentState, new: New, left: list[Left]) -> Question:
    message, hint = _mismatch(new, left).text(segment.info.language)
    return Question("mismatch", title=new.target, message=f"{message} {hint}", tool=new.tool, proposal=new.arguments)


def _decided(answer: Answer, new: New, left: list[Left]) -> Answer | None:
    if answer.action == "retry":
        return None
    if answer.action == "skip":
        return answer
    raise _mismatch(new, left)
