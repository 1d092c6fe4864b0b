"""What a run's history says: `fold(history)`. Pure.

Every record of a step is found again by its identity (path, node, attempt, key). A step without an outcome runs again
from its top and finds here what it need not do twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from backend.engine.document.ids import Path
from backend.engine.execution.items import Items
from backend.engine.execution.ports import Entry
from backend.engine.execution.records import (
    AskValue,
    DrawnValue,
    EndValue,
    FollowValue,
    ItemsValue,
    RecordPlace,
    RoundsValue,
    SleepValue,
    StoredError,
)
from backend.engine.language.later import Later
from backend.errors import PatchbayError, error_for
from backend.tools.types import Answer, JsonObject, JsonValue

ENDS = frozenset({"STEP_OUTPUT", "STEP_ERROR", "STEP_SKIP", "STEP_CANCEL"})
Key = tuple[int, str]
"""(attempt, key) within a step."""


@dataclass(slots=True)
class Effect:
    """What is known of an effect. `live` = this process runs it now."""

    fingerprint: str
    ended: bool = False
    result: JsonValue | Later = None
    error: StoredError | None = None
    live: bool = False

    def outcome(self) -> JsonValue | Later:
        """Its result; raises the error it ended with."""
        if self.error is not None:
            raise stored_error(self.error)
        return self.result


@dataclass(slots=True)
class Records:
    """What the history holds of one step, all attempts. `at` = how many records came before it, or before its
    `rounds`: (the round of a loop that comes next, its variables)."""

    begun: bool = False
    input: JsonObject | Later | None = None
    outcome: Entry | None = None
    closed: bool = False  # has an outcome, from the history or since
    effects: dict[Key, Effect] = field(default_factory=dict)
    tasks: dict[Key, FollowValue] = field(default_factory=dict)  # at servers, which go on as far as is known
    unasked: dict[Key, None] = field(default_factory=dict)  # effects of the history that nobody asked for since
    asked: dict[Key, str] = field(default_factory=dict)
    answers: dict[Key, Answer] = field(default_factory=dict)
    sleeps: dict[Key, float] = field(default_factory=dict)
    values: dict[Key, Any] = field(default_factory=dict)  # as given out (each key has a type of its own), or a `Later`
    emitted: set[Key] = field(default_factory=set)
    faults: Counter[Key] = field(default_factory=Counter)  # failures of ours; an effect's key, "" = of the node itself
    parts: dict[str, str] = field(default_factory=dict)  # steps inside it without an end: public id → prefix of keys
    ran: dict[int, float] = field(default_factory=dict)
    rounds: tuple[int, JsonObject] | None = None
    items: Items | None = None  # of an iteration, those that are over
    sets: JsonObject | None = None  # and the variables of the loop around that were set in them
    at: int = 0

    def task_is_over(self, key: Key) -> None:
        """The task that is followed under this key goes on no longer, nor under those that it was followed by before
        it asked something."""
        followed = self.tasks.pop(key, None)
        if followed is not None:
            self.tasks = {other: item for other, item in self.tasks.items() if item["task"] != followed["task"]}


@dataclass(slots=True)
class Replay:
    """What the history holds of a run.

    `failures` = the first unhandled STEP_ERROR of each frame; `cancelled` = by whom the run was cancelled.
    """

    steps: dict[tuple[Path, str], Records] = field(default_factory=dict)
    variables: JsonObject = field(default_factory=dict)
    asked: dict[str, Entry] = field(default_factory=dict)  # by public id of the question
    answered: set[str] = field(default_factory=set)
    failures: dict[Path, Entry] = field(default_factory=dict)
    cancelled: str | None = None
    count: int = 0  # records, of the history and since


def value_of(entry: Entry) -> Any:
    """A record's value: `value`, or `data` where that says it all. What it is follows from `record` (`records`)."""
    return entry.data if entry.value is None else entry.value


def stored_error(error: StoredError) -> PatchbayError:
    """The error object of a journaled one."""
    return error_for(str(error.get("code")), error.get("params"), error.get("detail"))


def failed_with(entry: Entry) -> PatchbayError:
    """The error object of a STEP_ERROR."""
    return error_for(str(entry.data.get("code")), entry.data.get("params"), entry.data.get("detail"))


def recorded_in(value: AskValue | None) -> list[RecordPlace]:
    """The records that a question is about (`watch`), by the value of its "ask"."""
    about = value.get("replay") if value else None
    return list(about.get("recorded") or []) if about else []


