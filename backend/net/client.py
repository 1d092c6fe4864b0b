"""The one guarded HTTP client: every URL that a person, a document or a model can influence goes through here.

The check sits where the connection is made, on the resolved addresses: all of them must be allowed, and the one that
was checked is the one connected to. So neither a clever spelling of an address nor a name that changes its mind nor a
redirect gets round it. What is refused raises NetworkBlocked naming the host and the setting that would allow it.

Credentials (any header given for one origin) never follow to another: this client follows redirects itself, within
the origin only.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import socket
import ssl
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Mapping
from functools import lru_cache
from typing import Any

import httpcore2
import httpx2
from httpx2 import AsyncBaseTransport, AsyncByteStream

from backend.errors import NetworkBlocked, ResultTooLarge
from backend.net import fence, traces
from backend.net.rules import Address, NetworkRules
from backend.net.urls import origin

logging.getLogger("httpx2").setLevel(logging.WARNING)  # it logs whole URLs, and ours may hold secrets

MAX_REDIRECTS = 5
_MEBI = 1024 * 1024

_EXCEPTIONS: tuple[tuple[type[Exception], type[httpx2.TransportError]], ...] = (
    (httpcore2.ConnectTimeout, httpx2.ConnectTimeout),
    (httpcore2.ReadTimeout, httpx2.ReadTimeout),
    (httpcore2.WriteTimeout, httpx2.WriteTimeout),
    (httpcore2.PoolTimeout, httpx2.PoolTimeout),
    (httpcore2.ConnectError, httpx2.ConnectError),
    (httpcore2.ReadError, httpx2.ReadError),
    (httpcore2.WriteError, httpx2.WriteError),
    (httpcore2.ProxyError, httpx2.ProxyError),
    (httpcore2.UnsupportedProtocol, httpx2.UnsupportedProtocol),
    (httpcore2.LocalProtocolError, httpx2.LocalProtocolError),
    (httpcore2.RemoteProtocolError, httpx2.RemoteProtocolError),
)


_CORE = tuple(core for core, _ in _EXCEPTIONS)


def _as_httpx(error: Exception) -> httpx2.TransportError:
    for core, outer in _EXCEPTIONS:
        if isinstance(error, core):
            return outer(str(error))
    return httpx2.TransportError(str(error))


class NameNotFound(httpcore2.ConnectError):
    """The host has no address."""


def blocked(host: str, port: int, why: str) -> NetworkBlocked:
    """The error for a refused address; `why` = "own_port", "loopback", "private" or "unix"."""
    return NetworkBlocked(params={"reason": why, "host": host, "port": port})


async def resolve(host: str, port: int) -> list[Address]:
    """All addresses of `host`, in the resolver's order, without repeats. Raises NameNotFound."""
    try:
        addresses = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError) as error:
        raise NameNotFound(f"{host}: {error}") from error
    texts = dict.fromkeys(str(info[4][0]).split("%", 1)[0] for info in addresses)
    return [ipaddress.ip_address(text) for text in texts]


async def checked_addresses(rules: NetworkRules, host: str, port: int, *, typed: bool) -> list[Address]:
    """The addresses of `host`, all of them allowed. Raises NetworkBlocked, NameNotFound."""
    addresses = await resolve(host, port)
    for address in addresses:
        why = rules.refusal(host, port, address, typed=typed)
        if why is not None:
            raise blocked(host, port, why)
    return addresses


class GuardedBackend(httpcore2.AsyncNetworkBackend):
    """Opens connections to checked addresses only."""

    def __init__(self, rules: NetworkRules, *, typed: bool, trusted: tuple[str, int] | None = None) -> None:
        self._rules, self._typed, self._trusted = rules, typed, trusted
        self._inner = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Connect to the first address that answers; none is tried unless all are allowed."""
        if (host, port) == self._trusted:  # the operator's own proxy
            return await self._inner.connect_tcp(host, port, timeout, local_address, socket_options)
        addresses = await checked_addresses(self._rules, host, port, typed=self._typed)
        failed: Exception = httpcore2.ConnectError(f"{host} has no address")
        for address in addresses:
            try:
                return await self._inner.connect_tcp(str(address), port, timeout, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failed = error
        raise failed

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Never."""
        raise blocked(path, 0, "unix")

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await self._inner.sleep(seconds)


