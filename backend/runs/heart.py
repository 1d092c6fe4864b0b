"""The thread that prolongs a worker's leases: it does nothing else, so nothing else can make them run out."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from django.db import DatabaseError, InterfaceError, connection

log = logging.getLogger(__name__)


class Heart:
    """Calls `beat()` every `every_s` seconds, first before `start` returns. A beat that fails is not the last."""

    def __init__(self, every_s: float, beat: Callable[[], None]) -> None:
        self._every_s, self._beat = every_s, beat
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._go, name="heart", daemon=True)

    def start(self) -> None:
        """Begin. Raises DatabaseError when the first beat fails."""
        self._beat()
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(10)

    def _go(self) -> None:
        while not self._stop.wait(self._every_s):
            try:
                self._beat()
            except (DatabaseError, InterfaceError) as error:
                log.warning("leases could not be prolonged: %s", error)
                connection.close()
        connection.close()
