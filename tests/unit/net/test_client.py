"""The guarded client: what SSRF tricks meet, redirects, size caps, TLS, the proxy."""

from __future__ import annotations

import asyncio
import gzip
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from backend.errors import NetworkBlocked, ResultTooLarge
from backend.net.client import GuardedClient, checked_addresses, read_capped
from backend.net.rules import NetworkRules
from tests.certificates import certificate

OPEN = NetworkRules(loopback_for_typed=True)
Answer = Callable[[str, dict[str, str]], bytes]


def ok(body: bytes = b"fine", **headers: str) -> bytes:
    """A 200."""
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 200 OK\r\ncontent-length: {len(body)}\r\n{lines}connection: close\r\n\r\n".encode() + body


def moved(where: str, status: int = 302) -> bytes:
    """A redirect."""
    return f"HTTP/1.1 {status} X\r\nlocation: {where}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".encode()


@asynccontextmanager
async def server(answer: Answer, context: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """An HTTP server on loopback; gives its port."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
        writer.write(answer(head[0].split(" ")[1], headers))
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context) as listening:
        yield listening.sockets[0].getsockname()[1]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """A resolver of our own: name → addresses, popped one list per question."""
    table: dict[str, list[str]] = {}

    async def lookup(self: Any, host: str, port: int, **_: Any) -> list[tuple[Any, ...]]:
        if host not in table:
            raise socket.gaierror(-2, "Name or service not known")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in table[host]]

    monkeypatch.setattr("asyncio.base_events.BaseEventLoop.getaddrinfo", lookup)
    return table


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:9/",
        "http://localhost:9/",
        "http://2130706433:9/",
        "http://0x7f000001:9/",
        "http://0x7f.1:9/",
        "http://127.1:9/",
        "http://0.0.0.0:9/",
        "http://[::1]:9/",
        "http://[::]:9/",
        "http://[::ffff:127.0.0.1]:9/",
        "http://[::ffff:7f00:1]:9/",
        "http://[64:ff9b::7f00:1]:9/",
        "http://[2002:7f00:1::]:9/",
        "http://169.254.169.254/latest/meta-data/",
        "http://10.0.0.1/",
        "http://192.168.0.1/",
        "http://100.64.0.1/",
        "http://[fd00:ec2::254]/",
    ],
)
async def test_an_address_that_is_not_public_is_blocked_however_it_is_spelt(url: str) -> None:
    async with GuardedClient(NetworkRules(loopback_for_typed=True)) as client:
        with pytest.raises(NetworkBlocked) as caught:
            await client.get(url)
    assert caught.value.params["host"] in url


@pytest.mark.parametrize("host", ["0177.0.0.1", "0x7f.0.0.1", "2130706433", "localhost", "127.1"])
async def test_odd_spellings_that_the_resolver_understands_are_checked_by_what_they_mean(host: str) -> None:
    with pytest.raises(NetworkBlocked):
        await checked_addresses(NetworkRules(), host, 80, typed=False)


async def test_the_error_names_the_host_and_the_setting() -> None:
    async with GuardedClient(NetworkRules()) as client:
        with pytest.raises(NetworkBlocked) as caught:
            await client.get("http://10.0.0.1/")
    message, hint = caught.value.text("en")
    assert "10.0.0.1" in message and "PATCHBAY_OUTBOUND_ALLOW" in hint


async def test_a_name_with_one_private_address_among_public_ones_is_blocked(names: dict[str, list[str]]) -> None:
    names["mixed.example"] = ["93.184.216.34", "10.0.0.1"]
    async with GuardedClient(NetworkRules()) as client:
        with pytest.raises(NetworkBlocked):
            await client.get("http://mixed.example/")


async def test_the_checked_address_is_the_one_connected_to(
    names: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    names["rebind.example"] = ["93.184.216.34"]
    reached: list[str] = []

    async def connect(self: Any, host: str, *_: Any) -> Any:
        reached.append(host)
        names["rebind.example"] = ["127.0.0.1"]  # the name changes its mind after the check
        raise httpx2.ConnectError("enough")

    monkeypatch.setattr("httpcore2.AnyIOBackend.connect_tcp", connect)
    async with GuardedClient(NetworkRules()) as client:
        with pytest.raises(httpx2.ConnectError):
            await client.get("http://rebind.example/")
        assert reached == ["93.184.216.34"]
        with pytest.raises(NetworkBlocked):
            await client.get("http://rebind.example/")


async def test_typed_loopback_is_reached_and_our_own_port_is_not() -> None:
    async with server(lambda path, headers: ok()) as port:
        async with GuardedClient(OPEN, typed=True) as client:
            assert (await client.get(f"http://127.0.0.1:{port}/")).text == "fine"
        async with GuardedClient(OPEN) as client:
            with pytest.raises(NetworkBlocked):
                await client.get(f"http://127.0.0.1:{port}/")
        ours = NetworkRules(loopback_for_typed=True, own_ports=(port,), allow=("127.0.0.1",))
        async with GuardedClient(ours, typed=True) as client:
            with pytest.raises(NetworkBlocked) as caught:
                await client.get(f"http://localhost:{port}/")
    assert caught.value.params["reason"] == "own_port"


async def test_a_redirect_to_another_origin_is_not_followed_and_gets_no_credentials() -> None:
    seen: list[dict[str, str]] = []

    def other(path: str, headers: dict[str, str]) -> bytes:
        seen.append(headers)
        return ok()

    async with (
        server(other) as elsewhere,
        server(lambda p, h: moved(f"http://127.0.0.1:{elsewhere}/")) as port,
        GuardedClient(OPEN, typed=True, headers={"Authorization": "Bearer secret"}) as client,
    ):
        answer = await client.get(f"http://127.0.0.1:{port}/", follow_redirects=True)
    assert answer.status_code == 302 and seen == []


async def test_a_redirect_to_the_metadata_service_is_not_followed() -> None:
    away = server(lambda p, h: moved("http://169.254.169.254/latest/"))
    async with away as port, GuardedClient(OPEN, typed=True) as client:
        assert (await client.get(f"http://127.0.0.1:{port}/")).status_code == 302


async def test_a_redirect_within_the_origin_keeps_headers_and_a_circle_ends() -> None:
    def answer(path: str, headers: dict[str, str]) -> bytes:
        if path == "/circle":
            return moved("/circle")
        return moved("/there") if path == "/here" else ok(headers["x-key"].encode())

    async with server(answer) as port, GuardedClient(OPEN, typed=True, headers={"X-Key": "k"}) as client:
        assert (await client.get(f"http://127.0.0.1:{port}/here")).text == "k"
        assert (await client.get(f"http://127.0.0.1:{port}/circle")).status_code == 302


async def test_bodies_are_capped_compressed_ones_too() -> None:
    small = NetworkRules(loopback_for_typed=True, max_response_bytes=1000)

    def answer(path: str, headers: dict[str, str]) -> bytes:
        return ok(gzip.compress(bytes(10_000_000)), content_encoding="gzip") if path == "/bomb" else ok(bytes(2000))

    async with server(answer) as port:
        async with GuardedClient(small, typed=True) as client:
            with pytest.raises(ResultTooLarge):
                await client.get(f"http://127.0.0.1:{port}/")
        bomb = f"http://127.0.0.1:{port}/bomb"
        async with GuardedClient(OPEN, typed=True) as client, client.stream("GET", bomb) as response:
            with pytest.raises(ResultTooLarge):
                await read_capped(response, 1_000_000)


async def test_other_schemes_unknown_names_and_refused_ports_are_plain_errors() -> None:
    async with GuardedClient(OPEN, typed=True) as client:
        with pytest.raises(httpx2.UnsupportedProtocol):
            await client.get("ftp://example.org/")
        with pytest.raises(httpx2.ConnectError):
            await client.get("http://127.0.0.1:9/")
        with pytest.raises(httpx2.ConnectError):
            await client.get("http://no-such-name.invalid/")


async def test_the_environment_names_no_proxy_for_us(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with server(lambda p, h: ok()) as port, GuardedClient(OPEN, typed=True) as client:
        assert (await client.get(f"http://127.0.0.1:{port}/")).text == "fine"


async def test_the_operators_proxy_is_used_and_private_hosts_stay_blocked(names: dict[str, list[str]]) -> None:
    requests: list[str] = []

    def proxy(path: str, headers: dict[str, str]) -> bytes:
        requests.append(path)
        return ok(b"by proxy")

    async with server(proxy) as port:
        names["public.example"] = ["93.184.216.34"]
        names["private.example"] = ["10.0.0.1"]
        names["127.0.0.1"] = ["127.0.0.1"]
        async with GuardedClient(
            NetworkRules(("known-to-the-proxy.example",), proxy=f"http://127.0.0.1:{port}")
        ) as client:
            assert (await client.get("http://public.example/x")).text == "by proxy"
            assert (await client.get("http://known-to-the-proxy.example/y")).text == "by proxy"
            for host in ("private.example", "only-the-proxy-knows.example"):
                with pytest.raises(NetworkBlocked):
                    await client.get(f"http://{host}/")
    assert requests == ["http://public.example/x", "http://known-to-the-proxy.example/y"]


async def test_behind_a_proxy_a_name_is_checked_in_the_letters_in_which_it_is_sent(names: dict[str, list[str]]) -> None:
    """One reader of names makes two words of these letters, another keeps them: both must mean the same name."""
    async with server(lambda path, headers: ok(b"by proxy")) as port:
        names |= {"xn--fa-hia.example": ["10.0.0.1"], "fass.example": ["93.184.216.34"], "127.0.0.1": ["127.0.0.1"]}
        async with GuardedClient(NetworkRules(proxy=f"http://127.0.0.1:{port}")) as client:
            with pytest.raises(NetworkBlocked):
                await client.get("http://faß.example/")


async def test_certificates_are_checked_and_an_authority_of_ones_own_can_be_named(tmp_path: Path) -> None:
    certificate_file, key_file = certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate_file, key_file)
    async with server(lambda p, h: ok(), context) as port:
        async with GuardedClient(OPEN, typed=True) as client:
            with pytest.raises(httpx2.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
                await client.get(f"https://127.0.0.1:{port}/")
        trusting = NetworkRules(loopback_for_typed=True, ca_file=str(certificate_file))
        async with GuardedClient(trusting, typed=True) as client:
            assert (await client.get(f"https://127.0.0.1:{port}/")).text == "fine"
