"""What is measured of the installation, as gauges of OpenTelemetry: read for Prometheus, and sent to a collector.

The figures are the database's, so every process says the same of all; who asks for them gives what reads them. They
are read once for all gauges, with the first.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from opentelemetry.metrics import CallbackOptions, Observation
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader
from opentelemetry.sdk.resources import Resource

from backend.version import VERSION

Samples = Sequence[tuple[Mapping[str, str], float]]
"""[(attributes, value)] of a gauge."""
Figures = Mapping[str, Samples]
"""By gauge; those that nothing is known of are missing."""
GAUGES = (
    ("patchbay.info", "", "The version that answers."),
    ("patchbay.up", "", "Whether each part is there."),
    ("patchbay.runs", "", "Runs that have not ended."),
    ("patchbay.queue.age", "s", "How long the oldest queued run has waited."),
    ("patchbay.questions.open", "", "Questions that wait for a person."),
    ("patchbay.runs.limit", "", "Runs at once in the installation."),
    ("patchbay.workers", "", "Workers that are there."),
    ("patchbay.workers.capacity", "", "Runs that they take together."),
)
"""Name, unit, and what it says. Prometheus has them with `_` for each dot, and `_seconds` for the unit."""
_WHOLE = re.compile(r"(?m)^([^#\n].*)\.0$")


class _Readings(threading.local):
    """What was read for the gauges that are being observed in this thread."""

    def __init__(self) -> None:
        self.figures: Figures = {}


def provider(read: Callable[[], Figures], reader: MetricReader, resource: Resource) -> MeterProvider:
    """Gives `reader` the gauges, each time that it collects."""
    readings = _Readings()
    provider_ = MeterProvider([reader], resource, shutdown_on_exit=False)
    meter = provider_.get_meter("patchbay", VERSION)

    def observed(name: str, first: bool, options: CallbackOptions) -> Iterable[Observation]:
        if first:
            readings.figures = read()
        return [Observation(value, attributes) for attributes, value in readings.figures.get(name, ())]

    for number, (name, unit, says) in enumerate(GAUGES):  # they are observed in the order in which they were made
        meter.create_observable_gauge(name, [partial(observed, name, number == 0)], unit, says)
    return provider_


class Exposition:
    """The gauges as Prometheus reads them."""

    def __init__(self, read: Callable[[], Figures]) -> None:
        from opentelemetry.exporter.prometheus import PrometheusMetricReader
        from prometheus_client import CollectorRegistry

        self._registry, self._lock = CollectorRegistry(), threading.Lock()
        reader = PrometheusMetricReader(disable_target_info=True, scope_info_enabled=False, registry=self._registry)
        self._provider = provider(read, reader, Resource({}))

    def text(self) -> str:
        """One exposition; whole numbers without a fraction."""
        from prometheus_client import generate_latest

        with self._lock:  # two at once would have each other's figures
            text = generate_latest(self._registry).decode()
        return _WHOLE.sub(r"\1", text)
