"""Bodies of requests are bounded where they arrive: one that says it is too long is refused before it is read.

Daphne keeps a whole body in a temporary file before the application hears of the request, so the application's own
limits (`accounts.bodies`, the file's size) come late. Here the length that the client names, or what has come of a
body in chunks, ends it at once: 413, and the rest is thrown away until the client stops or has sent too much.
"""

from __future__ import annotations

import io
import json
from typing import Any

from daphne.http_protocol import HTTPFactory, WebRequest
from django.conf import settings

from backend.errors import TooLarge
from backend.errors.log_context import accepted_request_id
from backend.project.serving.idle import RestingChannel

FILES = b"/api/files"
HOOKS = b"/hooks/"
PAGES = b"/p/"
MEMBERS_PAGES = (b"/api/triggers/", b"/page/runs")
SLACK = 1024 * 1024
"""For what stands around the content: the parts of a form."""
PATIENCE = 64 * 1024 * 1024
"""Bytes that are thrown away so that the client gets to read the answer."""


def most_bytes(path: bytes) -> int:
    """The longest body that this address takes."""
    if path.split(b"?", 1)[0].rstrip(b"/") == FILES:
        return int(settings.PATCHBAY.max_blob_mb * 1024 * 1024) + SLACK
    if path.startswith(HOOKS):
        return int(settings.PATCHBAY.hook_mb * 1024 * 1024)
    if path.startswith(PAGES) or _is_members_page(path):
        return int(settings.PATCHBAY.page_mb * 1024 * 1024 * 4 / 3) + SLACK  # files in base64
    return int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)


def _is_members_page(path: bytes) -> bool:
    start, end = MEMBERS_PAGES
    return path.startswith(start) and path.split(b"?", 1)[0].endswith(end)


class BoundedRequest(WebRequest):  # type: ignore[misc]
    """A request that is refused with 413 as soon as its body is known to be too long.

    Forms are read by Django alone: Twisted would read those of a POST too, for nobody, with a parser of e-mails.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._parsePOSTFormSubmission = False
        self._most = 0
        self._came = 0
        self._refused = False

    def gotLength(self, length: int | None) -> None:
        """The client named its body's length, or (None) sends it in chunks."""
        self._most = most_bytes(self.channel._path)
        if length is not None and length > self._most:
            self._refuse()
        super().gotLength(0 if self._refused else length)

    def handleContentChunk(self, data: bytes) -> None:
        """Some of the body came."""
        self._came += len(data)
        if not self._refused and self._came > self._most:
            self._refuse()
        if not self._refused:
            super().handleContentChunk(data)
        elif self._came > self._most + PATIENCE:
            self.channel.transport.loseConnection()

    def requestReceived(self, command: bytes, path: bytes, version: bytes) -> None:
        """All of it came; one that was refused goes no further."""
        if self._refused:
            self.channel.transport.loseConnection()
        else:
            self.channel.begin()
            super().requestReceived(command, path, version)

    def _refuse(self) -> None:
        self._refused = True
        self.content = io.BytesIO()
        self.requestHeaders.removeHeader(b"Expect")  # else the client would be told to go on
        languages = self.requestHeaders.getRawHeaders(b"Accept-Language") or [b"en"]
        language = "zh" if languages[0].lower().startswith(b"zh") else "en"
        error = TooLarge(params={"limit": f"{self._most / 1024 / 1024:.0f}"})
        request_ids = self.requestHeaders.getRawHeaders(b"X-Request-ID") or [b""]
        request_id = accepted_request_id(request_ids[0].decode("latin-1"))
        body = json.dumps({**error.as_json(language), "request_id": request_id}).encode()
        head = f"HTTP/1.1 413 Content Too Large\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        head += f"X-Request-ID: {request_id}\r\n"
        self.channel.transport.write(head.encode() + b"Connection: close\r\n\r\n" + body)


class BoundedFactory(HTTPFactory):  # type: ignore[misc]
    """Daphne's factory of connections, with our requests."""

    protocol = RestingChannel

    def buildProtocol(self, addr: Any) -> Any:
        """A connection's protocol."""
        protocol = super().buildProtocol(addr)
        protocol.requestFactory = BoundedRequest
        return protocol

    def log(self, request: Any) -> None:
        """No line of an access log, which nothing reads: Twisted would put one together for each request."""
