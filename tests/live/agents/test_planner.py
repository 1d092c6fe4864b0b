"""A planner on a real installation: a model over HTTP, a server as a process, a person over the API, two kills."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.llm.types import ChatRequest
from tests.api.runs.conftest import graph, node
from tests.instance import installation, until
from tests.llm_server import Gate, LlmServer, ModelRequest, Reply
from tests.looking import inside
from tests.unit.agents.planner_run import Brain

PROGRAM = str(Path(__file__).parents[1] / "runs" / "ledger_server.py")
ENDED = {"SUCCESS", "ERROR", "CANCELLED"}

PLAN = graph(
    [
        node("start", "start", {"inputs": {"type": "object", "properties": {"bill": {"type": "string"}}}}),
        node(
            "plan",
            "planner",
            {
                "provider": "scripted",
                "model": "scripted-1",
                "goal": "Pay the bill {{ start.bill }}.",
                "tools": {"servers": [{"server": "ledger"}]},
            },
            title="Pay the bill",
        ),
        node("end", "end", {"outputs": {"text": "{{ plan.text }}", "steps": "{{ plan.steps }}"}}),
    ],
    "start -> plan",
    "plan -> end",
)


class PlannerSetup:
    """An installation with a model's endpoint and the ledger server, and its one person."""

    def __init__(self, folder: Path, llm: LlmServer) -> None:
        self.llm, self.ledger = llm, folder / "ledger.txt"
        self.instance = installation(folder / "data")
        self.token = self.instance.start().token()
        self.post("/api/providers", {"name": "Scripted", "slug": "scripted", "base_url": llm.url})
        server = {"name": "Ledger", "slug": "ledger", "transport": "stdio", "command": sys.executable}
        self.post("/api/mcp/servers", {**server, "args": [PROGRAM, str(self.ledger)], "trust_annotations": True})

    def post(self, path: str, body: Any = None) -> Any:
        status, answer = self.instance.request("POST", path, body or {}, self.token)
        assert status < 300, (path, status, answer)
        return answer

    def get(self, path: str) -> Any:
        status, answer = self.instance.request("GET", path, token=self.token)
        assert status == 200, (path, status, answer)
        return answer

    def start(self, document: Any, inputs: Any) -> str:
        created = self.post("/api/workflows", {"name": "Bills", "graph": document})
        return str(self.post(f"/api/workflows/{created['id']}/runs", {"version": "draft", "inputs": inputs})["id"])

    def question(self, run: str) -> Any:
        """The question that the run asks now."""
        return until(lambda: self.get(f"/api/interactions?state=open&run={run}")["results"])[0]

    def answer(self, run: str, kind: str, **body: Any) -> Any:
        """Answer the open question, which must be of this kind."""
        question = self.question(run)
        assert question["kind"] == kind, question
        self.post(f"/api/interactions/{question['id']}/answer", {"action": "accept", **body})
        return question

    def ended(self, run: str) -> Any:
        """The run at its end."""
        return until(lambda: self._if_ended(run))

    def _if_ended(self, run: str) -> Any:
        result = self.get(f"/api/runs/{run}")
        return result if result["state"] in ENDED else None

    def events(self, run: str) -> list[Any]:
        return list(self.get(f"/api/runs/{run}/events")["results"])

    def calls(self) -> list[str]:
        return self.ledger.read_text().splitlines() if self.ledger.exists() else []


@pytest.fixture
def setup(tmp_path: Path, llm: LlmServer) -> Iterator[PlannerSetup]:
    setup = PlannerSetup(tmp_path, llm)
    try:
        yield setup
    finally:
        setup.instance.kill()


def speaking(brain: Brain, gate: Gate) -> Any:
    """The endpoint's answers; the summary waits at the gate."""

    def answer(model_request: ModelRequest) -> Reply:
        expected = (model_request.body.get("response_format") or {}).get("json_schema", {}).get("schema")
        request = ChatRequest(inside(model_request.messages), output_schema=expected)
        reply = brain(request)
        return Reply(text=reply, gate=gate if expected is None else None)

    return answer


