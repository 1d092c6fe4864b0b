"""Web and worker in one process: Daphne in the main thread, the Celery worker and the engine's loop in theirs.

An instance lock on the data directory makes this process the only owner of its database, so that the sweep at start
may take every run at once. SIGINT and SIGTERM end it cleanly: segments hand over at their next record, subprocesses
of stdio servers end with their process groups, then the broker's consumer leaves.
"""

from __future__ import annotations

import fcntl
import os
import sys
import threading
from typing import IO, Any

import daphne.server  # the first import: it installs the asyncio reactor

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backend.project.settings")

from django.conf import settings

from backend.project.asgi import application
from backend.project.bodies import BoundedFactory
from backend.project.slow_clients import MeasuredFactory
from backend.project.wake_transport import BELL

GRACE_S = 8.0


class AlreadyRunning(Exception):
    """Another process owns this data directory."""


def take_instance_lock() -> IO[str]:
    """Hold the data directory's lock for as long as the file stays open. Raises AlreadyRunning."""
    handle = (settings.PATCHBAY.data / "instance.lock").open("a+")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        handle.close()
        raise AlreadyRunning(str(settings.PATCHBAY.data)) from None
    return handle


class CeleryThread:
    """A Celery worker inside this process: it takes hints from `wake://` and hands them to the run worker.

    `WorkController` is used instead of Celery's command: no signal handlers, no argument parsing, no own logging.
    """

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start consuming."""
        from celery.worker import WorkController, state

        from backend.project.celery import app

        state.should_stop = state.should_terminate = None
        BELL.open()
        controller = WorkController(
            app=app,
            pool="solo",  # a hint is taken in no time: it needs no thread of its own
            without_mingle=True,
            without_gossip=True,
            without_heartbeat=True,
        )
        self._thread = threading.Thread(target=controller.start, name="celery", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop consuming; returns when the thread has ended or after the grace time."""
        from celery.worker import state

        state.should_stop = 0  # type: ignore[assignment]
        BELL.stop()
        if self._thread:
            self._thread.join(GRACE_S)


def serve(ready: Any = None) -> None:
    """Run until SIGINT or SIGTERM; `ready()` is called once requests are answered. Raises AlreadyRunning."""
    from backend.runs.hub import HUB
    from backend.runs.worker import Worker

    lock = take_instance_lock()
    daphne.server.HTTPFactory = BoundedFactory  # the server makes both in `run` and takes no others
    daphne.server.WebSocketFactory = MeasuredFactory
    worker, hints = Worker(embedded=True), CeleryThread()
    server = daphne.server.Server(
        application,
        endpoints=[f"tcp:port={settings.PATCHBAY.port}:interface={settings.PATCHBAY.host.replace(':', chr(92) + ':')}"],
        signal_handlers=True,
        verbosity=0,
        server_name="patchbay",
        ready_callable=ready,
        proxy_forwarded_address_header=None,
    )
    try:
        worker.start()
        hints.start()
        server.run()
    finally:
        HUB.close()
        worker.stop(GRACE_S)
        hints.stop()
        lock.close()
        sys.stdout.flush()
