"""Signing in and out in the audit trail: by Django's signals, so that no way in is forgotten."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import get_adapter
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from backend.accounts.audit.trail import audit_of_person
from backend.accounts.models import User

LONGEST_AGENT = 200


def _from(request: HttpRequest | None) -> dict[str, Any]:
    """Where a request comes from, as far as it says."""
    if request is None:
        return {}
    try:
        address = get_adapter(request).get_client_ip(request)
    except PermissionDenied:
        address = ""
    return {"address": address, "agent": request.headers.get("User-Agent", "")[:LONGEST_AGENT]}


def _began(sender: Any, request: HttpRequest | None, user: User, **kwargs: Any) -> None:
    audit_of_person(user, "session.begun", by=user, **_from(request))


def _ended(sender: Any, request: HttpRequest | None, user: User | None, **kwargs: Any) -> None:
    if user is not None and user.pk:  # an account that was just deleted has nothing left to note it in
        audit_of_person(user, "session.ended", by=user, **_from(request))


def _refused(sender: Any, credentials: dict[str, Any], request: HttpRequest | None = None, **kwargs: Any) -> None:
    """A wrong password for somebody who exists; whom nobody knows is in no team's trail."""
    email = str(credentials.get("email") or credentials.get("username") or "")
    user = User.objects.filter(email=email.lower()).first() if email else None
    if user is not None:
        audit_of_person(user, "session.refused", **_from(request))


def connect_signals() -> None:
    """Listen to sign-ins. Called once, at start."""
    user_logged_in.connect(_began, dispatch_uid="accounts.audit.began")
    user_logged_out.connect(_ended, dispatch_uid="accounts.audit.ended")
    user_login_failed.connect(_refused, dispatch_uid="accounts.audit.refused")
