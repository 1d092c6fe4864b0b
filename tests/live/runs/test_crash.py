"""Real processes, really killed: nothing durable is lost, nothing finished runs twice, the unknown is asked."""

from __future__ import annotations

import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.api.runs.conftest import graph, node
from tests.instance import Installation, installation, until

ENDED = {"SUCCESS", "ERROR", "CANCELLED"}
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
        made = self.post("/api/mcp/servers", {**body, "args": [PROGRAM, str(ledger)], "trust_annotations": True})
        self.get(f"/api/mcp/servers/{made['id']}/tools?refresh=1")
        for tool in ("look", "pay"):
            status, said = instance.request(
                "PATCH", f"/api/mcp/servers/{made['id']}/tools/{tool}", {"policy": "allow"}, self.token
            )
            assert status == 200, said

    def post(self, path: str, body: Any = None) -> Any:
        status, said = self.instance.request("POST", path, body or {}, self.token)
        assert status < 300, (path, status, said)
        return said

    def get(self, path: str) -> Any:
        status, said = self.instance.request("GET", path, token=self.token)
        assert status == 200, (path, status, said)
        return said

    def workflow(self, name: str, document: dict[str, Any]) -> str:
        made = self.post("/api/workflows", {"name": name})
        status, said = self.instance.request(
            "PUT",
            f"/api/workflows/{made['id']}/draft",
            {"revision": made["draft"]["revision"], "graph": document},
            self.token,
        )
        assert status == 200, said
        return str(made["id"])

    def start(self, workflow: str, name: str) -> str:
        body = {"version": "draft", "inputs": {"name": name}}
        return str(self.post(f"/api/workflows/{workflow}/runs", body)["id"])

    def states(self) -> dict[str, str]:
        return {run["id"]: run["state"] for run in self.get("/api/runs?limit=200")["results"]}

    def events(self, run: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.get(f"/api/runs/{run}/events")["results"]
        return found

    def calls(self) -> Counter[str]:
        text = self.ledger.read_text() if self.ledger.exists() else ""
        return Counter(text.splitlines())


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    instance = installation(tmp_path / "data", extra={"PATCHBAY_RUN_STARTS_PER_15S": "0"})
    try:
        yield Live(instance, tmp_path / "ledger.txt")
    finally:
        instance.kill()


def whole(live: Live, run: str) -> None:
    """Numbers without gaps, every step's end once, one last event."""
    log = live.events(run)
    assert [one["seq"] for one in log] == list(range(1, len(log) + 1))
    ends = Counter((one["step"]) for one in log if one["type"] in {"STEP_OUTPUT", "STEP_SKIP", "STEP_CANCEL"})
    assert all(count == 1 for count in ends.values())
    lasts = [
        one for one in log if one["node"] is None and one["type"] in {"FLOW_SUCCESS", "FLOW_FAILED", "FLOW_CANCEL"}
    ]
    assert lasts == log[-1:]


@pytest.mark.timeout(300)
def test_killed_again_and_again_every_run_ends_and_no_payment_happens_twice(live: Live) -> None:
    chance = random.Random(7)
    workflow = live.workflow("Payments", steps(8, 0.03))
    runs = [live.start(workflow, f"run{n}") for n in range(20)]
    for _ in range(3):
        threading.Event().wait(chance.uniform(0.2, 0.9))
        live.instance.kill()
        live.instance.start()
        until(lambda: "QUEUED" not in live.states().values())
    asked = 0

    def settled() -> bool:
        nonlocal asked
        for question in live.get("/api/interactions?state=open&limit=200")["results"]:
            assert question["kind"] == "recovery"
            asked += 1
            live.post(
                f"/api/interactions/{question['id']}/answer", {"action": "skip", "values": {"result": "looked up"}}
            )
        return all(state in ENDED for state in live.states().values())

    until(settled, 120)
    assert set(live.states().values()) == {"SUCCESS"}
    calls = live.calls()
    writes = {name: count for name, count in calls.items() if name.startswith("write")}
    assert max(writes.values()) == 1, writes
    missing = 20 * 4 - len(writes)
    assert missing <= asked, "a payment is missing that nobody was asked about"
    for run in runs:
        whole(live, run)


@pytest.mark.timeout(300)
def test_a_write_in_flight_at_the_kill_is_asked_about_and_a_read_is_repeated(live: Live) -> None:
    workflow = live.workflow("Slow", steps(2, 1.0))
    run = live.start(workflow, "one")
    until(lambda: live.calls()["read one/0"] == 1)
    live.instance.kill()
    live.instance.start()
    until(lambda: live.calls()["write one/1"] == 1)
    assert live.calls()["read one/0"] == 2
    live.instance.kill()
    live.instance.start()
    [question] = until(lambda: live.get(f"/api/interactions?state=open&run={run}")["results"])
    assert question["kind"] == "recovery" and live.states()[run] == "WAITING"
    live.post(f"/api/interactions/{question['id']}/answer", {"action": "retry"})
    until(lambda: live.states()[run] == "SUCCESS")
    assert live.calls()["write one/1"] == 2
    whole(live, run)


@pytest.mark.timeout(300)
def test_a_run_that_waits_for_a_person_survives_the_kill(live: Live) -> None:
    run = live.start(live.workflow("Ask", APPROVAL), "x")
    [question] = until(lambda: live.get(f"/api/interactions?state=open&run={run}")["results"])
    live.instance.kill()
    live.instance.start()
    assert live.states()[run] == "WAITING"
    live.post(f"/api/interactions/{question['id']}/answer", {"action": "accept"})
    until(lambda: live.states()[run] == "SUCCESS")
    whole(live, run)


@pytest.mark.timeout(300)
def test_a_call_in_flight_is_cancelled_within_a_second(live: Live) -> None:
    run = live.start(live.workflow("Long", steps(1, 60.0)), "x")
    until(lambda: live.calls()["read x/0"] == 1)
    began = time.monotonic()
    live.post(f"/api/runs/{run}/cancel")
    until(lambda: live.states()[run] == "CANCELLED", 5)
    assert time.monotonic() - began < 1.5
    whole(live, run)


def test_a_start_that_waited_in_vain_says_how_the_run_stands(live: Live) -> None:
    body = {"version": "draft", "inputs": {"name": "x"}, "wait": 2}
    run = live.post(f"/api/workflows/{live.workflow('Long', steps(1, 60.0))}/runs", body)
    assert (run["state"], run["started_at"] is not None) == ("RUNNING", True)
    live.post(f"/api/runs/{run['id']}/cancel")


@pytest.mark.timeout(300)
def test_ctrl_c_in_the_middle_hands_runs_over(live: Live) -> None:
    run = live.start(live.workflow("Slow", steps(4, 0.5)), "x")
    until(lambda: live.calls()["write x/1"] == 1)
    assert live.instance.stop() == 0
    live.instance.start()
    until(lambda: live.states()[run] == "SUCCESS")
    assert set(live.calls().values()) == {1}
    whole(live, run)
