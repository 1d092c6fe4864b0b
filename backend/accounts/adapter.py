"""How allauth is used here: people sign in; nobody signs up without being asked."""

from __future__ import annotations

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class InvitedOnly(DefaultAccountAdapter):  # type: ignore[misc]
    """Accounts come from the first sign-in link and from invitations."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Never."""
        return False
