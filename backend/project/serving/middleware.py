"""Headers that every answer carries, and refusals of Django's own in the shape that the API promises."""

from __future__ import annotations

import sys
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers

from backend.accounts.auth.addresses import client_address
from backend.database.storage_errors import storage_problem
from backend.errors import InternalError, NotFound, PatchbayError, ValidationFailed
from backend.errors.log_context import LOG_CONTEXT, LogContext, accepted_request_id
from backend.net import traces
from backend.web.rest import error_body, not_from_our_page

Handler = Callable[[HttpRequest], HttpResponse]


HEADERS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), display-capture=()",
}
"""What every answer says, unless its view said something else. The rest comes from Django's own middleware."""
OF_A_DOCUMENT = (
    *("Content-Security-Policy", "X-Frame-Options", "Permissions-Policy"),
    *("Cross-Origin-Opener-Policy", "Referrer-Policy"),
)
"""Of these what a document or a worker may do: on a script or a style that a page loads they bind nothing."""
PROBES = {"/api/health", "/api/ready", "/metrics"}
SIGN_OUT = "/_allauth/browser/v1/auth/session"


def request_ids(next_handler: Handler) -> Handler:
    """Every request has an id: its client's or a new one. It stands in the log, in errors and in the answer's head."""

    def handle(request: HttpRequest) -> HttpResponse:
        request_id = accepted_request_id(request.META.get("HTTP_X_REQUEST_ID", ""))
        request.META["HTTP_X_REQUEST_ID"] = request_id
        caller = traces.accepted(request.META.get("HTTP_TRACEPARENT", ""))
        token = LOG_CONTEXT.set(LogContext(request_id, traceparent=caller))
        try:
            response = next_handler(request)
            response.headers["X-Request-ID"] = request_id
            return response
        finally:
            LOG_CONTEXT.reset(token)

    return handle


def _is_part_of_a_page(path: str) -> bool:
    """Whether it is a script or a style of the build: a page takes 70 of them, and heads are half of the small ones."""
    return path.startswith("/static/app/assets/") and path.endswith((".js", ".css")) and ".worker-" not in path


def security_headers(next_handler: Handler) -> Handler:
    """A policy that allows nothing, unless the page set its own; only https where the public address is; no traces of
    a person who signed out."""

    def handle(request: HttpRequest) -> HttpResponse:
        response = next_handler(request)
        framed = getattr(response, "xframe_options_exempt", False)  # its own policy says by whom
        for name, value in HEADERS.items():
            if not (framed and name == "X-Frame-Options"):
                response.headers.setdefault(name, value)
        if response.status_code == 200 and _is_part_of_a_page(request.path):
            for name in OF_A_DOCUMENT:
                del response.headers[name]
        if settings.SECURE_HSTS_SECONDS:
            response.headers.setdefault("Strict-Transport-Security", f"max-age={settings.SECURE_HSTS_SECONDS}")
        if request.path.startswith(("/api/", "/_allauth/")):
            response.headers.setdefault("Cache-Control", "no-store")
        if request.method == "DELETE" and request.path == SIGN_OUT:
            response.headers["Clear-Site-Data"] = '"storage"'
        return response

    return handle


def readers_language(next_handler: Handler) -> Handler:
    """The reader's language, by cookie or `Accept-Language`: Django's `LocaleMiddleware` for addresses without one.

    Django's looks for a language in the address too, twice for each request; none of ours has one.
    """

    def handle(request: HttpRequest) -> HttpResponse:
        language = translation.get_language_from_request(request)
        translation.activate(language)
        request.LANGUAGE_CODE = language
        response = next_handler(request)
        patch_vary_headers(response, ("Accept-Language",))
        response.headers.setdefault("Content-Language", language)
        return response

    return handle


def behind_proxy(next_handler: Handler) -> Handler:
    """The client's address as a trusted proxy in front tells it; and to https what came there in the clear."""

    def handle(request: HttpRequest) -> HttpResponse:
        forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "")
        if forwarded:
            request.META["REMOTE_ADDR"] = client_address(request.META.get("REMOTE_ADDR", ""), forwarded)
        clear = request.META.get("HTTP_X_FORWARDED_PROTO", "").lower() == "http"
        if clear and settings.SECURE and request.method in ("GET", "HEAD") and request.path not in PROBES:
            return HttpResponseRedirect(settings.PUBLIC_URL + request.get_full_path(), status=308)
        return next_handler(request)

    return handle


def _refusal(request: HttpRequest, error: PatchbayError) -> JsonResponse:
    return JsonResponse(error_body(error, request), status=error.status)


def csrf_failure(request: HttpRequest, reason: str = "") -> JsonResponse:
    """A request that may write came from another site, or without our page's token."""
    return _refusal(request, not_from_our_page(reason))


def bad_request(request: HttpRequest, exception: Exception) -> JsonResponse:
    """A request that Django refuses before any view: a host that is not ours, too many fields."""
    return _refusal(request, ValidationFailed())


def not_found(request: HttpRequest, exception: Exception) -> JsonResponse:
    """An address that does not exist."""
    return _refusal(request, NotFound())


def server_error(request: HttpRequest) -> JsonResponse:
    """A defect outside the API's views."""
    return _refusal(request, storage_problem(sys.exception()) or InternalError())
