"""Tells the team's open pages that a server changed. Of a private one nobody else learns so much as its id."""

from __future__ import annotations

from backend.notifications.clients import announce
from backend.registry.models import Server


def tell(server: Server, change: str) -> None:
    """Hint at a change of `server` ("created", "updated", "deleted", "tools", "status", "credentials")."""
    key = server.id if server.visibility == Server.Visibility.TEAM else ""
    announce(f"team:{server.team_id}", {"kind": "server", "id": key, "change": change})
