"""Against guessing passwords: how many wrong ones are heard of an account, from an address, and of both together.

Only what is wrong counts, so nobody who knows the password is kept out by using it often. An account is closed to the
one who guesses long before it is closed to everybody, so its owner, who sits elsewhere, gets in.
"""

from __future__ import annotations

from django.conf import settings

from backend.accounts.rates import RATES

WITHIN_S = 300


def _limits(account: str, address: str) -> list[tuple[str, int]]:
    """(key, how many wrong passwords it has in five minutes)."""
    most = settings.PATCHBAY.sign_in_failures
    account = account.strip().lower()
    return [(f"{account} {address}", most), (address, 5 * most), (account, 10 * most)]


def allowed(account: str, address: str) -> None:
    """Before a password is looked at. Raises RateLimited."""
    for key, most in _limits(account, address):
        RATES.look("sign_in", key, most, WITHIN_S)


def failed(account: str, address: str) -> None:
    """It was wrong."""
    for key, most in _limits(account, address):
        RATES.take("sign_in", key, most, WITHIN_S)
