"""`/a2a/{team}/{slug}` over ASGI: who may not come is refused here, the rest is the SDK's JSON-RPC over HTTP.

Stateless: any process answers any request. Fetched with the first request (`project.serving.doors`), and the SDK with
the first that is let in (`dispatching`): it takes memory that an installation without agents need not pay.
"""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http.request import validate_host

from backend.a2a.offered import Agent, agent_at, agent_for
from backend.a2a.threads import in_thread
from backend.accounts.actor import Actor
from backend.accounts.auth.addresses import client_address
from backend.accounts.auth.rate_limits import RATES, count_request
from backend.accounts.auth.tokens import actor_by_token, hashed
from backend.accounts.models import ApiToken
from backend.database.storage_errors import storage_problem
from backend.errors import Forbidden, InternalError, NotFound, PatchbayError, TooLarge, Unauthenticated
from backend.errors.log_context import LOG_CONTEXT, LogContext, accepted_request_id
from backend.net import traces
from backend.oauth.addresses import agent_audience, challenge, insufficient

if TYPE_CHECKING:
    from backend.a2a.dispatching import Dispatch

log = logging.getLogger(__name__)

BODY = 4 * 1024 * 1024
"""Bytes of a request."""
PLACE = "patchbay.agent"
"""The scope's name for (team, slug, whether the card is asked) as the address has them."""
CARDS_PER_MIN = 120
"""Public cards that one address reads."""
HEADERS = [
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"cache-control", b"no-store"),
]
Headers = dict[bytes, str]


class AgentEndpoint:
    """The ASGI application of all agents' addresses."""

    def __init__(self) -> None:
        self._dispatch: Dispatch | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        headers: Headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        request_id = accepted_request_id(headers.get(b"x-request-id", ""))
        context = LOG_CONTEXT.set(LogContext(request_id))
        answer = Answer(send, request_id, _language(headers))
        try:
            await self._answered_or_refused(scope, receive, answer, headers)
        except Exception as error:
            log.exception("a request at /a2a failed")
            await answer.refuse(storage_problem(error) or InternalError())
        finally:
            LOG_CONTEXT.reset(context)

    async def _answered_or_refused(self, scope: Any, receive: Any, answer: Answer, headers: Headers) -> None:
        """Answer, or say what is refused and to whom the client may turn."""
        try:
            await self._answered(scope, receive, answer, headers)
        except PatchbayError as error:
            await answer.refuse(error, await _challenge(error, scope, headers))

    async def _answered(self, scope: Any, receive: Any, answer: Answer, headers: Headers) -> None:
        """Let in who may, and answer. Raises PatchbayError for whom not."""
        team, slug, is_card = scope[PLACE]
        method = "GET" if is_card else "POST"
        if scope["method"] != method:
            await answer.method_not_allowed(method)
            return
        _require_own_address(headers)
        if is_card:
            await answer.json(await in_thread(_card, scope, headers, team, slug, answer.language))
            return
        actor, agent = await in_thread(_let_in, scope, headers, team, slug)
        trace = traces.accepted(headers.get(b"traceparent", ""))
        LOG_CONTEXT.set(LogContext(answer.request_id, team=actor.team.pk, traceparent=trace))
        body, receive = await _body(receive)
        if self._dispatch is None:
            from backend.a2a.dispatching import Dispatch  # the SDK: only for who was let in

            self._dispatch = Dispatch()
        await self._dispatch.answer(scope, receive, answer, body, actor, agent)


def _let_in(scope: Any, headers: Headers, team: str, slug: str) -> tuple[Actor, Agent]:
    """Who comes, and to which agent. Raises NotFound, Forbidden (the role, the scope), and what `_caller` does."""
    actor = _caller(scope, headers)
    agent = agent_for(actor, team, slug)
    actor.require("editor")
    actor.require_scope("run")
    return actor, agent


def _card(scope: Any, headers: Headers, team: str, slug: str, language: str) -> dict[str, Any]:
    """The card at an address. Raises Unauthenticated, NotFound, RateLimited, and what `_caller` does."""
    agent = _agent_of(scope, headers, team, slug)
    from backend.a2a.card import card_json  # the SDK: only for who is told

    return card_json(agent, language)


def _agent_of(scope: Any, headers: Headers, team: str, slug: str) -> Agent:
    """The agent whose card this client may read. Raises what `_card` does."""
    if b"authorization" in headers:
        return agent_for(_caller(scope, headers), team, slug)
    RATES.take("agent_cards", _address(scope, headers), CARDS_PER_MIN)
    try:
        agent = agent_at(team, slug)
    except NotFound:
        agent = None
    if agent is None or not agent.workflow.agent_card_public:
        raise Unauthenticated(params={"reason": "token"})
    return agent


