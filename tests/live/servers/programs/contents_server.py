"""An MCP server written by hand whose resources and prompts are good, odd and endless, in the era that it is told.

`python contents_server.py ERA [tools]` (modern or handshake) prints its port and serves streamable HTTP at /mcp; with
`tools` it has two tools on two pages, and says in either era how long lists may be kept. What was asked of it is at
/log, the `traceparent` of each request at /traced, how many bytes of the endless resource went out at /sent;
/keep/TTL/SCOPE sets how long lists may be kept; after /offer/anew something of each list is new, another and gone,
until /offer/before.
"""

from __future__ import annotations

import asyncio
import base64
import json
import sys
from contextlib import suppress
from typing import Any

MODERN, TOOLS = sys.argv[1:2] == ["modern"], sys.argv[2:] == ["tools"]
LOG: list[list[Any]] = []
TRACED: list[list[Any]] = []
SENT = [0]
CHUNK, CHUNKS = b"x" * 1_048_576, 1024
ENDLESS = "notes://endless"
RESOURCES: list[dict[str, Any]] = [
    {"uri": "notes://a", "name": "a", "title": "First", "mimeType": "text/plain"},
    {"uri": "notes://picture", "name": "picture"},
    {"uri": ENDLESS, "name": "endless", "size": 1 << 30},
    {"uri": "notes://gone", "name": "gone"},
    {"uri": "notes://secret", "name": "secret"},
]
TEMPLATES: list[dict[str, Any]] = [
    {"uriTemplate": "notes://by-name/{name}", "name": "by name"},
    {"uriTemplate": "notes://tree/{+path}", "name": "tree"},
]
PROMPTS: list[dict[str, Any]] = [
    {"name": "plan", "arguments": [{"name": "city", "required": True}, {"name": "days"}]},
    {"name": "roles"},
    {"name": "picture"},
    {"name": "asking"},
]
ANEW: dict[str, list[dict[str, Any]]] = {
    "resources": [
        {**RESOURCES[0], "description": "It was described.", "mimeType": "text/markdown"},
        *[item for item in RESOURCES[1:] if item["name"] != "gone"],
        {"uri": "notes://new", "name": "new"},
    ],
    "templates": [{**TEMPLATES[0], "description": "By its name"}],
    "prompts": [{"name": "plan", "arguments": [{"name": "city"}]}, *PROMPTS[1:3], {"name": "new"}],
}
BEFORE: dict[str, list[dict[str, Any]]] = {"resources": RESOURCES, "templates": TEMPLATES, "prompts": PROMPTS}
OFFERED = dict(BEFORE)
DOT = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()
ASKED: Any = {"type": "object", "properties": {"city": {"type": "string"}}}
QUESTION: Any = {
    "method": "elicitation/create",
    "params": {"mode": "form", "message": "Which city?", "requestedSchema": ASKED},
}


CACHED: dict[str, Any] = {"ttlMs": 0, "cacheScope": "private"}
"""What lists may be kept for, of the modern era; GET /keep/TTL/SCOPE changes it."""


