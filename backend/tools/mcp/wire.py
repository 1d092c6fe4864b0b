"""The raw messages of a connection, for people who ask why: recorded only where somebody looks, masked, bounded.

A `Tap` sits around a transport: it tells when the server's stream has ended (the SDK tells no one), records messages
for a `Capture`, has lists of tools mended (`repair`) and the blocks of answers kept (`blocks`), says in the `_meta` of
every request to which trace it belongs, and hands everything else through untouched.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
    nullcontext,
)
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import mcp  # noqa: F401 - whole before its parts, see backend.tools.mcp
from mcp.shared.message import SessionMessage
from mcp_types import (
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
)

from backend.net import traces
from backend.net.masking import Masker
from backend.tools.mcp import blocks
from backend.tools.mcp.repair import ListRepair
from backend.tools.types import JsonObject

Streams = tuple[Any, Any]
"""(read stream, write stream) of a transport; the SDK's protocols for them are private."""

STAND_IN = "patchbay_fault"
"""Key in the data of an error that our transport made for an answer that was none; `raw` beside it is what came."""
EXCHANGE = "patchbay_http"
"""Key in the data of a server's own error that came with a status of its own: status and headers; `data` beside it."""
READ_BY_THE_SDK = frozenset({-32020, -32021, -32022, -32042})
"""Codes of errors whose data the SDK acts on: versions, capabilities, addresses to open. Theirs stays as it came."""
MAX_MESSAGES = 400
MAX_MESSAGE_CHARS = 65_536
MAX_CHARS = 131_072
BEGINNING_CHARS = 1_000
"""What is kept of a message once all before it had `MAX_CHARS`: nobody reads the twentieth page of a list."""


def with_exchange(body: bytes, exchange: JsonObject) -> bytes:
    """The JSON-RPC error in `body` with status and headers of its HTTP answer in its data."""
    value = json.loads(body)
    error = value["error"]
    if error.get("code") in READ_BY_THE_SDK:
        return body
    error["data"] = {EXCHANGE: exchange, "data": error.get("data")}
    return json.dumps(value).encode()


def without_exchange(error: ErrorData) -> tuple[ErrorData, JsonObject]:
    """The error as the server sent it, and what `with_exchange` put beside it."""
    data = error.data
    if not isinstance(data, dict) or not isinstance(data.get(EXCHANGE), dict):
        return error, {}
    plain: JsonObject = {"code": error.code, "message": error.message}
    if data.get("data") is not None:
        plain["data"] = data["data"]
    return ErrorData.model_validate(plain), data[EXCHANGE]


@dataclass
class Capture:
    """What went over the wire, in order: `entries` = [{at_ms, direction: "out"|"in", message | raw | http}].

    `http` = status and headers of one HTTP answer, and of what was asked: {method, url, sent, status, headers}.

    `ids` limits it to single requests (a call on a shared connection); None takes everything.
    """

    masker: Masker
    ids: set[str] | None = None
    entries: list[JsonObject] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)
    _chars: int = 0

    def add(self, direction: str, message: SessionMessage | Exception) -> None:
        """Note one message, where it belongs to this capture."""
        if isinstance(message, SessionMessage):
            if self._concerns(message) and not self._stands_in(direction, message):
                text = _as_sent(message.message).model_dump_json(by_alias=True, exclude_unset=True)
                self.text(direction, text, is_json=True)
        elif self.ids is None:
            self.text(direction, str(message), is_json=False)

    def _stands_in(self, direction: str, message: SessionMessage) -> bool:
        """Whether the message is our own stand-in for an answer that was none: noted as what really came."""
        error = message.message.error if isinstance(message.message, JSONRPCError) else None
        if error is None or not isinstance(error.data, dict) or STAND_IN not in error.data:
            return False
        if raw := error.data.get("raw"):
            self.text(direction, str(raw), is_json=False)
        return True

    def exchange(self, http: JsonObject) -> None:
        """Note status and headers of an HTTP answer, masked by the caller."""
        if len(self.entries) < MAX_MESSAGES:
            self.entries.append({**self._entry("in"), "http": http})

    def _entry(self, direction: str) -> JsonObject:
        return {"at_ms": round((time.monotonic() - self.began) * 1000, 1), "direction": direction}

    def text(self, direction: str, text: str, *, is_json: bool) -> None:
        """Note a message as text."""
        if len(self.entries) >= MAX_MESSAGES:
            return
        entry = self._entry(direction)
        whole = MAX_MESSAGE_CHARS if self._chars < MAX_CHARS else BEGINNING_CHARS
        self._chars += min(len(text), whole)
        if is_json and len(text) <= whole:
            entry["message"] = self.masker.value(json.loads(text))
        else:
            entry["raw"] = self.masker.head(text, whole)
        self.entries.append(entry)

    def _concerns(self, message: SessionMessage) -> bool:
        if self.ids is None:
            return True
        body = message.message
        if isinstance(body, JSONRPCNotification):
            params = body.params or {}
            return str(params.get("progressToken", params.get("requestId"))) in self.ids
        return str(body.id) in self.ids


