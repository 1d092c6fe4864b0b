"""HTTP for MCP: the guarded client, answering instead of raising, so that one bad POST does not end the session.

The SDK runs each POST in the task group of the whole connection: an exception there would cancel every call that
shares it. So a POST that failed becomes a JSON-RPC error for its own request, with the finished error in `Faults`; a
defect of ours as well, which its caller gets as it was raised.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import httpx2
import mcp  # noqa: F401 - whole before its parts, see backend.tools.mcp
from mcp.client.auth import OAuthFlowError
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from backend.errors import McpError, NetworkBlocked, PatchbayError, ResultTooLarge
from backend.errors.trouble import of_this_machine
from backend.net.client import GuardedClient, read_capped
from backend.net.rules import NetworkRules
from backend.net.urls import origin
from backend.tools.mcp.answers import masked_address, masked_headers, redirect_of, refusal_of, scopes_needed, unreadable
from backend.tools.mcp.faults import RAW_LIMIT, Faults, of_rpc, of_status, translate
from backend.tools.mcp.sessions import refused_session, rpc_error
from backend.tools.mcp.wire import Capture, Streams, current_capture, with_exchange
from backend.tools.servers import ServerConfig
from backend.tools.types import JsonObject

CONNECT_TIMEOUT_S = 15.0
READ_SLACK_S = 60.0
"""How much longer than a call's own timeout an HTTP read may last: if the read's ended first, it took the session."""
MAX_CALL_S = 3600.0
FAREWELL_S = 2.0
MOST_CONNECTIONS, SPARE_CONNECTIONS = 200, 20
"""A server's calls at once have a connection each; the spare ones are for streams, cancels and lists."""
_SILENT = (202, 204)
_FAILURES = (httpx2.TransportError, httpx2.DecodingError, OAuthFlowError, NetworkBlocked, ResultTooLarge, McpError)


