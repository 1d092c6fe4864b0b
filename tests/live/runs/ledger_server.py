"""An MCP server that notes every call in a file, so that a test can count what really happened.

Written by hand, of the handshake era: it starts in 30 ms of CPU, one on the SDK in a second, and dozens of tests start
it. `python ledger_server.py FILE` speaks over stdio.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from typing import Any

LEDGER = sys.argv[1]
WRITING = threading.Lock()
GIVEN = {
    "type": "object",
    "properties": {
        "name": {"title": "Name", "type": "string"},
        "seconds": {"default": 0.0, "title": "Seconds", "type": "number"},
    },
    "required": ["name"],
}
GIVES = {"type": "object", "properties": {"result": {"title": "Result", "type": "string"}}, "required": ["result"]}
KINDS = {"look": "read", "pay": "write", "wipe": "wipe"}
"""Tools, and what a call of each is noted as."""
TOOLS = (
    ("look", "A read.", {"readOnlyHint": True}),
    (
        "pay",
        "A write that must not happen twice.",
        {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False},
    ),
    ("wipe", "A write that destroys.", {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False}),
)


def send(identity: Any, **answer: Any) -> None:
    """One message, whole."""
    line = json.dumps({"jsonrpc": "2.0", "id": identity, **answer})
    with WRITING:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def call(identity: Any, tool: str, arguments: dict[str, Any]) -> None:
    """One line per call, on disk before the call does anything else."""
    if not isinstance(arguments.get("name"), str):
        text = f"Error executing tool {tool}: name: Field required"
        send(identity, result={"content": [{"type": "text", "text": text}], "isError": True})
        return
    text = f"{KINDS[tool]} {arguments['name']}"
    descriptor = os.open(LEDGER, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(descriptor, f"{text}\n".encode())
    os.close(descriptor)
    time.sleep(float(arguments.get("seconds", 0.0)))
    content = [{"type": "text", "text": text}]
    send(identity, result={"content": content, "structuredContent": {"result": text}, "isError": False})


def answer(identity: Any, method: str, params: dict[str, Any]) -> None:
    """A request; calls go on beside each other."""
    if method == "initialize":
        about = {"name": "ledger", "version": "1"}
        capabilities = {"tools": {"listChanged": False}}
        version = params["protocolVersion"]
        send(identity, result={"protocolVersion": version, "capabilities": capabilities, "serverInfo": about})
    elif method == "tools/list":
        listed = [
            {"name": name, "description": says, "inputSchema": GIVEN, "outputSchema": GIVES, "annotations": hints}
            for name, says, hints in TOOLS
        ]
        send(identity, result={"tools": listed})
    elif method == "tools/call" and params["name"] in KINDS:
        arguments = params.get("arguments") or {}
        threading.Thread(target=call, args=(identity, params["name"], arguments), daemon=True).start()
    elif method == "ping":
        send(identity, result={})
    else:
        send(identity, error={"code": -32601, "message": "Method not found"})


if __name__ == "__main__":
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            answer(message["id"], message["method"], message.get("params") or {})
