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
from collections import deque
from collections.abc import Callable
from typing import Any

import mcp  # noqa: F401 - whole before its parts, see backend.tools.mcp
from django.conf import settings
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request

from backend.accounts.actor import Actor
from backend.accounts.auth.addresses import client_address
from backend.accounts.auth.audiences import INSTALLATION
from backend.accounts.auth.rate_limits import count_request
from backend.accounts.auth.tokens import actor_by_token
from backend.database.storage_errors import storage_problem
from backend.errors import Forbidden, InternalError, PatchbayError, Unauthenticated
from backend.errors.log_context import LOG_CONTEXT, LogContext, accepted_request_id
from backend.mcp_server import handshake
from backend.mcp_server.caller import ACTOR, MODERN
from backend.mcp_server.scopes import lacking, may_lack, peeked
from backend.mcp_server.server import build
from backend.mcp_server.threads import in_thread
from backend.net import traces
from backend.oauth.addresses import audience_of_path, challenge, insufficient
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
        request_id = accepted_request_id(headers.get(b"x-request-id", ""))
        context = LOG_CONTEXT.set(LogContext(request_id))
        answer = _Answer(send, request_id)
        try:
            if scope["method"] != "POST":  # no session: nothing to listen to, and nothing to end
                await answer.refuse(405, {"code": "METHOD_NOT_ALLOWED", "message": "MCP is spoken by POST."}, b"POST")
                return
            try:
                actor = await in_thread(_caller, scope, headers)
            except PatchbayError as error:
                signs_in = challenge(headers.get(b"host", ""), _path(scope), refused=b"authorization" in headers)
                asks = signs_in.encode() if error.status == 401 else b""
                await answer.refuse(error.status, error.as_json(_language(headers)), challenge=asks)
                return
            except Exception as error:
                log.exception("a request at /mcp failed before it was read")
                problem = storage_problem(error) or InternalError()
                await answer.refuse(problem.status, problem.as_json(_language(headers)))
                return
            caller = traces.accepted(headers.get(b"traceparent", ""))
            LOG_CONTEXT.set(LogContext(request_id, team=actor.team.pk, traceparent=caller))
            if not (actor.in_scope("read") and actor.in_scope("run")) and await in_thread(may_lack, actor):
                body, receive = await peeked(receive, BODY)
                if scope_lacking := lacking(actor, body):
                    await answer.refuse_scope(actor, scope_lacking, headers, _path(scope))
                    return
            manager = await self._started()
            await _served(manager, {**scope, ACTOR: actor}, receive, answer, headers)
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


async def _served(
    manager: StreamableHTTPSessionManager, scope: Any, receive: Any, answer: _Answer, headers: dict[bytes, str]
) -> None:
    """Let the SDK answer; of a client of the handshake era, see first whether it introduces itself, or answers us."""
    if headers.get(b"mcp-protocol-version", "") >= MODERN:
        await manager.handle_request(scope, receive, answer)
        return
    actor: Actor = scope[ACTOR]
    body, receive = await _peeked(receive)
    message = _message(body)
    if handshake.is_answer(message):
        await _answered(scope, answer, message, headers)
        return
    answer.session = handshake.introduced(actor, message)
    client = handshake.AskedClient(handshake.session_of(actor, headers.get(handshake.SESSION, "")), answer)
    await manager.handle_request({**scope, handshake.CLIENT: client}, receive, client)


async def _peeked(receive: Any) -> tuple[bytes | None, Any]:
    """The body, None where it is too large to be looked into; and a way to receive all of it again."""
    taken: deque[Any] = deque()
    size, more = 0, True
    while more and size <= handshake.MOST_READ:
        taken.append(await receive())
        more = taken[-1]["type"] == "http.request" and taken[-1].get("more_body", False)
        size += len(taken[-1].get("body", b""))

    async def again() -> Any:
        return taken.popleft() if taken else await receive()

    return (None if more else b"".join(part.get("body", b"") for part in taken)), again


def _message(body: bytes | None) -> Any:
    """What a body says, where it may be for us; None else."""
    if body is None or not any(word in body for word in (b'"initialize"', b'"result"', b'"error"')):
        return None
    try:
        return json.loads(body)
    except (ValueError, RecursionError):  # the SDK says what is wrong with it
        return None


async def _answered(scope: Any, answer: _Answer, message: dict[str, Any], headers: dict[bytes, str]) -> None:
    """A client's answer to a question of ours. Raises nothing: what is wrong with it is the response."""
    wrong = await TransportSecurityMiddleware(_own_addresses()).validate_request(Request(scope), is_post=True)
    if wrong is not None:
        await wrong(scope, _nothing, answer)
        return
    try:
        await in_thread(handshake.answered, scope[ACTOR], message)
    except PatchbayError as error:
        # 404 would say that the session is over
        await answer.refuse(400 if error.status == 404 else error.status, error.as_json(_language(headers)))
        return
    except Exception as error:
        log.exception("an answer at /mcp failed")
        problem = storage_problem(error) or InternalError()
        await answer.refuse(problem.status, problem.as_json(_language(headers)))
        return
    await answer({"type": "http.response.start", "status": 202, "headers": [(b"content-length", b"0")]})
    await answer({"type": "http.response.body", "body": b""})


async def _nothing() -> Any:
    """What is received after a body that was read."""
    return {"type": "http.disconnect"}


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
        self.session = ""
        """The id of the session that a client is given with this answer."""

    async def __call__(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            names = {name.lower() for name, _ in message.get("headers", ())}
            own = [*HEADERS, (b"x-request-id", self._request_id.encode())]
            if self.session and message["status"] == 200:
                own.append((handshake.SESSION, self.session.encode()))
            added = [(name, value) for name, value in own if name not in names]
            message = {**message, "headers": [*message.get("headers", ()), *added]}
        await self._send(message)

    async def refuse_scope(self, actor: Actor, lacks: str, headers: dict[bytes, str], path: str) -> None:
        """Tell a client which scopes to ask its member for: those that it has, and the one that is missing."""
        has = actor.token.scopes if actor.token is not None else []
        asks = insufficient(headers.get(b"host", ""), path, [*has, lacks])
        error = Forbidden(params={"reason": "scope", "scope": lacks}, detail={"scope": lacks})
        await self.refuse(error.status, error.as_json(_language(headers)), challenge=asks.encode())

    async def refuse(self, status: int, body: dict[str, Any], allow: bytes = b"", challenge: bytes = b"") -> None:
        """Answer with the contract's error body."""
        headers = [(b"content-type", b"application/json")]
        if allow:
            headers.append((b"allow", allow))
        if challenge:
            headers.append((b"www-authenticate", challenge))
        text = json.dumps({**body, "request_id": self._request_id}, ensure_ascii=False).encode()
        await self({"type": "http.response.start", "status": status, "headers": headers})
        await self({"type": "http.response.body", "body": text})
