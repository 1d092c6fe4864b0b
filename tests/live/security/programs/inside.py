"""An MCP server over stdio that tells what a program of a server sees: `look`, and `echo` of what it was given.

It speaks the handshake era only, and keeps nothing. What it reports stands in the answers as JSON.
"""

from __future__ import annotations

import base64
import json
import os
import resource
import subprocess
import sys
from typing import Any

LIMITS = {"core": resource.RLIMIT_CORE, "data": resource.RLIMIT_DATA, "file": resource.RLIMIT_FSIZE}
LIMITS |= {"files": resource.RLIMIT_NOFILE, "processes": resource.RLIMIT_NPROC, "cpu": resource.RLIMIT_CPU}
OBJECT: dict[str, Any] = {"type": "object"}
TOOLS = [{"name": name, "inputSchema": OBJECT} for name in ("look", "echo", "complain")]


def look() -> dict[str, Any]:
    """What is seen from in here, and by a grandchild."""
    script = "import resource,json;print(json.dumps(resource.getrlimit(resource.RLIMIT_NOFILE)))"
    child = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return {
        "environment": dict(os.environ),
        "descriptors": {fd: os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd") if _open(fd)},
        "limits": {name: resource.getrlimit(which) for name, which in LIMITS.items()},
        "limits_of_a_grandchild": json.loads(child.stdout),
        "too_much_memory": _refused(lambda: bytearray(5 * 1024**3)),
        "raised": _refused(lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (1 << 19, 1 << 19))),
        "home": os.path.expanduser("~"),
        "home_mode": oct(os.stat(os.path.expanduser("~")).st_mode & 0o777),
        "cwd": os.getcwd(),
        "pid": os.getpid(),
        "group": os.getpgid(0),
        "session": os.getsid(0),
        "parent_group": os.getpgid(os.getppid()),
        "argv": sys.argv,
    }


def _open(fd: str) -> bool:
    return os.path.exists(f"/proc/self/fd/{fd}") or os.path.islink(f"/proc/self/fd/{fd}")


def _refused(attempt: Any) -> bool:
    try:
        attempt()
    except (MemoryError, ValueError, OSError):
        return True
    return False


def answer(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    """The result of a request; None for what is no request."""
    if method == "initialize":
        info = {"name": "inside", "version": "1"}
        return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method != "tools/call":
        return {} if method == "ping" else None
    if params["name"] == "look":
        return {"content": [{"type": "text", "text": json.dumps(look())}]}
    everything = json.dumps({"environment": dict(os.environ), "argv": sys.argv, **params.get("arguments", {})})
    raw = everything.encode()
    codes = {"hex": raw.hex(), "base64": base64.b64encode(raw).decode(), "lines": list(os.environ.values())}
    everything += "\n" + json.dumps(json.dumps(codes))
    print(everything, file=sys.stderr, flush=True)
    return {"content": [{"type": "text", "text": everything}], "isError": params["name"] == "complain"}


def main() -> None:
    """Answer until stdin ends."""
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        result = answer(message["method"], message.get("params") or {})
        unknown = {"error": {"code": -32601, "message": "unknown method"}}
        body = {"jsonrpc": "2.0", "id": message["id"], **({"result": result} if result is not None else unknown)}
        sys.stdout.write(json.dumps(body) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
