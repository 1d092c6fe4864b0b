"""What a request says of its client that the runs it starts keep: its name, and the trace that they belong to."""

from __future__ import annotations

from dataclasses import replace

from backend.errors.log_context import LOG_CONTEXT, LogContext
from backend.mcp_server import handshake
from backend.mcp_server.caller import Context, client_of
from backend.net import traces

TRACED = "patchbay.traced"
"""The scope's name for the request as a span (`project.serving.traced_requests`)."""


def heed(ctx: Context) -> None:
    """Let runs that this request starts keep what it says; their trace is that of `_meta`, else of the request."""
    before = LOG_CONTEXT.get() or LogContext()
    header = (ctx.meta or {}).get(traces.HEADER)
    caller = traces.accepted(header) if isinstance(header, str) else ""
    span = ctx.request.scope.get(TRACED) if ctx.request is not None else None
    if caller and isinstance(span, traces.Request):
        caller = span.called_by(caller)
    heeded = replace(before, traceparent=caller or before.traceparent, program=_program(ctx))
    LOG_CONTEXT.set(heeded)  # of this request's task


def _program(ctx: Context) -> str:
    """What the client calls itself: with each request, or as it introduced itself where that came back."""
    if name := client_of(ctx):
        return name
    client = ctx.request.scope.get(handshake.CLIENT) if ctx.request is not None else None
    return client.name if isinstance(client, handshake.AskedClient) else ""
