"""Django over ASGI, each request whole in one thread of a pool whose busy threads keep their connections.

Django's own handler makes a thread and a database connection anew for every request and crosses threads for every
middleware; measured, that was half of the CPU time of a small request. All views here are synchronous, so nothing is
lost by running the synchronous chain. A request that waits for a run (`runs.waiting`) or for somebody else's server
(`accounts.errands`) holds no thread; probes and signing in have threads of their own, and are answered when all others
are busy all the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.db import close_old_connections
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix

from backend.database.shrinking_pool import ShrinkingPool
from backend.errors.log_context import LOG_CONTEXT, LogContext
from backend.project.serving.compression import compressed
from backend.project.serving.middleware import PROBES
from backend.runs.live.run_waiters import WaitingResponse
from backend.runs.worker.memory import give_back
from backend.web.remote_requests import RemoteResponse

T = TypeVar("T")

SIGN_IN = "/_allauth/"
PROBE_THREADS = 2
SIGN_IN_THREADS = 4


class ThreadedHandler(ASGIHandler):
    """The ASGI application for HTTP. `threads` bounds the requests that are answered at once; more wait."""

    def __init__(self, threads: int) -> None:
        self._threads = ShrinkingPool(threads, "http", on_shrunk=give_back)
        self._probes = ShrinkingPool(PROBE_THREADS, "probe")
        self._sign_in = ShrinkingPool(SIGN_IN_THREADS, "sign-in")
        self.load_middleware(is_async=False)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request. A client that leaves early does not stop its view, which has begun to write."""
        if scope["type"] != "http":
            raise ValueError(f"only HTTP is answered here, not {scope['type']}")
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return
        response = await self._pool(scope["path"]).run(self._answer, scope, body)
        LOG_CONTEXT.set(LogContext(response.headers.get("X-Request-ID", "")))  # of this request's task
        if isinstance(response, WaitingResponse) and not (
            response.finished or await self._completed(response, receive)
        ):
            return
        if isinstance(response, RemoteResponse):
            await response.finish()
            await self._threads.run(compressed, response.request, response)
        await self.send_response(response, send)

    def _pool(self, path: str) -> ShrinkingPool:
        """The threads that answer this address."""
        if path in PROBES:
            return self._probes
        return self._sign_in if path.startswith(SIGN_IN) else self._threads

    async def _completed(self, response: WaitingResponse, receive: Any) -> bool:
        """Wait on the loop until the response is complete; False when the client left before."""
        loop = asyncio.get_running_loop()
        left = loop.create_task(receive())
        left.add_done_callback(lambda _: response.wait.notify())
        try:
            over = False
            while not left.done():
                over = not await response.wait.changed(response.left)
                if await self._threads.run(_fresh, response.complete, over):
                    return True
            return False
        finally:
            left.cancel()
            response.release()

    def _answer(self, scope: Any, body: Any) -> HttpResponseBase:
        """The finished response; all of Django happens in this thread, the clean-up too."""
        set_script_prefix(get_script_prefix(scope))
        signals.request_started.send(sender=self.__class__, scope=scope)
        request, refused = self.create_request(scope, body)
        try:
            response = self.get_response(request) if request is not None else refused or HttpResponse(status=400)
            response._handler_class = self.__class__  # type: ignore[attr-defined]
            whole = _whole(response)
            response.close()
        finally:
            body.close()
        return whole


def _whole(response: HttpResponseBase) -> HttpResponseBase:
    """The response with its content read: files are opened and read in the same thread.

    What comes little by little is an asynchronous iterator (it needs no thread), and is sent as it comes.
    """
    if not response.streaming or response.is_async:  # type: ignore[attr-defined]
        return response
    read = HttpResponse(b"".join(response.streaming_content), status=response.status_code)  # type: ignore[attr-defined]
    read.headers, read.cookies = response.headers, response.cookies
    return read


def _fresh(work: Callable[[bool], T], over: bool) -> T:
    """`work(over)` in this thread, with connections that still answer, as at the begin of a request."""
    close_old_connections()
    return work(over)
