"""What streams of an agent cost: the first byte of a message's, beside a bare agent of the SDK, and a thousand open."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil

from tests.bench.in_process import chain
from tests.bench.mcp_server import in_turns
from tests.bench.over_http import SETTINGS, Client, memory, processes, workflow
from tests.bench.report import Row
from tests.instance import Instance

BARE = Path(__file__).resolve().parents[1] / "live" / "servers" / "programs" / "echo_agent.py"
STREAMS, FIRST, TASKS = 1000, 20, 50
"""Streams that are counted, those before them, and the tasks that they are of."""
OVER_BARE_MS, MOST_MB = 20, 60


class Agent:
    """A client of an agent, on a connection of its own for each stream."""

    def __init__(self, url: str, token: str = "") -> None:
        self._at = urlsplit(url)
        self._headers = {"content-type": "application/json", "a2a-version": "1.0", "host": self._at.netloc}
        if token:
            self._headers["authorization"] = f"Bearer {token}"

    def open(self, method: str, params: dict[str, Any]) -> tuple[http.client.HTTPConnection, bytes]:
        """(the connection, the first event of the stream); exits on a refusal."""
        connection = http.client.HTTPConnection("127.0.0.1", self._at.port, timeout=60)
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        connection.request("POST", self._at.path or "/", body, self._headers)
        answer = connection.getresponse()
        line = answer.readline()
        if answer.status >= 300 or not line.startswith(b"data: ") or b'"error"' in line:
            sys.exit(f"{self._at.path}: {answer.status} {line[:500]!r}")
        return connection, line.removeprefix(b"data: ")

    def send(self) -> tuple[http.client.HTTPConnection, bytes]:
        """A message's stream."""
        message = {"messageId": uuid.uuid4().hex, "role": "ROLE_USER", "parts": [{"text": "x"}]}
        return self.open("SendStreamingMessage", {"message": message})

    def timed(self) -> float:
        """Milliseconds to the first byte of a message's stream."""
        began = time.perf_counter()
        connection, _ = self.send()
        taken = (time.perf_counter() - began) * 1000
        connection.close()
        return taken


def offered(client: Client, name: str, graph: dict[str, Any]) -> str:
    """The address of a workflow as an agent."""
    path = f"/api/workflows/{workflow(client, name, graph)}"
    client.ask("POST", f"{path}/publish", {})
    client.ask("PATCH", path, {"expose_as_agent": True})
    url: str = client.ask("GET", f"{path}/agent")["url"]
    return url


def opened(instance: Instance) -> int:
    """Connections of clients that are open."""
    port = urlsplit(instance.url).port
    matches = [each for process in processes(instance) for each in process.net_connections("tcp")]
    return sum(each.status == psutil.CONN_ESTABLISHED and each.laddr.port == port for each in matches)


def rows(instance: Instance, token: str, bare: str) -> list[Row]:
    """The figures."""
    client = Client(instance, token)
    one = Agent(offered(client, "One", chain(1, "template", {"template": "x"})), token)
    first, echo = in_turns(one.timed, Agent(bare).timed)
    rests = Agent(offered(client, "Rests", chain(1, "wait", {"seconds": 3600})), token)
    tasks = [json.loads(rests.send()[1])["result"]["task"]["id"] for _ in range(TASKS)]

    def streams(count: int) -> list[http.client.HTTPConnection]:
        return [rests.open("SubscribeToTask", {"id": tasks[number % TASKS]})[0] for number in range(count)]

    held = streams(FIRST)
    before = memory(instance)
    held += streams(STREAMS)
    used = memory(instance) - before
    if (there := opened(instance)) < FIRST + STREAMS:
        sys.exit(f"only {there} streams are open")
    for connection in held:
        connection.close()
    bare_is = "a bare echo agent of the SDK"
    return [
        Row("first byte of a streamed task, p50", first, "ms", echo + OVER_BARE_MS, echo, bare_is),
        Row(f"{STREAMS:,} open streams of {TASKS} tasks", used, "MB", MOST_MB),
    ]


def measure() -> list[Row]:
    """All rows of this file."""
    with tempfile.TemporaryDirectory() as folder:
        limits = {"PATCHBAY_WAITING_PER_TOKEN": "0", "PATCHBAY_TOKEN_RUN_STARTS_PER_MIN": "0"}
        instance = Instance(Path(folder) / "data", extra={**SETTINGS, **limits})
        with subprocess.Popen([sys.executable, str(BARE)], stdout=subprocess.PIPE, text=True) as bare:
            try:
                assert bare.stdout is not None
                port = bare.stdout.readline().strip()
                return rows(instance, instance.start().token(), f"http://127.0.0.1:{port}/")
            finally:
                bare.kill()
                instance.kill()
