"""Text that is told before it is stored: sooner or later than the log, it is the same messages in the same order."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from ag_ui.core import BaseEvent, TextMessageContentEvent, TextMessageStartEvent

from backend.agui.translating import Translator
from backend.runs.conversations.lines import Line
from backend.runs.conversations.speakers import Speakers
from backend.runs.log.events import TextPreviewJson

STEP = "st_1"
LOG: tuple[tuple[str, dict[str, Any]], ...] = (
    ("STEP_INIT", {}),
    ("LLM_REQUEST", {"call": "turn:1"}),
    ("TEXT_ADD", {"call": "turn:1", "channel": "text", "offset": 0, "text": "I count."}),
    ("LLM_RESPONSE", {"call": "turn:1"}),
    ("LLM_REQUEST", {"call": "turn:2"}),
    ("TEXT_ADD", {"call": "turn:2", "channel": "text", "offset": 0, "text": "It is 42."}),
    ("LLM_RESPONSE", {"call": "turn:2"}),
    ("STEP_OUTPUT", {"output": {"text": "It is 42."}}),
)
PREVIEWS = (("turn:1", 0, "I co"), ("turn:1", 4, "unt."), ("turn:2", 0, "It"), ("turn:2", 2, " is 42."))


def lines() -> Iterator[Line]:
    """The log of one step of an agent that asks its model twice."""
    for seq, (type_, data) in enumerate(LOG, 1):
        yield Line(seq, type_, "agent", (), STEP, 1, data)


def preview(call: str, offset: int, delta: str) -> TextPreviewJson:
    return {"step": STEP, "call": call, "attempt": 1, "channel": "text", "offset": offset, "delta": delta}


def translator() -> Translator:
    return Translator("t", "r", "m", Speakers(frozenset(), frozenset({"agent"})), frozenset(), "en")


def written(events: list[BaseEvent]) -> list[str]:
    """The messages in the order in which they began."""
    messages: dict[str, str] = {}
    for event in events:
        if isinstance(event, TextMessageStartEvent):
            messages[event.message_id] = ""
        elif isinstance(event, TextMessageContentEvent):
            messages[event.message_id] += event.delta
    return list(messages.values())


@pytest.mark.parametrize("lost", [set[int](), {0}, {1}, {2}, {0, 2}, {1, 3}], ids=str)
def test_previews_that_outrun_the_log_or_come_late_change_nothing(lost: set[int]) -> None:
    sent = [preview(*piece) for index, piece in enumerate(PREVIEWS) if index not in lost]
    for places in itertools.combinations_with_replacement(range(len(LOG) + 1), len(sent)):
        speaking, events = translator(), list[BaseEvent]()
        for index, line in enumerate([*lines(), None]):
            for place, item in zip(places, sent, strict=True):
                events += list(speaking.preview(item)) if place == index else []
            events += list(speaking.line(line)) if line is not None else []
        assert written(events) == ["I count.", "It is 42."], places
