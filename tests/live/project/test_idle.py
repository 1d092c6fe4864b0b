"""What asks for nothing is not held without end: half requests, sockets of one token, of one person."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator

import pytest

from tests.instance import Installation, installation

pytestmark = pytest.mark.wide

IDLE = 32


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """Holds 32 connections without a request, 5 sockets of a token and 8 of a person."""
    limits = {
        "PATCHBAY_IDLE_CONNECTIONS": str(IDLE),
        "PATCHBAY_SOCKETS_PER_TOKEN": "5",
        "PATCHBAY_SOCKETS_PER_PERSON": "8",
    }
    created = installation(tmp_path_factory.mktemp("idle"), extra=limits).start()
    yield created
    created.kill()


def connected(instance: Installation) -> socket.socket:
    return socket.create_connection(("127.0.0.1", instance.port), timeout=20)


def status(connection: socket.socket) -> int:
    reply = http.client.HTTPResponse(connection)
    reply.begin()
    return reply.status


def is_closed(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize("beginning", [b"", b"GET /api/health HTTP/1.1\r\nHost: local", b"POST /api/me HTTP/1.1\r\n"])
def test_half_open_connections_give_way_and_others_are_answered(instance: Installation, beginning: bytes) -> None:
    held = []
    for _ in range(200):
        connection = connected(instance)
        connection.sendall(beginning)
        held.append(connection)
    request = http.client.HTTPConnection("127.0.0.1", instance.port, timeout=20)
    request.request("GET", "/api/health")
    assert request.getresponse().status == 200
    for connection in held[: 200 - IDLE]:
        assert is_closed(connection)
    last = held[-1]
    last.sendall(b"GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n" if not beginning else b"")
    if not beginning:
        assert status(last) == 200, "who has just come is not the one to go"
    for connection in held:
        connection.close()
    request.close()


def websocket(instance: Installation, token: str) -> tuple[socket.socket, int]:
    """A socket's connection, and what its handshake was answered."""
    connection = connected(instance)
    lines = (
        *("GET /ws/ HTTP/1.1", f"Host: localhost:{instance.port}", "Connection: Upgrade", "Upgrade: websocket"),
        *("Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", f"Authorization: Bearer {token}"),
    )
    connection.sendall("\r\n".join((*lines, "", "")).encode())
    return connection, status(connection)


def another_token(instance: Installation, token: str) -> str:
    request = http.client.HTTPConnection("127.0.0.1", instance.port, timeout=20)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request.request("POST", "/api/tokens", json.dumps({"name": "other"}), headers)
    created = json.loads(request.getresponse().read())
    request.close()
    return str(created["token"])


def test_a_token_and_a_person_hold_so_many_sockets_and_no_more(instance: Installation) -> None:
    one = instance.token()
    other = another_token(instance, one)
    opened = [websocket(instance, one) for _ in range(7)]
    assert [answer for _, answer in opened] == [101] * 5 + [403] * 2
    opened += [websocket(instance, other) for _ in range(5)]
    assert [answer for _, answer in opened[7:]] == [101] * 3 + [403] * 2, "of all the person's tokens together"
    for connection, _ in opened:
        connection.close()
    again = []
    for _ in range(100):  # each try is a request, so it waits for the server, not for a time
        again.append(websocket(instance, one))
        if again[-1][1] == 101:
            break
    assert again[-1][1] == 101, "what was closed makes room"
    for connection, _ in again:
        connection.close()
