"""Lost HTTP sessions: which refusals mean that a server no longer knows ours, and when a call may be made again.

The protocol says 404, but most servers in TypeScript answer 400, some with a JSON-RPC error, some with plain text. So
any 4xx to a request that carried a session may mean it, except those that are about the request itself.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

import mcp  # noqa: F401 - whole before its parts, see backend.tools.mcp
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, METHOD_NOT_FOUND, ErrorData
from pydantic import ValidationError
from pydantic_core import from_json

from backend.errors import McpUnreachable, PatchbayError
from backend.tools.types import JsonObject

if TYPE_CHECKING:
    from backend.tools.mcp.connection import Connection

OF_THE_REQUEST = frozenset({401, 403, 408, 413, 429})
"""4xx that never refuse a session: credentials, slowness, size, too many requests."""
_OWN_CODES = (METHOD_NOT_FOUND, INVALID_PARAMS)
_PROBE_S = 5.0
_FAULT = (
    r"no|not|non|un\w+|in?valid|bad|wrong|expired?|terminated|missing|lost|gone|stale|closed|ended|required|absent|"
    r"does\s?n.t|never"
)
_NAMED = re.compile(
    rf"mcp-session-id|\b(?:{_FAULT})\b[^.\n]{{0,40}}\bsession|\bsession\w*\b[^.\n]{{0,40}}\b(?:{_FAULT})\b|"
    r"server (?:is )?not initiali[sz]ed|会话",
    re.IGNORECASE,
)


class SessionLost(McpUnreachable):
    """The server refuses the session, so it did not look at the call.

    `sure` = the answer says so itself (404, or it names the session); otherwise the session may be sound and `answer`,
    the error that the answer is for its own part, be all there is.
    """

    sure = True
    answer: PatchbayError | None = None

    def final(self) -> PatchbayError:
        """The error where a new session is no help."""
        return self.answer or self


def refused_session(status: int, body: bytes, answer: PatchbayError, detail: JsonObject) -> SessionLost | None:
    """What a 4xx to a request with a session says of that session; None where it is about something else.

    `answer` = the error that it counts as where the session is sound.
    """
    if not 400 <= status < 500 or status in OF_THE_REQUEST:
        return None
    error = rpc_error(body)
    text = body[:4096].decode("utf-8", "replace") if error is None else f"{error.message} {error.data or ''}"
    named = bool(_NAMED.search(text))
    if error is not None and error.code in _OWN_CODES and status != 404 and not named:
        return None
    lost = SessionLost(params={"reason": "session_lost"}, detail=detail)
    lost.sure = status == 404 or named
    lost.answer = None if status == 404 else answer
    return lost


def rpc_error(body: bytes) -> ErrorData | None:
    """The error of a JSON-RPC message, whatever its id is; None where it is none."""
    try:
        value: Any = from_json(body)
        return ErrorData.model_validate(value["error"]) if value.get("jsonrpc") == "2.0" else None
    except (ValueError, ValidationError, KeyError, TypeError, AttributeError):
        return None


async def is_lost(live: Connection, refusal: SessionLost) -> bool:
    """Whether the session is really refused: where the answer does not say so, the server is asked with a ping."""
    if refusal.sure:
        return True
    try:
        async with asyncio.timeout(_PROBE_S):
            await live.client.session.send_ping()
    except MCPError as error:
        return isinstance(await live.explain(error, calling=True), McpUnreachable)
    except TimeoutError:
        return True
    return False
