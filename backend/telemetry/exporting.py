"""Batches on their way to the collector: OTLP over HTTP by the SDK's exporters, sent by the guarded client.

The collector is the operator's own, so its host may be private or this machine; our own address it may not be. A
collector that refuses, hangs or fails is told of once, and what it does not take is dropped (`Outage`).
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import httpx2
import requests  # noqa: TID251 - the exporters' sessions; what they send goes through the guarded client
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk._logs.export import LogRecordExportResult
from opentelemetry.sdk.metrics.export import MetricExportResult, MetricsData
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult
from requests.adapters import BaseAdapter  # noqa: TID251 - as above
from requests.structures import CaseInsensitiveDict  # noqa: TID251 - as above

from backend.errors import PatchbayError
from backend.net.client import GuardedClient, read_capped
from backend.net.rules import NetworkRules

log = logging.getLogger(__name__)

LARGEST_ANSWER = 64 * 1024
"""Bytes of an answer; one to a batch says next to nothing."""
SDK_LOGGERS = ("opentelemetry.exporter", "opentelemetry.sdk._shared_internal", "opentelemetry.sdk.metrics")
"""What these say of a collector that takes nothing, `Outage` says once."""


class Outage:
    """Whether the collector takes a signal; says so when that changes."""

    def __init__(self, signal: str, host: str) -> None:
        self._signal, self._host = signal, host
        self._why, self._out = "", False

    def because(self, why: str) -> None:
        """Why the last request failed."""
        self._why = why

    def seen(self, taken: bool) -> None:
        """A batch was taken, or given up."""
        if not taken and not self._out:
            why = self._why or "it could not be written"
            log.warning(
                "the collector at %s takes no %s (%s); they are dropped until it does", self._host, self._signal, why
            )
        elif taken and self._out:
            log.warning("the collector at %s takes %s again", self._host, self._signal)
        self._out = not taken


class _Guarded(BaseAdapter):
    """The way of a session's requests: `GuardedClient`, on a loop of its own, within the time given.

    Loop and connection stay from one batch to the next: making them anew cost 6 ms of CPU, half of a batch of 120
    spans.
    """

    def __init__(self, rules: NetworkRules, outage: Outage) -> None:
        super().__init__()
        self._rules, self._outage = rules, outage
        self._sending = threading.Lock()  # the last batch may be sent by the thread that ends the process
        self._runner = asyncio.Runner()
        self._client: GuardedClient | None = None

    def send(
        self,
        request: requests.PreparedRequest,
        stream: bool = False,
        timeout: float | tuple[float | None, float | None] | None = None,
        verify: bool | str = True,
        cert: bytes | str | tuple[bytes | str, bytes | str] | None = None,
        proxies: Mapping[str, str] | None = None,
    ) -> requests.Response:
        """Send one request. Raises requests.ConnectionError, Timeout, which may be tried again; else OSError."""
        seconds = timeout if isinstance(timeout, int | float) else 10.0
        try:
            with self._sending:
                response = self._runner.run(self._sent(request, seconds))
        except TimeoutError as error:
            self._outage.because(f"no answer in {seconds:.0f} s")
            raise requests.Timeout(str(error), request=request) from error
        except httpx2.TransportError as error:
            self._outage.because(str(error) or type(error).__name__)
            raise requests.ConnectionError(str(error), request=request) from error
        except PatchbayError as error:
            self._outage.because(error.text("en")[0])
            raise requests.RequestException(str(error), request=request) from error
        if 300 <= response.status_code < 400:  # it would go, keys and all, to where nobody but the answer says
            self._outage.because("it redirects, which is not followed")
            raise requests.RequestException("redirected", request=request)
        if response.status_code >= 400:
            self._outage.because(f"it answers {response.status_code}")
        return response

    async def _sent(self, request: requests.PreparedRequest, seconds: float) -> requests.Response:
        began = time.monotonic()
        body = request.body if isinstance(request.body, bytes) else b""  # the exporters' are
        headers = {name: str(value) for name, value in request.headers.items()}
        if self._client is None:
            self._client = GuardedClient(self._rules, max_connections=1)
        async with asyncio.timeout(seconds):
            message = self._client.build_request(
                str(request.method), str(request.url), headers=headers, content=body, timeout=seconds
            )
            answer = await self._client.send(message, stream=True)
            content = await read_capped(answer, LARGEST_ANSWER)
        response = requests.Response()
        response.status_code, response.reason = answer.status_code, answer.reason_phrase
        response.headers = CaseInsensitiveDict(answer.headers.items())
        response.url, response.request, response._content = str(request.url), request, content
        log.debug("sent %d bytes in %.3f s: %d", len(body), time.monotonic() - began, answer.status_code)
        return response

    def close(self) -> None:
        """Close the connection. One that is sending to a collector that hangs ends with the process."""
        if not self._sending.acquire(blocking=False):
            return
        try:
            if self._client is not None:
                self._runner.run(self._client.aclose())
            self._runner.close()
        finally:
            self._sending.release()


class Way:
    """How one signal goes to the collector."""

    def __init__(
        self, signal: str, url: str, headers: dict[str, str], timeout_s: float, compression: str, rules: NetworkRules
    ) -> None:
        """`rules` = where Patchbay itself listens, its proxy, which certificates count; the collector's host may be
        reached by them."""
        self.outage = Outage(signal, urlsplit(url).netloc.rpartition("@")[2])
        session = requests.Session()
        session.trust_env = False
        for scheme in ("http://", "https://"):
            session.mount(scheme, _Guarded(rules, self.outage))
        self.options: dict[str, Any] = {
            "endpoint": url,
            "headers": headers,
            "timeout": timeout_s,
            "compression": Compression(compression),
            "session": session,
        }


class SpanExporter(OTLPSpanExporter):
    """Spans for the collector."""

    def __init__(self, way: Way) -> None:
        super().__init__(**way.options)
        self._outage = way.outage

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send them, or give them up."""
        result = super().export(spans)
        self._outage.seen(result is SpanExportResult.SUCCESS)
        return result


class MetricExporter(OTLPMetricExporter):
    """Metrics for the collector."""

    def __init__(self, way: Way) -> None:
        super().__init__(**way.options)
        self._outage = way.outage

    def export(
        self, metrics_data: MetricsData, timeout_millis: float | None = 10_000, **kwargs: Any
    ) -> MetricExportResult:
        """Send them, or give them up."""
        result = super().export(metrics_data, timeout_millis, **kwargs)
        self._outage.seen(result is MetricExportResult.SUCCESS)
        return result


class LogExporter(OTLPLogExporter):
    """Lines of the log for the collector."""

    def __init__(self, way: Way) -> None:
        super().__init__(**way.options)
        self._outage = way.outage

    def export(self, batch: Sequence[ReadableLogRecord]) -> LogRecordExportResult:
        """Send them, or give them up."""
        result = super().export(batch)
        self._outage.seen(result is LogRecordExportResult.SUCCESS)
        return result
