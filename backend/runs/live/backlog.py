"""How much of what a socket was given is still on its way: a client that reads slowly rests instead of filling memory.

The server that owns the connections says it (`project.serving.sockets`), by the client's address as ASGI names it. A
server that says nothing counts as one that never lags. The same server may offer a shorter way than ASGI to send.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

REST_ABOVE = 1024 * 1024
"""Bytes on their way above which events stay in the database until the client has read."""
MOST = 4 * 1024 * 1024
"""Bytes on their way with which a socket is closed: what has no numbers cannot wait in the database."""
STALLED_S = 30.0
"""How long a client may read nothing while something waits for it."""
LOOK_EVERY_S = 0.05

UNSENT: dict[tuple[Any, ...], Callable[[], int]] = {}
"""Bytes on their way, by client address."""

SHORTCUTS: dict[tuple[Any, ...], Callable[[str], bool]] = {}
"""Sends a frame, by client address; False where it has to go by ASGI."""


def sent_directly(scope: dict[str, Any], text: str) -> bool:
    """Give a frame straight to this socket's connection; False where it has to go by ASGI. Both keep one order."""
    send = SHORTCUTS.get(tuple(scope.get("client") or ()))
    return send is not None and send(text)


def unsent(scope: dict[str, Any]) -> int:
    """Bytes that this socket's client has not taken yet."""
    look = UNSENT.get(tuple(scope.get("client") or ()))
    return look() if look is not None else 0


async def drained(scope: dict[str, Any]) -> bool:
    """Wait until the client has read most of what it was given; False when it stopped reading."""
    before, since = unsent(scope), time.monotonic()
    while before > REST_ABOVE:
        await asyncio.sleep(LOOK_EVERY_S)
        left = unsent(scope)
        if left < before:
            since = time.monotonic()
        elif time.monotonic() - since > STALLED_S:
            return False
        before = left
    return True
