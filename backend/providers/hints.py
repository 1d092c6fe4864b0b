"""Tells the team's open pages that a provider changed. Of a private one nobody else learns so much as its id."""

from __future__ import annotations

from backend.notifications.clients import announce
from backend.providers.models import Provider


def tell(provider: Provider, change: str) -> None:
    """Hint at a change of `provider` ("created", "updated", "deleted", "status", "credentials")."""
    key = provider.id if provider.visibility == Provider.Visibility.TEAM else ""
    announce(f"team:{provider.team_id}", {"kind": "provider", "id": key, "change": change})
