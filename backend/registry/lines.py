"""An answer told line by line while it is made: newline-delimited JSON, for clients that ask for it by Accept.

Lines are `{"stage": …}` as each stage of a connection test is passed, and at last `{"report": …}` (what the answer is
for everybody else) or `{"error": …}`. What is refused before the first stage is refused as everywhere, by its status.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

from django.db import connections
from django.http import StreamingHttpResponse
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from backend.accounts.rest import as_patchbay
from backend.errors import InternalError
from backend.tools.report import Stage
from backend.tools.types import JsonObject

log = logging.getLogger(__name__)

Work = Callable[[Callable[[Stage], None]], JsonObject]


class LinesRenderer(JSONRenderer):
    """Lets a client ask for lines; what is refused is one line of JSON."""

    media_type = "application/x-ndjson"
    format = "ndjson"


def wants_lines(request: Request) -> bool:
    """Whether the client asked for the stages one by one."""
    return getattr(request.accepted_renderer, "media_type", "") == LinesRenderer.media_type


def line_by_line(work: Work, language: str) -> StreamingHttpResponse:
    """Run `work` in a thread of its own and send what it tells. Raises what it raises before its first word."""
    told: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()

    def run() -> None:
        try:
            told.put(("report", work(lambda stage: told.put(("stage", stage.as_json())))))
        except Exception as error:  # noqa: BLE001 - it belongs to the one who waits for the answer
            told.put(("error", error))
        finally:
            connections.close_all()

    threading.Thread(target=run, name="patchbay-test", daemon=True).start()
    first = told.get()
    if first[0] == "error":
        raise first[1]
    response = StreamingHttpResponse(_lines(first, told, language), content_type=LinesRenderer.media_type)
    response["X-Accel-Buffering"] = "no"
    return response


async def _lines(
    first: tuple[str, Any], told: queue.SimpleQueue[tuple[str, Any]], language: str
) -> AsyncIterator[bytes]:
    kind, value = first
    while True:
        line = {kind: _error_json(value, language) if kind == "error" else value}
        yield JSONRenderer().render(line) + b"\n"
        if kind != "stage":
            return
        kind, value = await asyncio.to_thread(told.get)


def _error_json(error: Exception, language: str) -> JsonObject:
    known = as_patchbay(error)
    if known is None:
        log.exception("unhandled error in a connection test", exc_info=error)
        known = InternalError()
    return known.as_json(language)
