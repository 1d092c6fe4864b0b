"""The processes of a scaled installation: web (Daphne) and worker (Celery and the engine's loop), any number of each.

They meet in Postgres and Redis only, so they may stand on different machines. There is no scheduler: every worker's
reaper takes timers that are due and leases that ran out.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue

from django.conf import settings

from backend.project.processes.celery_thread import CeleryThread
from backend.project.processes.lines import LineWatch
from backend.project.processes.telemetry import start_telemetry

LOOK_EVERY_S = 5.0


def serve_web(ready: Callable[[], None]) -> None:
    """Answer requests until SIGINT or SIGTERM; `ready()` is called once they are."""
    from backend.project.serving.server import make_server  # the first of its kind: it installs the asyncio reactor

    # isort: split
    from backend.registry.connecting.health import HealthWriter
    from backend.runs.live.hub import HUB
    from backend.tools.loop import LOOP

    server, health, lines = make_server(ready), HealthWriter(), LineWatch(settings.PATCHBAY.lease_s)
    stop_telemetry = start_telemetry()
    try:
        lines.start()
        health.start()
        server.run()
    finally:
        HUB.close()
        LOOP.stop()
        health.stop()
        lines.stop()
        stop_telemetry()
        sys.stdout.flush()


def serve_worker(ready: Callable[[], None]) -> bool:
    """Take runs until SIGINT or SIGTERM, then hand over what is under way; False when hints stopped coming."""
    from backend.registry.connecting.health import HealthWriter
    from backend.runs.worker.worker import Worker

    signals: SimpleQueue[int] = SimpleQueue()  # may be put into by a signal's handler, whatever is going on

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: signals.put(number))
    worker, hints, health = Worker(embedded=False), CeleryThread(), HealthWriter()
    lines, stop_telemetry = LineWatch(settings.PATCHBAY.lease_s), start_telemetry()
    lines.start()
    worker.start()
    hints.start()
    health.start()
    ready()
    ended = False
    while not ended and hints.alive:
        with suppress(Empty):
            ended = bool(signals.get(timeout=LOOK_EVERY_S))
    hints.stop()  # first, so that the hints of what is handed over go to the others
    worker.stop(settings.PATCHBAY.handover_s)
    health.stop()
    lines.stop()
    stop_telemetry()
    return ended
