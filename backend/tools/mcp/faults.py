"""From what the SDK raises to our errors: one class per cause, with a reason that says what to do.

Where our own transport knows more than the SDK lets through (an HTTP status, a body that is no JSON), it leaves the
finished error in `Faults` and sends the SDK an error that carries only its number; `behind` and `translate` look it up.
What is wrong with us (a defect, no memory, no descriptor) is left there, too, and never made an answer of a server's.
"""

from __future__ import annotations

import logging
import re
import ssl
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx2
import mcp  # noqa: F401 - whole before its parts, see backend.tools.mcp
from mcp.client.auth import OAuthFlowError
from mcp.shared.exceptions import MCPError
from mcp_types import ErrorData
from pydantic import ValidationError

from backend.errors import (
    McpAuthFailed,
    McpExecutionError,
    McpInvalidParams,
    McpParseError,
    McpProtocolError,
    McpTimeout,
    McpUnreachable,
    PatchbayError,
    ResultTooLarge,
)
from backend.net.client import NameNotFound, no_header_holds
from backend.net.fence import NotSent
from backend.tools.mcp.wire import STAND_IN, without_exchange
from backend.tools.types import JsonObject

logger = logging.getLogger(__name__)

RAW_LIMIT = 64 * 1024
"""Characters of a raw answer kept in an error's detail."""
UNEXPECTED = "unexpected"
"""The reason of what no rule knows: an exception of ours, or of a library, that no answer explains."""
_KEPT = 1000
_TLS_RECORD = re.compile(r"\\x1[56]\\x03")
_OTHER_KIND = re.compile(r"got '([^']*)'")


class Faults:
    """Finished errors of one connection, by the number that travels through the SDK."""

    def __init__(self, on_final: Callable[[], None] | None = None, limit: int = 64 * 1024 * 1024) -> None:
        self.limit = limit
        self._errors: OrderedDict[int, BaseException] = OrderedDict()
        self._count = 0
        self._on_final = on_final
        self.final: PatchbayError | None = None  # why the whole connection ended, where our transport knows
        self.status: int | None = None  # of the last answer to a POST; None where the last one got no answer
        self.defect: Exception | None = None  # what broke the transport from inside: ours, not the server's

    def finish(self, error: PatchbayError) -> None:
        """The connection cannot go on because of `error`."""
        self.final = self.final or error
        if self._on_final is not None:
            self._on_final()

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Around what our transport does with messages: an exception there breaks the connection, and is kept."""
        try:
            yield
        except Exception as error:
            self.break_by(error)
            raise

    def break_by(self, error: Exception) -> None:
        """The connection cannot go on because of `error`, which is ours."""
        logger.error("the transport of an MCP connection met a defect", exc_info=error)
        self.defect = self.defect or error
        if self._on_final is not None:
            self._on_final()

    def put(self, error: BaseException) -> ErrorData:
        """Keep an error; gives the stand-in for the SDK."""
        self._count += 1
        self._errors[self._count] = error
        while len(self._errors) > _KEPT:
            self._errors.popitem(last=False)
        detail = error.detail if isinstance(error, PatchbayError) else None
        raw = detail.get("raw") if isinstance(detail, dict) else None
        return ErrorData(code=-32000, message=str(error), data={STAND_IN: self._count, "raw": raw})

    def too_large(self) -> ErrorData:
        """The stand-in for a message over the limit."""
        return self.put(ResultTooLarge(params={"limit": self.limit // (1024 * 1024)}))

    def take(self, error: MCPError) -> BaseException | None:
        """The error behind a stand-in."""
        data = error.error.data
        return self._errors.pop(data[STAND_IN], None) if isinstance(data, dict) and STAND_IN in data else None

    def behind(self, error: BaseException) -> BaseException:
        """What really happened where `error` came through the SDK: kept under its number, or what broke the
        connection that is said to have closed."""
        cause = leaf(error)
        if isinstance(cause, MCPError):
            return self.take(cause) or (self.defect if closed(cause) else None) or error
        return error


def leaf(error: BaseException) -> BaseException:
    """The first error inside nested exception groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def closed(error: MCPError) -> bool:
    """Whether the SDK says that the connection is over."""
    return error.error.code == -32000 and error.error.message == "Connection closed"


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        yield current
        seen.add(id(current))
        current = current.__cause__ or current.__context__


def translate(error: BaseException, faults: Faults, *, calling: bool) -> PatchbayError:
    """Our error for what a connection (`calling` False) or a call raised."""
    translated = _translated(error, faults, calling)
    if not calling and isinstance(translated, McpTimeout) and "reason" not in translated.params:
        translated.params = {**translated.params, "reason": "connect"}  # no tool was called: nothing may have happened
    return translated


def _translated(error: BaseException, faults: Faults, calling: bool) -> PatchbayError:
    error = leaf(faults.behind(error))
    if isinstance(error, PatchbayError):
        return error
    if isinstance(error, MCPError):
        return _protocol_answer(error, faults, calling)
    if isinstance(error, httpx2.HTTPStatusError):
        return faults.final or of_status(error.response.status_code, had_credentials=True)
    if isinstance(error, httpx2.DecodingError):
        return McpParseError(params={"reason": "encoding"}, detail={"why": str(error)})
    if isinstance(error, httpx2.SSEError):
        return _no_events(error)
    if isinstance(error, (httpx2.TransportError, OSError, TimeoutError)):
        return of_transport(error)
    if isinstance(error, OAuthFlowError):
        return McpAuthFailed(params={"reason": "oauth"}, detail={"why": str(error)})
    if no_header_holds(error):
        return McpAuthFailed(params={"reason": "characters"})
    if isinstance(error, ValidationError):
        return McpProtocolError(params={"reason": "shape"}, detail={"why": str(error)[:2000]})
    if isinstance(error, RuntimeError) and "protocol version" in str(error):
        return McpProtocolError(params={"reason": "version", "why": str(error)})
    if isinstance(error, ValueError) and "Endpoint origin" in str(error):
        return McpProtocolError(params={"reason": "other_origin"}, detail={"why": str(error)})
    if faults.final is not None:
        return faults.final
    logger.error("unexpected error from an MCP session", exc_info=error)
    return unexpected(error)


