"""Web and worker in one process: Daphne in the main thread, the Celery worker and the engine's loop in theirs.

The instance lock makes this process the only owner of its database, so that the sweep at start may take every run at
once. SIGINT and SIGTERM end it cleanly: segments hand over at their next record, subprocesses of stdio servers end with
their process groups, then the broker's consumer leaves.
"""

from __future__ import annotations

import sys
from typing import Any

from backend.project.server import make_server  # the first import: it installs the asyncio reactor

# isort: split

from backend.project.hints import GRACE_S, CeleryThread
from backend.project.instance_lock import InstanceLock


def serve(lock: InstanceLock, ready: Any = None) -> None:
    """Run until SIGINT or SIGTERM under the instance lock; `ready()` is called once requests are answered."""
    from backend.registry.health import HealthWriter
    from backend.runs.hub import HUB
    from backend.runs.worker import Worker

    worker, hints, health = Worker(embedded=True), CeleryThread(), HealthWriter()

    def answering() -> None:
        worker.admit()
        if ready is not None:
            ready()

    server = make_server(answering)
    try:
        worker.start(admit=False)
        hints.start()
        health.start()
        server.run()
    finally:
        HUB.close()
        worker.stop(GRACE_S)
        hints.stop()
        health.stop()
        lock.close()
        sys.stdout.flush()
