"""What a call costs that comes over MCP: at `/mcp` and at a collection's address, beside the same run over REST.

Each is taken in turns with what it is measured by, for the machine is shared; the bare SDK's own server, answering a
call that does nothing, stands beside them.
"""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.bench.in_process import chain
from tests.bench.over_http import CLIENTS, SETTINGS, Client, workflow
from tests.bench.report import Row, percentile
from tests.instance import Instance, until

REVISION = "2026-07-28"
BARE = Path(__file__).resolve().parents[1] / "live" / "servers" / "programs" / "task_server.py"
"""A server of the SDK alone, one of whose tools gives back what it was given."""
ALONE, EACH, TURNS = 150, 10, 3
"""Calls of one client, of each of the many at once, and how often those begin again."""
PER_CALL = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class McpClient:
    """One keep-alive connection of an MCP client that does nothing but call one tool."""

    def __init__(self, url: str, token: str, tool: str, arguments: dict[str, Any]) -> None:
        parts = urlsplit(url)
        self._connection = http.client.HTTPConnection("127.0.0.1", parts.port, timeout=60)
        self._path, self._host = parts.path, parts.netloc
        params = {"name": tool, "arguments": arguments, "_meta": PER_CALL}
        self._body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        self._headers = {
            "authorization": f"Bearer {token}",
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": REVISION,
            "mcp-method": "tools/call",
            "mcp-name": tool,
            "host": self._host,
        }

    def call(self) -> dict[str, Any]:
        """The result; exits on a refusal."""
        self._connection.request("POST", self._path, self._body, self._headers)
        answer = self._connection.getresponse()
        raw = answer.read().decode()
        data = [line[6:] for line in raw.splitlines() if line.startswith("data: ")]
        message = json.loads(data[-1] if data else raw)
        result: dict[str, Any] = message.get("result") or {}
        if answer.status >= 300 or not result or result.get("isError"):
            sys.exit(f"{self._path}: {answer.status} {raw[:500]}")
        return result

    def timed(self) -> float:
        """Milliseconds that the answer took."""
        began = time.perf_counter()
        self.call()
        return (time.perf_counter() - began) * 1000


Timed = Callable[[], float]


def in_turns(*calls: Timed) -> list[float]:
    """The median milliseconds of each, one after the other again and again."""
    for _ in range(20):
        for call in calls:
            call()
    taken: list[list[float]] = [[] for _ in calls]
    for _ in range(ALONE):
        for call, times in zip(calls, taken, strict=True):
            times.append(call())
    return [percentile(times, 0.5) for times in taken]


def rates(*programs: Callable[[], Timed]) -> list[float]:
    """The most calls per second of many clients at once, of each kind in turns."""
    best = [0.0 for _ in programs]
    for _ in range(TURNS):
        for at, program in enumerate(programs):
            best[at] = max(best[at], _rate(program))
    return best


def _rate(program: Callable[[], Timed]) -> float:
    def work(_: int) -> None:
        call = program()
        for _ in range(EACH):
            call()

    began = time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as clients:
        list(clients.map(work, range(CLIENTS)))
    return CLIENTS * EACH / (time.perf_counter() - began)


class Offered:
    """An installation that offers a workflow, one with a tool of the demo server, and a collection with that tool."""

    def __init__(self, instance: Instance, token: str) -> None:
        self.url, self.token, self._instance = instance.url, token, instance
        self._client = Client(instance, token)
        until(lambda: self._tested("demo"), 60)
        self.one = self._published("One", chain(1, "template", {"template": "x"}))
        echo = {"server": "demo", "tool": "echo", "arguments": {"text": "x"}}
        self.tool = self._published("Tool", chain(1, "tool", echo))
        created = self._client.ask("POST", "/api/collections", {"name": "Desk"})
        path = f"/api/collections/{created['id']}"
        self._client.ask("POST", f"{path}/tools", {"server": "demo", "tool": "echo", "name": "echo"})
        self.editor, self.desk_token = (
            created["url"],
            self._client.ask("POST", f"{path}/tokens", {"name": "b"})["token"],
        )

    def _tested(self, slug: str) -> bool:
        return bool(self._client.ask("POST", f"/api/mcp/servers/{slug}/test", {})["ok"])

    def _published(self, name: str, graph: dict[str, Any]) -> dict[str, Any]:
        path = f"/api/workflows/{workflow(self._client, name, graph)}"
        self._client.ask("POST", f"{path}/publish", {})
        self._client.ask("PATCH", path, {"expose_as_tool": True})
        result: dict[str, Any] = self._client.ask("GET", path)
        return result

    def over_rest(self, flow: dict[str, Any]) -> Timed:
        """A new client that starts a workflow and waits for its end."""
        client, body = Client(self._instance, self.token), {"inputs": {}, "wait": 30}
        return lambda: client.timed("POST", f"/api/workflows/{flow['id']}/runs", body)

    def over_mcp(self, flow: dict[str, Any]) -> Timed:
        """A new client that calls a workflow as a tool."""
        return McpClient(f"{self.url}/mcp", self.token, flow["slug"], {}).timed

    def in_collection(self) -> Timed:
        """A new client of the collection that calls its tool."""
        return McpClient(self.editor, self.desk_token, "echo", {"text": "x"}).timed


def rows(offered: Offered, bare: str) -> list[Row]:
    """The figures."""
    alone = McpClient(f"{bare}/mcp", "", "look", {"direct": "x"}).timed
    rest, mcp, sdk = in_turns(offered.over_rest(offered.one), offered.over_mcp(offered.one), alone)
    tool, editor = in_turns(offered.over_rest(offered.tool), offered.in_collection())
    by_rest, by_mcp = rates(lambda: offered.over_rest(offered.one), lambda: offered.over_mcp(offered.one))
    same = "the same run over REST"
    return [
        Row("one-node workflow at /mcp, p50", mcp, "ms", 1.3 * rest, rest, same),
        Row("  the bare SDK's server, a tool that does nothing", sdk, "ms"),
        Row(f"its calls per second, {CLIENTS} clients", by_mcp, "1/s", 0.8 * by_rest, by_rest, same, lower=False),
        Row("a collection's call, p50", editor, "ms", tool + 2, tool, "a one-tool run over REST"),
    ]


def measure() -> list[Row]:
    """All rows of this file."""
    with tempfile.TemporaryDirectory() as folder:
        instance = Instance(Path(folder) / "data", extra=SETTINGS)
        with subprocess.Popen([sys.executable, str(BARE)], stdout=subprocess.PIPE, text=True) as bare:
            try:
                assert bare.stdout is not None
                port = bare.stdout.readline().strip()
                return rows(Offered(instance, instance.start().token()), f"http://127.0.0.1:{port}")
            finally:
                bare.kill()
                instance.kill()
