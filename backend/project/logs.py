"""The lines of the log: as text for a person at a terminal, or each as a JSON object for a collector.

Each says where it comes from, as far as that is known: `request_id`, `run`, `team`, `node`, and where traces are kept
`trace_id` and `span_id`. What a call names in `extra=` counts, then the context of the code that logs
(`errors.log_context`, `engine.current`, `net.traces`).
"""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime

from backend.engine.execution.current import CURRENT
from backend.errors.log_context import LOG_CONTEXT
from backend.net import traces

NAMES = ("request_id", "run", "team", "node", "trace_id", "span_id")


class Context(logging.Filter):
    """Puts `NAMES` on every record. Lets all pass."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Fill in what the call did not name."""
        context, current = LOG_CONTEXT.get(), CURRENT.get()
        step = current[1]() if current else None
        trace, span = traces.at_work(step.id if step else "", context.traceparent if context else "")
        known = {
            "request_id": context.request_id if context else "",
            "run": context.run if context else "",
            "team": context.team if context else "",
            "node": step.node.id if step else "",
            "trace_id": trace,
            "span_id": span,
        }
        for name, value in known.items():
            record.__dict__.setdefault(name, value)
        return True


def origin(record: logging.LogRecord) -> dict[str, str]:
    """What is known of `NAMES`."""
    parts = ((name, record.__dict__.get(name)) for name in NAMES)
    return {name: str(value) for name, value in parts if value}


class TextLines(logging.Formatter):
    """`2026-01-31 12:00:00,000 WARNING backend.runs.worker.worker: what happened [request_id=… run=…]`."""

    def __init__(self) -> None:
        super().__init__("{asctime} {levelname} {name}: {message}", style="{")

    def formatMessage(self, record: logging.LogRecord) -> str:
        """The line without a traceback, which follows on it."""
        known = " ".join(f"{name}={value}" for name, value in origin(record).items())
        return super().formatMessage(record) + (f" [{known}]" if known else "")


class JsonLines(logging.Formatter):
    """One JSON object a line: `time` (UTC), `level`, `logger`, `message`, what is known of `NAMES`, `exception`."""

    def format(self, record: logging.LogRecord) -> str:
        """The line. ASCII only, so that no terminal's or collector's encoding can break it."""
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {
            "time": moment.replace("+00:00", "Z"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **origin(record),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line)