def _as_sent(message: JSONRPCMessage) -> JSONRPCMessage:
    if not isinstance(message, JSONRPCError):
        return message
    error, exchange = without_exchange(message.error)
    return message.model_copy(update={"error": error}) if exchange else message


_CAPABILITIES = frozenset(
    {
        *("tools/call", "resources/read", "prompts/get", "completion/complete"),
        *("tasks/get", "tasks/update", "tasks/cancel"),
    }
)
"""What a caller of the API has a server do. How a connection is made and what a server lists is our own business."""


def _trace(request: JSONRPCRequest) -> None:
    """Say in `_meta` to which trace a request belongs: here, because the SDK takes it for some of them alone."""
    value = traces.outgoing() or (traces.handed_on() if request.method in _CAPABILITIES else "")
    if value:
        params = request.params or {}
        request.params = {**params, "_meta": {traces.HEADER: value, **(params.get("_meta") or {})}}


_CURRENT: ContextVar[Capture | None] = ContextVar("patchbay_capture", default=None)


def current_capture() -> Capture | None:
    """The capture of the task at hand."""
    return _CURRENT.get()


@contextmanager
def capturing(masker: Masker) -> Iterator[Capture]:
    """Capture the requests that this task sends, with their answers and notifications."""
    capture = Capture(masker, ids=set())
    token = _CURRENT.set(capture)
    try:
        yield capture
    finally:
        _CURRENT.reset(token)


@contextmanager
def watching(capture: Capture) -> Iterator[None]:
    """What this task sends is noted in a capture that is there already."""
    token = _CURRENT.set(capture)
    try:
        yield
    finally:
        _CURRENT.reset(token)


class Tap:
    """Around one connection's transport: end of stream, captures. `noting` hears of what goes wrong in here."""

    def __init__(
        self,
        on_end: Callable[[], None],
        everything: Capture | None = None,
        repair: ListRepair | None = None,
        noting: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._on_end, self._noting = on_end, noting
        self._everything = everything
        self._repair = repair
        self._listings: set[RequestId] = set()
        self._captures: dict[str, Capture] = {}

    @asynccontextmanager
    async def around(self, transport: AbstractAsyncContextManager[Streams]) -> AsyncGenerator[Streams, None]:
        """The transport, tapped."""
        async with transport as (read, write):
            yield _TappedRead(read, self), _TappedWrite(write, self)

    def sent(self, message: SessionMessage) -> None:
        """A message goes out."""
        body = message.message
        if isinstance(body, JSONRPCRequest):
            _trace(body)
        if self._repair is not None and isinstance(body, JSONRPCRequest) and body.method == "tools/list":
            self._listings.add(body.id)
            if not (body.params or {}).get("cursor"):
                self._repair.restart()
        if self._everything is not None:
            self._everything.add("out", message)
        capture = _CURRENT.get()
        if capture is not None and capture.ids is not None and isinstance(message.message, JSONRPCRequest):
            identity = str(message.message.id)
            capture.ids.add(identity)
            self._captures[identity] = capture
            capture.add("out", message)

    def received(self, message: SessionMessage | Exception) -> None:
        """A message came in: recorded as it is, mended where it is a list of tools, its blocks kept."""
        with self._noting():
            self._record(message)
            self._mend(message)
            blocks.keep(message)

    def _mend(self, message: SessionMessage | Exception) -> None:
        body = message.message if isinstance(message, SessionMessage) else None
        if self._listings and isinstance(body, JSONRPCResponse | JSONRPCError) and body.id in self._listings:
            self._listings.discard(body.id)
            if self._repair is not None and isinstance(body, JSONRPCResponse):
                body.result = self._repair.page(body.result)

    def _record(self, message: SessionMessage | Exception) -> None:
        if self._everything is not None:
            self._everything.add("in", message)
        if not self._captures:
            return
        for capture in {id(c): c for c in self._captures.values()}.values():
            capture.add("in", message)
        if isinstance(message, SessionMessage) and not isinstance(message.message, JSONRPCNotification):
            self._captures.pop(str(message.message.id), None)

    def ended(self) -> None:
        """The server's stream has ended."""
        self._captures.clear()
        self._listings.clear()
        self._on_end()


class _Tapped:
    """A stream with a tap on it, open and closed as the stream is."""

    def __init__(self, inner: Any, tap: Tap) -> None:
        self._inner, self._tap = inner, tap

    async def aclose(self) -> None:
        await self._inner.aclose()

    def close(self) -> None:
        close = getattr(self._inner, "close", None)
        if close is not None:
            close()

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        await self._inner.__aexit__(exc_type, exc_val, exc_tb)


class _TappedRead(_Tapped):
    """A read stream that tells its tap."""

    @property
    def last_context(self) -> Any:
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        message: SessionMessage | Exception = await self._inner.receive()
        self._tap.received(message)
        return message

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            message: SessionMessage | Exception = await self._inner.__anext__()
        except BaseException:
            self._tap.ended()
            raise
        self._tap.received(message)
        return message


class _TappedWrite(_Tapped):
    """A write stream that tells its tap."""

    async def send(self, item: SessionMessage, /) -> None:
        self._tap.sent(item)
        await self._inner.send(item)
