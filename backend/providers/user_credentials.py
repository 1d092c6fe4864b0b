"""Providers as items that a team shares: what each member enters at one, and what that is entrusted to."""

from __future__ import annotations

from backend.net.urls import origin
from backend.providers.models import Provider
from backend.secrets import user_credentials
from backend.secrets.shared_items import SharedItems
from backend.secrets.user_credentials import Slot


def required_slots(provider: Provider) -> list[Slot]:
    """What each member enters: the key, which may be left out where secret headers prove who asks."""
    return user_credentials.slots(provider.secrets, key=True, key_required=not provider.secrets.get("headers"))


def credential_target(provider: Provider) -> object:
    """What a member's values are entrusted to: the origin of the base URL."""
    return origin(provider.base_url)


PROVIDERS: SharedItems[Provider] = SharedItems("provider", Provider, required_slots, credential_target)
