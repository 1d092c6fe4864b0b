"""Requests that may start runs, as spans of OpenTelemetry: what they start belongs below them."""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable
from typing import Any

from backend.net import traces

SCOPE = "patchbay.traced"
"""The scope's name for the request as a span."""
_ROUTES = [
    (re.compile(r"/mcp/?"), "/mcp"),
    (re.compile(r"/mcp/[^/]+/[^/]+/?"), "/mcp/{team}/{collection}"),
    (re.compile(r"/a2a/[^/]+/[^/]+/?"), "/a2a/{team}/{workflow}"),
    (re.compile(r"/agui/[^/]+/[^/]+/?"), "/agui/{team}/{workflow}"),
    (re.compile(r"/api/workflows/[^/]+/runs/?"), "/api/workflows/{workflow}/runs"),
]
_HOOK, HOOKS = re.compile(r"/hooks/[^/]+/?"), "/hooks/{token}"
"""Webhooks are called by any method, and their address is a secret."""
STRANGERS = frozenset({401, 404, 405})
"""Statuses of requests of which nothing is kept: whoever knows no more than an address sends as many as they like."""
App = Callable[[Any, Any, Any], Awaitable[None]]


def span_of(scope: Any) -> traces.Request | None:
    """The request as a span; None where none is made of it."""
    path, method = scope["path"], scope["method"]
    if _HOOK.fullmatch(path):
        route, path = HOOKS, HOOKS
    else:
        route = next((name for form, name in _ROUTES if form.fullmatch(path)), "") if method == "POST" else ""
    if not route:
        return None
    header = next((value for name, value in scope["headers"] if name.lower() == b"traceparent"), b"")
    caller = traces.accepted(header.decode("latin-1"))
    return traces.request(method, route, path, scope.get("scheme", "http"), caller)


async def traced(span: traces.Request, app: App, scope: Any, receive: Any, send: Any) -> None:
    """Let `app` answer; what it starts is started with this span's `traceparent`."""
    status = 0

    async def traced_send(message: Any) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
        await send(message)

    others = [(name, value) for name, value in scope["headers"] if name.lower() != b"traceparent"]
    headers = [*others, (b"traceparent", span.traceparent.encode())]
    try:
        await app({**scope, "headers": headers, SCOPE: span}, receive, traced_send)
    finally:
        if traces.served is not None and span.kept and status not in STRANGERS:
            traces.served(span, status, time.time())
