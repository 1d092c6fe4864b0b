"""A run played again without the world: what tools, models and people answered is read from records of an earlier run.

The nodes run for real, with the document of now; every effect finds its answer in the records by its identity and
fingerprint, exactly as on a replay. An effect that was not recorded, or is called with other arguments, has no answer:
it is `missing`, and its step fails. Nothing is started and nothing is called.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from backend.engine.document.compile import Compiled
from backend.engine.execution.ports import Entry, Message, RecordKind, RunInfo, SegmentEnd, Services
from backend.engine.execution.records import FramePlace, StartValue
from backend.engine.execution.replay import value_of
from backend.engine.execution.segment import Segment
from backend.engine.rerun.rerun import top_of
from backend.errors import ReplayMismatch
from backend.tools.types import Answer, JsonLike, JsonObject, JsonValue

KEPT: frozenset[str] = frozenset({"start", "end", "answer", "sleep", "value"})
"""Records that stand for the world; steps begin and end anew."""
NOT_RECORDED = "not_recorded"
_COMPUTED = "variables"
_BROKEN_OFF: OutcomeJson = {"cancelled": True}
_MOST_STOPS = 10_000


class RecordJson(TypedDict):
    """A record as a saved test keeps it."""

    node: str
    record: RecordKind
    key: str
    fingerprint: str
    effect_kind: str
    interaction: str
    path: list[FramePlace]
    attempt: int
    value: Any  # what `records` says of the record


class OutcomeJson(TypedDict, total=False):
    """What became of a node: one of these."""

    output: JsonObject
    error: str
    skipped: Literal[True]
    cancelled: Literal[True]


Status = Literal["same", "differs", "missing", "unreached", "new"]
"""The step gave the same; something else; asked for what was not recorded; ran then and not now; ran only now."""


@dataclass(frozen=True, slots=True)
class Missing:
    """An answer that nobody recorded. `node` = the node of the whole run it was asked in; `recorded` = the arguments
    for which the same call was answered then, None where there was no such call."""

    node: str
    target: str
    arguments: JsonLike = None
    recorded: JsonValue = None


@dataclass(frozen=True, slots=True)
class DryReplay:
    """How it went: what became of each node of the whole run, and what was missing."""

    state: str
    outcomes: dict[str, OutcomeJson]
    missing: list[Missing]


def not_recorded(target: str) -> ReplayMismatch:
    """The error of a call that has no recorded answer."""
    return ReplayMismatch(params={"reason": NOT_RECORDED, "target": target})


def records_of(history: Iterable[Entry], compiled: Compiled) -> list[RecordJson]:
    """The records of a run that stand for the world, as JSON. What containers and variables were is worked out anew."""
    containers = set(compiled.plans)
    return [
        {
            "node": entry.node,
            "record": entry.record,
            "key": entry.key,
            "fingerprint": entry.fingerprint,
            "effect_kind": entry.effect_kind,
            "interaction": entry.interaction,
            "path": [list(frame) for frame in entry.path],
            "attempt": entry.attempt,
            "value": _value(entry),
        }
        for entry in history
        if entry.record is not None
        and entry.record in KEPT
        and entry.node is not None
        and not (entry.record == "value" and (entry.node in containers or entry.key == _COMPUTED))
    ]


def _value(entry: Entry) -> Any:
    """What is kept of a record; of a call that began only with which arguments."""
    if entry.record != "start":
        return value_of(entry)
    if entry.type != "TOOL_REQUEST":
        return None
    began: StartValue = {"arguments": entry.data.get("arguments")}
    return began


def _entry(record: RecordJson) -> Entry:
    return Entry(
        node=record["node"],
        path=tuple((str(node), int(index)) for node, index in record["path"]),
        attempt=record["attempt"],
        record=record["record"],
        key=record["key"],
        fingerprint=record["fingerprint"],
        effect_kind=record["effect_kind"],
        value=record["value"],
        interaction=record["interaction"],
    )


def outcomes_of(lines: Iterable[Entry]) -> dict[str, OutcomeJson]:
    """What became of each node of the whole run: `{output}`, `{error: code}`, `{skipped: true}` or
    `{cancelled: true}`."""
    outcomes: dict[str, OutcomeJson] = {}
    for line in lines:
        if line.record != "outcome" or line.path or line.node is None:
            continue
        match line.type:
            case "STEP_OUTPUT":
                outcomes[line.node] = {"output": line.data.get("output")}
            case "STEP_ERROR":
                outcomes[line.node] = {"error": line.data.get("code")}
            case "STEP_SKIP":
                outcomes[line.node] = {"skipped": True}
            case "STEP_CANCEL":
                outcomes[line.node] = {"cancelled": True}
    return outcomes


def diff_outcomes(expected: Mapping[str, OutcomeJson], replayed: DryReplay) -> dict[str, Status]:
    """Each node's outcome against the one that was recorded."""
    missing = {item.node for item in replayed.missing}
    out: dict[str, Status] = {}
    for node in {**expected, **replayed.outcomes}:
        if expected.get(node) == _BROKEN_OFF:
            out[node] = "same"  # how far it came was a matter of time
        elif node in missing:
            out[node] = "missing"
        elif node not in replayed.outcomes:
            out[node] = "unreached"
        elif node not in expected:
            out[node] = "new"
        else:
            out[node] = "same" if expected[node] == replayed.outcomes[node] else "differs"
    return out