class _Capped(AsyncByteStream):
    """A response body that may not grow over `limit` bytes (None = a long-lived event stream, bounded per event)."""

    def __init__(self, inner: AsyncIterable[bytes], limit: int | None) -> None:
        self._inner, self._limit = inner, limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        seen = 0
        try:
            async for part in self._inner:
                seen += len(part)
                if self._limit is not None and seen > self._limit:
                    raise ResultTooLarge(params={"limit": self._limit // _MEBI})
                yield part
        except _CORE as error:
            raise _as_httpx(error) from error

    async def aclose(self) -> None:
        close = getattr(self._inner, "aclose", None)
        if close is not None:
            await close()


class GuardedTransport(AsyncBaseTransport):
    """An httpx2 transport over an httpcore2 pool with the guarded backend; through the operator's proxy where set.

    With a proxy the proxy resolves names, so the host is checked here first, by its name and by what it resolves to. A
    name that only the proxy knows is reached where the operator allows it by name.
    """

    def __init__(self, rules: NetworkRules, *, typed: bool = False, max_connections: int = 200) -> None:
        self._rules, self._typed = rules, typed
        proxy = httpx2.URL(rules.proxy) if rules.proxy else None
        trusted = origin(proxy)[1:] if proxy is not None else None
        self._direct = self._pool(GuardedBackend(rules, typed=typed), None, max_connections)
        self._proxied = (
            None
            if proxy is None
            else self._pool(GuardedBackend(rules, typed=typed, trusted=trusted), proxy, max_connections)
        )

    def _pool(
        self, backend: GuardedBackend, proxy: httpx2.URL | None, max_connections: int
    ) -> httpcore2.AsyncConnectionPool:
        auth = None
        if proxy is not None and proxy.userinfo:
            auth = (proxy.username.encode(), proxy.password.encode())
        return httpcore2.AsyncConnectionPool(
            ssl_context=tls_context(self._rules.ca_file),
            proxy=None if proxy is None else httpcore2.Proxy(str(proxy.copy_with(userinfo=b"")), auth=auth),
            max_connections=max_connections,
            max_keepalive_connections=20,
            keepalive_expiry=30.0,
            network_backend=backend,
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request. Raises httpx2.TransportError, NetworkBlocked, ResultTooLarge (while reading)."""
        scheme, host, port = origin(request.url)
        if scheme not in ("http", "https"):
            raise httpx2.UnsupportedProtocol(f"{scheme} is not allowed")
        core = httpcore2.Request(
            method=request.method,
            url=httpcore2.URL(
                scheme=request.url.raw_scheme,
                host=request.url.raw_host,
                port=request.url.port,
                target=request.url.raw_path,
            ),
            headers=traces.with_header(request.headers.raw),
            content=request.stream,
            extensions=fence.extended(dict(request.extensions)),
        )
        try:
            answer = await (await self._route(host, port)).handle_async_request(core)
        except _CORE as error:
            raise _as_httpx(error) from error
        stream = answer.stream
        if not isinstance(stream, AsyncIterable):
            raise httpx2.RemoteProtocolError("the answer cannot be read")
        headers = httpx2.Headers(answer.headers)
        events = headers.get("content-type", "").lower().startswith("text/event-stream")
        limit = None if events else self._rules.max_response_bytes
        return httpx2.Response(
            answer.status, headers=headers, stream=_Capped(stream, limit), extensions=answer.extensions
        )

    async def _route(self, host: str, port: int) -> httpcore2.AsyncConnectionPool:
        if self._proxied is None:
            return self._direct
        try:
            addresses = await checked_addresses(self._rules, host, port, typed=self._typed)
        except NameNotFound:
            if not self._rules.host_allowed(host):  # where the proxy would lead cannot be checked, so it is to be named
                raise blocked(host, port, "unresolved") from None
            return self._proxied
        return self._direct if any(address.is_loopback for address in addresses) else self._proxied

    async def aclose(self) -> None:
        """Close all connections."""
        await self._direct.aclose()
        if self._proxied is not None:
            await self._proxied.aclose()


@lru_cache(maxsize=4)
def tls_context(ca_file: str) -> ssl.SSLContext:
    """Trust of the operating system, and of `ca_file` where given."""
    context = ssl.create_default_context()
    if ca_file:
        context.load_verify_locations(ca_file)
    return context


class GuardedClient(httpx2.AsyncClient):
    """An httpx2 client over the guarded transport: no environment proxies, no cookies kept, redirects within the
    origin only (each hop is connected anew, so checked anew)."""

    def __init__(
        self,
        rules: NetworkRules,
        *,
        typed: bool = False,
        headers: Mapping[str, str] | None = None,
        timeout: httpx2.Timeout | float = 30.0,
        auth: httpx2.Auth | None = None,
        max_connections: int = 200,
    ) -> None:
        super().__init__(
            transport=GuardedTransport(rules, typed=typed, max_connections=max_connections),
            headers={"Accept-Encoding": "identity", **(headers or {})},
            timeout=timeout,
            auth=auth,
            trust_env=False,
            follow_redirects=False,
            max_redirects=MAX_REDIRECTS,
        )

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send, following redirects that stay within the origin and keep the method (or are of a GET)."""
        options["follow_redirects"] = False
        for _ in range(MAX_REDIRECTS):
            response = await super().send(request, **options)
            following = response.next_request
            if following is None or not _may_follow(request, following):
                return response
            await response.aclose()
            request = following
        return await super().send(request, **options)


def no_header_holds(error: BaseException) -> bool:
    """Whether an error says that the text of a header has characters that none can carry."""
    return isinstance(error, UnicodeEncodeError) and error.encoding == "ascii"


async def read_capped(response: httpx2.Response, limit: int) -> bytes:
    """The decoded body, at most `limit` bytes of it (a small compressed body may be a large one). Closes the response.

    Raises ResultTooLarge, httpx2.TransportError.
    """
    parts, size = [], 0
    try:
        async for part in response.aiter_bytes():
            size += len(part)
            if size > limit:
                raise ResultTooLarge(params={"limit": limit // _MEBI})
            parts.append(part)
    finally:
        await response.aclose()
    return b"".join(parts)


def _may_follow(sent: httpx2.Request, following: httpx2.Request) -> bool:
    if following.url.userinfo or following.method != sent.method:
        return False
    here, there = origin(sent.url), origin(following.url)
    upgrade = here[1] == there[1] and (here[0], here[2]) == ("http", 80) and (there[0], there[2]) == ("https", 443)
    return here == there or upgrade
