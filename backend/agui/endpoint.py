"""`/agui/{team}/{slug}` over ASGI: who comes without a token is refused here, the rest is a stream of events (SSE).

Fetched with the first request (`project.serving.doors`), and the protocol's models with the first that is let in
(`serving`): they take memory that an installation without such front ends need not pay. What a request begins is
durable before its stream says so; the run goes on when the client leaves, and the same request again is answered by
the same run, by whichever process.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any

from backend.accounts.actor import Actor
from backend.accounts.auth.addresses import client_address
from backend.accounts.auth.rate_limits import count_request
from backend.accounts.auth.tokens import actor_by_token
from backend.agui import origins
from backend.agui.threads import in_thread
from backend.database.storage_errors import storage_problem
from backend.errors import InternalError, PatchbayError, Unauthenticated, UnsupportedBody
from backend.errors.log_context import LOG_CONTEXT, LogContext, accepted_request_id
from backend.net import traces

log = logging.getLogger(__name__)

PLACE = "patchbay.agui"
"""The scope's name for (team, slug) as the address has them."""
HEADERS = [
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"cache-control", b"no-store"),
]


class AguiEndpoint:
    """The ASGI application of what front ends ask."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        request_id = accepted_request_id(headers.get(b"x-request-id", ""))
        context = LOG_CONTEXT.set(LogContext(request_id))
        answer = Answer(send, request_id, _language(headers))
        try:
            await self._answered(scope, receive, headers, answer)
        except PatchbayError as error:
            await answer.refuse(error)
        except Exception as error:
            log.exception("a request at /agui failed before its stream began")
            await answer.refuse(storage_problem(error) or InternalError())
        finally:
            LOG_CONTEXT.reset(context)

    async def _answered(self, scope: Any, receive: Any, headers: Mapping[bytes, str], answer: Answer) -> None:
        origins.require_own_host(headers)
        origin = origins.require_known_origin(headers)
        answer.leave = origins.leave_for(origin)
        if scope["method"] == "OPTIONS" and origin:
            await answer.whole(204, origins.preflight(origin), b"")
            return
        if scope["method"] != "POST":
            await answer.refuse_method()
            return
        if headers.get(b"content-type", "").split(";")[0].strip().lower() != "application/json":
            raise UnsupportedBody(params={"type": headers.get(b"content-type", "")[:100]})
        actor = await in_thread(_caller, scope, headers)
        trace = traces.accepted(headers.get(b"traceparent", ""))
        LOG_CONTEXT.set(LogContext(accepted_request_id(answer.request_id), team=actor.team.pk, traceparent=trace))
        from backend.agui.serving import serve  # the protocol's library: only for who was let in

        await serve(scope, receive, headers, answer, actor)


def actor_of(scope: Any, headers: Mapping[bytes, str]) -> Actor:
    """Who comes. Raises Unauthenticated, Forbidden (not from this address)."""
    scheme, _, text = headers.get(b"authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not text.strip():
        raise Unauthenticated(params={"reason": "token"})
    peer = (scope.get("client") or [""])[0]
    actor = actor_by_token(text.strip(), client_address(peer, headers.get(b"x-forwarded-for", "")))
    if actor is None:
        raise Unauthenticated(params={"reason": "token"})
    return actor


def _caller(scope: Any, headers: Mapping[bytes, str]) -> Actor:
    """Who comes, counted. Raises RateLimited too."""
    actor = actor_of(scope, headers)
    count_request(actor)
    return actor


def _language(headers: Mapping[bytes, str]) -> str:
    return "zh" if headers.get(b"accept-language", "").lower().startswith("zh") else "en"


class Answer:
    """Sends an answer with the headers that all answers of ours carry."""

    def __init__(self, send: Any, request_id: str, language: str) -> None:
        self._send = send
        self.request_id = request_id
        self._language = language
        self._started = False
        self.leave: list[tuple[bytes, bytes]] = []
        """Headers by which a page of another site may read it."""

    async def start(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        """Send the status and the headers."""
        self._started = True
        own = [*HEADERS, *self.leave, (b"x-request-id", self.request_id.encode())]
        names = {name for name, _ in headers}
        added = [(name, value) for name, value in own if name not in names]
        await self._send({"type": "http.response.start", "status": status, "headers": [*headers, *added]})

    async def part(self, body: bytes) -> None:
        """Send a part of the body, after which more comes."""
        await self._send({"type": "http.response.body", "body": body, "more_body": True})

    async def end(self) -> None:
        """There is no more."""
        await self._send({"type": "http.response.body", "body": b""})

    async def whole(self, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
        """Send an answer at once."""
        await self.start(status, [*headers, (b"content-length", str(len(body)).encode())])
        await self._send({"type": "http.response.body", "body": body})

    async def refuse(self, error: PatchbayError) -> None:
        """Answer with the contract's error body; a stream that has begun just ends, and the client comes back."""
        if self._started:
            await self.end()
            return
        headers = [(b"content-type", b"application/json")]
        if error.status == 401:
            headers.append((b"www-authenticate", b"Bearer"))
        if (after := error.params.get("retry_after")) is not None:
            headers.append((b"retry-after", str(after).encode()))
        await self._refuse(error.status, error.as_json(self._language), headers)

    async def refuse_method(self) -> None:
        """AG-UI is asked by POST."""
        refusal = {"code": "METHOD_NOT_ALLOWED", "message": "AG-UI is spoken by POST."}
        await self._refuse(405, refusal, [(b"content-type", b"application/json"), (b"allow", b"POST")])

    async def _refuse(self, status: int, refusal: Mapping[str, Any], headers: list[tuple[bytes, bytes]]) -> None:
        text = json.dumps({**refusal, "request_id": self.request_id}, ensure_ascii=False).encode()
        await self.whole(status, headers, text)
