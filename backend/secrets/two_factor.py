"""How allauth keeps the secrets of second factors here: encrypted with the installation's keys, rotated with them."""

from __future__ import annotations

from typing import Any

from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.db import transaction

from backend.secrets import cipher

_ENCRYPTED = ("secret", "seed")


class EncryptedFactors(DefaultMFAAdapter):  # type: ignore[misc]
    """allauth's adapter: encrypts what it stores, and names this product to the authenticator app."""

    def encrypt(self, text: str) -> str:
        """The text as it is stored."""
        return cipher.encrypt(text)

    def decrypt(self, encrypted_text: str) -> str:
        """A stored text. Raises NoKeyFits."""
        return str(cipher.decrypt(encrypted_text))

    def get_totp_issuer(self) -> str:
        """What the app shows above the code."""
        return "Patchbay"


def _stored(row: Authenticator) -> dict[str, str]:
    data: dict[str, Any] = row.data
    return {name: data[name] for name in _ENCRYPTED if isinstance(data.get(name), str)}


def rotate_factors() -> int:
    """Encrypt the secrets of all second factors with the newest key; gives their number. Raises NoKeyFits."""
    count = 0
    for key in list(Authenticator.objects.values_list("pk", flat=True)):
        with transaction.atomic():
            row = Authenticator.objects.select_for_update().filter(pk=key).first()
            factors = _stored(row) if row is not None else {}
            if row is not None and factors:
                row.data = {**row.data, **{name: cipher.rotate(text) for name, text in factors.items()}}
                row.save(update_fields=["data"])
                count += len(factors)
    return count


def check_factors() -> None:
    """Raise NoKeyFits when a second factor cannot be read with any of the keys."""
    for row in Authenticator.objects.iterator(200):
        for text in _stored(row).values():
            cipher.decrypt(text)
