"""Looks in the background, as their tests bring them about and see what came of them."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

from django.utils import timezone

from backend.registry.models import Server, ServerCheck
from backend.registry.servers import checks
from tests.people import Person

AT = "/api/mcp/servers"


def passes(person: Person, server: str) -> bool:
    return bool(person.api.post(f"{AT}/{server}/test").data["ok"])


def status(person: Person, server: str) -> dict[str, Any]:
    shown: dict[str, Any] = person.api.get(f"{AT}/{server}").data["status"]
    return shown


def make_due(server: str, last_used: timedelta = timedelta(hours=1)) -> None:
    """Its time has come, and nobody has used it for a while."""
    row = Server.objects.get(pk=server)
    if row.status.get("checked_at"):
        row.status["checked_at"] = (timezone.now() - last_used).isoformat()
        Server.objects.filter(pk=server).update(status=row.status)
    ServerCheck.objects.filter(pk=server).update(next_at=timezone.now() - timedelta(seconds=1))


def seen(server: str) -> str:
    """What the last look found, once it is over; "" before."""
    result = Server.objects.get(pk=server).status
    looked_at = ServerCheck.objects.get(pk=server).looked_at
    return str(result["state"]) if looked_at and looked_at.isoformat() == result["checked_at"] else ""


def look() -> int:
    def rest(seconds: float) -> None:
        threading.Event().wait(seconds)

    return checks.check_due(rest)


def pause(server: str) -> float:
    """Seconds until the next look."""
    return (ServerCheck.objects.get(pk=server).next_at - timezone.now()).total_seconds()
