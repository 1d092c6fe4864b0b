"""`manage.py oidc_check`: asks the identity provider about everybody now, not when it is their turn."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from backend.sso.services import check_all


class Command(BaseCommand):
    """See the module."""

    help = "Ask the identity provider about everybody who signs in through it, and end what it no longer gives."

    def handle(self, *args: Any, **options: Any) -> None:
        """Ask, and say how many lost something."""
        if not settings.PATCHBAY.oidc_issuer:
            raise CommandError("PATCHBAY_OIDC_ISSUER names no identity provider")
        self.stdout.write(f"{check_all(0)} lost a team or all")
