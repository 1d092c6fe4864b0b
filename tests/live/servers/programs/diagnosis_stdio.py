"""A program that fails MCP clients in the ways that programs of others do, by its first argument.

What it prints on stderr are the words of the real programs (npm 10, Docker 27, Node.js 22, Python 3.11).
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from typing import Any

NPM = """npm error code E404
npm error 404 Not Found - GET https://packages.example.org/@acme%2fmcp-server-nothing - Not found
npm error 404
npm error 404  '@acme/mcp-server-nothing@*' is not in this registry.
npm error 404
npm error 404 Note that you can also install from a
npm error 404 tarball, folder, http url, or git folder.
npm error A complete log of this run can be found in: /home/x/.npm/_logs/2026-01-01T00_00_00_000Z-debug-0.log"""
NPM_11 = """npm error code E404
npm error 404 Not Found - GET https://packages.example.org/@acme%2fmcp-server-nothing - Not found
npm error 404
npm error 404  The requested resource '@acme/mcp-server-nothing@*' could not be found \
or you do not have permission to access it.
npm error 404
npm error 404 Note that you can also install from a
npm error 404 tarball, folder, http url, or git url."""
DOCKER = """docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?

Run 'docker run --help' for more information"""
NODE = """file:///srv/index.js:12
    throw new Error("GITHUB_TOKEN environment variable is required");
          ^

Error: GITHUB_TOKEN environment variable is required
    at file:///srv/index.js:12:11
    at ModuleJob.run (node:internal/modules/esm/module_job:271:25)

Node.js v22.12.0"""
PYTHON = """Traceback (most recent call last):
  File "/srv/server.py", line 3, in <module>
    import requests_that_are_missing
ModuleNotFoundError: No module named 'requests_that_are_missing'"""
KEY_ERROR = """Traceback (most recent call last):
  File "/srv/server.py", line 9, in <module>
    TOKEN = os.environ["NOTION_TOKEN"]
            ~~~~~~~~~~^^^^^^^^^^^^^^^^
  File "<frozen os>", line 679, in __getitem__
KeyError: 'NOTION_TOKEN'"""
UVX = """  x No solution found when resolving tool dependencies:
  `-> Because mcp-server-nothing was not found in the package registry and you
      require mcp-server-nothing, we can conclude that your requirements are unsatisfiable."""
SAYS: dict[str, tuple[str, int]] = {
    "npm-404": (NPM, 1),
    "npm-11-404": (NPM_11, 1),
    "docker-daemon": (DOCKER, 125),
    "variable": (NODE, 1),
    "key-error": (KEY_ERROR, 1),
    "missing-list": ("Missing required environment variables: SLACK_BOT_TOKEN, SLACK_TEAM_ID", 1),
    "python": (PYTHON, 1),
    "uvx-404": (UVX, 1),
    "usage": ("Usage: mcp-server-filesystem <allowed-directory> [additional-directories...]", 1),
}


def send(value: Any) -> None:
    print(json.dumps(value), flush=True)


def main() -> None:
    mode = sys.argv[1]
    if mode in SAYS:
        reply, code = SAYS[mode]
        print(reply, file=sys.stderr, flush=True)
        sys.exit(code)
    if mode.startswith("SIG"):
        os.kill(os.getpid(), getattr(signal, mode))
    if mode == "closed-stdout":
        print("logging to nowhere", file=sys.stderr, flush=True)
        os.close(1)
        time.sleep(600)
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        result: dict[str, Any] = {"tools": []}
        if mode == "array":
            send([{"jsonrpc": "2.0", "id": message["id"], "result": result}])
        elif mode == "no-jsonrpc":
            send({"id": message["id"], "result": result})
        elif mode in ("misshapen", "names"):
            send({"jsonrpc": "2.0", "id": message["id"], **answer(mode, message)})


FINE = {"name": "fine", "inputSchema": {"type": "object"}}
LISTED: dict[str, list[Any]] = {
    "misshapen": [
        FINE,
        {"name": "no_schema"},
        {"name": "null_schema", "inputSchema": None},
        {"name": "text_schema", "inputSchema": "object"},
        {"name": "array_schema", "inputSchema": {"type": "array"}},
        {"name": "no_type", "inputSchema": {"properties": {"a": {"type": "string"}}}},
        {"name": "odd_required", "inputSchema": {"type": "object", "required": "a"}},
        {"name": "odd_rest", "inputSchema": {"type": "object"}, "description": 7, "annotations": [], "icons": "x"},
        {"name": "odd_output", "inputSchema": {"type": "object"}, "outputSchema": "text"},
        "not even an object",
        {"inputSchema": {"type": "object"}},
    ],
    "names": [
        FINE,
        {"name": "", "inputSchema": {"type": "object"}},
        {"name": "x" * 300, "inputSchema": {"type": "object"}},
        {"name": "fine", "description": "another", "inputSchema": {"type": "object"}},
        {"name": "pay\u202elive", "inputSchema": {"type": "object"}},
        {"name": 7, "inputSchema": {"type": "object"}},
    ],
}


def answer(mode: str, message: dict[str, Any]) -> dict[str, Any]:
    if message["method"] == "initialize":
        info = {"name": mode, "version": "1"}
        return {"result": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}}
    if message["method"] == "tools/list":
        return {"result": {"tools": LISTED[mode]}}
    if message["method"] == "tools/call":
        return {"result": {"content": [{"type": "text", "text": message["params"]["name"]}]}}
    return {"error": {"code": -32601, "message": "Method not found"}}


if __name__ == "__main__":
    main()
