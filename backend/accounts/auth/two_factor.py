"""The second factor: an authenticator app's codes (TOTP) and ten recovery codes, kept by allauth.

While it is set up, the secret waits in the session, encrypted like everything that allauth keeps of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret, validate_totp_code
from allauth.mfa.utils import decrypt, encrypt
from django.db import transaction
from django.http import HttpRequest

from backend.accounts.audit.trail import audit_of_person
from backend.accounts.auth.codes_once import use_code
from backend.accounts.auth.factor_demands import has_factor
from backend.accounts.auth.passwords import verify_password
from backend.accounts.models import User
from backend.errors import Conflict, Forbidden

_WAITING = "two_factor_waiting"


@dataclass(frozen=True, slots=True)
class Setup:
    """What an authenticator app needs: the secret to type, the address that says the same, and its QR picture (SVG)."""

    secret: str
    uri: str
    svg: str


def _of(user: User, kind: str) -> Authenticator | None:
    return Authenticator.objects.filter(user=user, type=kind).first()


def state(user: User) -> dict[str, Any]:
    """`{on, since, last_used_at, codes_left}`."""
    totp = _of(user, Authenticator.Type.TOTP)
    codes = _of(user, Authenticator.Type.RECOVERY_CODES)
    return {
        "on": totp is not None,
        "since": totp.created_at if totp else None,
        "last_used_at": totp.last_used_at if totp else None,
        "codes_left": len(codes.wrap().get_unused_codes()) if codes else 0,
    }


def begin(request: HttpRequest, user: User, password: str) -> Setup:
    """A new secret, to be confirmed by a code. Raises Conflict when the factor is on, and as `verify_password`."""
    if _of(user, Authenticator.Type.TOTP) is not None:
        raise Conflict(params={"reason": "two_factor_on"})
    verify_password(request, user, password)
    secret = generate_totp_secret()
    request.session[_WAITING] = encrypt(secret)
    adapter = get_adapter()
    uri = adapter.build_totp_url(user, secret)
    return Setup(secret, uri, adapter.build_totp_svg(uri))


@transaction.atomic
def confirm(request: HttpRequest, user: User, code: str) -> list[str]:
    """Switch the second factor on; gives the recovery codes, which are never shown again.

    Raises Forbidden for a wrong code, Conflict when nothing was begun or it is on already.
    """
    waiting = request.session.get(_WAITING)
    if waiting is None:
        raise Conflict(params={"reason": "two_factor_begun"})
    User.objects.select_for_update().get(pk=user.pk)
    if _of(user, Authenticator.Type.TOTP) is not None:
        raise Conflict(params={"reason": "two_factor_on"})
    secret = decrypt(waiting)
    if not validate_totp_code(secret, code):
        raise Forbidden(params={"reason": "code"})
    use_code(TOTP.activate(user, secret), code)
    del request.session[_WAITING]
    audit_of_person(user, "two_factor.on", by=user)
    return _new_codes(user)


def _new_codes(user: User) -> list[str]:
    Authenticator.objects.filter(user=user, type=Authenticator.Type.RECOVERY_CODES).delete()
    codes = RecoveryCodes.activate(user)
    codes.mark_as_viewed()
    shown: list[str] = codes.get_unused_codes()
    return shown


def first_codes(user: User) -> list[str]:
    """New recovery codes where there are none yet; else an empty list."""
    return [] if _of(user, Authenticator.Type.RECOVERY_CODES) is not None else _new_codes(user)


def drop_unneeded_codes(user: User) -> None:
    """Recovery codes stand in for a factor; without one they go."""
    if not has_factor(user):
        Authenticator.objects.filter(user=user).delete()


@transaction.atomic
def codes_renew(request: HttpRequest, user: User, password: str) -> list[str]:
    """New recovery codes in place of the old ones. Raises Conflict without a factor, and as `verify_password`."""
    if not has_factor(user):
        raise Conflict(params={"reason": "two_factor_off"})
    verify_password(request, user, password)
    audit_of_person(user, "two_factor.codes", by=user)
    return _new_codes(user)


@transaction.atomic
def switch_off(request: HttpRequest, user: User, password: str) -> None:
    """Ask for no codes any more; passkeys stay. Raises Conflict when it is off, and as `verify_password`."""
    if _of(user, Authenticator.Type.TOTP) is None:
        raise Conflict(params={"reason": "two_factor_off"})
    verify_password(request, user, password)
    Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).delete()
    drop_unneeded_codes(user)
    audit_of_person(user, "two_factor.off", by=user)
