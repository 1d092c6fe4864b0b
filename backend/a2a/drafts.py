"""What a task says, as it is being written: lines of the log, and text that is not stored yet, as pieces of artifacts.

An answer whose text begins with what a model writes is told from the model's first word on: as a draft of the artifact
that the answer will be. What an answer says in the end counts: the draft is completed to it, or replaced by it. Where
no answer node stands, the outputs are drafted likewise. A draft that no answer took over by the end of the run is ended
and marked: clients have read it, and are told that it is none of the results.

The same lines are the same artifacts, however often they are read; text that is not stored yet only comes sooner, and a
piece that outran the log waits until the log tells of its call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from backend.runs.conversations.lines import Line, Path
from backend.runs.conversations.speakers import Speakers, speakers_of
from backend.runs.log.events import TextPreviewJson

_BEGINS = re.compile(r"(?P<before>(?:(?!\{\{).)*)\{\{\s*(?P<node>\w+)\.text\s*\}\}", re.DOTALL)
"""A text that begins, after words of its own, with what a node wrote."""
MOST_EARLY = 1000
"""Pieces that are kept until the log tells of their call. So many are of nodes whose text nobody says."""
Writing = tuple[str, int, str]
"""Whose text it is: step, attempt, call."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where the text of a node goes: behind the words `before` it; `output` = which output it is, "" of an answer."""

    before: str
    output: str = ""


@dataclass(frozen=True, slots=True)
class Script:
    """What of a document is told as it is written: the nodes `models`, and whose text an answer begins with."""

    speakers: Speakers
    models: Mapping[str, Source] = field(default_factory=dict)
    begins: Mapping[str, str] = field(default_factory=dict)

    def tells(self, type_: str, node: str) -> bool:
        """Whether a line of this type and node says something, or changes what is said."""
        if type_ == "STEP_OUTPUT":
            return node in self.speakers.answers
        if type_ in {"LLM_REQUEST", "TEXT_ADD"}:
            return node in self.models
        return type_ in {"FLOW_STOP", "FLOW_RESUME"} and not node


def script_of(document: Mapping[str, Any]) -> Script:
    """Read from a run's document."""
    speakers = speakers_of({**document})
    nodes = {node["id"]: node for node in document.get("nodes") or () if isinstance(node, dict) and "id" in node}
    sources: dict[str, Source] = {}
    begins: dict[str, str] = {}
    for key, node in nodes.items():
        for output, text in _texts(node, speakers):
            match = _BEGINS.match(text)
            source = match["node"] if match else ""
            if match is None or source not in speakers.referenced or nodes[source].get("parent") != node.get("parent"):
                continue
            if not output:
                begins[key] = source
            sources.setdefault(source, Source(match["before"], output))
            break
    return Script(speakers, sources, begins)


def _texts(node: Mapping[str, Any], speakers: Speakers) -> Iterator[tuple[str, str]]:
    """(output, text) of what a node says; "" of an answer."""
    config = node.get("config")
    if not isinstance(config, dict):
        return
    if node["id"] in speakers.answers:
        yield "", str(config.get("text") or "")
    elif not speakers.answers and node.get("type") == "end" and isinstance(outputs := config.get("outputs"), dict):
        yield from ((name, value) for name, value in outputs.items() if isinstance(value, str))


@dataclass(frozen=True, slots=True)
class Piece:
    """More of an artifact, or, without `append`, all of it anew. `name` = what of the run it is: "" its outputs.
    `draft` = it stays one: nothing more comes, and no answer took it over."""

    name: str
    text: str
    append: bool
    last: bool = False
    output: str = ""
    draft: bool = False


@dataclass(slots=True)
class _Draft:
    """An artifact that is being written. `streamed` = what was sent of the writing that counts now, `shown` = all
    that the artifact holds."""

    source: Source
    writing: Writing | None = None
    streamed: str = ""
    shown: str | None = None
    closed: bool = False


