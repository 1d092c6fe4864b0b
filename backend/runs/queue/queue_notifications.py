"""Tells the pages of teams whose runs wait in the queue that it has moved."""

from __future__ import annotations

import threading
import time

from backend.notifications.clients import notify_clients
from backend.runs.models import Run, RunState

INTERVAL_S = 1.0

_lock = threading.Lock()
_notified_at = 0.0


def notify_waiting_teams() -> None:
    """Let the pages of teams whose runs wait look again; at most once a second. In a database thread."""
    global _notified_at
    with _lock:
        now = time.monotonic()
        if now - _notified_at < INTERVAL_S:
            return
        _notified_at = now
    for team in Run.objects.filter(state=RunState.QUEUED).order_by().values_list("team", flat=True).distinct():
        notify_clients(f"team:{team}", {"kind": "queue", "change": "updated"})
