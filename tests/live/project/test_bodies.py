"""A body that is too long is refused before it is read, in the words of the API, and the client gets to hear it."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator

import pytest

from tests.instance import Installation, installation

MB = 1024 * 1024
WORDS = {"code", "message", "detail", "hint", "fields", "request_id"}


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """Takes documents of 3 MB and files of 2."""
    limits = {"PATCHBAY_MAX_GRAPH_MB": "1", "PATCHBAY_MAX_BLOB_MB": "1"}
    created = installation(tmp_path_factory.mktemp("bodies"), extra=limits).start()
    yield created
    created.kill()


def head(path: str, *lines: str) -> bytes:
    start = (f"POST {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json")
    return "\r\n".join((*start, *lines, "", "")).encode()


def answer(connection: socket.socket) -> tuple[int, bytes]:
    reply = http.client.HTTPResponse(connection)
    reply.begin()
    return reply.status, reply.read()


def connected(instance: Installation) -> socket.socket:
    return socket.create_connection(("127.0.0.1", instance.port), timeout=10)


def test_the_length_alone_is_enough(instance: Installation) -> None:
    with connected(instance) as connection:
        connection.sendall(head("/api/workflows", f"Content-Length: {900 * MB}", "Accept-Language: zh-CN"))
        status, text = answer(connection)
    body = json.loads(text)
    assert (status, body["code"], set(body)) == (413, "TOO_LARGE", WORDS)
    assert "3" in body["message"] and not body["message"].isascii()


def test_a_client_that_waits_for_leave_is_not_told_to_go_on(instance: Installation) -> None:
    with connected(instance) as connection:
        connection.sendall(head("/api/workflows", f"Content-Length: {4 * MB}", "Expect: 100-continue"))
        assert answer(connection)[0] == 413


@pytest.mark.parametrize("path", ["/api/workflows", "/api/files"])
def test_a_client_that_sends_it_all_hears_the_answer(instance: Installation, path: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", instance.port, timeout=20)
    connection.request("POST", path, b"x" * 20 * MB)
    assert connection.getresponse().status == 413
    connection.close()


def test_chunks_are_counted(instance: Installation) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", instance.port, timeout=20)
    connection.request("POST", "/api/workflows", iter([b"x" * MB] * 5), encode_chunked=True)
    assert connection.getresponse().status == 413
    connection.close()


def test_what_fits_is_taken(instance: Installation) -> None:
    token = instance.token()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection = http.client.HTTPConnection("127.0.0.1", instance.port, timeout=20)
    for length in (10, 700_000):
        connection.request("POST", "/api/workflows", json.dumps({"name": "W", "description": "x" * length}), headers)
        reply = connection.getresponse()
        text = reply.read()
        assert reply.status == (201 if length == 10 else 400), text  # the same connection, the view's own limit
    connection.close()