def excuse(replay: Replay, recorded: Iterable[RecordPlace]) -> None:
    """A person looked at these records: that nobody asks for them is no reason to stop any more."""
    for item in recorded:
        path = tuple((str(node), int(index)) for node, index in item["path"])
        step = replay.steps.get((path, item["node"]))
        if step is not None:
            step.unasked.pop((item["attempt"], item["key"]), None)


def excuse_by(replay: Replay, interaction: str, answer: Answer) -> None:
    """The same by the answer to a question of the history."""
    question = replay.asked.get(interaction)
    if question is not None and answer.action in ("retry", "skip"):
        excuse(replay, recorded_in(question.value))


def fold(history: Iterable[Entry], replay: Replay | None = None) -> Replay:
    """Everything the history says, added to `replay`; lines without a record are passed over."""
    replay = Replay() if replay is None else replay
    for entry in history:
        if entry.record is not None and entry.node is not None:
            step = replay.steps.get((entry.path, entry.node))
            if step is None:
                step = replay.steps[(entry.path, entry.node)] = Records(at=replay.count)
            replay.count += 1
            _fold_one(replay, step, entry)
    return replay


def _fold_part(step: Records, entry: Entry) -> None:
    if entry.type == "STEP_INIT":
        step.parts[entry.step] = entry.key.rpartition("/")[0] + "/"
    elif entry.type in ENDS:
        step.parts.pop(entry.step, None)


def _fold_items(step: Records, attempt: int, value: ItemsValue) -> None:
    step.items = step.items or Items()
    step.items.written(value)
    step.sets = value["sets"]
    for item, outputs in value["gave"]:
        step.values[attempt, f"output:{item}"] = outputs


def _fold_one(replay: Replay, step: Records, entry: Entry) -> None:
    key = (entry.attempt, entry.key)
    match entry.record:
        case "emit" if entry.type == "STEP_INIT" and entry.key == "init":  # not that of a step inside it
            step.begun = True
        case "emit":
            step.emitted.add(key)
            if entry.data.get("parent"):
                _fold_part(step, entry)
        case "input":
            step.input = entry.data["input"]
        case "start":
            step.effects[key] = Effect(entry.fingerprint)
            step.unasked[key] = None
            if entry.value is not None and "task" in entry.value:
                step.tasks[key] = entry.value
        case "end":
            if key not in step.effects:  # of no call that is known to have begun
                step.unasked[key] = None
            known = step.effects.setdefault(key, Effect(entry.fingerprint))
            end: EndValue = value_of(entry)
            known.ended, known.result, known.error = True, end.get("result"), end.get("error")
            if not end.get("open"):
                step.task_is_over(key)
        case "ask":
            step.asked[key] = entry.interaction
            replay.asked[entry.interaction] = entry
            question: AskValue | None = entry.value
            step.ran[entry.attempt] = max(
                step.ran.get(entry.attempt, 0.0), question.get("ran", 0.0) if question else 0.0
            )
        case "answer":
            answer = Answer.from_json(value_of(entry))
            step.answers[key] = answer
            replay.answered.add(entry.interaction)
            excuse_by(replay, entry.interaction, answer)
            if answer.action == "cancel":
                replay.cancelled = answer.by
        case "sleep":
            sleep: SleepValue = value_of(entry)
            step.sleeps[key] = sleep["until"]
            step.ran[entry.attempt] = max(step.ran.get(entry.attempt, 0.0), sleep.get("ran", 0.0))
        case "value":
            drawn: DrawnValue = value_of(entry)
            step.values[key] = drawn["value"]
            if "ran" in drawn:
                step.ran[entry.attempt] = max(step.ran.get(entry.attempt, 0.0), drawn["ran"])
        case "fault":
            step.faults[key] += 1
        case "rounds":
            rounds: RoundsValue | ItemsValue = value_of(entry)
            if "items" in rounds:
                _fold_items(step, entry.attempt, rounds)
            else:
                step.rounds = rounds["round"], rounds["carried"]
            step.at = replay.count
            replay.variables = replay.variables | rounds["vars"]
        case "outcome":
            step.outcome, step.closed = entry, True
            if entry.type == "STEP_OUTPUT" and entry.data.get("vars"):
                replay.variables = replay.variables | entry.data["vars"]
            if entry.type == "STEP_ERROR" and entry.data.get("port") is None and not entry.data.get("stopping"):
                replay.failures.setdefault(entry.path, entry)
            if entry.type == "STEP_CANCEL" and not entry.path and replay.cancelled is None:
                replay.cancelled = ""
