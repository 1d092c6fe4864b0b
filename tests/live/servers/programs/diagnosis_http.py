"""An HTTP server that fails MCP clients in the ways that hosts, proxies and servers of others do, by path.

`python diagnosis_http.py [CERTIFICATE KEY]` prints its port (with a certificate it speaks https) and serves until
killed. `GET /asked/PATH` tells the JSON-RPC methods that were posted to `/PATH`, in order.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import sys
from collections.abc import Callable
from typing import Any

ASKED: dict[str, list[str]] = {}
OBJECT = {"type": "object"}
Given = tuple[str, str, Any]
"""(HTTP method, JSON-RPC method, id)"""


def respond(status: int, body: bytes = b"", kind: str = "text/plain", *more: str) -> bytes:
    lines = (f"content-type: {kind}", f"content-length: {len(body)}", "connection: close", *more)
    head = "".join(f"{line}\r\n" for line in (f"HTTP/1.1 {status} X", *lines))
    return f"{head}\r\n".encode() + body


def as_json(value: Any, status: int = 200) -> bytes:
    return respond(status, json.dumps(value).encode(), "application/json")


def result(identity: Any, value: Any) -> bytes:
    return as_json({"jsonrpc": "2.0", "id": identity, "result": value})


def refusal(identity: Any, code: int, message: str, status: int) -> bytes:
    return as_json({"jsonrpc": "2.0", "id": identity, "error": {"code": code, "message": message}}, status)


def old(method: str, identity: Any, tools: Callable[[], bytes] | None = None) -> bytes:
    """A sound server of the handshake era."""
    if method == "initialize":
        info = {"name": "old", "version": "1"}
        return result(identity, {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info})
    if identity is None:
        return respond(202)
    if method == "tools/list":
        return tools() if tools else result(identity, {"tools": [{"name": "fine", "inputSchema": OBJECT}]})
    return refusal(identity, -32601, "Method not found", 200)


def greeting_refused(status: int, then: Callable[[Given], bytes]) -> Callable[[Given], bytes]:
    """`status` to the modern greeting; what comes after it is `then`."""

    def answer(value: Given) -> bytes:
        if value[1] == "server/discover":
            return respond(status, b"maintenance until nine")
        return then(value)

    return answer


def guard(status: int, text: str) -> Callable[[Given], bytes]:
    return lambda given: respond(status, text.encode())


SIGN_IN = (
    'www-authenticate: Bearer error="invalid_token", resource_metadata="http://127.0.0.1/.well-known/oauth?key=s3cr3t"'
)
TOOLS_FAIL = "the database of tools is down"
PATHS: dict[str, Callable[[Given], bytes]] = {
    "/discover-401": greeting_refused(401, lambda given: old(given[1], given[2])),
    "/discover-403": greeting_refused(403, lambda given: old(given[1], given[2])),
    "/discover-503": greeting_refused(503, lambda given: respond(400, b"what?")),
    "/discover-500-old": greeting_refused(500, lambda given: old(given[1], given[2])),
    "/discover-500-rpc": lambda given: (
        refusal(given[2], -32603, "no licence left", 500) if given[1] == "server/discover" else respond(400, b"what?")
    ),
    "/moved": lambda given: respond(
        308, b"", "text/plain", "location: http://elsewhere.invalid:8443/v2/mcp?token=s3cr3t-in-location&team=7"
    ),
    "/moved-to-https": lambda given: respond(301, b"", "text/plain", "location: https://127.0.0.1:1/moved-to-https"),
    "/page": lambda given: respond(200, b"<!doctype html><title>Welcome</title>", "text/html; charset=utf-8"),
    "/streamable": lambda given: respond(405) if given[0] == "GET" else old(given[1], given[2]),
    "/host-403": lambda given: refusal(None, -32000, "Invalid Host: 127.0.0.1", 403),
    "/host-421": guard(421, "Invalid Host header"),
    "/origin-403": guard(403, "Invalid Origin header"),
    "/sign-in": lambda given: respond(401, b"", "text/plain", SIGN_IN),
    "/tools-500": lambda given: old(given[1], given[2], lambda: respond(500, TOOLS_FAIL.encode())),
    "/tools-500-rpc": lambda given: old(given[1], given[2], lambda: refusal(given[2], -32603, TOOLS_FAIL, 500)),
    "/bad-gzip": lambda given: respond(200, b'{"jsonrpc": "2.0"}', "application/json", "content-encoding: gzip"),
    "/huge-header": lambda given: respond(200, b"{}", "application/json", "x-filler: " + "x" * 300_000),
    "/sse-no-json": lambda given: respond(200, b"event: message\ndata: hello there\n\n", "text/event-stream"),
    "/sse-empty": lambda given: respond(200, b": only a comment\n\n", "text/event-stream"),
    "/array": lambda given: as_json([{"jsonrpc": "2.0", "id": given[2], "result": {}}]),
    "/no-jsonrpc": lambda given: as_json({"id": given[2], "result": {"tools": []}}),
    "/plain-to-https": guard(400, "<html>The plain HTTP request was sent to HTTPS port</html>"),
    "/cookie": lambda given: (
        respond(200, b"", "text/plain", "set-cookie: sid=s3cr3t")
        if given[0] == "GET"
        else respond(
            503, b"later", "text/plain", "retry-after: 120", "set-cookie: sid=s3cr3t-cookie", "x-request-id: r7"
        )
    ),
}


def answer(method: str, target: str, body: bytes) -> bytes:
    path = target.partition("?")[0]
    if path.startswith("/asked/"):
        return as_json(ASKED.get(path.removeprefix("/asked"), []))
    message = json.loads(body) if body else {}
    if method == "POST":
        ASKED.setdefault(path, []).append(message.get("method", ""))
    if path not in PATHS:
        return respond(404)
    return PATHS[path]((method, message.get("method", ""), message.get("id")))


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        begin = await reader.readexactly(1)
        if not begin.isalpha():  # somebody speaks TLS to us
            writer.write(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            return
        head = (begin + await reader.readuntil(b"\r\n\r\n")).decode()
        first, *rest = head.split("\r\n")
        method, target, _ = first.split(" ", 2)
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest if line)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        writer.write(answer(method, target, body))
        await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        return
    finally:
        writer.close()


async def main() -> None:
    context = None
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
