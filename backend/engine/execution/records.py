"""What stands in the value of journal records, by kind (`ports.RecordKind`). Types for readers and mypy: a record is
read as what its kind says, and nothing is checked again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict, final

from backend.json_types import JsonObject, JsonValue
from backend.tools.types import AnswerJson, OpenTask


class StoredError(TypedDict):
    """An error as journaled; `unknown` = nobody knows whether the write happened."""

    code: str
    params: JsonObject
    detail: NotRequired[JsonValue]
    unknown: NotRequired[Literal[True]]


class ChildReport(TypedDict, total=False):
    """What a child run says of itself, stored with the end of its effect."""

    usage: Mapping[str, float]


class EndValue(ChildReport, total=False):
    """ "end": the result of an effect, or the error that it raised; `open` = the task that was followed goes on."""

    result: JsonValue
    error: StoredError
    open: Literal[True]


FramePlace: TypeAlias = list[str | int]
"""[node, index] of a container's round."""


class RecordPlace(TypedDict):
    """Which record a question is about."""

    node: str
    path: list[FramePlace]
    attempt: int
    key: str


class NewEffect(TypedDict):
    """What is asked for that the journal does not hold."""

    key: str
    target: str


class MismatchAbout(TypedDict):
    """What a `mismatch` is about: the records that nobody asked for, and what was asked for instead."""

    recorded: list[RecordPlace]
    asked: NewEffect


class AskValue(TypedDict):
    """ "ask": seconds that the step had worked."""

    ran: float
    replay: NotRequired[MismatchAbout]


class SleepValue(TypedDict):
    """ "sleep": epoch seconds until which, seconds that the step had worked."""

    until: float
    ran: NotRequired[float]


class DrawnValue(TypedDict):
    """ "value": as given out; `ran` where it is what the step had worked."""

    value: object
    ran: NotRequired[float]


class StartValue(TypedDict):
    """ "start", in what a saved test keeps of it: the arguments of a tool's call."""

    arguments: JsonObject


class FollowValue(TypedDict):
    """ "start" of following a task at a server: which, and since when in epoch seconds."""

    task: OpenTask
    since: float


class FaultValue(TypedDict):
    """ "fault": how often Patchbay has failed here."""

    tries: int


@final
class RoundsValue(TypedDict):
    """ "rounds" of a loop: which round comes next, the loop's variables, the run's."""

    round: int
    carried: JsonObject
    vars: JsonObject
    needed: NotRequired[list[int]]  # positions of the lines before that a resume reads, added by `runs/log`


ItemsOver = TypedDict("ItemsOver", {"before": int, "and": list[list[int]]})
"""Items that are over: all before one, and the stretches (first, last) behind it."""


class ItemsState(TypedDict):
    """Which items of an iteration are over, what the small ones gave ([item, value]), of how many characters, behind
    how many earlier pieces."""

    items: ItemsOver
    gave: list[list[Any]]
    size: int
    depth: int


@final
class ItemsValue(ItemsState):
    """ "rounds" of an iteration: its items, the variables of the loop around that were set in them, the run's."""

    sets: JsonObject
    vars: JsonObject
    needed: NotRequired[list[int]]  # as of a loop


class OutcomeValue(TypedDict):
    """ "outcome": variables of the loop around that were set inside."""

    loop: JsonObject


RecordValue: TypeAlias = (
    StartValue
    | FollowValue
    | EndValue
    | AskValue
    | AnswerJson
    | SleepValue
    | DrawnValue
    | FaultValue
    | RoundsValue
    | ItemsValue
    | OutcomeValue
)