def _caller(scope: Any, headers: Headers) -> Actor:
    """Who comes. Raises Unauthenticated, Forbidden (not from this address), RateLimited."""
    scheme, _, text = headers.get(b"authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not text.strip():
        raise Unauthenticated(params={"reason": "token"})
    team, slug, _ = scope[PLACE]
    actor = actor_by_token(text.strip(), _address(scope, headers), path=agent_audience(team, slug))
    if actor is None:
        raise Unauthenticated(params={"reason": "token"})
    count_request(actor)
    return actor


def _address(scope: Any, headers: Headers) -> str:
    peer = (scope.get("client") or [""])[0]
    return client_address(peer, headers.get(b"x-forwarded-for", ""))


def _require_own_address(headers: Headers) -> None:
    """A page of another origin, or under a name that was made to point here, is no client of ours. Raises Forbidden."""
    host, origin = headers.get(b"host", ""), headers.get(b"origin", "")
    name = urlsplit(f"//{host}").hostname or ""
    if not validate_host(name, settings.ALLOWED_HOSTS) or (origin and origin not in settings.CSRF_TRUSTED_ORIGINS):
        raise Forbidden(params={"reason": "origin"})


async def _challenge(error: PatchbayError, scope: Any, headers: Headers) -> bytes:
    """The header WWW-Authenticate: where one signs in, or which scopes a client that did is to ask its member for."""
    team, slug, _ = scope[PLACE]
    host, path = headers.get(b"host", ""), agent_audience(team, slug)
    if error.status == 401:
        return (
            challenge(host, path, refused=b"authorization" in headers).encode() if path else b'Bearer realm="Patchbay"'
        )
    lacks = error.detail.get("scope") if error.status == 403 and isinstance(error.detail, dict) else None
    if not (path and isinstance(lacks, str)):
        return b""
    has = await in_thread(_granted, path, headers)
    return insufficient(host, path, [*has, lacks]).encode() if has else b""


def _granted(path: str, headers: Headers) -> list[str]:
    """The scopes that a member granted the client; none where it shows a token of the API, whose scopes stand."""
    text = headers.get(b"authorization", "").partition(" ")[2].strip()
    scopes: list[str] | None = (
        ApiToken.objects.filter(token_hash=hashed(text), audience=path).values_list("scopes", flat=True).first()
    )
    return scopes or []


async def _body(receive: Any) -> tuple[bytes, Any]:
    """(the body, from where it and what follows can be received once more). Raises TooLarge."""
    parts: list[bytes] = []
    size, more, left = 0, True, False
    while more:
        part = await receive()
        left = part["type"] != "http.request"
        parts.append(part.get("body", b""))
        size += len(parts[-1])
        more = not left and part.get("more_body", False)
        if size > BODY:
            raise TooLarge(params={"limit": BODY // 1024 // 1024})
    body = b"".join(parts)
    waiting: list[Any] = [{"type": "http.request", "body": body, "more_body": False}]
    if left:
        waiting.append({"type": "http.disconnect"})

    async def again() -> Any:
        return waiting.pop(0) if waiting else await receive()

    return body, again


def _language(headers: Headers) -> str:
    return "zh" if headers.get(b"accept-language", "").lower().startswith("zh") else "en"


class Answer:
    """Sends an answer with the headers that all answers of ours carry."""

    def __init__(self, send: Any, request_id: str, language: str) -> None:
        self._send = send
        self._begun = False
        self.request_id, self.language = request_id, language

    async def __call__(self, message: Any) -> None:
        """Send a part of the answer."""
        if message["type"] == "http.response.start":
            self._begun = True
            names = {name.lower() for name, _ in message.get("headers", ())}
            own = [*HEADERS, (b"x-request-id", self.request_id.encode())]
            added = [(name, value) for name, value in own if name not in names]
            # of the connection its server alone decides
            kept = [item for item in message.get("headers", ()) if item[0].lower() != b"connection"]
            message = {**message, "headers": [*kept, *added]}
        await self._send(message)

    async def method_not_allowed(self, method: str) -> None:
        """Say which method is answered here."""
        body = {"code": "METHOD_NOT_ALLOWED", "message": f"Only {method} is answered here."}
        await self._sent(405, body, [(b"allow", method.encode())])

    async def refuse(self, error: PatchbayError, challenge: bytes = b"") -> None:
        """Answer with the contract's error body; an answer that has begun ends as it is."""
        if self._begun:
            return
        headers = [(b"www-authenticate", challenge)] if challenge else []
        if error.status == 429:
            headers.append((b"retry-after", str(error.params.get("retry_after", 1)).encode()))
        await self._sent(error.status, error.as_json(self.language), headers)

    async def json(self, body: dict[str, Any]) -> None:
        """Answer with a body of the protocol."""
        await self._sent(200, body, [])

    async def _sent(self, status: int, body: dict[str, Any], headers: list[tuple[bytes, bytes]]) -> None:
        document = body if status == 200 else {**body, "request_id": self.request_id}
        text = json.dumps(document, ensure_ascii=False).encode()
        kind = (b"content-type", b"application/json")
        length = (b"content-length", str(len(text)).encode())
        await self({"type": "http.response.start", "status": status, "headers": [kind, length, *headers]})
        await self({"type": "http.response.body", "body": text})
