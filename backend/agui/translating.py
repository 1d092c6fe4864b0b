"""Lines of a run's log as AG-UI events: in an order that the protocol allows, and the same for the same lines.

What a model writes is a message as it comes, if an answer node (or an end) says it; what an answer says that was not
told so is a message of its own. All that is open is closed before the stream ends. Pieces of text that are not stored
yet (previews) only come sooner: where they were lost, the stored text says the same. A piece that outran the log waits
until the log tells of its call, so that what was said before it is told before it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ag_ui.core import (
    BaseEvent,
    Interrupt,
    RunErrorEvent,
    RunFinishedCancelledOutcome,
    RunFinishedEvent,
    RunFinishedInterruptOutcome,
    RunFinishedSuccessOutcome,
    StateDeltaEvent,
    StepFinishedEvent,
    StepStartedEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
    ToolCallArgsEvent,
    ToolCallEndEvent,
    ToolCallResultEvent,
    ToolCallStartEvent,
)

from backend.errors import text_for
from backend.runs.conversations.lines import Line
from backend.runs.conversations.speakers import Speakers
from backend.runs.conversations.turn_ends import text_of
from backend.runs.log.events import TextPreviewJson
from backend.tools.calls.client_tools import SERVER as CLIENT

MOST_RESULT = 100_000
"""Characters of a tool's result that are told."""
_ENDS = frozenset({"STEP_OUTPUT", "STEP_ERROR", "STEP_SKIP", "STEP_CANCEL"})
Writing = tuple[str, int, str]
"""Whose text it is: step, attempt, call."""


@dataclass(slots=True)
class _Message:
    """A message that is being written."""

    id: str
    length: int = 0
    parts: list[str] = field(default_factory=list)


