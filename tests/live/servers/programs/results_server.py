"""An MCP server over stdio, written by hand without the SDK, whose tools answer with every kind of block there is.

`python results_server.py` speaks the handshake era. It chatters on stderr from its start, which concerns no call; only
`complains` writes there in mid-call. Its pictures are as large as they are asked to be and differ in every pixel.
"""

from __future__ import annotations

import base64
import json
import math
import struct
import sys
import wave
import zlib
from io import BytesIO
from typing import Any

OBJECT: dict[str, Any] = {"type": "object"}
SIZED = {"type": "object", "properties": {"side": {"type": "integer", "default": 24}}}


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def png(side: int) -> bytes:
    """A square picture that no packer makes small: about 3 bytes a pixel."""
    rows, state = bytearray(), 1
    for y in range(side):
        rows.append(0)
        for x in range(side):
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF
            rows += bytes((255 * x // side, 255 * y // side, state >> 16 & 255))
    parts = [(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(bytes(rows), 0))]
    chunks = [
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in [*parts, (b"IEND", b"")]
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def wav() -> bytes:
    """A second of a tone."""
    out = BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"".join(struct.pack("<h", int(9000 * math.sin(n / 3))) for n in range(8000)))
    return out.getvalue()


SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="240" height="120" viewBox="0 0 240 120">
<script>parent.document.title = 'taken over'; fetch('/api/me?from=svg')</script>
<rect width="240" height="120" fill="#3b6fd4" onload="parent.document.title = 'taken over'"/>
<image href="http://127.0.0.1:9/pixel.png" width="1" height="1"/>
<circle cx="60" cy="60" r="40" fill="#f5c542"/></svg>"""
PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
PAGE = "<!doctype html><script>parent.document.title = 'taken over'</script><h1>A page</h1>"
CHART = {"type": "chart", "title": "Sales by month", "series": [{"name": "north", "points": [3, 1, 4, 1, 5]}]}
LINKS = [
    {
        "type": "resource_link",
        "uri": "https://example.org/report/2026",
        "name": "report-2026",
        "title": "Annual report",
        "description": "All figures of the year, audited.",
        "mimeType": "text/html",
        "size": 48213,
    },
    {"type": "resource_link", "uri": "file:///srv/data/orders.csv", "name": "orders.csv", "description": "Raw orders"},
    {"type": "resource_link", "uri": "javascript:parent.document.title='taken over'", "name": "harmless"},
    {"type": "resource_link", "uri": "note://7"},
]


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def file(uri: str, mime: str, data: bytes) -> dict[str, Any]:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime, "blob": b64(data)}}


def gallery(arguments: dict[str, Any]) -> dict[str, Any]:
    """One of each."""
    page = {"type": "resource", "resource": {"uri": "page://one", "mimeType": "text/html", "text": PAGE}}
    return {
        "content": [
            text("The month in pictures."),
            picture(arguments)["content"][0],
            {"type": "image", "mimeType": "image/svg+xml", "data": b64(SVG.encode()), "annotations": {"priority": 7}},
            {"type": "audio", "mimeType": "audio/wav", "data": b64(wav())},
            file("file:///srv/reports/month.pdf", "application/pdf", PDF),
            page,
            *LINKS,
            CHART,
        ],
        "structuredContent": {"month": "May", "sold": 14},
    }


def picture(arguments: dict[str, Any]) -> dict[str, Any]:
    return {"content": [{"type": "image", "mimeType": "image/png", "data": b64(png(int(arguments.get("side", 24))))}]}


def same(arguments: dict[str, Any]) -> dict[str, Any]:
    """Structured content and the same as text, as the protocol advises."""
    value = {"city": "Oslo", "celsius": 7}
    return {"content": [text(json.dumps(value))], "structuredContent": value}


TOOLS: dict[str, tuple[Any, dict[str, Any]]] = {
    "gallery": (gallery, SIZED),
    "picture": (picture, SIZED),
    "svg": (
        lambda _: {"content": [{"type": "image", "mimeType": "image/svg+xml", "data": b64(SVG.encode())}]},
        OBJECT,
    ),
    "same": (same, OBJECT),
    "unknown": (lambda _: {"content": [CHART, {"type": "text"}, {"type": "image", "data": b64(png(4))}]}, OBJECT),
    "bare": (lambda _: {"structuredContent": {"only": "structured"}}, OBJECT),
    "words": (lambda given: {"content": [text("x" * int(given.get("side", 24)))]}, SIZED),
    "refused": (
        lambda _: {
            "content": [text("The printer is on fire."), picture({})["content"][0]],
            "structuredContent": {"printer": "B7"},
            "isError": True,
        },
        OBJECT,
    ),
    "many__big": (lambda _: {"content": [text("a tool whose name holds two underscores")]}, OBJECT),
}
FAULTS: dict[str, dict[str, Any]] = {
    "fault": {"code": -32050, "message": "the database is on fire", "data": {"table": "orders", "hot": True}},
    "complains": {"code": -32603, "message": "no connection", "data": None},
}


def listing() -> dict[str, Any]:
    named = [{"name": name, "inputSchema": schema} for name, (_, schema) in TOOLS.items()]
    named += [{"name": name, "inputSchema": OBJECT} for name in FAULTS]
    misfit = {"type": "object", "properties": {"sold": {"type": "integer"}}, "required": ["sold"]}
    named.append({"name": "misfit", "inputSchema": OBJECT, "outputSchema": misfit})
    return {"tools": [{**item, "annotations": {"readOnlyHint": True}} for item in named]}


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """The member of the answer: `result` or `error`."""
    if method == "initialize":
        capabilities: dict[str, Any] = {"tools": {}}
        info = {"name": "results", "version": "1"}
        version = params["protocolVersion"]
        return {"result": {"protocolVersion": version, "capabilities": capabilities, "serverInfo": info}}
    if method == "tools/list":
        return {"result": listing()}
    if method != "tools/call":
        return {"error": {"code": -32601, "message": "Method not found"}}
    name = params["name"]
    if name == "misfit":
        return {"result": {"content": [text("sold: many")], "structuredContent": {"sold": "many"}}}
    if name in FAULTS:
        if name == "complains":
            print("Traceback: the pool of connections is empty", file=sys.stderr, flush=True)
        return {"error": FAULTS[name]}
    return {"result": TOOLS[name][0](params.get("arguments") or {})}


def main() -> None:
    print("results_server listens; deprecated option --colour ignored", file=sys.stderr, flush=True)
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            reply = answer(message["method"], message.get("params") or {})
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **reply}), flush=True)


if __name__ == "__main__":
    main()
