"""The trace that work belongs to (W3C Trace Context): its ids, and the `traceparent` that goes out with requests.

The ids follow from what they name: a run's trace from the outermost run above it, or from what its caller sent; a
span's from the run, the step or the call. So any process knows them, a run that goes on elsewhere stays one trace, and
nothing has to be kept for it. What goes out names the call that sends it, as `backend.telemetry` tells of that call.

Where no traces are kept (`sampled` is None) nothing is sent.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from backend.errors import log_context

HEADER = "traceparent"
LONGEST = 55
"""Characters of a `traceparent` as it is kept."""
_TRACEPARENT = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?", re.ASCII)
_SAMPLED = 1


@dataclass(frozen=True, slots=True)
class RunTrace:
    """What the trace of a run follows from. `root` = the outermost run above it, `caller` = the `traceparent` that it
    was started with, "" = none; a run below another one has that one's."""

    run: str
    root: str = ""
    caller: str = ""

    @property
    def trace_id(self) -> str:
        """32 hexadecimal digits."""
        return trace_id(self.run, self.root, self.caller)


RUN: ContextVar[RunTrace | None] = ContextVar("patchbay_run_trace", default=None)
"""The run at work in this task and those that it begins."""
_CALL: ContextVar[str] = ContextVar("patchbay_traced_call", default="")

sampled: Callable[[RunTrace], bool] | None = None
"""Whether the trace of a run is kept; set where traces are (`backend.telemetry`)."""


@dataclass(slots=True)
class Request:
    """A request that may start runs, as a span: their parent, and below that of its `caller` ("" = none).

    Its span's id says of itself that it is one, so that any process tells it from a caller's.
    """

    method: str
    route: str
    path: str
    scheme: str
    caller: str
    trace_id: str
    span: str
    began: float
    kept: bool = True

    @property
    def traceparent(self) -> str:
        """What runs that it starts are started with."""
        return f"00-{self.trace_id}-{self.span}-{int(self.kept):02x}"

    def called_by(self, caller: str) -> str:
        """The same below another caller, which the message names that it carries."""
        self.caller, self.trace_id = caller, caller[3:35]
        self.kept = sampled is not None and sampled(RunTrace("", "", caller))
        return self.traceparent


served: Callable[[Request, int, float], None] | None = None
"""Takes a request that was answered, with its status (0 = it was not) and when; set where traces are kept."""


def request(method: str, route: str, path: str, scheme: str, caller: str) -> Request | None:
    """A request that comes in; None where no traces are kept, or not this one."""
    if sampled is None or served is None:
        return None
    nonce = secrets.token_hex(16)
    trace = RunTrace(nonce, "", caller)
    if not sampled(trace):
        return None
    span = nonce[:8] + _digest("request", nonce[:8], 4)
    return Request(method, route, path, scheme, caller, trace.trace_id, span, time.time())


def names_request(caller: str) -> bool:
    """Whether the span that a `traceparent` names is one of a request to this installation."""
    span = caller_span(caller)
    return span[8:] == _digest("request", span[:8], 4)


def accepted(header: str) -> str:
    """A `traceparent` that somebody sent, in the form of version 00; "" where it is none."""
    parts = _TRACEPARENT.fullmatch(header.strip()) if len(header) <= 512 else None
    if parts is None:
        return ""
    version, trace, span, flags, more = parts.groups()
    if version == "ff" or (version == "00" and more) or not trace.strip("0") or not span.strip("0"):
        return ""
    return f"00-{trace}-{span}-{int(flags, 16) & _SAMPLED:02x}"


def trace_id(run: str, root: str = "", caller: str = "") -> str:
    """The trace of a run."""
    return caller[3:35] if caller else _digest("trace", root or run, 16)


def caller_span(caller: str) -> str:
    """The span that a `traceparent` names."""
    return caller[36:52]


def caller_samples(caller: str) -> bool:
    """Whether the sender of a `traceparent` keeps the trace."""
    return bool(int(caller[53:55], 16) & _SAMPLED)


def run_span(run: str) -> str:
    """The span of a run."""
    return _digest("run", run)


def segment_span(run: str, fence: int) -> str:
    """The span of the time for which one worker had a run."""
    return _digest("segment", f"{run}/{fence}")


def step_span(step: str) -> str:
    """The span of a step, all its attempts."""
    return _digest("step", step)


def call_span(effect: str) -> str:
    """The span of a call, by the idempotency key of its effect."""
    return _digest("call", effect)


def child_span(run: str) -> str:
    """The span of the call or step that is a run below another one."""
    return _digest("child", run)


def _digest(kind: str, name: str, size: int = 8) -> str:
    return hashlib.blake2b(f"{kind} {name}".encode("utf-8", "surrogatepass"), digest_size=size).hexdigest()


@contextmanager
def calling(effect: str) -> Iterator[None]:
    """Whatever this block sends belongs to the call with this idempotency key."""
    token = _CALL.set(effect)
    try:
        yield
    finally:
        _CALL.reset(token)


def outgoing() -> str:
    """The `traceparent` of what the run at work sends; "" = none, as of all that no run does."""
    run = RUN.get()
    if sampled is None or run is None:
        return ""
    call = _CALL.get()
    span = call_span(call) if call else run_span(run.run)
    return f"00-{run.trace_id}-{span}-{int(sampled(run)):02x}"


def handed_on() -> str:
    """The `traceparent` that came with the request at hand, for what it asks a server to do and for nothing else.

    What is done for a request alone has no span. Whatever is looked up, signed in to or tested on the way is no part of
    its caller's trace, and whom that reaches learns nothing of it.
    """
    return "" if sampled is None or RUN.get() is not None else log_context.traceparent()


def at_work(step: str, caller: str) -> tuple[str, str]:
    """(trace, span) of the work at hand: of its call, else of its `step`, else of its run; of a request that its
    `caller` traces that trace alone. Empty where no traces are kept."""
    run = RUN.get()
    if sampled is None or (run is None and not caller):
        return "", ""
    if run is None:
        return caller[3:35], ""
    call = _CALL.get()
    return run.trace_id, call_span(call) if call else step_span(step) if step else run_span(run.run)


def with_header(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The headers of a request with the `traceparent` of the run at work, unless they have one."""
    value = outgoing()
    if not value or any(name.lower() == b"traceparent" for name, _ in headers):
        return headers
    return [*headers, (b"traceparent", value.encode())]
