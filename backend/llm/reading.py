"""From the wire to our words: events out of a byte stream, and one reply out of many chunks. Touches no network."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from pydantic_core import from_json

from backend.llm.attachments import Attachments, join_objects, of_call
from backend.llm.config import Prices
from backend.llm.faults import bad, of_event
from backend.llm.finish import BROKEN, finish_of
from backend.llm.types import Attached, Channel, ChatReply, JsonObject, ToolCall
from backend.llm.usage import usage_of
from backend.net.masking import MaskedStream, Masker

Piece = tuple[Channel, str]
OPEN, CLOSE = "<think>", "</think>"


def parsed(text: str | bytes) -> Any:
    """The JSON of an endpoint; halves of letters (lone surrogates) in it are let through. Raises ValueError."""
    try:
        return from_json(text)
    except ValueError as error:
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise error from None


class Events:
    """Server-sent events out of bytes: the `data` of each. Comments and other fields are read over."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._lines: list[bytes] = []
        self._searched = 0  # bytes of the buffer that hold no end of a line

    def feed(self, part: bytes) -> Iterator[str]:
        """The events that are complete with `part`."""
        self._buffer += part
        start = 0
        while (end := self._buffer.find(b"\n", max(start, self._searched))) >= 0:
            line = bytes(self._buffer[start:end]).rstrip(b"\r")
            start = end + 1
            if line:
                self._take(line)
            elif self._lines:
                yield self._event()
        del self._buffer[:start]
        self._searched = len(self._buffer)

    def rest(self) -> Iterator[str]:
        """An event without the blank line behind it, at the end of the stream."""
        if self._buffer:
            self._take(bytes(self._buffer).rstrip(b"\r"))
            self._buffer.clear()
            self._searched = 0
        if self._lines:
            yield self._event()

    def _take(self, line: bytes) -> None:
        if line.startswith(b"data:"):
            self._lines.append(line[5:].removeprefix(b" "))

    def _event(self) -> str:
        text = b"\n".join(self._lines).decode("utf-8", "replace")
        self._lines.clear()
        return text


class Utf8Decoder:
    """Whole letters out of pieces that may end in half a one (UTF-16); halves that stay alone are marked."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """What is whole by now."""
        text, self._held = self._held + text, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._held = text[:-1], text[-1]
        return whole_letters(text)

    def rest(self) -> str:
        """What was held back, at the end."""
        held, self._held = self._held, ""
        return whole_letters(held)


def whole_letters(text: str) -> str:
    """The text with halves of letters joined, or marked where they are alone."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def whole_value(value: Any) -> Any:
    """A JSON value with `whole_letters` in it."""
    if isinstance(value, str):
        return whole_letters(value)
    if isinstance(value, dict):
        return {whole_letters(str(name)): whole_value(item) for name, item in value.items()}
    return [whole_value(item) for item in value] if isinstance(value, list) else value


class ReasoningSplitter:
    """Takes `<think>…</think>` at the start of a text out of it, also where the tags come in pieces."""

    def __init__(self) -> None:
        self._state = "start"
        self._held = ""

    @property
    def thought(self) -> bool:
        """Whether there were such tags."""
        return self._state in ("thinking", "after", "said")

    def feed(self, text: str) -> Iterator[Piece]:
        """The pieces that are clear by now."""
        if self._state in ("text", "said"):
            if text:
                yield "text", text
            return
        self._held += text
        if self._state == "start":
            begun = self._held.lstrip()
            if len(begun) < len(OPEN) and OPEN.startswith(begun):
                return
            thinks = begun.startswith(OPEN)
            self._state = "thinking" if thinks else "text"
            self._held = begun[len(OPEN) :].lstrip("\n") if thinks else self._held
        if self._state == "thinking":
            yield from self._thinking()
        if self._state == "after" and self._held.lstrip():
            self._state, self._held = "said", self._held.lstrip()
        if self._state in ("text", "said") and self._held:
            held, self._held = self._held, ""
            yield "text", held

    def _thinking(self) -> Iterator[Piece]:
        thought, close, rest = self._held.partition(CLOSE)
        if close:
            self._state, self._held = "after", rest
        else:
            cut = next((n for n in range(len(CLOSE) - 1, 0, -1) if thought.endswith(CLOSE[:n])), 0)
            thought, self._held = thought[: len(thought) - cut], thought[len(thought) - cut :]
        if thought:
            yield "reasoning", thought

    def rest(self) -> Iterator[Piece]:
        """What was held back, at the end."""
        held, self._held = self._held, ""
        if self._state == "thinking" and held:
            yield "reasoning", held
        elif self._state == "start" and held:
            yield "text", held


