"""What goes over the websocket `/ws/` (contract, "Events"), and between the hubs of several processes.

Types for readers, mypy and the generated description of the API; a message of a client is looked at by `consumers`.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict

from backend.notifications.clients import Hint
from backend.runs.log.events import EventJson, TextPreviewJson


class SubscribeJson(TypedDict):
    """A client wants a topic: `run:<id>` (events after `after`), `team:<id>`, `workflow:<id>`, `conversation:<id>`.

    The last is confirmed by a hint of the kind `subscribed`: of what changed before nothing is told.
    """

    action: Literal["subscribe"]
    topic: str
    after: NotRequired[int]
    language: NotRequired[Literal["en", "zh"]]


class UnsubscribeJson(TypedDict):
    """It wants the topic no more."""

    action: Literal["unsubscribe"]
    topic: str


class AckJson(TypedDict):
    """It has read the events up to `seq`."""

    action: Literal["ack"]
    topic: str
    seq: int


class EventsFrameJson(TypedDict):
    """Events of a run that follow on each other."""

    topic: str
    events: list[EventJson]


class TextFrameJson(TypedDict):
    """Streamed text that is not stored yet; it may be lost."""

    topic: str
    text: list[TextPreviewJson]


class HintFrameJson(TypedDict):
    """Something changed."""

    topic: str
    hint: Hint


class RefusalJson(TypedDict):
    """Why a topic, or a message, is refused."""

    code: str
    message: str
    request_id: str


class RefusalFrameJson(TypedDict):
    """A topic is refused or at an end, or a message (`topic` "") is none."""

    topic: str
    error: RefusalJson


FromClient: TypeAlias = SubscribeJson | UnsubscribeJson | AckJson
ToClient: TypeAlias = EventsFrameJson | TextFrameJson | HintFrameJson | RefusalFrameJson


class RelayMessage(TypedDict):
    """What one hub tells the others: a topic, and one of the rest. `events` = (seq, JSON text), `newest` in their place
    where they are heavy; `state` of a run, `inbox` = a run with a message for its owner; the others are for whoever
    they concern."""

    topic: str
    events: NotRequired[list[tuple[int, str]]]
    newest: NotRequired[int]
    text: NotRequired[list[TextPreviewJson]]
    hint: NotRequired[Hint]
    state: NotRequired[str]
    inbox: NotRequired[str]
    rights: NotRequired[bool]
    backlog: NotRequired[bool]
    places: NotRequired[bool]
