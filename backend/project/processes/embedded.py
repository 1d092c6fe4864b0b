"""Web and worker in one process: Daphne in the main thread, the engine's loop in its own; no broker between them.

The instance lock makes this process the only owner of its database, so that the sweep at start may take every run at
once. SIGINT and SIGTERM end it cleanly: segments hand over at their next record, subprocesses of stdio servers end with
their process groups.
"""

from __future__ import annotations

import sys
from typing import Any

from backend.project.serving.server import make_server  # the first import: it installs the asyncio reactor

# isort: split

from backend.project.processes.instance_lock import InstanceLock
from backend.project.processes.telemetry import start_telemetry

GRACE_S = 8.0
"""Seconds for runs under way to come to rest when the process is stopped."""


def serve(lock: InstanceLock, ready: Any = None) -> None:
    """Run until SIGINT or SIGTERM under the instance lock; `ready()` is called once requests are answered."""
    from backend.registry.connecting.health import HealthWriter
    from backend.runs.live.hub import HUB
    from backend.runs.worker.worker import Worker

    worker, health = Worker(embedded=True), HealthWriter()

    def answering() -> None:
        if ready is not None:
            ready()
        worker.admit()  # last: such a run may end this process at once

    server, stop_telemetry = make_server(answering), start_telemetry()
    try:
        worker.start(admit=False)
        health.start()
        server.run()
    finally:
        HUB.close()
        worker.stop(GRACE_S)
        health.stop()
        stop_telemetry()
        lock.close()
        sys.stdout.flush()
