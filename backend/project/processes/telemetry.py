"""OpenTelemetry of a process; where no collector is named, nothing of it is imported."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings

from backend.project.logs import Context
from backend.project.operations.metrics import figures


def start_telemetry() -> Callable[[], None]:
    """From now on what this process commits goes to the collector, where one is named; gives what ends that."""
    if not settings.PATCHBAY.otel.on:
        return lambda: None
    from backend.telemetry.starting import Telemetry  # here: most installations name no collector

    sent = Telemetry(figures, Context())
    sent.start()
    return sent.stop
