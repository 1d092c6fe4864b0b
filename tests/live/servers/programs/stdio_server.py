"""An MCP server over stdio, written by hand without the SDK, that can misbehave in every way we know of.

`python stdio_server.py MODE`. It starts in 30 ms and speaks the handshake era only. Modes:

    plain           all well              hang          reads, never answers         crash      exits at once with 3
    banner          prints a banner first unparsed      prints HTML, no answers      latin      bytes that are no UTF-8
    stubborn        ignores EOF, SIGTERM  impatient     exits at an unknown request  many       2,000 tools, 20 pages
    endless         its list never ends   schemas       a tool per hostile schema    wrong      misshapen results
    version         an unknown protocol   abyss         a schema 300 levels deep
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

MODE = sys.argv[1] if len(sys.argv) > 1 else "plain"
OBJECT: dict[str, Any] = {"type": "object"}
LOCK = threading.Lock()
GROWN: list[str] = []
ODD = {
    "nan": '{"jsonrpc": "2.0", "id": ID, "result": {"content": [], "structuredContent": {"n": NaN, "m": -Infinity}}}',
    "surrogate": '{"jsonrpc": "2.0", "id": ID, "result": {"content": [{"type": "text", "text": "\\ud800"}]}}',
    "nul": '{"jsonrpc": "2.0", "id": ID, "result": {"content": [{"type": "text", "text": "a\\u0000b"}]}}',
    "half": '{"jsonrpc": "2.0", "id": ID, "result": {"content": [',
}
CANCELLED: set[Any] = set()
CLIENT: dict[str, Any] = {}
ANSWERS: dict[str, queue.Queue[Any]] = {}


def tool(name: str, schema: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": schema or OBJECT, **more}


def bomb(levels: int) -> dict[str, Any]:
    """Three kilobytes that cost 2^levels steps at one place of a value."""
    defs: dict[str, Any] = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(levels)}
    return {"type": "object", "$ref": "#/$defs/d0", "$defs": {**defs, f"d{levels}": {"type": "object"}}}


def deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"x": schema}}
    return schema


PLAIN = [
    tool("echo", {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}),
    tool("sleep", {"type": "object", "properties": {"seconds": {"type": "number"}}}),
    tool("note", {"type": "object", "properties": {"file": {"type": "string"}, "line": {"type": "string"}}}),
    tool("pids"),
    tool("environment"),
    tool("die"),
    tool("stall"),
    tool("heirs"),
    tool("toil", {"type": "object", "properties": {"seconds": {"type": "number"}}}),
    tool("last_words", {"type": "object", "properties": {"bytes": {"type": "integer"}}}),
    tool("big", {"type": "object", "properties": {"bytes": {"type": "integer"}}}),
    tool("progress"),
    tool("grow"),
    tool("odd"),
    tool("error", annotations={"readOnlyHint": True}),
    tool("rpc_error"),
    tool("structured", outputSchema={"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}),
    tool("secret", {"type": "object", "properties": {"value": {"type": "string"}}}),
]

ASKING = [tool("ask", {"type": "object", "properties": {"patience": {"type": "number"}, "url": {"type": "string"}}})]

SCHEMAS = [
    tool("fine"),
    tool(
        "recursion",
        {
            "type": "object",
            "$ref": "#/$defs/n",
            "$defs": {"n": {"type": "object", "properties": {"c": {"$ref": "#/$defs/n"}}}},
        },
    ),
    tool("circle", {"type": "object", "$ref": "#"}),
    tool("remote", {"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:1/schema.json"}}}),
    tool("local_file", {"type": "object", "properties": {"a": {"$ref": "file:///etc/passwd"}}}),
    tool("pattern", {"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}),
    tool("bad_pattern", {"type": "object", "properties": {"a": {"type": "string", "pattern": "(("}}}),
    tool("nonsense", {"type": "object", "properties": {"a": {"type": "no such type"}}}),
    tool("misshapen", {"type": "object", "patternProperties": True, "properties": {"a": {"$ref": "#/items/²"}}}),
    tool("deep", deep(40)),
    tool("bomb", bomb(40)),
    tool("huge", {"type": "object", "description": "x" * 5_000_000}),
]


def send(message: dict[str, Any]) -> None:
    line = json.dumps({"jsonrpc": "2.0", **message}).encode()
    if MODE == "latin":
        line = b"\xff\xfe not utf-8 \xe9\n" + line
    with LOCK:
        sys.stdout.buffer.write(line + b"\n")
        sys.stdout.buffer.flush()


def text(value: str, *, error: bool = False) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": value}], "isError": error}


def ask(identity: Any, arguments: dict[str, Any]) -> dict[str, Any] | None:
    """Ask the client in the middle of a call; give up after `patience` seconds."""
    message = f"ask {identity}"
    ANSWERS[message] = queue.Queue()
    schema = {"type": "object", "properties": {"seats": {"type": "integer", "default": 2}}}
    params: dict[str, Any] = {"message": "How many seats?", "requestedSchema": schema}
    if "url" in arguments:
        params = {"mode": "url", "message": "Go there", "url": arguments["url"], "elicitationId": "e"}
    send({"id": message, "method": "elicitation/create", "params": params})
    end = time.monotonic() + float(arguments.get("patience", 60))
    reply = None
    while reply is None and time.monotonic() < end and identity not in CANCELLED:
        with contextlib.suppress(queue.Empty):
            reply = ANSWERS[message].get(timeout=0.01)
    if identity in CANCELLED:
        print(f"cancelled {identity}", file=sys.stderr, flush=True)
        return None
    if reply is None:
        send({"method": "notifications/cancelled", "params": {"requestId": message}})
        return text("nobody answered")
    return text(json.dumps(reply))


def call(identity: Any, name: str, arguments: dict[str, Any], meta: dict[str, Any]) -> dict[str, Any] | None:
    if name == "echo":
        return text(arguments["text"])
    if name == "sleep":
        print(f"sleeping {identity}", file=sys.stderr, flush=True)
        end = time.monotonic() + float(arguments.get("seconds", 60))
        while time.monotonic() < end and identity not in CANCELLED:
            time.sleep(0.01)
        if identity in CANCELLED:
            print(f"cancelled {identity}", file=sys.stderr, flush=True)
            return None
        return text("slept")
    if name == "ask":
        return ask(identity, arguments)
    if name == "note":
        with Path(arguments["file"]).open("a") as file:
            file.write(arguments["line"] + "\n")
        return text(json.dumps(meta))
    if name == "pids":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        return text(json.dumps([os.getpid(), child.pid]))
    if name == "toil":
        end = time.monotonic() + float(arguments.get("seconds", 600))
        while time.monotonic() < end and identity not in CANCELLED:
            params = {"progressToken": meta.get("progressToken"), "progress": time.monotonic()}
            send({"method": "notifications/progress", "params": params})
            time.sleep(0.02)
        return None if identity in CANCELLED else text("toiled")
    if name == "heirs":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], stdout=sys.stdout)
        return text(json.dumps([os.getpid(), child.pid]))
    if name == "last_words":
        send({"id": identity, "result": text("x" * int(arguments["bytes"]))})
        os.kill(os.getpid(), signal.SIGKILL)
    if name == "environment":
        return text(json.dumps({"env": dict(os.environ), "cwd": os.getcwd()}))
    if name == "stall":
        os.kill(os.getpid(), signal.SIGSTOP)
        time.sleep(600)  # another thread may take the signal
    if name == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if name == "big":
        return text("x" * int(arguments["bytes"]))
    if name == "progress":
        for step in (1, 2, 3):
            params = {
                "progressToken": meta.get("progressToken"),
                "progress": step,
                "total": 3,
                "message": f"step {step}",
            }
            send({"method": "notifications/progress", "params": params})
        return text("done")
    if name == "grow":
        GROWN.append(f"grown_{len(GROWN)}")
        send({"method": "notifications/tools/list_changed"})
        return text(GROWN[-1])
    if name == "odd":
        with LOCK:
            sys.stdout.write(ODD[arguments["kind"]].replace("ID", json.dumps(identity)) + "\n")
            sys.stdout.flush()
        return None
    if name == "error":
        return text("the tool failed", error=True)
    if name == "structured":
        return {"content": [], "structuredContent": {"n": "not a number"}}
    if name == "secret":
        print(f"stderr says {arguments['value']}", file=sys.stderr, flush=True)
        return text(f"the value is {arguments['value']}")
    return text("called " + name)


def listing(params: dict[str, Any]) -> dict[str, Any]:
    if MODE == "many":
        start = int(params.get("cursor") or 0)
        page = [
            tool(f"tool_{n}", {"type": "object", "properties": {"n": {"const": n}}}) for n in range(start, start + 100)
        ]
        return {"tools": page, **({"nextCursor": str(start + 100)} if start < 1900 else {})}
    if MODE == "endless":
        return {"tools": [tool("again")], "nextCursor": "again"}
    if MODE == "abyss":
        return {"tools": [tool("abyss", deep(300))]}
    if MODE == "schemas":
        return {"tools": SCHEMAS}
    return {"tools": [*PLAIN, *(ASKING if "elicitation" in CLIENT else ()), *(tool(name) for name in GROWN)]}


def answer(message: dict[str, Any]) -> None:
    identity, method, params = message["id"], message["method"], message.get("params") or {}
    if method == "initialize":
        CLIENT.update(params["capabilities"])
        version = "1999-01-01" if MODE == "version" else params["protocolVersion"]
        info = {"name": f"hostile {MODE}", "version": "1"}
        capabilities = {"tools": {"listChanged": True}}
        send({"id": identity, "result": {"protocolVersion": version, "capabilities": capabilities, "serverInfo": info}})
    elif method == "tools/list":
        send({"id": identity, "result": listing(params)})
    elif method == "tools/call" and params["name"] == "rpc_error":
        send({"id": identity, "error": {"code": -32050, "message": "the database is on fire", "data": {"hot": True}}})
    elif method == "tools/call" and MODE == "wrong":
        send({"id": identity, "result": {"content": "this should be a list"}})
    elif method == "tools/call":
        result = call(identity, params["name"], params.get("arguments") or {}, params.get("_meta") or {})
        if result is not None:
            send({"id": identity, "result": result})
    elif method == "ping":
        send({"id": identity, "result": {}})
    elif MODE == "impatient":
        sys.exit("unknown request before initialize")
    else:
        send({"id": identity, "error": {"code": -32601, "message": "Method not found"}})


def main() -> None:
    if MODE == "crash":
        print("Traceback: the package 'left-pad' is missing", file=sys.stderr)
        sys.exit(3)
    if MODE == "banner":
        print("*** Welcome to the server ***\nListening on stdio", flush=True)
    if MODE == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for line in sys.stdin:
        message = json.loads(line)
        if MODE == "hang":
            continue
        if MODE == "unparsed":
            print("<html>this is no protocol message</html>", flush=True)
            continue
        if message.get("method") == "notifications/cancelled":
            CANCELLED.add(message["params"]["requestId"])
        elif "id" in message and message["id"] in ANSWERS:
            ANSWERS[message["id"]].put(message.get("result") or message.get("error"))
        elif "id" in message and "method" in message:
            if message["method"] == "tools/call":
                threading.Thread(target=answer, args=(message,), daemon=True).start()
            else:
                answer(message)
    while MODE == "stubborn":
        time.sleep(1)


if __name__ == "__main__":
    main()
