"""An installation that sends what it does to a collector."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.api.runs.conftest import graph, node
from tests.instance import Installation, installation, until
from tests.llm_server import LlmServer
from tests.otlp_receiver import OtlpReceiver, Span, otlp_receiver

LEDGER = str(Path(__file__).parents[1] / "runs" / "ledger_server.py")
ENDED = {"SUCCESS", "ERROR", "CANCELLED"}
INTERNAL, SERVER, CLIENT = 1, 2, 3
"""Kinds of spans."""
SOON = {
    "OTEL_BSP_SCHEDULE_DELAY": "200",
    "OTEL_BLRP_SCHEDULE_DELAY": "200",
    "OTEL_METRIC_EXPORT_INTERVAL": "500",
    "PATCHBAY_RUN_STARTS_PER_15S": "0",
}


def named(spans: list[Span], name: str) -> Span:
    """The one span of this name."""
    matches = [span for span in spans if span.name == name]
    assert len(matches) == 1, (name, [span.name for span in spans])
    return matches[0]


def calling(*tools: str, seconds: float = 0.0) -> dict[str, Any]:
    """start → a call of each tool of the ledger → end."""
    nodes, edges, before = [node("start", "start", {"inputs": {"type": "object"}})], [], "start"
    for number, tool in enumerate(tools):
        arguments = {"name": f"n{number}", "seconds": seconds}
        nodes.append(node(f"s{number}", "tool", {"server": "ledger", "tool": tool, "arguments": arguments}))
        edges.append(f"{before} -> s{number}")
        before = f"s{number}"
    return graph([*nodes, node("end", "end", {"outputs": {}})], *edges, f"{before} -> end")


class Traced:
    """The installation, with the ledger in its registry, and what came to its collector."""

    def __init__(self, folder: Path, collector: OtlpReceiver, **more: str) -> None:
        self.collector, self.ledger = collector, folder / "ledger.txt"
        self.instance: Installation = installation(
            folder / "data", extra={**SOON, "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, **more}
        )
        self.token = self.instance.start().token()
        body = {"name": "Ledger", "slug": "ledger", "transport": "stdio", "command": sys.executable}
        created = self.post("/api/mcp/servers", {**body, "args": [LEDGER, str(self.ledger)], "trust_annotations": True})
        self.get(f"/api/mcp/servers/{created['id']}/tools?refresh=1")
        for tool in ("look", "pay"):
            path = f"/api/mcp/servers/{created['id']}/tools/{tool}"
            status, reply = self.instance.request("PATCH", path, {"policy": "allow"}, self.token)
            assert status == 200, reply

    def model(self, llm: LlmServer) -> None:
        """A provider whose model a test writes."""
        self.post("/api/providers", {"name": "Scripted", "slug": "scripted", "base_url": llm.url, "api_key": "sk-1"})

    def post(self, path: str, body: Any = None) -> Any:
        status, reply = self.instance.request("POST", path, body or {}, self.token)
        assert status < 300, (path, status, reply)
        return reply

    def get(self, path: str) -> Any:
        status, reply = self.instance.request("GET", path, token=self.token)
        assert status == 200, (path, status, reply)
        return reply

    def run(self, document: dict[str, Any], inputs: dict[str, Any] | None = None, name: str = "Traced") -> str:
        workflow = self.post("/api/workflows", {"name": name, "graph": document})["id"]
        return str(self.post(f"/api/workflows/{workflow}/runs", {"version": "draft", "inputs": inputs or {}})["id"])

    def ended(self, run: str, state: str = "SUCCESS") -> Any:
        result = until(lambda: (one := self.get(f"/api/runs/{run}"))["state"] in ENDED and one)
        assert result["state"] == state, result["error"]
        return result

    def spans_of(self, run: str) -> list[Span]:
        """The run's spans, once that of the run itself is there."""

        def whole() -> list[Span] | None:
            matches = [span for span in self.collector.spans() if span.attributes.get("patchbay.run.id") == run]
            return matches if any(span.name.startswith("invoke_workflow") for span in matches) else None

        return list(until(whole))


@pytest.fixture
def collector() -> Iterator[OtlpReceiver]:
    with otlp_receiver() as receiver:
        yield receiver


@pytest.fixture
def traced(tmp_path: Path, collector: OtlpReceiver) -> Iterator[Traced]:
    traced = Traced(tmp_path, collector)
    try:
        yield traced
    finally:
        traced.instance.kill()
