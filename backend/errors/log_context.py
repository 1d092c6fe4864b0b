"""Where a line of the log comes from: the request, the run and its team, known to all code that works for them.

A context variable, so that tasks inherit it: what works for a request or a run logs without being handed anything.
`project.logs` writes it on every line. A request's id comes from its client (`X-Request-ID`) where it is one that may
stand in a log, else it is made here; a run keeps the id of the request that started it.
"""

from __future__ import annotations

import re
import secrets
from contextvars import ContextVar
from dataclasses import dataclass

_REQUEST_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)


@dataclass(frozen=True, slots=True)
class LogContext:
    """For whom something is done; "" = not known, or for nobody in particular. `traceparent` = that of a request.

    `program` = what the program that sent it calls itself; nobody checked that.
    """

    request_id: str = ""
    run: str = ""
    team: str = ""
    traceparent: str = ""
    program: str = ""


LOG_CONTEXT: ContextVar[LogContext | None] = ContextVar("patchbay_log_context", default=None)


def request_id() -> str:
    """The id of the request that is being answered, or of the one that started the run at work; "" = none."""
    context = LOG_CONTEXT.get()
    return context.request_id if context else ""


def traceparent() -> str:
    """The `traceparent` (W3C Trace Context) of the request that is being answered, as it was accepted; "" = none."""
    context = LOG_CONTEXT.get()
    return context.traceparent if context else ""


def program() -> str:
    """What the program calls itself that sent the request which is being answered; "" = it did not say."""
    context = LOG_CONTEXT.get()
    return context.program if context else ""


def accepted_request_id(sent: str) -> str:
    """`sent` where it may stand in logs and headers as it is (letters, digits, ._- up to 64), else a new id."""
    return sent if _REQUEST_ID.fullmatch(sent) else secrets.token_hex(8)
