"""`/mcp` and `/mcp/{team}/{collection}` over ASGI: who comes without a token for the address is refused here, the rest
is the SDK's streamable HTTP.

Stateless: any process answers any request. Fetched with the first request (`project.asgi`), for the SDK's server takes
memory that an installation without MCP clients need not pay. Daphne runs no lifespan, so the session manager starts
with the first request too, in the loop that serves it.
"""

from __future__ import annotations

import asyncio
import contextvars
import json
import logging
from collections.abc import Callable
from typing import Any

from django.conf import settings
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from backend.accounts.actor import Actor
from backend.accounts.auth.addresses import client_address
from backend.accounts.auth.audiences import INSTALLATION
from backend.accounts.auth.rate_limits import count_request
from backend.accounts.auth.tokens import actor_by_token
from backend.database.storage_errors import storage_problem
from backend.errors import Forbidden, InternalError, PatchbayError, Unauthenticated
from backend.errors.log_context import LOG_CONTEXT, LogContext, accepted_request_id
from backend.mcp_server.caller import ACTOR
from backend.mcp_server.server import build
from backend.mcp_server.threads import in_thread
from backend.oauth.addresses import audience_of_path, challenge
from backend.tool_collections.selectors import collection_at

log = logging.getLogger(__name__)

BODY = 4 * 1024 * 1024
"""Bytes of a request."""
PLACE = "patchbay.collection"
"""The scope's name for (team, collection) as the address has them."""
NOWHERE = "-"
"""The audience of no token."""
HEADERS = [
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"cache-control", b"no-store"),
]


class McpEndpoint:
    """The ASGI application of `/mcp`, or of the addresses of collections: `server` makes what is served there."""

    def __init__(self, server: Callable[[], Server[Any]] = build) -> None:
        self._server = server
        self._manager: StreamableHTTPSessionManager | None = None
        self._owner: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[None] | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        given = accepted_request_id(headers.get(b"x-request-id", ""))
        context = LOG_CONTEXT.set(LogContext(given))
        answer = _Answer(send, given)
        try:
            if scope["method"] != "POST":  # no session: nothing to listen to, and nothing to end
                await answer.refuse(405, {"code": "METHOD_NOT_ALLOWED", "message": "MCP is spoken by POST."}, b"POST")
                return
            try:
                actor = await in_thread(_caller, scope, headers)
            except PatchbayError as error:
                signs_in = challenge(headers.get(b"host", ""), _path(scope), refused=b"authorization" in headers)
                await answer.refuse(error.status, error.as_json(_language(headers)), challenge=signs_in.encode())
                return
            except Exception as error:
                log.exception("a request at /mcp failed before it was read")
                problem = storage_problem(error) or InternalError()
                await answer.refuse(problem.status, problem.as_json(_language(headers)))
                return
            LOG_CONTEXT.set(LogContext(given, team=actor.team.pk))
            manager = await self._started()
            await manager.handle_request({**scope, ACTOR: actor}, receive, answer)
        finally:
            LOG_CONTEXT.reset(context)

    async def _started(self) -> StreamableHTTPSessionManager:
        """The session manager, running in this loop."""
        loop = asyncio.get_running_loop()
        if self._owner is None or self._owner.done() or self._owner.get_loop() is not loop:
            self._manager = StreamableHTTPSessionManager(
                app=self._server(), stateless=True, security_settings=_own_addresses(), max_request_body_size=BODY
            )
            self._ready = loop.create_future()
            # of no request: what the first one's context holds must not stand in every later line of the log
            self._owner = loop.create_task(_own(self._manager, self._ready), context=contextvars.Context())
        if self._manager is None or self._ready is None:
            raise RuntimeError("the session manager was not made")
        await asyncio.shield(self._ready)
        return self._manager


async def _own(manager: StreamableHTTPSessionManager, ready: asyncio.Future[None]) -> None:
    """Keep the manager going, in one task that enters and leaves it."""
    try:
        async with manager.run():
            ready.set_result(None)
            await asyncio.Event().wait()
    except Exception as error:
        if ready.done():
            raise
        ready.set_exception(error)


def _own_addresses() -> TransportSecuritySettings:
    """A page of another origin, or under a name that was made to point here, is no client of ours."""
    hosts = [host for name in settings.ALLOWED_HOSTS for host in (name, f"{name}:*")]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=list(settings.CSRF_TRUSTED_ORIGINS))


def _caller(scope: Any, headers: dict[bytes, str]) -> Actor:
    """Who comes. Raises Unauthenticated, Forbidden (not from this address, a collection that is off), RateLimited."""
    scheme, _, text = headers.get(b"authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not text.strip():
        raise Unauthenticated(params={"reason": "token"})
    peer = (scope.get("client") or [""])[0]
    address = client_address(peer, headers.get(b"x-forwarded-for", ""))
    audience, enabled = _audience(scope)
    actor = actor_by_token(text.strip(), address, audience, audience_of_path(_path(scope)) or "")
    if actor is None:
        raise Unauthenticated(params={"reason": "token"})
    if not enabled:
        raise Forbidden(params={"reason": "collection_off"})
    count_request(actor)
    return actor


def _path(scope: Any) -> str:
    """The path that was asked."""
    return "/".join((scope["path"], *scope.get(PLACE, ())))


def _audience(scope: Any) -> tuple[str, bool]:
    """For what tokens are made that open this address, and whether it is open; where no collection is, none open it."""
    place = scope.get(PLACE)
    return (INSTALLATION, True) if place is None else collection_at(*place) or (NOWHERE, False)


def _language(headers: dict[bytes, str]) -> str:
    return "zh" if headers.get(b"accept-language", "").lower().startswith("zh") else "en"


class _Answer:
    """Sends an answer with the headers that all answers of ours carry."""

    def __init__(self, send: Any, request_id: str) -> None:
        self._send = send
        self._request_id = request_id

    async def __call__(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            names = {name.lower() for name, _ in message.get("headers", ())}
            own = [*HEADERS, (b"x-request-id", self._request_id.encode())]
            added = [(name, value) for name, value in own if name not in names]
            message = {**message, "headers": [*message.get("headers", ()), *added]}
        await self._send(message)

    async def refuse(self, status: int, body: dict[str, Any], allow: bytes = b"", challenge: bytes = b"Bearer") -> None:
        """Answer with the contract's error body."""
        headers = [(b"content-type", b"application/json")]
        if allow:
            headers.append((b"allow", allow))
        if status == 401:
            headers.append((b"www-authenticate", challenge))
        text = json.dumps({**body, "request_id": self._request_id}, ensure_ascii=False).encode()
        await self({"type": "http.response.start", "status": status, "headers": headers})
        await self({"type": "http.response.body", "body": text})
