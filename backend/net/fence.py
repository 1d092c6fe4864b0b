"""The last look before bytes leave: whether whoever sends them may still do so.

Between the decision to call and the request on the wire lie waits (a slot, a name, a connection, the start of a
program, a full pipe), and a run may have become another worker's meanwhile. `fenced(check)` puts a check around a piece
of work; every transport calls it again right before it writes, in whatever task that happens. No check, no cost.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import httpx2

Check = Callable[[], None]
"""Raises where nothing may be sent any more."""
_BEFORE_BYTES = frozenset({"http11.send_request_headers.started", "http11.send_request_body.started"})

_check: ContextVar[Check | None] = ContextVar("patchbay_fence", default=None)


class NotSent(httpx2.TransportError):
    """The request was not written: its sender may send nothing any more."""


@contextmanager
def fenced(check: Check) -> Iterator[None]:
    """Whatever this block sends is sent only while `check` does not raise."""
    token = _check.set(check)
    try:
        yield
    finally:
        _check.reset(token)


def current() -> Check | None:
    """The check of the work at hand, for those who write in another task."""
    return _check.get()


def look() -> None:
    """Call the check after a wait. Raises what it raises."""
    check = _check.get()
    if check is not None:
        check()


def last_look(check: Check | None) -> None:
    """Call a check right before writing. Raises NotSent."""
    if check is None:
        return
    try:
        check()
    except Exception as error:
        raise NotSent("not sent: the run is no longer this process's") from error


def extended(extensions: dict[str, Any]) -> dict[str, Any]:
    """A request's extensions, with the check called once a connection is there and before each part is written."""
    check = _check.get()
    if check is None:
        return extensions
    before: Callable[[str, dict[str, Any]], Awaitable[None]] | None = extensions.get("trace")

    async def trace(name: str, info: dict[str, Any]) -> None:
        if before is not None:
            await before(name, info)
        if name in _BEFORE_BYTES:
            last_look(check)

    return {**extensions, "trace": trace}
