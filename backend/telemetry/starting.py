"""Begins what goes out by OpenTelemetry in this process, and ends it."""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable
from functools import partial
from typing import Literal
from urllib.parse import urlsplit

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.semconv._incubating.attributes.service_attributes import SERVICE_INSTANCE_ID
from opentelemetry.semconv.attributes.service_attributes import SERVICE_NAME, SERVICE_VERSION
from opentelemetry.util.types import AttributeValue

from backend.net import traces
from backend.net.rules import NetworkRules
from backend.runs.live.hub import HUB
from backend.telemetry.exporting import SDK_LOGGERS, MetricExporter, SpanExporter, Way
from backend.telemetry.following import LINGER_S, Follower, Servers
from backend.telemetry.logs import LogSender
from backend.telemetry.metrics import Figures, provider
from backend.telemetry.sampling import sampler_of, samples_by
from backend.telemetry.spans import Spans
from backend.version import VERSION

log = logging.getLogger(__name__)

GRACE_S = 3.0
"""Seconds for what is queued to go out when the process ends."""


class Telemetry:
    """What goes out from this process. Made once, where `settings.PATCHBAY.otel.on`."""

    def __init__(self, figures: Callable[[], Figures], origin: logging.Filter) -> None:
        """`figures` reads what is measured, `origin` puts on a line of the log where it comes from."""
        self._figures, self._origin = figures, origin
        self._otel = settings.PATCHBAY.otel
        self._resource = _resource(self._otel.service_name, self._otel.resource_attributes)
        self._ends: list[Callable[[], object]] = []

    def start(self) -> None:
        """Begin."""
        otel = self._otel
        for name in SDK_LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL)  # `Outage` says it, and once
        if otel.endpoint("traces"):
            self._follow()
        if otel.endpoint("metrics"):
            self._measure()
        if otel.endpoint("logs"):
            self._send_logs()

    def stop(self) -> None:
        """Let what is queued go out, as far as it does in a moment. A collector that hangs is not waited for."""
        HUB.on_committed = traces.sampled = traces.served = None
        thread = threading.Thread(target=self._end, name="telemetry-end", daemon=True)
        thread.start()
        thread.join(GRACE_S)

    def _end(self) -> None:
        for end in self._ends:
            end()

    def _follow(self) -> None:
        otel = self._otel
        samples = samples_by(sampler_of(otel.traces_sampler, otel.traces_sampler_arg))
        delay = otel.bsp_schedule_delay / 1000
        processor = BatchSpanProcessor(SpanExporter(self._way("traces")), schedule_delay_millis=otel.bsp_schedule_delay)

        def spans(servers: Servers) -> Spans:
            return Spans(processor.on_end, self._resource, servers.transport_of, content=otel.content)

        follower = Follower(spans, samples, delay + otel.timeout_s("traces"), min(LINGER_S, delay))
        follower.start()
        HUB.on_committed, traces.sampled = follower.committed, samples
        traces.served = spans(Servers()).request
        self._ends += [partial(follower.stop, GRACE_S), processor.shutdown]

    def _measure(self) -> None:
        otel = self._otel
        exporter = MetricExporter(self._way("metrics"))
        reader = PeriodicExportingMetricReader(exporter, otel.metric_export_interval)
        self._ends.append(provider(self._read, reader, self._resource).shutdown)

    def _read(self) -> Figures:
        """What is measured, in a thread whose connection is closed again."""
        try:
            return self._figures()
        except (DatabaseError, InterfaceError) as error:
            log.info("the metrics could not be read: %s", error)
            return {}
        finally:
            connection.close()

    def _send_logs(self) -> None:
        sender = LogSender(self._way("logs"), self._resource, self._otel.blrp_schedule_delay, self._origin)
        logging.getLogger().addHandler(sender)
        self._ends.append(sender.stop)

    def _way(self, signal: Literal["traces", "metrics", "logs"]) -> Way:
        otel, env = self._otel, settings.PATCHBAY
        url = otel.endpoint(signal)
        public = urlsplit(settings.PUBLIC_URL)
        rules = NetworkRules(
            allow=(urlsplit(url).hostname or "",),
            proxy=env.outbound_proxy,
            ca_file=otel.certificate(signal) or env.ca_file,
            own_ports=(env.port,),
            own_hosts=(((public.hostname or "").lower(), public.port or (443 if public.scheme == "https" else 80)),),
        )
        return Way(signal, url, otel.headers(signal), otel.timeout_s(signal), otel.compression(signal), rules)


class _Origin(Resource):
    """A resource whose hash is known: the exporter takes it of each span, and the SDK's writes JSON for it."""

    def __init__(self, attributes: dict[str, AttributeValue]) -> None:
        super().__init__(attributes)
        self._hash = super().__hash__()

    def __hash__(self) -> int:
        return self._hash


def _resource(name: str, attributes: dict[str, str]) -> Resource:
    """Who says it: the service, its version, this process of it; what the operator says of it counts."""
    ours = {SERVICE_NAME: "patchbay", SERVICE_VERSION: VERSION, SERVICE_INSTANCE_ID: secrets.token_hex(8)}
    return _Origin({**ours, **attributes, **({SERVICE_NAME: name} if name else {})})
