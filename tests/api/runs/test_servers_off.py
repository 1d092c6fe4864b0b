"""Servers that a member switched off for models: read when a run begins, shown there, kept to while it lasts."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from backend.runs.worker.worker import Worker
from tests.api.registry.conftest import TOOLS_OF_DEMO
from tests.api.runs.asking import events
from tests.api.runs.conftest import graph, make_workflow, node, until
from tests.live.servers.conftest import PROGRAMS
from tests.llm_server import LlmServer
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

OFF = "/api/me/servers-off"
TOOLS = {"servers": [{"server": "demo", "include": ["echo"]}, {"server": "own", "include": ["echo"]}]}
SCRIPT = PROGRAMS / "example_server.py"
DEMO = {"transport": "stdio", "command": sys.executable, "args": [str(SCRIPT), str(TOOLS_OF_DEMO)]}


@pytest.fixture
def demo(adam: Person, provider: None) -> None:
    """A server with the demo's tools in the registry, under two names."""
    for name in ("Demo", "Own"):
        assert adam.api.post("/api/mcp/servers", {"name": name, "slug": name.lower(), **DEMO}).status == 201
    assert SCRIPT.exists()


def asking(person: Person, *more: Any) -> str:
    """The runs of: start → an approval → an agent with both servers."""
    config = {"provider": "llm", "model": "m", "query": "Hello.", "tools": TOOLS}
    document = graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            node("wait", "approval", {"title": "May it?"}),
            node("ask", "agent", config),
            node("end", "end", {"outputs": {"text": "{{ ask.text }}"}}),
        ],
        "start -> wait",
        "wait:approved -> ask",
        "ask -> end",
        **dict(more),
    )
    return f"/api/workflows/{make_workflow(person, document).id}/runs"


def run_through(person: Person, at: str, *, meanwhile: list[str] | None = None) -> str:
    """Start, set `meanwhile` as what is off while the run waits, approve, and wait for the end."""
    run = person.api.post(at, {"version": "draft", "inputs": {}, "wait": 30}).data
    assert run["state"] == "WAITING", run
    if meanwhile is not None:
        assert person.api.put(OFF, {"servers": meanwhile}).status == 200
    [question] = person.api.get(f"/api/interactions?state=open&run={run['id']}").data["results"]
    person.api.post(f"/api/interactions/{question['id']}/answer", {"action": "accept"})
    until(lambda: person.api.get(f"/api/runs/{run['id']}").data["state"] == "SUCCESS")
    return str(run["id"])


def begun(person: Person, run: str) -> Any:
    [first] = [event["data"] for event in events(person, run) if event["type"] == "FLOW_START"]
    return first.get("servers_off")


def test_what_a_member_switched_off_no_model_of_their_runs_is_offered(
    worker: Worker, bob: Person, adam: Person, llm: LlmServer, demo: None
) -> None:
    for _ in range(4):
        llm.say("Hello.")
    assert bob.api.get(OFF).data == {"servers": []}
    [off] = bob.api.put(OFF, {"servers": ["demo"]}).data["servers"]
    assert (off["slug"], off["name"]) == ("demo", "Demo")
    assert adam.api.get(OFF).data == {"servers": []}
    at = asking(bob)

    run = run_through(bob, at, meanwhile=[])  # what is changed while it goes on is for later runs
    assert llm.requests[-1].tools == ["own__echo"]
    assert begun(bob, run) == [off]
    logs = [event["data"] for event in events(bob, run) if event["type"] == "STEP_LOG"]
    assert any("Server demo is left out" in log["text"] and log["level"] == "warning" for log in logs)

    run = run_through(bob, at, meanwhile=["demo", "own"])
    assert llm.requests[-1].tools == ["demo__echo", "own__echo"]
    assert begun(bob, run) is None

    run_through(bob, at)
    assert llm.requests[-1].tools == []
    run_through(adam, at)
    assert llm.requests[-1].tools == ["demo__echo", "own__echo"]


def test_only_servers_that_one_sees(bob: Person, charlie: Person, demo: None) -> None:
    refused = bob.api.put(OFF, {"servers": ["demo", "nobody"]})
    assert (refused.status, list(refused.data["fields"])) == (400, ["servers.1"])
    assert charlie.api.put(OFF, {"servers": ["demo"]}).status == 400
    assert bob.api.get(OFF).data == {"servers": []}
