"""Passkeys: keys that a device or browser keeps, each of which signs in alone. Kept and verified by allauth (WebAuthn).

Each says that its person was verified (a fingerprint, a PIN), so it is two factors in one. Beside one, the password
alone signs nobody in any more; recovery codes come with the first.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.internal import auth
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest

from backend.accounts.audit.trail import audit_of_person
from backend.accounts.auth import two_factor
from backend.accounts.auth.factor_demands import provider_only
from backend.accounts.auth.passwords import verify_password
from backend.accounts.models import User
from backend.errors import Conflict, Forbidden, NotFound

MOST = 20
GOOD_S = 600
_BEGUN = "passkey_begun"
_MALFORMED = (ValidationError, ValueError, TypeError, KeyError, AttributeError, IndexError, struct.error)
"""What reading an answer that no authenticator gave ends with."""


def passkeys(user: User) -> list[dict[str, Any]]:
    """The user's, the oldest first."""
    rows = Authenticator.objects.filter(user=user, type=Authenticator.Type.WEBAUTHN).order_by("created_at", "pk")
    return [
        {
            "id": f"pk_{row.pk}",
            "name": str(row.data.get("name") or ""),
            "created_at": row.created_at,
            "last_used_at": row.last_used_at,
        }
        for row in rows
    ]


def register_begin(request: HttpRequest, user: User, password: str) -> dict[str, Any]:
    """What the browser needs to make one. Raises Conflict (there are many, or the identity provider is the only way
    in), and as `verify_password`."""
    if provider_only(user):
        raise Conflict(params={"reason": "sso_passkey"})
    verify_password(request, user, password)
    if len(passkeys(user)) >= MOST:
        raise Conflict(params={"reason": "passkeys_many", "limit": MOST})
    options: dict[str, Any] = auth.begin_registration(user, passwordless=True)
    # Signing in puts a challenge in the session too, without a password: only this says that one was asked for.
    request.session[_BEGUN] = time.time()
    return options


@transaction.atomic
def register(request: HttpRequest, user: User, name: str, credential: Any) -> list[str]:
    """Keep the one that the browser made; gives recovery codes where there were none, never shown again.

    Raises Forbidden for what is no answer to `register_begin`.
    """
    begun = float(request.session.pop(_BEGUN, 0))
    if time.time() - begun > GOOD_S:
        raise Forbidden(params={"reason": "passkey"})
    User.objects.select_for_update().get(pk=user.pk)
    with _answered():
        auth.parse_registration_response(credential)
        if not auth.complete_registration(credential).is_user_verified():
            raise ValueError("the person was not verified")
        auth.WebAuthn.add(user, name, credential)
    audit_of_person(user, "passkey.added", by=user, name=name)
    return two_factor.first_codes(user)


@transaction.atomic
def remove(request: HttpRequest, user: User, key: str, password: str) -> None:
    """Delete one. Raises NotFound, and as `verify_password`."""
    verify_password(request, user, password)
    number = key.removeprefix("pk_")
    rows = Authenticator.objects.filter(user=user, type=Authenticator.Type.WEBAUTHN)
    row = rows.filter(pk=int(number)).first() if number.isascii() and number.isdigit() and len(number) < 18 else None
    if row is None:
        raise NotFound
    audit_of_person(user, "passkey.removed", by=user, name=str(row.data.get("name") or ""))
    row.delete()
    two_factor.drop_unneeded_codes(user)


def sign_in_begin() -> dict[str, Any]:
    """What the browser needs to sign somebody in, whoever it will be."""
    options: dict[str, Any] = auth.begin_authentication()
    return options


def sign_in_user(credential: Any) -> User:
    """Whose passkey answered. Raises Forbidden for what is no answer to `sign_in_begin`."""
    with _answered():
        auth.parse_authentication_response(credential)
        user = auth.extract_user_from_response(credential)
        used = auth.complete_authentication(user, credential)
        if not isinstance(user, User) or not user.is_active:
            raise ValueError("nobody who may sign in")
    used.record_usage()
    return user


@contextmanager
def _answered() -> Iterator[None]:
    try:
        yield
    except _MALFORMED:
        raise Forbidden(params={"reason": "passkey"}) from None
    finally:
        auth.clear_state()  # a challenge is answered once, also wrongly
