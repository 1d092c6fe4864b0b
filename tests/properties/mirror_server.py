"""An MCP server over stdio that answers every call with the request itself, as it came. Written without the SDK."""

from __future__ import annotations

import json
import sys
from typing import Any

TOOLS = [
    {"name": name, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
    for name in ("mirror", "spiegel", "镜子", "mirror file!", "__mirror")
]


def answer(message: dict[str, Any]) -> dict[str, Any]:
    """The result or error of one request."""
    method, params = message["method"], message.get("params") or {}
    if method == "initialize":
        about = {"serverInfo": {"name": "mirror", "version": "1"}, "capabilities": {"tools": {}}}
        return {"result": {"protocolVersion": params["protocolVersion"], **about}}
    if method == "tools/list":
        return {"result": {"tools": TOOLS}}
    if method == "tools/call":
        return {"result": {"content": [{"type": "text", "text": json.dumps(message)}]}}
    return {"error": {"code": -32601, "message": "Method not found"}}


def main() -> None:
    """Serve until the input ends."""
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            reply = {"jsonrpc": "2.0", "id": message["id"], **answer(message)}
            print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
