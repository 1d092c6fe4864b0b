"""ModelScope's OpenAPI on loopback, answering as its documents say: prints its port, then serves.

The list is searched by name, twenty to a page. Words that it answers otherwise: "broken" no JSON, "refused" `success`
false, "away" a redirect elsewhere, "odd" rows of other types than they should be, "huge" a page of eight megabytes,
"many" a full page on every number. Tokens: "ms-alice-<n>" has servers whose addresses hold <n>, "ms-odd" what no
server should be, "ms-drop" gets no answer, any other is refused.
"""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

BASE = "/openapi/v1/mcp/servers"
HOSTED = "https://mcp.api-inference.modelscope.net"


def listing(name: str, **more: Any) -> dict[str, Any]:
    row = {"id": name, "name": name.rpartition("/")[2], "chinese_name": "地图", "description": f"What {name} does"}
    return {**row, "categories": ["location-services"], "tags": [], "logo_url": "", **more}


LISTED = [listing("@example/maps"), listing("@example/hosted-maps"), listing("not-an-id"), listing("../maps/x")]
MAPS = listing(
    "@example/maps",
    source_url="https://example.org/maps",
    is_hosted=True,
    env_schema={"type": "object", "properties": {"MAPS_KEY": {}, "LANG": {}}, "required": ["MAPS_KEY", "no name"]},
    server_config=[{"mcpServers": {"maps": {"command": "npx", "args": ["-y", "@example/maps@1.0.0"], "env": {}}}}],
)
ODD = [None, 7, {"id": 7}, {"id": "@a/b/c"}, {"id": "@example/odd", "name": {}, "description": [], "chinese_name": 7}]


def deployed(number: str) -> list[dict[str, Any]]:
    def address(ending: str, kind: str, **more: Any) -> dict[str, Any]:
        return {"url": f"{HOSTED}/{number}/{ending}", "transport_type": kind, "accessible": True, **more}

    sse, later = address("sse", "sse"), address("mcp", "streamable_http", expiration="2099-01-02T03:04:05")
    gone = address("old/mcp", "streamable_http", expiration=1_600_000_000_000)
    return [
        listing("@example/maps", operational_urls=[gone, sse, later]),
        listing("@example/notes", operational_urls=[address("sse", "sse", auth_required=True, expiration=None)]),
        listing("@example/gone", operational_urls=[gone, {**later, "accessible": False}]),
    ]


NO_ADDRESSES = [None, 7, {"url": 7}, {"url": "ftp://example.org"}, {"url": "http://[", "expiration": 1e300}]
ODD_HOSTED = [*ODD, listing("@example/lost", operational_urls=NO_ADDRESSES), listing("@example/bare")]


class Handler(BaseHTTPRequestHandler):
    def do_PUT(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        word, number, size = request["search"], request["page_number"], request["page_size"]
        if word == "away":
            self.send_response(302)
            self.send_header("location", "http://example.org/")
            self.end_headers()
        elif self.path != BASE or number * size > 100 or "filter" not in request:
            self.say(403, '{"success": false, "code": "QuotaLimitExceed"}')
        elif word in {"broken", "refused"}:
            self.say(200, "{" if word == "broken" else '{"success": false, "data": {"mcp_server_list": []}}')
        elif word == "huge":
            self.give({"mcp_server_list": ["x" * 8_000_000]})
        elif word == "odd":
            self.give({"mcp_server_list": ODD, "total_count": "many"})
        elif word == "many":
            rows = [listing(f"@example/maps-{number}-{place}") for place in range(size)]
            self.give({"mcp_server_list": rows, "total_count": 1000})
        else:
            rows = [row for row in LISTED if word in row["name"]]
            self.give({"mcp_server_list": rows, "total_count": len(rows)})

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if path == f"{BASE}/operational":
            token = (self.headers["authorization"] or "").removeprefix("Bearer ")
            if token.startswith("ms-alice-"):
                self.give({"mcp_server_list": deployed(token.removeprefix("ms-alice-")), "total_count": 3})
            elif token == "ms-odd":
                self.give({"mcp_server_list": ODD_HOSTED})
            elif token != "ms-drop":
                self.say(401, '{"success": false, "message": "InvalidAuthentication"}')
        elif path == f"{BASE}/@example/maps":
            self.give(MAPS)
        elif path == f"{BASE}/@example/hosted-maps":
            self.give({**listing("@example/hosted-maps"), "server_config": [], "env_schema": "none"})
        elif path == f"{BASE}/@example/other":
            self.give(MAPS)
        else:
            self.say(404, '{"success": false}')

    def give(self, data: Any) -> None:
        self.say(200, json.dumps({"success": True, "request_id": "r", "data": data}))

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
