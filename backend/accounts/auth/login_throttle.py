"""Against guessing passwords: how many wrong ones are heard from an address, of one account and of all together.

Only what is wrong counts, so nobody who knows the password is kept out by using it often. No number of wrong ones
closes an account to those who sit elsewhere, and who signed in from an address lately is not held up by others there.
"""

from __future__ import annotations

from allauth.usersessions.models import UserSession
from django.conf import settings

from backend.accounts.auth.rate_limits import RATES
from backend.errors import RateLimited

WITHIN_S = 300


def _limits(account: str, address: str) -> list[tuple[str, int]]:
    """(key, how many wrong passwords it has in five minutes)."""
    most = settings.PATCHBAY.sign_in_failures
    account = account.strip().lower()
    return [(f"{account} {address}", most), (address, 5 * most)]


def allowed(account: str, address: str) -> None:
    """Before a password is looked at. Raises RateLimited."""
    both, alone = _limits(account, address)
    RATES.look("sign_in", *both, WITHIN_S)
    try:
        RATES.look("sign_in", *alone, WITHIN_S)
    except RateLimited:
        if not known_at(account, address):
            raise


def known_at(account: str, address: str) -> bool:
    """Whether the account is signed in from this address already."""
    return bool(UserSession.objects.filter(user__email=account.strip().lower(), ip=address).exists())


def failed(account: str, address: str) -> None:
    """It was wrong."""
    for key, most in _limits(account, address):
        RATES.take("sign_in", key, most, WITHIN_S)