@dataclass
class Translator:
    """Of one stream. `mark` = what ids begin with."""

    thread: str
    request: str
    mark: str
    speakers: Speakers
    lasting: frozenset[str]
    language: str
    stands: bool = False
    """Whether the run stood still at the last line."""
    rested: bool = False
    """Whether nothing was in flight at the last line of the run itself: what is written since is of what follows."""
    _over: bool = False
    _steps: dict[str, str] = field(default_factory=dict)
    _nodes: dict[str, str] = field(default_factory=dict)
    _messages: dict[Writing, _Message] = field(default_factory=dict)
    _closed: set[Writing] = field(default_factory=set)
    _asked: set[Writing] = field(default_factory=set)
    """Calls of models that the log has told of."""
    _early: dict[Writing, list[TextPreviewJson]] = field(default_factory=dict)
    _calls: dict[tuple[str, int, str], str] = field(default_factory=dict)
    _again: int = 0
    _last_text: str = ""
    """The text of the last message."""

    def over(self) -> bool:
        """Whether the stream has said its last."""
        return self._over

    def line(self, line: Line) -> Iterator[BaseEvent]:
        """The events of one line."""
        if not line.node:
            yield from self._of_run(line)
        elif line.type == "STEP_ANSWERED" or line.type == "STEP_INIT":
            yield from self._begins(line)
        elif line.type in _ENDS:
            yield from self._ends(line)
        elif line.type == "TEXT_ADD":
            if line.data.get("channel") == "text" and "parent" not in line.data:
                place = (line.step, line.attempt, str(line.data.get("call")))
                yield from self._text(line.node, place, int(line.data["offset"]), str(line.data["text"]))
        elif line.type == "LLM_REQUEST":
            yield from self._asks(line)
        elif line.type == "LLM_RESPONSE":
            yield from self._written(line.step)
        elif line.type == "STEP_WAITING_FOR_INPUT":
            if line.data.get("kind") == "client":
                yield from self._client_call(line)
        elif line.type == "TOOL_REQUEST":
            yield from self._called(line)
        elif line.type == "TOOL_RESPONSE":
            yield from self._answered(line)

    def preview(self, item: TextPreviewJson) -> Iterator[BaseEvent]:
        """Text that is not stored yet, once the log has told of its call."""
        place = (item["step"], item["attempt"], item["call"])
        node = self._nodes.get(item["step"])
        if item["channel"] != "text":
            return
        if place not in self._asked:
            self._early.setdefault(place, []).append(item)
        elif node is not None:
            yield from self._text(node, place, item["offset"], item["delta"])

    def interrupted(self, interrupts: list[Interrupt], called: list[str]) -> Iterator[BaseEvent]:
        """The end of a stream whose run waits for answers, or only for tools of the client."""
        yield from self._close()
        self._over = True
        waits = RunFinishedSuccessOutcome(pending_tool_call_ids=called)
        outcome = RunFinishedInterruptOutcome(interrupts=interrupts) if interrupts else waits
        yield RunFinishedEvent(thread_id=self.thread, run_id=self.request, outcome=outcome)

    # -- the run ------------------------------------------------------------------------------------------------------

    def _of_run(self, line: Line) -> Iterator[BaseEvent]:
        rested, self.rested = self.rested, line.type == "FLOW_STOP"
        self.stands = self.rested
        if line.type == "FLOW_RESUME" and not rested:  # its process died: what was being written is written anew
            yield from self._close_messages()
            self._again += 1
            self._closed.clear()
        elif line.type == "FLOW_SUCCESS":
            outputs: dict[str, Any] = line.data.get("outputs") or {}
            if not self.speakers.answers:
                yield from self._say(f"{line.seq}", text_of(outputs))
            yield from self._close()
            self._over = True
            outcome = RunFinishedSuccessOutcome()
            yield RunFinishedEvent(thread_id=self.thread, run_id=self.request, result=outputs, outcome=outcome)
        elif line.type == "FLOW_CANCEL":
            yield from self._close()
            self._over = True
            ended = RunFinishedCancelledOutcome()
            yield RunFinishedEvent(thread_id=self.thread, run_id=self.request, outcome=ended)
        elif line.type == "FLOW_FAILED":
            yield from self._close()
            self._over = True
            code = str(line.data.get("code") or "INTERNAL")
            message, hint = text_for(code, line.data.get("params") or {}, self.language)
            yield RunErrorEvent(message=" ".join(part for part in (message, hint) if part), code=code)

    def _close(self) -> Iterator[BaseEvent]:
        yield from self._close_messages()
        for name in self._steps.values():
            yield StepFinishedEvent(step_name=name)
        self._steps.clear()

    # -- steps --------------------------------------------------------------------------------------------------------

    def _begins(self, line: Line) -> Iterator[BaseEvent]:
        if "parent" in line.data:
            return
        self._nodes[line.step] = line.node
        name = "".join((line.node, *(f"[{index}]" for _, index in line.path)))
        if line.step not in self._steps and name not in self._steps.values():
            self._steps[line.step] = name
            yield StepStartedEvent(step_name=name)

    def _ends(self, line: Line) -> Iterator[BaseEvent]:
        if "parent" in line.data:
            return
        yield from self._written(line.step)
        if line.type == "STEP_OUTPUT":
            if line.node in self.speakers.answers:
                yield from self._say(f"{line.seq}", str((line.data.get("output") or {}).get("text") or ""))
            yield from self._changed(line.data.get("vars"))
        if (name := self._steps.pop(line.step, None)) is not None:
            yield StepFinishedEvent(step_name=name)

    def _changed(self, values: Any) -> Iterator[BaseEvent]:
        """Variables of the conversation that a step set."""
        kept = {name: value for name, value in (values or {}).items() if name in self.lasting}
        if kept:
            delta = [{"op": "add", "path": f"/{_pointer(name)}", "value": value} for name, value in kept.items()]
            yield StateDeltaEvent.model_validate({"delta": delta})

    # -- text ---------------------------------------------------------------------------------------------------------

    def _asks(self, line: Line) -> Iterator[BaseEvent]:
        """A model is asked: what it has written already was waiting for this line."""
        place = (line.step, line.attempt, str(line.data.get("call")))
        self._asked.add(place)
        for item in self._early.pop(place, ()):
            yield from self.preview(item)

    def _text(self, node: str, place: Writing, offset: int, text: str) -> Iterator[BaseEvent]:
        """A piece of what a model writes, of which a part may have been told."""
        if node not in self.speakers.referenced or place in self._closed:
            return
        message = self._messages.get(place)
        if message is None:
            if offset:
                return  # its beginning is not known yet; what is stored begins there
            message = _Message(f"{self.mark}.{len(self._closed) + len(self._messages)}.{self._again}.{place[0]}")
            self._messages[place] = message
            yield TextMessageStartEvent(message_id=message.id, role="assistant")
        new = text[message.length - offset :] if offset <= message.length else ""
        if new:
            message.length += len(new)
            message.parts.append(new)
            yield TextMessageContentEvent(message_id=message.id, delta=new)

    def _written(self, step: str) -> Iterator[BaseEvent]:
        """A model has written all that it writes in this round."""
        for place in [place for place in self._messages if place[0] == step]:
            yield from self._close_message(place)

    def _close_messages(self) -> Iterator[BaseEvent]:
        for place in list(self._messages):
            yield from self._close_message(place)

    def _close_message(self, place: Writing) -> Iterator[BaseEvent]:
        message = self._messages.pop(place)
        self._closed.add(place)
        self._last_text = "".join(message.parts)
        yield TextMessageEndEvent(message_id=message.id)

    def _say(self, name: str, text: str) -> Iterator[BaseEvent]:
        """A whole message, where the last one did not say the same."""
        if not text.strip() or text.strip() == self._last_text.strip():
            return
        self._last_text = text
        key = f"{self.mark}.said.{name}"
        yield TextMessageStartEvent(message_id=key, role="assistant")
        yield TextMessageContentEvent(message_id=key, delta=text)
        yield TextMessageEndEvent(message_id=key)

    # -- tools --------------------------------------------------------------------------------------------------------

    def _client_call(self, line: Line) -> Iterator[BaseEvent]:
        """A call of a tool that the client declared; it knows the result itself."""
        key = str(line.data.get("interaction"))
        yield ToolCallStartEvent(tool_call_id=key, tool_call_name=str(line.data.get("title")))
        yield ToolCallArgsEvent(tool_call_id=key, delta=_json(line.data.get("arguments") or {}))
        yield ToolCallEndEvent(tool_call_id=key)

    def _called(self, line: Line) -> Iterator[BaseEvent]:
        if line.data.get("server") == CLIENT:
            return  # told when it was asked
        key = f"{self.mark}.call.{line.seq}"
        self._calls[line.step, line.attempt, str(line.data.get("call"))] = key
        about = {"patchbay": {"server": line.data.get("server"), "node": line.node}}
        name = str(line.data.get("tool"))
        yield ToolCallStartEvent(tool_call_id=key, tool_call_name=name, metadata=about)
        yield ToolCallArgsEvent(tool_call_id=key, delta=_json(line.data.get("arguments") or {}))
        yield ToolCallEndEvent(tool_call_id=key)

    def _answered(self, line: Line) -> Iterator[BaseEvent]:
        key = self._calls.pop((line.step, line.attempt, str(line.data.get("call"))), None)
        if key is not None:
            yield ToolCallResultEvent(message_id=f"{key}.result", tool_call_id=key, content=_result(line.data))


def _result(data: dict[str, Any]) -> str:
    """What a tool answered, as a text."""
    if error := data.get("error"):
        return str(error.get("code"))
    texts = [str(block.get("text")) for block in data.get("content") or () if block.get("type") == "text"]
    text = "\n".join(texts) if texts else _json(data.get("structured"))
    return text if len(text) <= MOST_RESULT else f"{text[:MOST_RESULT]}…"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _pointer(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