class McpHttpClient(GuardedClient):
    """The guarded client for one MCP connection. `seen(method, status, content type)` watches for connection tests.

    `legacy_sse`: answers to POSTs are not read there, so a POST that failed ends the connection with its error kept.
    """

    def __init__(
        self,
        config: ServerConfig,
        rules: NetworkRules,
        faults: Faults,
        *,
        message_bytes: int,
        headers: Mapping[str, str] | None = None,
        seen: Callable[[str, int, str], None] | None = None,
        capture: Capture | None = None,
    ) -> None:
        read = max(MAX_CALL_S, config.timeout_s) + READ_SLACK_S
        super().__init__(
            rules,
            typed=config.typed_address,
            headers={**(headers or {}), **config.headers},
            timeout=httpx2.Timeout(CONNECT_TIMEOUT_S, read=read, write=60.0, pool=None),
            max_connections=max(MOST_CONNECTIONS, (config.calls or 0) + SPARE_CONNECTIONS),
        )
        self._origin = origin(config.url)
        self._faults = faults
        self._limit = message_bytes
        self._seen = seen
        self._capture = capture
        self._legacy_sse = config.transport == "sse"
        self._masker = config.masker()
        self._bearer = config.bearer
        self._credentials = config.auth_type != "none" or config.url_has_secret or bool(config.headers)

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send; of a POST every failure comes back as an answer."""
        if origin(request.url) != self._origin:
            self._strip(request)
        if request.method == "POST":
            self._faults.status = None
        if request.method == "DELETE":  # the farewell: no server may hold us up with it
            request.extensions["timeout"] = httpx2.Timeout(FAREWELL_S).as_dict()
        try:
            response = await self._sent(request, options)
            if request.method != "POST":
                await self._stream_refused(request, response)
                return response
            return await self._checked(request, response)
        except Exception as error:
            if request.method != "POST":
                if not isinstance(error, McpError):
                    raise
                return self._no_stream(request, error)
            if not isinstance(error, _FAILURES) or of_this_machine(error):
                return self._ours(request, error)
            return self._failed(request, translate(error, self._faults, calling=True))

    def _ours(self, request: httpx2.Request, error: Exception) -> httpx2.Response:
        """A defect, or what this machine lacks: kept as it is, so that it reaches the caller and ends no call."""
        if not self._legacy_sse:
            return self._answer(request, error)
        self._faults.break_by(error)
        return httpx2.Response(502, request=request)

    async def _sent(self, request: httpx2.Request, options: dict[str, Any]) -> httpx2.Response:
        """Send, with the token of a sign-in where there is one: renewed and tried once more where it is refused."""
        bearer = self._bearer if origin(request.url) == self._origin else None
        if bearer is None:
            response = await super().send(request, **options)
            self._note(request, response)
            return response
        token: str | None = await bearer.token()
        retried = False
        while token is not None:
            sent, request.headers["Authorization"] = token, f"Bearer {token}"
            response = await super().send(request, **options)
            self._note(request, response)
            if response.status_code not in (401, 403):
                return response
            scopes = scopes_needed(response.headers)
            if response.status_code == 403 and scopes is None:
                return response
            await response.aclose()
            if scopes is None:
                token = await bearer.renewed(sent)
                continue
            token = None if retried else await bearer.stepped_up(sent, scopes)
            if token is None:
                raise self._evident(await bearer.lacks(scopes), response)
            retried = True
        raise self._evident(bearer.refused(), response)

    def _no_stream(self, request: httpx2.Request, error: McpError) -> httpx2.Response:
        """What is no POST lacks a token: of a sign-in that ended the POSTs tell, a stream is just not there."""
        if self._legacy_sse:
            self._faults.finish(error)
        return httpx2.Response(401, request=request)

    def _strip(self, request: httpx2.Request) -> None:
        for name in self.headers:
            request.headers.pop(name, None)

    def _note(self, request: httpx2.Request, response: httpx2.Response) -> None:
        if request.method == "POST":
            self._faults.status = response.status_code
        for capture in {id(value): value for value in (self._capture, current_capture()) if value is not None}.values():
            capture.exchange(self._exchange(request, response))
        if self._seen is not None:
            self._seen(request.method, response.status_code, response.headers.get("content-type", ""))

    def _exchange(self, request: httpx2.Request, response: httpx2.Response) -> JsonObject:
        """Status and headers for people who ask why."""
        return {
            "method": request.method,
            "url": masked_address(str(request.url), self._masker),
            "sent": masked_headers(request.headers, self._masker),
            "status": response.status_code,
            "headers": masked_headers(response.headers, self._masker),
        }

    async def _checked(self, request: httpx2.Request, response: httpx2.Response) -> httpx2.Response:
        status, kind = response.status_code, response.headers.get("content-type", "").lower()
        if status in _SILENT or (status < 300 and kind.startswith("text/event-stream")):
            return response
        if self._legacy_sse and status < 300:
            return response
        if 300 <= status < 400:
            await response.aclose()
            return self._failed(request, redirect_of(request, response, self._masker), response)
        body = await read_capped(response, self._limit)
        raw = self._masker.head(body[: 2 * RAW_LIMIT].decode("utf-8", "replace"), RAW_LIMIT)
        if status >= 400:
            return self._refused(request, response, body, raw)
        error = unreadable(kind, body, raw)
        if error is not None:
            return self._failed(request, error, response)
        return self._rebuilt(request, response, body)

    async def _stream_refused(self, request: httpx2.Request, response: httpx2.Response) -> None:
        """Legacy SSE begins with a GET: say why it was refused, the SDK keeps the status alone."""
        status = response.status_code
        if not self._legacy_sse or request.method != "GET" or status < 300:
            return
        if status < 400:
            self._faults.finish(self._evident(redirect_of(request, response, self._masker), response))
            return
        body = await read_capped(response, self._limit)
        raw = self._masker.head(body[: 2 * RAW_LIMIT].decode("utf-8", "replace"), RAW_LIMIT)
        known = refusal_of(response, raw, self._masker, credentials=self._credentials)
        error = known or of_status(status, had_credentials=self._credentials, raw=raw)
        self._faults.finish(self._evident(error, response))

    def _refused(self, request: httpx2.Request, response: httpx2.Response, body: bytes, raw: str) -> httpx2.Response:
        known = refusal_of(response, raw, self._masker, credentials=self._credentials)
        if known is not None:
            return self._failed(request, known, response)
        status = response.status_code
        error = of_status(status, had_credentials=self._credentials, raw=raw)
        own = rpc_error(body)
        if "mcp-session-id" in request.headers and not self._legacy_sse:
            answer = self._evident(error if own is None else of_rpc(own, self._faults), response)
            lost = refused_session(status, body, answer, {"http_status": status, "raw": raw})
            if lost is not None:
                return self._failed(request, lost, response)
        if status not in (401, 403) and b'"jsonrpc"' in body and not self._legacy_sse:
            if own is not None:  # the server's own error says more than the status, which stands beside it
                body = with_exchange(body, self._evidence(response))
            return self._rebuilt(request, response, body)
        return self._failed(request, error, response)

    def _evidence(self, response: httpx2.Response) -> JsonObject:
        """Status and headers of an answer, as people may see them."""
        return {"http_status": response.status_code, "headers": masked_headers(response.headers, self._masker)}

    def _evident(self, error: PatchbayError, response: httpx2.Response) -> PatchbayError:
        """The error with the answer's status and headers in its detail."""
        if error.detail is None or isinstance(error.detail, dict):
            error.detail = {**(error.detail or {}), **self._evidence(response)}
        return error

    @staticmethod
    def _rebuilt(request: httpx2.Request, response: httpx2.Response, body: bytes) -> httpx2.Response:
        gone = ("content-encoding", "content-length", "transfer-encoding")
        headers = [(name, value) for name, value in response.headers.multi_items() if name.lower() not in gone]
        return httpx2.Response(response.status_code, headers=headers, content=body, request=request)

    def _failed(
        self, request: httpx2.Request, error: PatchbayError, response: httpx2.Response | None = None
    ) -> httpx2.Response:
        if response is not None:
            self._evident(error, response)
        if self._legacy_sse:
            self._faults.finish(error)
            return httpx2.Response(502, request=request)
        return self._answer(request, error)

    def _answer(self, request: httpx2.Request, error: Exception) -> httpx2.Response:
        """An answer for the SDK that stands for `error`."""
        answer = {"jsonrpc": "2.0", "id": None, "error": self._faults.put(error).model_dump()}
        return httpx2.Response(400, json=answer, request=request)


def http_streams(
    config: ServerConfig,
    rules: NetworkRules,
    faults: Faults,
    *,
    message_bytes: int,
    seen: Callable[[str, int, str], None] | None = None,
    capture: Capture | None = None,
) -> AbstractAsyncContextManager[Streams]:
    """The streams of a connection over streamable HTTP or legacy SSE."""

    def client(
        headers: Mapping[str, str] | None = None,
        timeout: httpx2.Timeout | None = None,
        auth: httpx2.Auth | None = None,
    ) -> McpHttpClient:
        return McpHttpClient(
            config, rules, faults, message_bytes=message_bytes, headers=headers, seen=seen, capture=capture
        )

    if config.transport == "sse":
        return sse_client(config.url, httpx_client_factory=client)
    return _streamable(config, client(), message_bytes)


@asynccontextmanager
async def _streamable(config: ServerConfig, client: McpHttpClient, message_bytes: int) -> AsyncGenerator[Streams, None]:
    async with (
        client,
        streamable_http_client(config.url, http_client=client, max_sse_event_size=message_bytes) as streams,
    ):
        yield streams