def prompt_message(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": {"type": "text", "text": text}}


class Refused(Exception):
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.error = {"code": code, "message": message}


def resource(uri: str) -> dict[str, Any]:
    if uri == "notes://gone":
        raise Refused(-32602 if MODERN else -32002, "Resource not found")
    if uri == "notes://picture":
        dot = {"uri": uri, "mimeType": "text/plain", "text": "a dot"}
        return {"contents": [dot, {"uri": uri, "mimeType": "image/png", "blob": DOT}]}
    text = "the key is s3cr3t-key" if uri == "notes://secret" else f"this is {uri}"
    return {"contents": [{"uri": uri, "mimeType": "text/plain", "text": text}]}


def prompt(params: dict[str, Any]) -> dict[str, Any]:
    match params["name"]:
        case "roles":
            return {"messages": [prompt_message("user", "hello"), prompt_message("system", "obey")]}
        case "picture":
            block = {"type": "image", "data": DOT, "mimeType": "image/png"}
            return {"messages": [{"role": "assistant", "content": block}]}
        case "asking" if "inputResponses" not in params:
            return {"resultType": "input_required", "inputRequests": {"q": QUESTION}, "requestState": "s1"}
        case "asking":
            return {
                "messages": [prompt_message("user", json.dumps([params["inputResponses"], params["requestState"]]))]
            }
    return {"description": "A plan", "messages": [prompt_message("user", json.dumps(params.get("arguments")))]}


def result_of(method: str, params: dict[str, Any]) -> dict[str, Any]:
    capabilities: dict[str, Any] = {"resources": {}, "prompts": {}, "completions": {}}
    if TOOLS:
        capabilities["tools"] = {}
    info = {"name": "contents", "version": "1"}
    match method:
        case "tools/list" if params.get("cursor") == "2":
            return {"tools": [{"name": "two", "inputSchema": {"type": "object"}}], "ttlMs": CACHED["ttlMs"] // 2}
        case "tools/list":
            return {"tools": [{"name": "one", "inputSchema": {"type": "object"}}], "nextCursor": "2"}
        case "initialize":
            return {"protocolVersion": params["protocolVersion"], "capabilities": capabilities, "serverInfo": info}
        case "server/discover":
            return {"supportedVersions": ["2026-07-28"], "capabilities": capabilities, "serverInfo": info}
        case "resources/list":  # two pages
            if (params or {}).get("cursor") == "2":
                return {"resources": OFFERED["resources"][2:]}
            return {"resources": OFFERED["resources"][:2], "nextCursor": "2"}
        case "resources/templates/list":
            return {"resourceTemplates": OFFERED["templates"]}
        case "prompts/list":
            return {"prompts": OFFERED["prompts"]}
        case "resources/read":
            return resource(params["uri"])
        case "prompts/get":
            return prompt(params)
        case "completion/complete":
            body = (params.get("context") or {}).get("arguments") or {}
            values = (
                [f"{params['argument']['value']}{number}" for number in range(100 if MODERN else 150)]
                if not body
                else list(body)
            )
            return {"completion": {"values": values, "total": 150, "hasMore": True}}
    raise Refused(-32601, "Method not found")


def respond(status: int, body: bytes = b"", kind: str = "application/json") -> bytes:
    return f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body


def answer(message: dict[str, Any]) -> bytes:
    method, params = message["method"], message.get("params") or {}
    if "id" not in message:
        return respond(202)
    envelope: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
    if method == ("initialize" if MODERN else "server/discover"):
        envelope["error"] = {"code": -32601, "message": "Method not found"}
        return respond(200, json.dumps(envelope).encode())
    LOG.append([method, {key: value for key, value in params.items() if key != "_meta"}])
    TRACED.append([method, (params.get("_meta") or {}).get("traceparent")])
    try:
        result = result_of(method, params)
        more = {"resultType": "complete"} if MODERN else {}
        envelope["result"] = more | (CACHED if MODERN or TOOLS else {}) | result
    except Refused as refused:
        envelope["error"] = refused.error
    return respond(200, json.dumps(envelope).encode())


async def endless(message: dict[str, Any], writer: asyncio.StreamWriter) -> None:
    """A text of a gigabyte, sent as long as somebody takes it."""
    LOG.append(["resources/read", {"uri": ENDLESS}])
    more = '"resultType": "complete", "ttlMs": 0, "cacheScope": "private", ' if MODERN else ""
    head = (
        f'{{"jsonrpc": "2.0", "id": {json.dumps(message["id"])}, "result": {{{more}"contents": [{{"uri": "{ENDLESS}", '
    )
    start, end = (head + '"text": "').encode(), b'"}]}}'
    length = len(start) + CHUNKS * len(CHUNK) + len(end)
    writer.write(f"HTTP/1.1 200 X\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n".encode())
    writer.write(start)
    for _ in range(CHUNKS):
        writer.write(CHUNK)
        await writer.drain()
        SENT[0] += len(CHUNK)
    writer.write(end)


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(asyncio.IncompleteReadError, ConnectionError):
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            first, *lines = head.split("\r\n")
            method, path, _ = first.split(" ")
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            if path in ("/log", "/traced", "/sent"):
                expected: Any = {"/log": LOG, "/traced": TRACED, "/sent": SENT[0]}[path]
                writer.write(respond(200, json.dumps(expected).encode()))
            elif path.startswith("/keep/"):
                _, _, ttl, scope = path.split("/")
                CACHED.update(ttlMs=int(ttl), cacheScope=scope)
                writer.write(respond(200))
            elif path.startswith("/offer/"):
                OFFERED.update(ANEW if path == "/offer/anew" else BEFORE)
                writer.write(respond(200))
            elif method != "POST":
                writer.write(respond(405))
            else:
                message = json.loads(body)
                if message.get("method") == "resources/read" and message["params"]["uri"] == ENDLESS:
                    await endless(message, writer)
                else:
                    writer.write(answer(message))
            await writer.drain()
    writer.close()


async def main() -> None:
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
