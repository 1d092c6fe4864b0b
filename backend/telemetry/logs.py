"""Lines of the log for a collector, each with the span that it was written in."""

from __future__ import annotations

import logging

from opentelemetry._logs import LogRecord
from opentelemetry._logs.severity import SeverityNumber
from opentelemetry.context import Context
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.semconv.attributes.exception_attributes import EXCEPTION_STACKTRACE, EXCEPTION_TYPE
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, set_span_in_context

from backend.telemetry.exporting import LogExporter, Way

_SEVERITIES = (
    (logging.CRITICAL, "FATAL", SeverityNumber.FATAL),
    (logging.ERROR, "ERROR", SeverityNumber.ERROR),
    (logging.WARNING, "WARN", SeverityNumber.WARN),
    (logging.INFO, "INFO", SeverityNumber.INFO),
    (logging.NOTSET, "DEBUG", SeverityNumber.DEBUG),
)
_KNOWN = {
    "request_id": "patchbay.request.id",
    "run": "patchbay.run.id",
    "team": "patchbay.team.id",
    "node": "patchbay.node.id",
}
"""What a line knows of its origin (`project.logs`)."""


class LogSender(logging.Handler):
    """Hands lines to the SDK's batches. `origin` puts on each what is known of where it comes from."""

    def __init__(self, way: Way, resource: Resource, delay_ms: int, origin: logging.Filter) -> None:
        super().__init__()
        self.addFilter(origin)
        self._provider = LoggerProvider(resource, shutdown_on_exit=False)
        self._provider.add_log_record_processor(
            BatchLogRecordProcessor(LogExporter(way), schedule_delay_millis=delay_ms)
        )

    def emit(self, record: logging.LogRecord) -> None:
        """Queue one line."""
        known = record.__dict__
        attributes = {to: str(known[name]) for name, to in _KNOWN.items() if known.get(name)}
        if record.exc_info and record.exc_info[0] is not None:
            attributes[EXCEPTION_TYPE] = record.exc_info[0].__name__
            attributes[EXCEPTION_STACKTRACE] = logging.Formatter().formatException(record.exc_info)
        moment = int(record.created * 1_000_000_000)
        text, number = next((text, number) for level, text, number in _SEVERITIES if record.levelno >= level)
        self._provider.get_logger(record.name).emit(
            LogRecord(
                timestamp=moment,
                observed_timestamp=moment,
                context=_span_of(known.get("trace_id") or "", known.get("span_id") or ""),
                severity_text=text,
                severity_number=number,
                body=record.getMessage(),
                attributes=attributes,
            )
        )

    def stop(self) -> None:
        """Take no more, and let what is queued go out."""
        logging.getLogger().removeHandler(self)
        self._provider.shutdown()


def _span_of(trace: str, span: str) -> Context:
    if not trace:
        return Context()
    at = SpanContext(int(trace, 16), int(span or "0", 16), False, TraceFlags(TraceFlags.SAMPLED))
    return set_span_in_context(NonRecordingSpan(at), Context())
