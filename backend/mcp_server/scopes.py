"""Which scope a request needs that the token of an OAuth client lacks, known before the request is handled.

Such a client can ask its member for more, if it is told by status and header (403, `insufficient_scope`). Who pasted
an API token cannot; there the answer to the call says what is missing, for a model to read.
"""

from __future__ import annotations

import json
from typing import Any

from backend.accounts.actor import Actor
from backend.mcp_server.calls import READING

MOST_PARTS = 10_000
_READS = frozenset({"resources/read"})
_RUNS = frozenset({"tasks/get", "tasks/update", "tasks/cancel"})


def may_lack(actor: Actor) -> bool:
    """Whether there are requests that this client would have to ask its member for. Not on the loop."""
    token = actor.token
    return token is not None and not (actor.in_scope("read") and actor.in_scope("run")) and bool(token.audience)


def lacking(actor: Actor, body: bytes) -> str:
    """The scope that this request needs and the token lacks; "" where it has it, or the request is none."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    needed = _needed(message) if isinstance(message, dict) else ""
    return needed if needed and not actor.in_scope(needed) else ""


def _needed(message: dict[str, Any]) -> str:
    method, params = message.get("method"), message.get("params")
    if method == "tools/call":
        name = params.get("name") if isinstance(params, dict) else None
        return "read" if name in READING else "run"
    return "read" if method in _READS else "run" if method in _RUNS else ""


async def peeked(receive: Any, most: int) -> tuple[bytes, Any]:
    """(the body of a request as far as it is no longer than `most`, from where it can be received once more)."""
    parts: list[Any] = []
    size, more = 0, True
    while more and size <= most and len(parts) < MOST_PARTS:
        part = await receive()
        parts.append(part)
        size += len(part.get("body", b""))
        more = part["type"] == "http.request" and part.get("more_body", False)
    waiting = iter(parts)

    async def again() -> Any:
        part = next(waiting, None)
        return await receive() if part is None else part

    return b"".join(part.get("body", b"") for part in parts) if size <= most and not more else b"", again
