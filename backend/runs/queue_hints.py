"""Tells the pages of teams whose runs wait in the queue that it has moved."""

from __future__ import annotations

import threading
import time

from backend.runs.live.hub import HUB
from backend.runs.models import Run, RunState

TELL_EVERY_S = 1.0

_lock = threading.Lock()
_told = 0.0


def tell() -> None:
    """Let the pages of teams whose runs wait look again; at most once a second. In a database thread."""
    global _told
    with _lock:
        now = time.monotonic()
        if now - _told < TELL_EVERY_S:
            return
        _told = now
    for team in Run.objects.filter(state=RunState.QUEUED).order_by().values_list("team", flat=True).distinct():
        HUB.hint(f"team:{team}", {"kind": "queue", "change": "updated"})
