"""Django over ASGI, each request whole in one thread of a pool that keeps its threads and their connections.

Django's own handler makes a thread and a database connection anew for every request and crosses threads for every
middleware; measured, that was half of the CPU time of a small request. All views here are synchronous, so nothing is
lost by running the synchronous chain. A request that waits for a run holds its thread; the pool is large for that.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix


class ThreadedHandler(ASGIHandler):
    """The ASGI application for HTTP. `threads` bounds the requests that are answered at once; more wait."""

    def __init__(self, threads: int) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="http")
        self.load_middleware(is_async=False)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request. A client that leaves early does not stop its view, which has begun to write."""
        if scope["type"] != "http":
            raise ValueError(f"only HTTP is answered here, not {scope['type']}")
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return
        response = await asyncio.get_running_loop().run_in_executor(self._threads, self._answer, scope, body)
        await self.send_response(response, send)

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