@dataclass(slots=True)
class _Call:
    """A tool call as far as it has come."""

    id: str = ""
    name: str = ""
    arguments: str = ""
    attached: JsonObject = field(default_factory=dict)


class Assembly:
    """One reply out of its chunks (or out of one whole answer), secrets masked. `model` = whom its attachments go back
    to (`slug/id`)."""

    def __init__(self, masker: Masker, *, had_key: bool, model: str = "") -> None:
        self._masker, self._had_key, self._model = masker, had_key, model
        self._attachments = Attachments()
        self._masked: dict[Channel, MaskedStream] = {"text": MaskedStream(masker), "reasoning": MaskedStream(masker)}
        self._parts: dict[Channel, list[str]] = {"text": [], "reasoning": []}
        self._letters: dict[Channel, Utf8Decoder] = {"text": Utf8Decoder(), "reasoning": Utf8Decoder()}
        self._thoughts = ReasoningSplitter()
        self._calls: list[_Call] = []
        self._places: dict[int, _Call] = {}
        self._usage: JsonObject | None = None
        self._refused = False
        self.chosen = False
        self.finish = ""
        self.answered_by = ""

    def event(self, text: str) -> list[Piece]:
        """Take in one event. Raises LlmError where it is none or says that the endpoint failed."""
        try:
            chunk = parsed(text)
        except ValueError as error:
            raise bad("json", raw=self._masker.text(text), why=str(error)) from None
        return self.chunk(chunk, text)

    def chunk(self, chunk: Any, raw: str) -> list[Piece]:
        """Take in one chunk; gives what is to be shown of it."""
        if not isinstance(chunk, dict):
            raise bad("json", raw=self._masker.text(raw), why="not an object")
        if chunk.get("error"):
            raise of_event(self._masker.value(chunk["error"]), had_key=self._had_key)
        self._used(chunk)
        if isinstance(chunk.get("model"), str):
            self.answered_by = chunk["model"]
        choices = chunk.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            return []
        self.chosen = True
        choice = choices[0]
        self._used(choice)
        if choice.get("finish_reason"):
            self.finish = str(choice["finish_reason"])
            if self.finish in BROKEN:
                raise bad("cut", raw=self._masker.text(raw), why=self.finish)
        delta = choice["delta"] if "delta" in choice else choice.get("message")
        return self._delta(delta) if isinstance(delta, dict) else []

    def _used(self, place: JsonObject) -> None:
        """Usage where an endpoint says it: at the chunk, at its choice (Kimi), or in a place of its own (Groq)."""
        for holder in (place, place.get("x_groq")):
            if isinstance(holder, dict) and isinstance(used := holder.get("usage"), dict):
                self._usage = used

    def _delta(self, delta: JsonObject) -> list[Piece]:
        self._attachments.delta(delta)
        self._refused = self._refused or bool(delta.get("refusal"))
        pieces: list[Piece] = []
        for name in ("reasoning_content", "reasoning"):
            if isinstance(thought := delta.get(name), str) and thought:
                pieces.append(("reasoning", self._letters["reasoning"].feed(thought)))
                break
        for channel, part in _pieces_of(delta):
            text = self._letters[channel].feed(part)
            pieces += self._thoughts.feed(text) if channel == "text" else [(channel, text)]
        here: set[int] = set()
        calls = delta.get("tool_calls")
        for number, call in enumerate(calls if isinstance(calls, list) else []):
            if isinstance(call, dict):
                self._call(number, call, here)
        return self._shown(pieces)

    def _shown(self, pieces: list[Piece]) -> list[Piece]:
        shown = [(channel, self._masked[channel].feed(text)) for channel, text in pieces]
        return [self._note(channel, text) for channel, text in shown if text]

    def _note(self, channel: Channel, text: str) -> Piece:
        self._parts[channel].append(text)
        return channel, text

    def _call(self, number: int, part: JsonObject, here: set[int]) -> None:
        """A piece of a tool call. Its place is its index; some endpoints leave that out or give all the same one.
        `here` = the places that this delta has named."""
        function = part.get("function")
        function = function if isinstance(function, dict) else {}
        call_id, name, arguments = part.get("id") or "", function.get("name") or "", function.get("arguments")
        index = part.get("index")
        place = index if isinstance(index, int) else self._guess(number, str(call_id))
        call = self._places.get(place)
        if call is None or _is_another(call, str(call_id), str(name), arguments, named_here=place in here):
            call = self._places[place] = _Call()
            self._calls.append(call)
        here.add(place)
        call.id = call.id or str(call_id)
        call.attached = join_objects(call.attached, of_call(part))
        if name and call.name != name:  # some endpoints say it again with every piece
            call.name += str(name)
        if isinstance(arguments, str):
            call.arguments += arguments
        elif arguments is not None:
            call.arguments = json.dumps(arguments)

    def _guess(self, number: int, call_id: str) -> int:
        """The place of a piece without an index: that of its id, a new one for a new id, else the last."""
        for place, call in self._places.items():
            if call_id and call.id == call_id:
                return place
        last = max(self._places, default=-1)
        return last + 1 if call_id or last < 0 else last if number == 0 else number

    def rest(self) -> list[Piece]:
        """What was held back, at the end of the stream."""
        thought: Piece = ("reasoning", self._letters["reasoning"].rest())
        left = self._thoughts.feed(self._letters["text"].rest())
        pieces = self._shown([thought, *left, *self._thoughts.rest()])
        ends: list[Piece] = [(channel, stream.rest()) for channel, stream in self._masked.items()]
        return pieces + [self._note(channel, text) for channel, text in ends if text]

    @property
    def begun(self) -> bool:
        """Whether the model has said something by now: words, thoughts, a call, or that it is done."""
        return bool(self._parts["text"] or self._parts["reasoning"] or self._calls or self.finish)

    def reply(self, ms: float, prices: Prices) -> ChatReply:
        """The whole reply."""
        calls = self._tool_calls()
        return ChatReply(
            text="".join(self._parts["text"]),
            reasoning="".join(self._parts["reasoning"]),
            tool_calls=calls,
            usage=usage_of(self._usage or {}, prices),
            finish=finish_of(self.finish, calls=bool(calls), refused=self._refused),
            ms=ms,
            attached=self._attached(calls),
            model=self._masker.text(self.answered_by),
        )

    @property
    def has_usage(self) -> bool:
        """Whether the endpoint said what the round used."""
        used = usage_of(self._usage or {}, Prices())
        return bool(used.input_tokens or used.output_tokens)

    def _attached(self, calls: list[ToolCall]) -> Attached | None:
        fields = self._masker.value(whole_value(self._attachments.fields(thought_in_text=self._thoughts.thought)))
        return {"model": self._model, "fields": fields} if fields or any(call.attached for call in calls) else None

    def _tool_calls(self) -> list[ToolCall]:
        used: set[str] = set()
        calls = []
        for call in self._calls:
            call_id = call.id if call.id and call.id not in used else f"call_{uuid4().hex[:16]}"
            used.add(call_id)
            name, arguments = (self._masker.text(whole_letters(text)) for text in (call.name, call.arguments))
            calls.append(ToolCall(call_id, name, arguments, self._masker.value(whole_value(call.attached))))
        return calls


