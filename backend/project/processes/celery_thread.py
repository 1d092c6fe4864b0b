"""The Celery worker of a worker process: it takes hints from the broker and hands them to the run worker."""

from __future__ import annotations

import threading

GRACE_S = 8.0


class CeleryThread:
    """A Celery worker in a thread of this process.

    `WorkController` is used instead of Celery's command: no signal handlers, no argument parsing, no own logging.
    """

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start consuming."""
        from celery.worker import WorkController, state

        from backend.project.celery import app

        state.should_stop = state.should_terminate = None
        controller = WorkController(
            app=app,
            pool="solo",  # a hint is taken in no time: it needs no thread of its own
            without_mingle=True,
            without_gossip=True,
            without_heartbeat=True,
        )
        self._thread = threading.Thread(target=controller.start, name="celery", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether hints are taken."""
        return self._thread is not None and self._thread.is_alive()

    def stop(self) -> None:
        """Stop consuming; returns when the thread has ended or after the grace time."""
        from celery.worker import state

        state.should_stop = 0  # type: ignore[assignment]
        if self._thread:
            self._thread.join(GRACE_S)
