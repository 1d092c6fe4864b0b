"""A second look at an address where a connection test failed: what does it speak instead of what was said?

Each look asks the address once, through the same guards as the test, and says nothing where it finds nothing.
"""

from __future__ import annotations

import logging
import ssl

import httpcore2
import httpx2

from backend.errors import McpAuthFailed, McpUnreachable, PatchbayError
from backend.net.client import GuardedBackend, GuardedClient, read_capped
from backend.net.rules import NetworkRules
from backend.net.urls import origin
from backend.tools.servers import ServerConfig
from backend.version import VERSION

logger = logging.getLogger(__name__)

LOOK_S = 5.0
_MOST = 1024 * 1024
_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "patchbay", "version": VERSION},
    },
}
_FAILURES = (httpx2.HTTPError, httpcore2.ConnectError, httpcore2.ConnectTimeout, OSError, PatchbayError)


async def second_look(
    config: ServerConfig, network: NetworkRules, error: PatchbayError, statuses: set[int]
) -> PatchbayError:
    """`error`, or what says more than it. `statuses` = those that POSTs were answered with."""
    if isinstance(error, McpAuthFailed) or error.params.get("reason") in ("host_guard", "redirect", "redirect_https"):
        return error
    reason = None
    if config.transport == "sse" and await _is_streamable(config, network):
        reason = "is_streamable"
    elif config.transport == "http" and statuses & {400, 404, 405} and await _is_sse(config, network):
        reason = "is_sse"
    elif error.params.get("reason") in ("dropped", "not_http", "closed") and await _is_https(config, network):
        reason = "is_https"
    return error if reason is None else McpUnreachable(params={"reason": reason}, detail=error.detail)


def _client(config: ServerConfig, network: NetworkRules, accept: str) -> GuardedClient:
    headers = {**config.headers, "Accept": accept}
    return GuardedClient(network, typed=config.typed_address, headers=headers, timeout=LOOK_S)


async def _is_sse(config: ServerConfig, network: NetworkRules) -> bool:
    """Whether a GET is answered with a stream of events."""
    try:
        async with (
            _client(config, network, "text/event-stream") as client,
            client.stream("GET", config.url) as response,
        ):
            kind = response.headers.get("content-type", "")
            return response.status_code == 200 and kind.startswith("text/event-stream")
    except _FAILURES:
        logger.debug("looking for legacy SSE failed", exc_info=True)
        return False


async def _is_streamable(config: ServerConfig, network: NetworkRules) -> bool:
    """Whether a greeting that is posted is answered as streamable HTTP answers it."""
    try:
        async with (
            _client(config, network, "application/json, text/event-stream") as client,
            client.stream("POST", config.url, json=_INITIALIZE) as response,
        ):
            if response.status_code != 200:
                return False
            if response.headers.get("content-type", "").startswith("text/event-stream"):
                return True
            return b'"jsonrpc"' in await read_capped(response, _MOST)
    except _FAILURES:
        logger.debug("looking for streamable HTTP failed", exc_info=True)
        return False


async def _is_https(config: ServerConfig, network: NetworkRules) -> bool:
    """Whether the port of an http address speaks TLS. Nothing is sent, so no certificate needs to be checked."""
    scheme, host, port = origin(config.url)
    if scheme != "http" or network.proxy:
        return False
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        stream = await GuardedBackend(network, typed=config.typed_address).connect_tcp(host, port, timeout=LOOK_S)
        try:
            await (await stream.start_tls(context, server_hostname=host, timeout=LOOK_S)).aclose()
        finally:
            await stream.aclose()
    except (*_FAILURES, ssl.SSLError):
        return False
    return True


async def speaks_http(network: NetworkRules, host: str, port: int, *, typed: bool) -> bool:
    """Whether the port of an https address answers in plain HTTP. Nothing of the server's settings is sent."""
    try:
        stream = await GuardedBackend(network, typed=typed).connect_tcp(host, port, timeout=LOOK_S)
        try:
            await stream.write(f"GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode(), timeout=LOOK_S)
            return (await stream.read(16, timeout=LOOK_S)).startswith(b"HTTP/")
        finally:
            await stream.aclose()
    except (*_FAILURES, httpcore2.NetworkError, httpcore2.TimeoutException):
        return False
