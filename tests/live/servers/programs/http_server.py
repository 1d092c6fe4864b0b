"""An HTTP server that answers MCP clients in every way we know of, by path.

Listens on the given port or a free one, prints it, and serves until killed.

/mcp        a small MCP server of the handshake era, with sessions (GET /forget makes it forget them; GET
            /refuse/HOW says how it refuses one from then on: 404, 410, id, null, none, text, vague, 401, 403, 408,
            413, 429; GET /calls tells the calls that arrived, by name)
/fussy      /mcp that answers 400 to every call although the session is sound
/401 /403 /404 /405 /429 /500 /400    that status          /html    a web page with status 200
/json       JSON that is no MCP       /broken  half of a JSON document     /accepted  202 to a request
/away       redirects to another host /hang    never answers               /drop      closes in mid-answer
/waiting    how many calls hang, as JSON                    /hop     redirects to /mcp on this origin
/bomb       50 MB of zeros, gzipped   /key     /mcp, but only with the header X-API-Key: right
/own        /mcp, but only for somebody: notes each message with its Authorization, and GET /heard tells them
"""

from __future__ import annotations

import asyncio
import gzip
import json
import sys
from typing import Any

SESSIONS: set[str] = set()
WAITING = [0]
HEARD: list[list[str]] = []
CALLS: list[str] = []
REFUSAL = ["404"]
NAMED = "Bad Request: No valid session ID provided"
STATUSES = {"/400": 400, "/401": 401, "/403": 403, "/404": 404, "/405": 405, "/429": 429, "/500": 500}


TELLING = {"retry_after": "120", "x_request_id": "r7", "set_cookie": "sid=secret-in-cookie", "x_echo": "s3cr3t-key"}
"""Headers that say why, and what nobody may see."""


def respond(status: int, body: bytes = b"", kind: str = "text/plain", **headers: str) -> bytes:
    named = {"content-type": kind, "content-length": str(len(body)), "connection": "close"}
    named |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return f"HTTP/1.1 {status} X\r\n{head}\r\n".encode() + body


def as_json(value: Any, status: int = 200, **headers: str) -> bytes:
    return respond(status, json.dumps(value).encode(), "application/json", **headers)


def refused(identity: Any) -> bytes:
    """The way in which an unknown session is refused."""
    how = REFUSAL[0]
    if how.isdigit():
        return respond(int(how), b"session not found")
    if how in ("text", "vague"):
        return respond(400, NAMED.encode() if how == "text" else b"Bad Request")
    message: dict[str, Any] = {"jsonrpc": "2.0", "error": {"code": -32000, "message": NAMED}}
    if how != "none":
        message["id"] = identity if how == "id" else None
    return as_json(message, 400)


def mcp(headers: dict[str, str], body: bytes, fussy: bool = False) -> bytes:
    message = json.loads(body or b"{}")
    method, identity = message.get("method"), message.get("id")
    if method == "initialize":
        session = f"session-{len(SESSIONS) + 1}"
        SESSIONS.add(session)
        info = {"name": "by hand", "version": "1"}
        version = message["params"]["protocolVersion"]
        result: Any = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        return as_json({"jsonrpc": "2.0", "id": identity, "result": result}, mcp_session_id=session)
    if method == "server/discover":
        return respond(400, b"Bad Request: no session")
    if headers.get("mcp-session-id") not in SESSIONS:
        return refused(identity)
    if identity is None:
        return respond(202)
    if method == "ping":
        return as_json({"jsonrpc": "2.0", "id": identity, "result": {}})
    if method == "tools/call":
        CALLS.append(message["params"]["name"])
        if fussy:
            return respond(400, b"Bad Request")
    if method == "tools/list":
        result = {
            "tools": [
                {"name": name, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": name != "write"}}
                for name in ("count", "big", "bad", "reset", "wait", "write", "down", "fault", "limited")
            ]
        }
    elif message["params"]["name"] == "big":
        result = {"content": [{"type": "text", "text": "x" * message["params"]["arguments"]["bytes"]}]}
    elif message["params"]["name"] == "bad":
        return respond(200, b'{"jsonrpc": "2.0", "id": 1, "resu', "application/json")
    elif message["params"]["name"] == "reset":
        return b""
    elif message["params"]["name"] == "down":
        return respond(503, b"back at nine", **TELLING)
    elif message["params"]["name"] == "limited":
        return respond(429, b"slowly", retry_after="30")
    elif message["params"]["name"] == "fault":
        error = {"code": -32603, "message": "the database is on fire", "data": {"table": "orders"}}
        return as_json({"jsonrpc": "2.0", "id": identity, "error": error}, 500, **TELLING)
    else:
        result = {"content": [{"type": "text", "text": headers["mcp-session-id"]}]}
    return as_json({"jsonrpc": "2.0", "id": identity, "result": result})


def answer(method: str, path: str, headers: dict[str, str], body: bytes) -> bytes:
    if path in STATUSES:
        return respond(STATUSES[path], b"refused: the key was secret-in-answer", "text/plain")
    if path == "/forget":
        SESSIONS.clear()
        return respond(200)
    if path.startswith("/refuse/"):
        REFUSAL[0] = path.removeprefix("/refuse/")
        return respond(200)
    if path == "/calls":
        return as_json(CALLS)
    if path == "/waiting":
        return as_json(WAITING[0])
    if path == "/html":
        return respond(200, b"<!doctype html><title>Welcome</title>", "text/html")
    if path == "/json":
        return as_json({"error": "this is another API"})
    if path == "/broken":
        return respond(200, b'{"jsonrpc": "2.0", "id"', "application/json")
    if path == "/accepted":
        return respond(202)
    if path == "/away":
        return respond(307, location="http://elsewhere.invalid/mcp?token=secret-in-location")
    if path == "/hop":
        return respond(307, location="/mcp")
    if path == "/bomb":
        return respond(200, gzip.compress(bytes(50_000_000)), "application/json", content_encoding="gzip")
    if path == "/heard":
        return as_json(HEARD)
    if path == "/own" and method == "POST":
        HEARD.append([json.loads(body).get("method", ""), headers.get("authorization", "")])
        if not headers.get("authorization"):
            return respond(401)
    if path == "/key" and headers.get("x-api-key") != "right":
        return respond(401)
    if method != "POST":
        return respond(405)
    return mcp(headers, body, path == "/fussy")


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        begin = await reader.readexactly(1)
        if not begin.isalpha():  # somebody speaks TLS to us
            writer.write(respond(400))
            return
        head = (begin + await reader.readuntil(b"\r\n\r\n")).decode()
        first, *rest = head.split("\r\n")
        method, path, _ = first.split(" ", 2)
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest if line)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        if path == "/hang" or b'"name":"wait"' in body.replace(b": ", b":"):
            WAITING[0] += 1
            await asyncio.sleep(600)
        if path == "/drop":
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{")
        else:
            writer.write(answer(method, path, headers, body))
        await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        return
    finally:
        writer.close()


async def main() -> None:
    server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
