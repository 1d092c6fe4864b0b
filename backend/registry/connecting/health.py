"""How servers fare as they are used: noted in memory by every call, written now and then by one thread in batches.

A connection test says how a server was then; what runs, agents and people meet says how it is. Noting costs a call an
entry in a dictionary and no statement; each process writes for itself.
"""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import DatabaseError, connection

from backend.engine.language.clean import clean
from backend.errors import McpAuthFailed, McpTimeout, McpUnreachable, NetworkBlocked, PatchbayError
from backend.registry.models import Server
from backend.registry.tools.listing import record_status
from backend.secrets import user_credentials
from backend.tools.types import JsonObject

log = logging.getLogger(__name__)

WRITE_EVERY_S = 5.0
FRESH_S = 30.0
"""While a server fares as before, what stands in its row may be so old."""
ABOUT_THE_SERVER = (McpUnreachable, McpTimeout, McpAuthFailed, NetworkBlocked)
"""Failures that say something about the server and not about one call."""

Key = tuple[str, int, str | None]
"""A server, its revision, and whose credentials where each member uses their own."""


@dataclass(slots=True)
class Outcome:
    """How the last use went. `ms` = the quickest answer since what was written last, None without one.

    `learned` = what the server said of itself, as its status has it (`tools.connection.Live.learned`).
    """

    at: float
    error: PatchbayError | None
    ms: float | None
    learned: JsonObject


_noted: dict[Key, Outcome] = {}


def note(key: Key, error: Exception | None, ms: float | None = None, learned: JsonObject | None = None) -> None:
    """A server was used: it answered, or `error`; one that says nothing about the server is left out."""
    if error is None:
        before = _noted.get(key)
        if before is not None and before.error is None:
            before.at = time.time()
            if ms is not None and (before.ms is None or ms < before.ms):
                before.ms = ms
            before.learned = learned or before.learned
        else:
            _noted[key] = Outcome(time.time(), None, ms, learned or {})
    elif isinstance(error, ABOUT_THE_SERVER):
        _noted[key] = Outcome(time.time(), error, None, {})


def write() -> int:
    """Write what was noted; gives how many servers' states were written."""
    written = 0
    for key in list(_noted):
        outcome = _noted.pop(key, None)
        if outcome is not None:
            written += _write(key, outcome)
    return written


def write_of(key: Key) -> None:
    """Write what was noted of one server now: a person waits to see it."""
    outcome = _noted.pop(key, None)
    if outcome is not None:
        _write(key, outcome, requested=True)


def _write(key: Key, outcome: Outcome, requested: bool = False) -> bool:
    server_id, revision, user_id = key
    mine = user_credentials.credential_of(user_id, server_id) if user_id is not None else None
    row = Server.objects.filter(id=server_id, revision=revision).only("id", "status").first()
    if row is None or (user_id is not None and mine is None):
        return False
    before = dict(mine.status if mine is not None else row.status)
    if not requested and not _says_more(before, outcome):
        return False
    record_status(server_id, revision, {**before, **_status(before, outcome)}, mine)
    return True


def _says_more(before: dict[str, Any], outcome: Outcome) -> bool:
    """Whether it is newer than what stands there, and says other things or is much newer."""
    checked = datetime.fromisoformat(before["checked_at"]).timestamp() if before.get("checked_at") else 0.0
    if outcome.at <= checked:
        return False
    same = before.get("state") == ("ok" if outcome.error is None else "error")
    if same and outcome.error is not None:
        same = before.get("code") == outcome.error.code and before.get("params") == outcome.error.params
    elif same:
        timed = outcome.ms is None or before.get("latency_ms") is not None
        same = timed and all(before.get(name) == value for name, value in clean(outcome.learned).items())
    return not same or outcome.at - checked >= FRESH_S


def _status(before: dict[str, Any], outcome: Outcome) -> dict[str, Any]:
    checked_at = datetime.fromtimestamp(outcome.at, UTC).isoformat()
    if outcome.error is not None:
        return {"state": "error", "code": outcome.error.code, "params": outcome.error.params, "checked_at": checked_at}
    status: dict[str, Any] = {"state": "ok", "code": None, "params": {}, "checked_at": checked_at, **outcome.learned}
    if outcome.ms is not None:
        status["latency_ms"] = round(outcome.ms, 1)
    return status


class HealthWriter:
    """The thread of a process that writes what was noted."""

    def __init__(self, every_s: float = WRITE_EVERY_S) -> None:
        self._every_s = every_s
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._work, name="health", daemon=True)

    def start(self) -> None:
        """Write from now on."""
        self._thread.start()

    def stop(self) -> None:
        """End after the batch at hand, with what was noted last."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(5)

    def _work(self) -> None:
        over = False
        while not over:
            over = self._stopping.wait(self._every_s)
            if not _noted:
                continue
            try:
                write()
            except DatabaseError as error:
                log.warning("how servers fare could not be written: %s", error)
            finally:
                connection.close()
