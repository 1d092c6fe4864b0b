"""Whether it is really the person: their password, asked for again before something that matters."""

from __future__ import annotations

from django.http import HttpRequest

from backend.accounts.auth import login_throttle
from backend.accounts.auth.factor_demands import provider_only
from backend.accounts.auth.sessions import proved_by_link
from backend.accounts.models import User
from backend.errors import Conflict, Forbidden


def verify_password(request: HttpRequest, user: User, password: str) -> None:
    """Raise unless `password` is the user's (Forbidden, RateLimited), or there is none (Conflict)."""
    if proved_by_link(request):
        return
    if not user.has_usable_password():
        raise Conflict(params={"reason": "sso_proof" if provider_only(user) else "no_password"})
    address = request.META.get("REMOTE_ADDR", "")
    login_throttle.allowed(user.email, address)
    if not user.check_password(password):
        login_throttle.failed(user.email, address)
        raise Forbidden(params={"reason": "proof"})