@pytest.mark.wide
@pytest.mark.timeout(300)
def test_a_plan_with_people_through_two_kills_and_kept_as_a_workflow(setup: PlannerSetup) -> None:
    gate = Gate()
    brain = Brain(
        [("ledger__look", "Look up the bill."), ("ledger__pay", "Pay it.")],
        {1: {"name": "invoice-4711"}},
        missing=["name"],
        words="Which bill shall be paid?",
        summary="The bill is paid, every cent of it.",
    )
    setup.llm.otherwise = speaking(brain, gate)
    run = setup.start(PLAN, {"bill": "invoice-4711"})

    request = setup.answer(run, "params", values={"name": "invoice-4711"})
    assert request["message"] == "Which bill shall be paid?" and list(request["schema"]["properties"]) == ["name"]
    request = setup.question(run)
    assert request["kind"] == "approval" and request["risk"]["level"] == "MEDIUM"
    [read] = request["evidence"]["read"]
    assert (read["server"], read["tool"]) == ("ledger", "look") and "invoice-4711" in read["excerpt"]
    rounds = len(setup.llm.requests)
    setup.instance.kill()  # while it waits for a person
    setup.instance.start()
    setup.answer(run, "approval", values={"name": "invoice-4711", "seconds": 0.01})

    gate.release(3)
    gate.wait_sent(3)  # the summary has begun
    until(lambda: any(line["data"].get("call") == "summary" for line in setup.events(run)))  # and this is on disk
    setup.instance.kill()
    gate.open()
    setup.instance.start()
    end = setup.ended(run)
    assert (end["state"], end["outputs"]["text"]) == ("SUCCESS", "The bill is paid, every cent of it.")
    assert [step["state"] for step in end["outputs"]["steps"]] == ["SUCCESS", "SUCCESS"]
    assert setup.calls() == ["read invoice-4711", "write invoice-4711"]
    asked_for = Counter(brain.asked)
    assert asked_for["summary"] == 2 and asked_for["next_step"] == 3 and asked_for["flow_name"] == 1
    assert len(setup.llm.requests) == rounds + 3, "after the first kill only what came next is asked"

    log = setup.events(run)
    assert [line["seq"] for line in log] == list(range(1, len(log) + 1))
    own = next(line["step"] for line in log if line["node"] == "plan")
    steps = [line for line in log if line["data"].get("parent") == own]
    assert [line["type"] for line in steps if line["data"].get("name") or line["type"].startswith("STEP_WAIT")] == [
        *("STEP_INIT", "STEP_INIT"),
        *("STEP_WAITING_FOR_PARAM", "STEP_WAITING_FOR_START"),
    ]
    flow = [line["type"] for line in log if line["node"] == "plan" and line["type"].startswith("FLOW")]
    assert flow == ["FLOW_START", "FLOW_SUCCESS"]
    text = ""
    for line in (line for line in log if line["type"] == "TEXT_ADD"):
        text = text[: line["data"]["offset"]] + line["data"]["text"]
    assert text == "The bill is paid, every cent of it."

    kept = setup.post(f"/api/runs/{run}/keep", {"node": "plan"})
    document = kept["draft"]["graph"]
    assert kept["name"] == "Bills: Pay the bill"
    assert [node["type"] for node in document["nodes"]] == ["start", "tool", "tool", "end"]
    assert document["nodes"][1]["config"]["arguments"] == {"name": "{{ start.bill }}"}
    assert document["nodes"][2]["config"]["arguments"]["name"] == "{{ start.bill }}"
    again = setup.post(
        f"/api/workflows/{kept['id']}/runs", {"version": "draft", "inputs": {"bill": "invoice-4712"}, "wait": 20}
    )
    assert again["state"] == "SUCCESS", json.dumps(again)
    assert setup.calls()[2:] == ["read invoice-4712", "write invoice-4712"]
    status, answer = setup.instance.request("POST", f"/api/runs/{again['id']}/keep", {"node": "look"}, setup.token)
    assert status == 400 and "node" in answer["fields"]
