"""An agent on A2A's SDK in TypeScript, under a real Patchbay; those in Python are `tests.sample_agents`."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.tools.programs.bundled import node_package
from tests.instance import until
from tests.live.a2a.conftest import Offering, chain, node

AGENT = Path(__file__).parents[1] / "servers" / "node" / "their_agent.mjs"


@pytest.fixture
def theirs(offering: Offering) -> Iterator[str]:
    """The slug of the agent in the registry."""
    command = [str(node_package() / "bin" / "node"), str(AGENT)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            url = f"http://127.0.0.1:{int(process.stdout.readline())}"
            created = offering.ask("POST", "/api/mcp/servers", {"name": "Theirs", "transport": "a2a", "url": url})
            offering.ask("GET", f"/api/mcp/servers/{created['id']}/tools?refresh=1")
            yield str(created["slug"])
            offering.ask("DELETE", f"/api/mcp/servers/{created['id']}")
        finally:
            process.kill()


def test_its_skill_is_called(offering: Offering, theirs: str) -> None:
    call = {"server": theirs, "tool": "echo", "arguments": {"message": "hi"}, "confirm": True}
    answer = offering.ask("POST", "/api/mcp/tools/call", call)
    assert "You said: hi" in str(answer), answer


def test_what_it_asks_is_a_question_of_the_run(offering: Offering, theirs: str) -> None:
    asks = chain(
        node("start", "start", {"inputs": {"type": "object"}}),
        node("far", "tool", {"server": theirs, "tool": "ask", "arguments": {"message": "beds"}}),
        node("end", "end", {"outputs": {"said": "{{ far.result }}"}}),
    )
    workflow = offering.ask("POST", "/api/workflows", {"name": "Asks theirs", "graph": asks})["id"]
    run = offering.ask("POST", f"/api/workflows/{workflow}/runs", {"version": "draft"})["id"]

    def open_question() -> Any:
        open_question = offering.ask("GET", f"/api/interactions?run={run}&state=open")["results"]
        return next((question for question in open_question if question["kind"] == "elicitation"), None)

    question = until(open_question)
    assert question["message"] == "How many?"
    answer = {"action": "accept", "values": {"answer": "3"}}
    offering.ask("POST", f"/api/interactions/{question['id']}/answer", answer)
    ended = until(lambda: (reply := offering.ask("GET", f"/api/runs/{run}"))["finished_at"] and reply)
    assert (ended["state"], ended["outputs"]) == ("SUCCESS", {"said": "You said: 3"}), ended["error"]