async def dry_replay(compiled: Compiled, info: RunInfo, records: list[RecordJson], services: Services) -> DryReplay:
    """Play a run of `compiled` with the answers in `records`. `services` must reach nothing: what they are asked for
    was not recorded."""
    log, clock = _Log(), _Clock()
    history = [_entry(record) for record in records]
    segment = Segment(compiled, info, history, log, services, clock, hold_s=0.0, write_grace_s=0.0, watched=False)
    missing: list[Missing] = []
    try:
        end = await segment.run()
        for _ in range(_MOST_STOPS):
            if end.state != "WAITING":
                break
            missing += _go_on(segment, end, log, clock, _recorded_questions(history))
            end = await segment.run()
    finally:
        await segment.close()
    return DryReplay(end.state, outcomes_of(log.lines), missing + _unanswered(log))


_Call = tuple[Any, ...]


def _recorded_questions(history: list[Entry]) -> dict[_Call, JsonValue]:
    """The arguments of the calls that were recorded."""
    starts = [entry for entry in history if entry.record == "start" and entry.value]
    return {(start.path, start.node, start.attempt, start.key): start.value["arguments"] for start in starts}


def _go_on(segment: Segment, end: SegmentEnd, log: _Log, clock: _Clock, then: dict[_Call, JsonValue]) -> list[Missing]:
    """Let time pass up to the next timer, and answer what asks: it may not be waited for."""
    missing: list[Missing] = []
    timers = [item.until for item in end.waiting if item.until is not None]
    asking = [item.interaction for item in end.waiting if item.kind == "person"]
    for entry in log.lines:
        if entry.record == "ask" and entry.interaction in asking and entry.question is not None:
            question = entry.question
            top = top_of(entry.path, entry.node or "")
            key = entry.key.replace("mismatch:", "", 1).removesuffix("/gate")
            recorded = then.get((entry.path, entry.node, entry.attempt, key))
            missing.append(Missing(top, question.title.removeprefix("gate/"), question.proposal, recorded))
            refusal = Answer("fail", reason=NOT_RECORDED).as_json()
            segment.deliver(Message("answer", entry.interaction, refusal))
    if not asking and timers:
        clock.forward(min(timers))
    return missing


def _unanswered(log: _Log) -> list[Missing]:
    """The effects that ended without an answer."""
    begun: dict[tuple[Any, ...], Entry] = {}
    missing: list[Missing] = []
    for line in log.lines:
        identity = (line.path, line.node, line.attempt, line.key)
        if line.record == "start":
            begun[identity] = line
        elif line.record == "end":
            error = (line.value or {}).get("error") or {}
            params = error.get("params") or {}
            if params.get("reason") == NOT_RECORDED:
                arguments = begun[identity].data.get("arguments") if identity in begun else None
                missing.append(Missing(top_of(line.path, line.node or ""), str(params.get("target")), arguments))
    return missing


@dataclass(slots=True)
class _Log:
    """A journal that only remembers."""

    lines: list[Entry] = field(default_factory=list)
    seq: int = 0

    def append(self, entry: Entry) -> int:
        """Keep a line; gives its `seq`."""
        self.lines.append(entry)
        self.seq += entry.type is not None
        return self.seq if entry.type is not None else 0

    async def barrier(self) -> None:
        """There is no disk to wait for."""

    def check(self) -> None:
        """Nobody else has the run."""

    def hurry(self) -> None:
        """Nothing is late."""

    def preview(self, step: str, call: str, attempt: int, channel: str, offset: int, delta: str) -> None:
        """Nobody watches."""


class _Clock:
    """Time as it passes, and in leaps where a run only waits for a timer."""

    def __init__(self) -> None:
        self._ahead = 0.0

    def now(self) -> float:
        """Epoch seconds."""
        return time.time() + self._ahead

    def forward(self, until: float) -> None:
        """Leap to a moment."""
        self._ahead += max(0.0, until - self.now())

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)
