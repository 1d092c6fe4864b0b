"""Errands: requests that talk to somebody else's server, such as a connection test or a tool that is tried.

An errand is a generator. What it does itself is short work with the database; what it yields is a coroutine that may
take minutes, and while that is awaited on the process's loop no thread is held. So a hundred servers that do not answer
keep nobody else waiting. How many errands of one person are open at once is bounded, for each holds a connection.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.db import connections
from django.http import HttpRequest, HttpResponse
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from backend.accounts.actor import Actor
from backend.errors import InternalError
from backend.tools.loop import LOOP
from backend.web.open_limits import OpenLimit
from backend.web.rest import exception_handler

T = TypeVar("T")
S = TypeVar("S")
RemoteWork = Generator[Coroutine[Any, Any, Any], Any, T]
"""Yields what is to be awaited, is sent its result (or thrown its error), returns T."""

OPEN = OpenLimit("connections_open")
"""The errands of this process, by person."""
_STEPS = ThreadPoolExecutor(4, thread_name_prefix="errand")
"""Where the short work between two waits is done."""


@dataclass(slots=True)
class _Step(Generic[T]):
    """What an errand did last: it waits for `waits`, or is over with `value`."""

    waits: Coroutine[Any, Any, Any] | None = None
    value: T | None = None


class StartedWork(Generic[T]):
    """An errand of `actor` whose first step is done, in the calling thread. Raises what that raises, RateLimited."""

    def __init__(self, actor: Actor, work: RemoteWork[T]) -> None:
        self._work, self._who = work, str(actor.user.pk)
        OPEN.enter(self._who, settings.PATCHBAY.connections_per_person)
        try:
            self._first = _advanced(work, None, None)
        except BaseException:
            OPEN.leave(self._who)
            raise

    def here(self) -> T:
        """Go through the rest in this thread: where no loop serves the request."""
        try:
            step = self._first
            while step.waits is not None:
                result, error = LOOP.run(_outcome(step.waits))
                step = _advanced(self._work, result, error)
            return step.value  # type: ignore[return-value]
        finally:
            OPEN.leave(self._who)

    def on_loop(self, shape: Callable[[T], S]) -> Future[S]:
        """Go through the rest without holding a thread; the future has what `shape` makes of the result."""
        return LOOP.submit(self._driven(shape))

    async def _driven(self, shape: Callable[[T], S]) -> S:
        try:
            step = self._first
            while step.waits is not None:
                result, error = await _outcome(step.waits)
                step = await _in_thread(lambda result=result, error=error: _advanced(self._work, result, error))  # type: ignore[misc]
            return await _in_thread(lambda: shape(step.value))  # type: ignore[arg-type]
        finally:
            OPEN.leave(self._who)


async def _outcome(waits: Coroutine[Any, Any, Any]) -> tuple[Any, Exception | None]:
    try:
        return await waits, None
    except Exception as error:  # noqa: BLE001 - it belongs to the errand
        return None, error


def _advanced(work: RemoteWork[T], result: Any, error: Exception | None) -> _Step[T]:
    """Do the next step in this thread. Raises what it raises."""
    try:
        return _Step(waits=work.send(result) if error is None else work.throw(error))
    except StopIteration as over:
        return _Step(value=over.value)


async def _in_thread(call: Callable[[], S]) -> S:
    """`call()` in a thread that opens its connection to the database anew and closes it again."""

    def fresh() -> S:
        try:
            return call()
        finally:
            connections.close_all()

    return await asyncio.get_running_loop().run_in_executor(_STEPS, fresh)


class RemoteResponse(HttpResponse):
    """An answer that comes when its errand is over; the handler awaits `finish` before it sends it."""

    def __init__(
        self,
        request: HttpRequest,
        future: Future[bytes],
        failed: Callable[[BaseException], HttpResponse],
        *,
        status: int = 200,
    ) -> None:
        super().__init__(b"", content_type="application/json", status=status)
        self.request, self._future, self._failed = request, future, failed

    async def finish(self) -> None:
        """Wait on the running loop. The errand goes on when whoever waits here leaves."""
        try:
            body: asyncio.Future[bytes] = asyncio.wrap_future(self._future)
            self.content = await asyncio.shield(body)
        except (Exception, asyncio.CancelledError) as error:
            if isinstance(error, asyncio.CancelledError) and not self._future.cancelled():
                raise  # whoever waits is to end, not the errand
            response = self._failed(error)
            self.status_code, self.content = response.status_code, response.content
            if response.has_header("Retry-After"):
                self["Retry-After"] = response["Retry-After"]
        if self.status_code == 204:  # has no body to count (RFC 9110, 8.6)
            del self["Content-Length"]
        else:
            self["Content-Length"] = str(len(self.content))  # the middleware has counted an empty body


def answer(
    request: Request,
    actor: Actor,
    work: RemoteWork[T],
    shape: Callable[[T], Any] = lambda result: result,
    *,
    empty: bool = False,
    status: int = 200,
) -> HttpResponse:
    """The response of a view that runs `work`, with `shape(result)` as JSON; `empty` = 204, there is nothing to say.

    Raises what its first step raises.
    """
    begun = StartedWork(actor, work)
    http_request = request._request
    if not isinstance(http_request, ASGIRequest):
        result = begun.here()
        return Response(status=204) if empty else Response(shape(result), status=status)

    def failed(error: BaseException) -> HttpResponse:
        known = error if isinstance(error, Exception) else InternalError()  # the process's loop has stopped
        response = exception_handler(known, {"request": request})
        return HttpResponse(
            JSONRenderer().render(response.data), status=response.status_code, headers=dict(response.items())
        )

    def rendered(result: T) -> bytes:
        return b"" if empty else bytes(JSONRenderer().render(shape(result)))

    return RemoteResponse(http_request, begun.on_loop(rendered), failed, status=204 if empty else status)