@dataclass
class Drafts:
    """Of one task, up to a place in its log."""

    script: Script
    _drafts: dict[str, _Draft] = field(default_factory=dict)
    _asked: dict[Writing, str] = field(default_factory=dict)
    """Calls of models that the log has told of, and what their text is part of."""
    _early: dict[Writing, list[TextPreviewJson]] = field(default_factory=dict)
    _unheard: set[str] = field(default_factory=set)
    """Steps whose text nobody says."""
    _said: dict[str, str] = field(default_factory=dict)
    _outputs: str = ""
    """The node whose text the outputs begin with, once it wrote."""
    _rested: bool = False

    def artifacts(self, *, over: bool = False) -> list[Piece]:
        """All that was said by now, in the order in which it began; `over` = nothing more will be."""
        return [
            Piece(name, text, False, True, self._output(name), over and not self._drafts[name].closed)
            for name, text in self._said.items()
        ]

    def left(self) -> list[Piece]:
        """What stays a draft where nothing more is said."""
        return [piece for piece in self.artifacts(over=True) if piece.draft]

    def drafted(self) -> tuple[str, str] | None:
        """(output, text) of the outputs as far as they were told."""
        return (self._output(""), self._said[""]) if "" in self._said else None

    def _output(self, name: str) -> str:
        return "" if name else self._drafts[""].source.output

    # -- what the log tells -------------------------------------------------------------------------------------------

    def line(self, line: Line) -> list[Piece]:
        """The pieces that a line is, or lets go."""
        if not line.node:
            self._of_run(line)
        elif line.type == "STEP_OUTPUT" and line.node in self.script.speakers.answers:
            return self._answered(line)
        elif "parent" in line.data or line.node not in self.script.models:
            return []
        elif line.type == "LLM_REQUEST":
            return self._asks(line)
        elif line.type == "TEXT_ADD" and line.data.get("channel") == "text":
            place = (line.step, line.attempt, str(line.data.get("call")))
            if place not in self._asked:
                self._begins(place, line.node, line.path)
            return self._written(place, int(line.data["offset"]), str(line.data["text"]), stored=True)
        return []

    def preview(self, item: TextPreviewJson) -> list[Piece]:
        """Text that is not stored yet, once the log has told of its call."""
        place = (item["step"], item["attempt"], item["call"])
        if not self.script.models or item["channel"] != "text" or item["step"] in self._unheard:
            return []
        if place in self._asked:
            return self._written(place, item["offset"], item["delta"])
        if sum(map(len, self._early.values())) >= MOST_EARLY:
            self._early.clear()
        self._early.setdefault(place, []).append(item)
        return []

    def _of_run(self, line: Line) -> None:
        rested, self._rested = self._rested, line.type == "FLOW_STOP"
        if line.type == "FLOW_RESUME" and not rested:  # its process died: what was being written is written anew
            self._early.clear()
            self._asked.clear()
            for draft in self._drafts.values():
                draft.writing = None

    # -- drafts -------------------------------------------------------------------------------------------------------

    def _asks(self, line: Line) -> list[Piece]:
        """A model is asked: what it has written already was waiting for this line."""
        place = (line.step, line.attempt, str(line.data.get("call")))
        self._begins(place, line.node, line.path)
        pieces: list[Piece] = []
        for item in self._early.pop(place, ()):
            pieces += self._written(place, item["offset"], item["delta"])
        return pieces

    def _begins(self, place: Writing, node: str, path: Path) -> None:
        """A writing begins: what the node wrote before counts no more once it has a first word."""
        source = self.script.models[node]
        name = name_of(node, path) if not source.output else ""
        if not name and (path or self._outputs not in {"", node}):
            self._unheard.add(place[0])  # the outputs begin with another node's
            return
        if not name:
            self._outputs = node
        self._asked[place] = name
        draft = self._drafts.setdefault(name, _Draft(source))
        draft.writing, draft.streamed = place, ""

    def _written(self, place: Writing, offset: int, text: str, *, stored: bool = False) -> list[Piece]:
        """A piece of a writing, of which a part may have been told. What is stored corrects what was told otherwise."""
        name = self._asked.get(place)
        draft = self._drafts.get(name) if name is not None else None
        if name is None or draft is None or draft.closed or draft.writing != place or offset > len(draft.streamed):
            return []  # of a writing that counts no more, or before it a piece is missing; what is stored has it
        known = draft.streamed[offset : offset + len(text)]
        if text.startswith(known):
            draft.streamed += text[len(known) :]
        elif stored:
            draft.streamed = draft.streamed[:offset] + text
        return self._shown(name, draft) if draft.streamed else []

    def _shown(self, name: str, draft: _Draft) -> list[Piece]:
        """What makes the artifact as it was shown that what is known now."""
        whole, output = draft.source.before + draft.streamed, draft.source.output
        before, draft.shown = draft.shown, whole
        self._said[name] = whole
        if before == whole:
            return []
        if before is not None and whole.startswith(before):
            return [Piece(name, whole[len(before) :], True, output=output)]
        return [Piece(name, whole, False, output=output)]

    def _answered(self, line: Line) -> list[Piece]:
        """An answer says what it says: the draft of it, if there is one, is completed to this, or replaced."""
        text = str((line.data.get("output") or {}).get("text") or "")
        if not text:
            return []
        name = name_of(self.script.begins.get(line.node, line.node), line.path)
        draft = self._drafts.setdefault(name, _Draft(Source("")))
        if draft.closed:  # another answer has said it
            name = name_of(line.node, line.path)
            draft = self._drafts.setdefault(name, _Draft(Source("")))
        before, draft.shown, draft.closed = draft.shown, text, True
        self._said[name] = text
        if before is not None and text.startswith(before):
            return [Piece(name, text[len(before) :], True, last=True)]
        return [Piece(name, text, False, last=True)]


def name_of(node: str, path: Path) -> str:
    """What a text of a node is called among the artifacts of its run."""
    return "".join((node, *(f"[{index}]" for _, index in path)))
