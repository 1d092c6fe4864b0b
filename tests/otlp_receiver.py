"""A collector of OpenTelemetry, as a process of its own: OTLP over HTTP, read with `opentelemetry-proto`.

    with otlp_receiver() as collector:            # `collector.url` is what OTEL_EXPORTER_OTLP_ENDPOINT names
        ...
        spans = collector.spans()                 # those that came, each as `Span`
        collector.behave("hang")                  # "ok", "hang" (no answer), "refuse" (500), "slow" (half a second),
                                              # an address: it redirects there

What came is kept whatever it answers, but for "hang", "refuse" and redirects: then nothing was taken.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.request import Request, urlopen

ERROR = 2
"""The status of a span that failed."""


@dataclass
class Span:
    """A span as it came; ids are hexadecimal, `links` = [(trace, span, attributes)]."""

    name: str
    trace: str
    id: str
    parent: str
    kind: int
    start: int
    end: int
    status: int
    attributes: dict[str, Any]
    links: list[list[Any]] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    resource: dict[str, Any] = field(default_factory=dict)


class OtlpReceiver:
    """The process, from outside."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.otlp_receiver"], stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())
        self.url = f"http://127.0.0.1:{self.port}"

    def stop(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait(30)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _fetch(self, path: str) -> Any:
        with urlopen(self.url + path, timeout=30) as answer:
            return json.loads(answer.read())

    def behave(self, how: str) -> None:
        """From now on."""
        urlopen(Request(f"{self.url}/_behave", data=how.encode(), method="POST"), timeout=30).close()

    def spans(self, trace: str = "") -> list[Span]:
        """The spans that came, by start; one that came again counts once."""
        came = {(row["trace"], row["id"]): Span(**row) for row in self._fetch("/_came")["spans"]}
        matches = [span for span in came.values() if trace in ("", span.trace)]
        return sorted(matches, key=lambda span: (span.start, -span.end))

    def metrics(self) -> dict[str, list[Any]]:
        """What every metric said last: [(attributes, value)]."""
        result: dict[str, list[Any]] = self._fetch("/_came")["metrics"]
        return result

    def logs(self) -> list[dict[str, Any]]:
        """The lines of the log that came: body, severity, trace, span, attributes."""
        result: list[dict[str, Any]] = self._fetch("/_came")["logs"]
        return result

    def requests(self) -> list[dict[str, Any]]:
        """Every request: its path and headers, also those that got no answer."""
        result: list[dict[str, Any]] = self._fetch("/_came")["requests"]
        return result


@contextlib.contextmanager
def otlp_receiver() -> Iterator[OtlpReceiver]:
    """A collector for the length of a block."""
    receiver = OtlpReceiver()
    try:
        yield receiver
    finally:
        receiver.stop()


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(item) for item in value.array_value.values]
    return getattr(value, kind) if kind else None


def _attributes(pairs: Any) -> dict[str, Any]:
    return {pair.key: _value(pair.value) for pair in pairs}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    how: ClassVar[str] = "ok"
    never: ClassVar[threading.Event] = threading.Event()
    came: ClassVar[dict[str, Any]] = {"spans": [], "metrics": {}, "logs": [], "requests": []}

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""

    def do_GET(self) -> None:
        self._answer(200, json.dumps(self.came).encode(), "application/json")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/_behave":
            _Handler.how = body.decode()
            self._answer(200, b"", "text/plain")
            return
        self.came["requests"].append({"path": self.path, "headers": {k.lower(): v for k, v in self.headers.items()}})
        if self.how == "hang":
            self.never.wait()
        if self.how == "refuse":
            self._answer(500, b"no", "text/plain")
            return
        if self.how.startswith("http"):
            self._answer(307, b"", "text/plain", self.how + self.path)
            return
        if self.how == "slow":
            self.never.wait(0.5)
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        getattr(self, f"_{self.path.rpartition('/')[2]}")(body)
        self._answer(200, b"", "application/x-protobuf")

    def _answer(self, status: int, body: bytes, mime: str, location: str = "") -> None:
        self.send_response(status)
        if location:
            self.send_header("Location", location)
        self.send_header("Content-Type", mime)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _traces(self, body: bytes) -> None:
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            who = _attributes(resource.resource.attributes)
            for scope in resource.scope_spans:
                self.came["spans"] += [{**_span(span), "resource": who} for span in scope.spans]

    def _metrics(self, body: bytes) -> None:
        from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

        for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics:
            for scope in resource.scope_metrics:
                for metric in scope.metrics:
                    points = metric.gauge.data_points or metric.sum.data_points
                    self.came["metrics"][metric.name] = [
                        [_attributes(point.attributes), getattr(point, point.WhichOneof("value"))] for point in points
                    ]

    def _logs(self, body: bytes) -> None:
        from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

        for resource in ExportLogsServiceRequest.FromString(body).resource_logs:
            for scope in resource.scope_logs:
                self.came["logs"] += [
                    {
                        "body": _value(line.body),
                        "severity": line.severity_text,
                        "trace": line.trace_id.hex(),
                        "span": line.span_id.hex(),
                        "attributes": _attributes(line.attributes),
                        "scope": scope.scope.name,
                    }
                    for line in scope.log_records
                ]


def _span(span: Any) -> dict[str, Any]:
    return {
        "name": span.name,
        "trace": span.trace_id.hex(),
        "id": span.span_id.hex(),
        "parent": span.parent_span_id.hex(),
        "kind": span.kind,
        "start": span.start_time_unix_nano,
        "end": span.end_time_unix_nano,
        "status": span.status.code,
        "attributes": _attributes(span.attributes),
        "links": [[link.trace_id.hex(), link.span_id.hex(), _attributes(link.attributes)] for link in span.links],
        "events": [event.name for event in span.events],
    }


def main() -> None:
    """Listen on a free port, and say which."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
