"""An answer told line by line while it is made: newline-delimited JSON, for clients that ask for it by Accept.

Lines are `{"stage": …}` as each stage of a connection test is passed, and at last `{"report": …}` (what the answer is
for everybody else) or `{"error": …}`. What is refused before the first stage is refused as everywhere, by its status.
"""

from __future__ import annotations

import asyncio
import logging
import queue
from collections.abc import AsyncIterator, Callable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import Any

from django.http import StreamingHttpResponse
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from backend.accounts.actor import Actor
from backend.errors import InternalError
from backend.errors.log_context import request_id
from backend.tools.diagnosis.report import CheckStep
from backend.tools.types import JsonObject
from backend.web.remote_requests import RemoteWork, StartedWork
from backend.web.rest import as_patchbay

log = logging.getLogger(__name__)

Work = Callable[[Callable[[CheckStep], None]], RemoteWork[JsonObject]]


class LinesRenderer(JSONRenderer):
    """Lets a client ask for lines; what is refused is one line of JSON."""

    media_type = "application/x-ndjson"
    format = "ndjson"


def wants_lines(request: Request) -> bool:
    """Whether the client asked for the stages one by one."""
    return getattr(request.accepted_renderer, "media_type", "") == LinesRenderer.media_type


def line_by_line(actor: Actor, work: Work, language: str) -> StreamingHttpResponse:
    """Run the errand `work` and send what it tells. Raises what its first step raises."""
    line_queue = _LineQueue()
    begun = StartedWork(actor, work(lambda stage: line_queue.put("stage", stage.as_json())))
    begun.on_loop(lambda report: report).add_done_callback(line_queue.over)
    response = StreamingHttpResponse(_lines(line_queue, language), content_type=LinesRenderer.media_type)
    response["X-Accel-Buffering"] = "no"
    return response


class _LineQueue:
    """What was told, from any thread, until somebody reads it on a loop."""

    def __init__(self) -> None:
        self._lines: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._ring: Callable[[], object] | None = None

    def put(self, kind: str, value: Any) -> None:
        """One more line."""
        self._lines.put((kind, value))
        if self._ring is not None:
            with suppress(RuntimeError):  # the reader's loop has ended
                self._ring()

    def over(self, done: Future[JsonObject]) -> None:
        """The last line."""
        try:
            self.put("report", done.result())
        except (Exception, CancelledError) as error:  # noqa: BLE001 - it belongs to the one who waits for the answer
            self.put("error", error)

    async def each(self) -> AsyncIterator[tuple[str, Any]]:
        """The lines as they come; holds no thread."""
        loop, event = asyncio.get_running_loop(), asyncio.Event()
        self._ring = lambda: loop.call_soon_threadsafe(event.set)
        while True:
            event.clear()
            while not self._lines.empty():
                yield self._lines.get_nowait()
            await event.wait()


async def _lines(line_queue: _LineQueue, language: str) -> AsyncIterator[bytes]:
    async for kind, value in line_queue.each():
        line = {kind: _error_json(value, language) if kind == "error" else value}
        yield JSONRenderer().render(line) + b"\n"
        if kind != "stage":
            return


def _error_json(error: BaseException, language: str) -> JsonObject:
    known = as_patchbay(error) if isinstance(error, Exception) else None
    if known is None:
        log.exception("unhandled error in a connection test", exc_info=error)
        known = InternalError()
    return {**known.as_json(language), "request_id": request_id()}