def unexpected(error: BaseException) -> McpProtocolError:
    """For a person who tries to connect: what no rule knows, or what is wrong with this machine."""
    cause = leaf(error)
    return McpProtocolError(params={"reason": UNEXPECTED, "why": f"{type(cause).__name__}: {cause}"})


def of_transport(error: BaseException) -> PatchbayError:
    """A failed connection or request, by its cause."""
    text = str(error) or type(error).__name__
    if isinstance(error, NotSent):
        return McpUnreachable(params={"reason": "not_sent", "sent": False}, detail={"why": text})
    causes = list(_causes(error))
    if any(isinstance(cause, NameNotFound) for cause in causes):
        return McpUnreachable(params={"reason": "dns"}, detail={"why": text})
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return McpUnreachable(params={"reason": "tls", "why": text}, detail={"why": text})
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return McpUnreachable(params={"reason": "refused"}, detail={"why": text})
    if isinstance(error, httpx2.RemoteProtocolError) and (reason := _not_http(text)):
        return McpUnreachable(params={"reason": reason}, detail={"why": text[:500]})
    if isinstance(error, httpx2.ConnectTimeout):
        return McpUnreachable(params={"reason": "connect_timeout"}, detail={"why": text})
    if isinstance(error, (httpx2.TimeoutException, TimeoutError)):
        return McpTimeout(detail={"why": text})
    if isinstance(error, httpx2.ConnectError):
        refused = "refused" in text.lower() or "connection attempts failed" in text.lower()
        return McpUnreachable(params={"reason": "refused" if refused else "connect"}, detail={"why": text})
    return McpUnreachable(params={"reason": "dropped"}, detail={"why": text})


def _not_http(why: str) -> str:
    """What answers where it is no HTTP as we can read it: "is_https", "not_http", "huge_header" or ""."""
    if "illegal status line" in why:
        return "is_https" if _TLS_RECORD.search(why) else "not_http"
    return "huge_header" if "too long" in why.lower() or "too large" in why.lower() else ""


def _no_events(error: httpx2.SSEError) -> PatchbayError:
    """An address of the SSE transport that answers with something else."""
    text = str(error)
    kind = match[1] if (match := _OTHER_KIND.search(text)) else ""
    if not kind:
        return McpParseError(params={"reason": "event_stream"}, detail={"why": text})
    reason = "html" if kind.startswith("text/html") else "content_type"
    return McpProtocolError(params={"reason": reason, "kind": kind}, detail={"why": text})


def of_status(status: int, *, had_credentials: bool, raw: str = "") -> PatchbayError:
    """An HTTP answer that counts as an error."""
    detail: JsonObject = {"http_status": status}
    if raw:
        detail["raw"] = raw[:RAW_LIMIT]
    if status in (401, 403):
        reason = f"http_{status}" if had_credentials else "no_credentials"
        return McpAuthFailed(params={"reason": reason, "status": status}, detail=detail)
    if status in (404, 410):
        return McpUnreachable(params={"reason": "http_404", "status": status}, detail=detail)
    if status in (405, 408, 429) or status >= 500:
        return McpUnreachable(params={"reason": "http_status", "status": status}, detail=detail)
    return McpProtocolError(params={"reason": "http_status", "status": status}, detail=detail)


def of_rpc(error: ErrorData, faults: Faults) -> PatchbayError:
    """A JSON-RPC error of the server's own, as the answer to a call."""
    return _protocol_answer(MCPError(error.code, error.message, error.data), faults, calling=True)


def _protocol_answer(error: MCPError, faults: Faults, calling: bool) -> PatchbayError:
    """A JSON-RPC error of the server's own, or one that the SDK made."""
    code, message = error.error.code, error.error.message
    own, exchange = without_exchange(error.error)
    detail: JsonObject = {"code": code, "message": message[:RAW_LIMIT], **exchange}
    if own.data is not None:
        detail["data"] = own.data
    if code == -32001 and "timed out" in message:
        return McpTimeout(detail=detail)
    if closed(error):
        return faults.final or McpUnreachable(params={"reason": "closed"}, detail=detail)
    if code == -32000 and "SSE stream failed" in message:
        if "exceed" in message.lower() or "too large" in message.lower():
            return ResultTooLarge(params={"limit": faults.limit // (1024 * 1024)}, detail=detail)
        return McpParseError(params={"reason": "event_stream"}, detail=detail)
    if code == -32000 and "SSE stream ended" in message:
        return McpUnreachable(params={"reason": "stream_ended"}, detail=detail)
    if code == -32700 and message.startswith("Failed to parse"):  # the SDK's own words, of an event's data
        return McpParseError(params={"reason": "event_stream"}, detail=detail)
    if code == -32700:
        return McpParseError(detail=detail)
    if code in (-32020, -32021, -32022, -32600, -32601) or not calling:
        reason = {-32021: "capability", -32022: "version", -32601: "method"}.get(code, "answer")
        return McpProtocolError(params={"reason": reason, "why": message[:300]}, detail=detail)
    if code == -32602:
        return McpInvalidParams(params={"reason": "server", "why": message[:300]}, detail=detail)
    return McpExecutionError(params={"reason": "server", "why": message[:300]}, detail=detail)