def _is_another(call: _Call, call_id: str, name: str, arguments: Any, *, named_here: bool) -> bool:
    """Whether a piece at the place of `call` begins another call: it has another id; or nobody gives ids, and it names
    its tool though the call's arguments are complete or the same delta has named it already."""
    if not name or (call_id and call.id == call_id):
        return False
    if call_id and call.id:
        return True
    return bool(call.name) and (named_here or bool(arguments and _complete(call.arguments)))


def _complete(arguments: str) -> bool:
    """Whether arguments are a whole JSON object."""
    if not arguments.rstrip().endswith("}"):
        return False
    try:
        return isinstance(parsed(arguments), dict)
    except ValueError:
        return False


def _pieces_of(delta: JsonObject) -> Iterator[Piece]:
    """The words of a delta: a text, a refusal, or parts of which some are thoughts."""
    content = delta.get("content")
    if isinstance(content, str):
        yield "text", content
    elif isinstance(content, list):
        for part in content:
            if not isinstance(part, dict):
                continue
            text, thought = part.get("text"), part.get("thinking")
            if isinstance(text, str):
                yield "text", text
            elif isinstance(thought, str):
                yield "reasoning", thought
            elif isinstance(thought, list):
                yield "reasoning", "".join(str(piece.get("text") or "") for piece in thought if isinstance(piece, dict))
    if isinstance(refusal := delta.get("refusal"), str):
        yield "text", refusal
