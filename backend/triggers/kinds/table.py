"""How the configuration of each kind of trigger is read."""

from __future__ import annotations

from collections.abc import Callable

from backend.json_types import JsonObject
from backend.triggers.kinds import chat, event, page, schedule, webhook

READ: dict[str, Callable[[JsonObject], JsonObject]] = {
    "webhook": webhook.read,
    "schedule": schedule.read,
    "event": event.read,
    "chat": chat.read,
    "page": page.read,
}
