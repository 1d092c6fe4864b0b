"""What stands in the `data` of the events of runs (FLOW_*), and the table of all events.

Types for readers, mypy and the generated description of the API; nothing is checked when a line is written or read.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from backend.accounts.described import Help, Timestamp
from backend.engine.execution.ports import Failure
from backend.json_types import JsonObject
from backend.registry.servers.switches import ServerOff


class WaitingJson(TypedDict):
    """What a run waits for."""

    kind: Annotated[
        Literal["person", "client", "timer", "child", "pause"],
        Help("`client`: the program that started the run is to answer a call of a tool of its own."),
    ]
    interaction: NotRequired[str]
    until: NotRequired[Timestamp]
    run: NotRequired[Annotated[str, Help("The child run that is waited for.")]]
    restored_from: NotRequired[
        Annotated[
            Timestamp, Help("With `pause`: the run was restored from a backup of this time and has not gone on since.")
        ]
    ]
    was_paused: NotRequired[Annotated[bool, Help("Somebody had paused it before that backup.")]]


class FrameJson(TypedDict):
    """A frame around a step: which round of which iteration or loop."""

    node: str
    index: int


class EventJson(TypedDict):
    """One line of a run's log; `seq` from 1 without gaps. `data` by `type`.

    Sentences in `data` are in the reader's language (Accept-Language; over the websocket the subscription's
    `language`): `message` and `hint` of STEP_ERROR and FLOW_FAILED beside their `code` and `params`, and the
    `risk.reasons` of STEP_WAITING_FOR_START beside `risk.codes` = [{code, params}].
    """

    run: str
    seq: int
    ts: Timestamp
    type: str
    node: str | None
    path: list[FrameJson]
    step: str | None
    data: dict[str, Any]


class TextPreviewJson(TypedDict):
    """A piece of streamed text that is not stored yet; `offset` in code points of its channel."""

    step: str
    call: str
    attempt: int
    channel: str
    offset: int
    delta: str


class FlowQueuedData(TypedDict, total=False):
    """FLOW_QUEUED; of a retry or fork what it goes on from: events 2 to `copied_seq` were taken over."""

    origin_run: str
    origin_step: str | None
    origin_node: str | None
    copied_seq: int


class FlowStartData(TypedDict):
    """FLOW_START of a run: `version` null = a draft, `patchbay` = the version of Patchbay that began it."""

    inputs: JsonObject
    version: int | None
    patchbay: str
    servers_off: NotRequired[list[ServerOff]]


class FlowResumeData(TypedDict):
    """FLOW_RESUME: a worker goes on with the run; `patchbay` = its version."""

    patchbay: str


class FlowStopData(TypedDict):
    """FLOW_STOP: the run waits, or is paused; `error` where Patchbay paused it because it was given back too often."""

    waiting: list[WaitingJson]
    error: NotRequired[Failure]


class FlowSuccessData(TypedDict):
    """FLOW_SUCCESS of a run; of a planner's plan nothing."""

    outputs: NotRequired[JsonObject]


class FlowCancelData(TypedDict):
    """FLOW_CANCEL: by whom, as people know them."""

    by: str
