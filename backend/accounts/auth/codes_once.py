"""A code of an authenticator app counts once, set-up included, as long as it would be good.

allauth remembers a used code for half a minute in a cache; with our tolerance a code is good three times as long, and
a cache is not shared by every process. The newest counter that was used is kept beside the secret instead: a code of
that counter or an older one is refused.
"""

from __future__ import annotations

from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value, yield_hotp_counters_from_time
from allauth.mfa.utils import decrypt
from django.db import transaction

_NEWEST = "newest_counter"


def use_code(factor: TOTP, code: str) -> bool:
    """Use up a code that fits; False where it, or a newer one, was used before."""
    secret = decrypt(factor.instance.data["secret"])
    typed = "".join(code.split())
    fits = [item for item in yield_hotp_counters_from_time() if format_hotp_value(hotp_value(secret, item)) == typed]
    with transaction.atomic():
        row = Authenticator.objects.select_for_update().filter(pk=factor.instance.pk).first()
        newest = row.data.get(_NEWEST, -1) if row is not None else -1
        counter = next((fit for fit in fits if fit > newest), None)
        if row is None or counter is None:
            return False
        row.data = {**row.data, _NEWEST: counter}
        row.save(update_fields=["data"])
    factor.instance.data = row.data
    return True


def install() -> None:
    """Let allauth's sign-in use codes up so: it asks this method alone, and has no setting for it."""
    TOTP._mark_code_used = use_code
