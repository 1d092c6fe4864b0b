"""An MCP registry (v0.1) on loopback that answers as the official one does: prints its port, then serves.

It finds by name, two to a page. Words that it answers otherwise: "broken" no JSON, "page" a web page with 404, "other"
JSON that is no list, "away" a redirect elsewhere, "drop" nothing, "odd" values of other types than they should be,
"wide" a thousand listings on a page, "deep" a page that is nested too deeply. Lies about its pages: "loop" says that
the next page is the same one, "long" that it has a very long name, "huge" is a page of eight megabytes.
"""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

OFFICIAL = "io.modelcontextprotocol.registry/official"


def listing(name: str, status: str = "active", **more: Any) -> dict[str, Any]:
    server = {
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": name,
        "description": f"What {name} does",
        "version": "1.2.0",
        **more,
    }
    meta = {"status": status, "publishedAt": "2026-05-02T08:00:00Z", "updatedAt": "2026-10-14T08:00:00Z"}
    return {"server": server, "_meta": {OFFICIAL: {**meta, "isLatest": True}}}


TOKEN = {"name": "ISSUES_TOKEN", "description": "From your settings", "isRequired": True, "isSecret": True}
NPM = {
    "registryType": "npm",
    "identifier": "@example/issues-mcp",
    "version": "1.2.0",
    "transport": {"type": "stdio"},
    "environmentVariables": [TOKEN],
}
REMOTE = {
    "type": "streamable-http",
    "url": "https://{tenant}.example.org/mcp",
    "variables": {"tenant": {"description": "Your tenant", "isRequired": True}},
}
LISTED = [
    listing(
        "org.example/issues",
        title="Issues",
        packages=[NPM],
        remotes=[REMOTE],
        repository={"url": "https://example.org/issues-mcp", "source": "git"},
        websiteUrl="javascript:alert(1)",
    ),
    listing("org.example/issues-old", "deprecated", packages=[NPM]),
    listing("org.example/issues-gone", "deleted", packages=[NPM]),
    listing("org.example/issues-nowhere"),
    listing("org.example/issues-last", packages=[NPM]),
]


def page(servers: Any, following: Any) -> str:
    return json.dumps({"servers": servers, "metadata": {"nextCursor": following}})


ODD: list[Any] = [None, 7, [], {"server": 7}, {"server": {"name": 7, "packages": 7, "remotes": {}}, "_meta": []}]
ODD += [
    {"server": {**LISTED[0]["server"], "title": {}, "repository": 7, "websiteUrl": [], "version": None}, "_meta": 7}
]
LIES = {
    "loop": page(LISTED[:1], "again"),
    "long": page(LISTED[:1], "x" * 5000),
    "odd": page(ODD, {"no": "text"}),
    "wide": page(LISTED[:1] * 1000, None),
    "deep": "[" * 100_000,
    "huge": page(["x" * 8_000_000], None),
}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        place = urlsplit(self.path)
        query = {name: values[-1] for name, values in parse_qs(place.query).items()}
        word = query.get("search", "")
        if word == "drop":
            return
        if word == "away":
            self.send_response(302)
            self.send_header("location", "http://example.org/")
            self.end_headers()
            return
        if place.path != "/base/v0.1/servers" or word == "page" or query.get("version") != "latest":
            self.say(404, "<html>no such page</html>")
        elif word in {"broken", "other"}:
            self.say(200, "{" if word == "broken" else '{"servers": {"no": "list"}}')
        elif word in LIES:
            self.say(200, LIES[word])
        else:
            fits = [item for item in LISTED if word in item["server"]["name"]]
            start = int(query.get("cursor") or 0)
            following = {"nextCursor": str(start + 2)} if start + 2 < len(fits) else {}
            page = fits[start : start + 2]
            self.say(200, json.dumps({"servers": page, "metadata": {"count": len(page), **following}}))

    def say(self, status: int, text: str) -> None:
        self.send_response(status)
        self.send_header("content-length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


if __name__ == "__main__":
    serving = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(serving.server_address[1], flush=True)
    serving.serve_forever()
