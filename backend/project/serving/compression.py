"""Compresses large JSON answers, where their size tells nobody anything.

What is compressed together with a secret can be guessed (BREACH): whoever sees sizes on the wire, can make the victim's
browser ask again and again, and chooses a part of the answer, sees by the size when that part repeats the secret. So
two of the three are taken away here:

- Nobody else can make a browser ask. With a session cookie only what the browser itself says comes from our own page
  (`Sec-Fetch-Site: same-origin`, which no page can set) is compressed; a program's token is in no browser's hand.
- No answer that is compressed carries a secret: only GET of the API is. Tokens, codes and links are shown in answers to
  POST, stored secrets never leave, and the page with its nonce and CSRF token is no JSON.

Scripts and styles hold nothing of anybody: those are compressed when they are built.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

Handler = Callable[[HttpRequest], HttpResponse]

LEAST = 8 * 1024
"""Bytes below which an answer is sent as it is: a packet or six, and no work."""
LEVEL = 4
"""A third of the work of the default for a tenth more bytes."""
_GZIP = 31  # zlib's window with gzip's head and checksum
_TAKES = re.compile(r"(?:^|[\s,])(?:x-)?gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?:,|$)", re.IGNORECASE)
_JSON = ("application/json", "application/vnd.oai.openapi")


def compress_json(next_handler: Handler) -> Handler:
    """Send large JSON of the API as gzip to clients that take it."""

    def handle(request: HttpRequest) -> HttpResponse:
        return compressed(request, next_handler(request))

    return handle


def compressed(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The response, made smaller where that is worth it and tells nobody anything."""
    if not response.streaming and len(response.content) >= LEAST and _is_fit(request, response):
        patch_vary_headers(response, ["Accept-Encoding"])
        if _TAKES.search(request.META.get("HTTP_ACCEPT_ENCODING", "")) and _is_same_origin(request):
            _compress(response)
    return response


def _is_fit(request: HttpRequest, response: HttpResponse) -> bool:
    """Whether this is an answer of the API that could be sent smaller."""
    return (
        request.method == "GET"
        and request.path.startswith("/api/")
        and not response.has_header("Content-Encoding")
        and response.headers.get("Content-Type", "").startswith(_JSON)
    )


def _is_same_origin(request: HttpRequest) -> bool:
    """Whether no foreign page can have made a person's browser ask."""
    if settings.SESSION_COOKIE_NAME not in request.COOKIES:
        return True
    return request.META.get("HTTP_SEC_FETCH_SITE") == "same-origin"


def _compress(response: HttpResponse) -> None:
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, _GZIP)
    response.content = packer.compress(response.content) + packer.flush()
    response.headers["Content-Encoding"] = "gzip"
    response.headers["Content-Length"] = str(len(response.content))
    etag = response.headers.get("ETag", "")
    if etag.startswith('"'):
        response.headers["ETag"] = f"W/{etag}"  # the same, but not byte for byte
