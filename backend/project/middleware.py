"""Headers that every answer carries, and refusals of Django's own in the shape that the API promises."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse

from backend.accounts.rest import language_of
from backend.errors import Forbidden, InternalError, NotFound, PatchbayError

Handler = Callable[[HttpRequest], HttpResponse]


def security_headers(next_handler: Handler) -> Handler:
    """A policy that allows nothing, unless the page set its own; no sniffing of types, no framing."""

    def handle(request: HttpRequest) -> HttpResponse:
        response = next_handler(request)
        response.headers.setdefault("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
        if request.path.startswith("/api/"):
            response.headers.setdefault("Cache-Control", "no-store")
        return response

    return handle


def _refusal(request: HttpRequest, error: PatchbayError) -> JsonResponse:
    return JsonResponse(error.as_json(language_of(request)), status=error.status)


def csrf_failure(request: HttpRequest, reason: str = "") -> JsonResponse:
    """A request that may write came without our page's token."""
    return _refusal(request, Forbidden(params={"reason": "csrf"}))


def not_found(request: HttpRequest, exception: Exception) -> JsonResponse:
    """An address that does not exist."""
    return _refusal(request, NotFound())


def server_error(request: HttpRequest) -> JsonResponse:
    """A defect outside the API's views."""
    return _refusal(request, InternalError())
