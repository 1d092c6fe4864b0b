"""How allauth is used here: people sign in; nobody signs up without being asked."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from django.http import HttpRequest, JsonResponse

from backend.accounts.auth import login_throttle
from backend.errors import RateLimited
from backend.web.rest import error_body


class InvitedOnly(DefaultAccountAdapter):  # type: ignore[misc]
    """Accounts come from the first sign-in link and from invitations."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Never."""
        return False

    def get_client_ip(self, request: HttpRequest) -> str:
        """Who asks, as far as trusted proxies say; over a socket file nobody has an address."""
        return request.META.get("REMOTE_ADDR") or "0.0.0.0"  # noqa: S104 - shown, not bound

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Before a password is looked at: 429 where too many were wrong."""
        self._throttled(request, login_throttle.allowed, credentials)

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """A wrong one counts."""
        self._throttled(request, login_throttle.failed, credentials)

    def _throttled(self, request: HttpRequest, say: Any, credentials: dict[str, Any]) -> None:
        try:
            say(str(credentials.get("email") or ""), request.META.get("REMOTE_ADDR", ""))
        except RateLimited as error:
            headers = {"Retry-After": str(error.params["retry_after"])}
            body = error_body(error, request)
            raise ImmediateHttpResponse(JsonResponse(body, status=error.status, headers=headers)) from None
