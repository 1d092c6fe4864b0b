"""The threads that keep a worker's leases: one prolongs them, one notices when they have run out.

Neither does anything else, so nothing else can make them late; and the second asks nobody, for a database that is away
may hold up the first for as long as it likes.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from django.db import DatabaseError, InterfaceError, connection

from backend.database.clock import steady

log = logging.getLogger(__name__)

LOOK_EVERY_S = 1.0
"""At least so often: what a thread waits by stands still while the machine sleeps."""
LOOK_AGAIN_S = 0.05
"""How soon after its end a lease that may begin anew is looked at."""


class LeaseHeartbeat:
    """Calls `renew()` every `every_s` seconds, first before `start` returns. A call that fails is not the last."""

    def __init__(self, every_s: float, renew: Callable[[], None]) -> None:
        self._every_s, self._renew = every_s, renew
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._go, name="heart", daemon=True)

    def start(self) -> None:
        """Begin. Raises DatabaseError when the first call fails."""
        self._renew()
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(10)

    def _go(self) -> None:
        while not self._stop.wait(self._every_s):
            try:
                self._renew()
            except (DatabaseError, InterfaceError) as error:
                log.warning("leases could not be prolonged: %s", error)
                connection.close()
        connection.close()


class Alarm:
    """Calls `over()` once whenever the time `until()` (of `clock.steady`) has passed and was not put off."""

    def __init__(self, until: Callable[[], float], over: Callable[[], None]) -> None:
        self._until, self._over = until, over
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._go, name="lease-alarm", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(10)

    def _go(self) -> None:
        rung = 0.0
        while True:
            until = self._until()
            left = until - steady()
            if left <= 0 and until != rung:
                rung = until
                self._over()
            if self._stop.wait(min(left, LOOK_EVERY_S) if left > 0 else LOOK_AGAIN_S):
                return
