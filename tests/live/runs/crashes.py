"""An installation with a run that is killed in the middle."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any, Protocol

from tests.api.runs.conftest import graph, node
from tests.instance import Installation

PROGRAM = str(Path(__file__).with_name("ledger_server.py"))


def steps(count: int, seconds: float) -> dict[str, Any]:
    """start → look → pay → look → pay … → end, every call named after the run's input."""
    nodes = [node("start", "start", {"inputs": {"type": "object"}})]
    edges, before = [], "start"
    for n in range(count):
        tool = "pay" if n % 2 else "look"
        arguments = {"name": f"{{{{ start.name }}}}/{n}", "seconds": seconds}
        nodes.append(node(f"s{n}", "tool", {"server": "ledger", "tool": tool, "arguments": arguments}))
        edges.append(f"{before} -> s{n}")
        before = f"s{n}"
    nodes.append(node("end", "end", {"outputs": {"last": f"{{{{ {before}.result }}}}"}}))
    return graph(nodes, *edges, f"{before} -> end")


APPROVAL = graph(
    [
        node("start", "start", {"inputs": {"type": "object"}}),
        node("ok", "approval", {"title": "Go on?"}),
        node("end", "end", {"outputs": {"approved": "{{ ok.approved }}"}}),
    ],
    "start -> ok",
    "ok:approved -> end",
    "ok:declined -> end",
)


class Live:
    """An installation with the ledger server in its registry."""

    def __init__(self, instance: Installation, ledger: Path) -> None:
        self.instance, self.ledger = instance, ledger
        self.token = instance.start().token()
        body = {"name": "Ledger", "slug": "ledger", "transport": "stdio", "command": sys.executable}
        created = self._server = self.post(
            "/api/mcp/servers", {**body, "args": [PROGRAM, str(ledger)], "trust_annotations": True}
        )
        self.get(f"/api/mcp/servers/{created['id']}/tools?refresh=1")
        for tool in ("look", "pay"):
            self.rule(tool, policy="allow")

    def rule(self, tool: str, **rules: str) -> None:
        """Say what a tool may do."""
        path = f"/api/mcp/servers/{self._server['id']}/tools/{tool}"
        status, answer = self.instance.request("PATCH", path, rules, self.token)
        assert status == 200, answer

    def post(self, path: str, body: Any = None) -> Any:
        status, answer = self.instance.request("POST", path, body or {}, self.token)
        assert status < 300, (path, status, answer)
        return answer

    def get(self, path: str) -> Any:
        status, answer = self.instance.request("GET", path, token=self.token)
        assert status == 200, (path, status, answer)
        return answer

    def workflow(self, name: str, document: dict[str, Any]) -> str:
        created = self.post("/api/workflows", {"name": name})
        status, answer = self.instance.request(
            "PUT",
            f"/api/workflows/{created['id']}/draft",
            {"revision": created["draft"]["revision"], "graph": document},
            self.token,
        )
        assert status == 200, answer
        return str(created["id"])

    def start(self, workflow: str, name: str) -> str:
        body = {"version": "draft", "inputs": {"name": name}}
        return str(self.post(f"/api/workflows/{workflow}/runs", body)["id"])

    def states(self) -> dict[str, str]:
        return {run["id"]: run["state"] for run in self.get("/api/runs?limit=200")["results"]}

    def events(self, run: str) -> list[dict[str, Any]]:
        result: list[dict[str, Any]] = self.get(f"/api/runs/{run}/events")["results"]
        return result

    def calls(self) -> Counter[str]:
        text = self.ledger.read_text() if self.ledger.exists() else ""
        return Counter(text.splitlines())


class Report(Protocol):
    """Where the events of a run are read."""

    def events(self, run: str) -> list[dict[str, Any]]: ...


def whole(live: Report, run: str) -> None:
    """Numbers without gaps, every step's end once, one last event."""
    log = live.events(run)
    assert [line["seq"] for line in log] == list(range(1, len(log) + 1))
    ends = Counter((line["step"]) for line in log if line["type"] in {"STEP_OUTPUT", "STEP_SKIP", "STEP_CANCEL"})
    assert all(count == 1 for count in ends.values())
    lasts = [
        line for line in log if line["node"] is None and line["type"] in {"FLOW_SUCCESS", "FLOW_FAILED", "FLOW_CANCEL"}
    ]
    assert lasts == log[-1:]
