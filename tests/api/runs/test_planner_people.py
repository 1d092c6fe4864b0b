"""A planner whose plan and calls take two people: what each is shown, who may answer, what a yes is for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from backend.llm.types import ChatRequest
from backend.runs.worker.worker import Worker
from tests.api.runs.asking import events, start, state
from tests.api.runs.conftest import graph, make_workflow, node, until
from tests.api.runs.deciding import answer, shown, waiting_of
from tests.llm_server import LlmServer, ModelRequest, Reply
from tests.looking import inside
from tests.people import Person
from tests.unit.agents.planner_run import Brain

pytestmark = pytest.mark.django_db(transaction=True)

GOAL = "Pay what we owe."
STEPS = [("ledger__look", "Look up the bill."), ("ledger__pay", "Pay it.")]
ARGUMENTS = {1: {"name": "invoice-4711"}, 2: {"name": "invoice-4711", "seconds": 0}}


def plan(rule: str) -> dict[str, Any]:
    """start → plan → end under a workflow's rule of approval."""
    config = {"provider": "planning", "model": "m", "goal": GOAL, "tools": {"servers": [{"server": "ledger"}]}}
    outputs = {"text": "{{ plan.text }}", "steps": "{{ plan.steps }}"}
    nodes = [node("start", "start"), node("plan", "planner", config), node("end", "end", {"outputs": outputs})]
    return graph(nodes, "start -> plan", "plan -> end", approvers=rule)


def planning(adam: Person, llm: LlmServer, risk: str) -> None:
    """A provider whose model plans to look and to pay, and judges the whole so."""
    about = {"name": "Planning", "slug": "planning", "base_url": llm.url}
    assert adam.api.post("/api/providers", about).status == 201
    brain = Brain(STEPS, ARGUMENTS, risk=(risk, "money leaves the house"), summary="Paid.")

    def reply(request: ModelRequest) -> Reply:
        expected = (request.body.get("response_format") or {}).get("json_schema", {}).get("schema")
        return Reply(text=brain(ChatRequest(inside(request.messages), output_schema=expected)))

    llm.otherwise = reply


def listed(adam: Person) -> None:
    """The ledger's tools as it lists them now."""
    assert adam.api.get("/api/mcp/servers/ledger/tools?refresh=1").status == 200


def next_question(person: Person, run: str, before: str) -> dict[str, Any]:
    """The question that the run asks after another one."""

    def newer() -> dict[str, Any] | None:
        question = person.api.get(f"/api/interactions?state=open&run={run}").data["results"]
        return next((entry for entry in question if entry["id"] != before), None)

    question: dict[str, Any] = until(newer)
    return question


def test_two_people_agree_to_a_plan_and_to_each_call_that_asks(
    worker: Worker, bob: Person, alice: Person, adam: Person, llm: LlmServer, ledger: Path
) -> None:
    listed(adam)
    planning(adam, llm, "HIGH")
    run, of_plan = waiting_of(start(bob, make_workflow(bob, plan("two_people")), {"wait": 20}))
    [question] = bob.api.get(f"/api/interactions?id={of_plan}").data["results"]
    assert (question["tool"], question["message"], question["risk"]["level"]) == (None, GOAL, "HIGH")
    assert question["evidence"] == {"definition": None, "read": []}, "it has read nothing yet"
    assert answer(bob, of_plan).data["state"] == "open"
    assert answer(bob, of_plan).status == 403
    assert state(run) == "WAITING" and not ledger.exists(), "one yes begins nothing"
    assert answer(alice, of_plan).data["state"] == "answered"

    question = next_question(bob, run, of_plan)
    assert (question["tool"], question["approval"]["rule"]) == ({"server": "ledger", "name": "pay"}, "two_people")
    [read] = question["evidence"]["read"]
    assert (read["server"], read["tool"]) == ("ledger", "look") and "invoice-4711" in read["excerpt"]
    assert ledger.read_text().splitlines() == ["read invoice-4711"]
    assert answer(alice, question["id"]).data["state"] == "open"
    assert [body["by"] for body in shown(bob, question["id"])["given"]] == ["alice@example.org"]
    assert answer(adam, question["id"]).data["state"] == "answered"
    until(lambda: state(run) == "SUCCESS")
    assert ledger.read_text().splitlines() == ["read invoice-4711", "write invoice-4711"]
    answered = [event["data"] for event in events(bob, run) if event["type"] == "STEP_ANSWERED"]
    assert [entry["action"] for entry in answered] == ["accept", "accept"]


def test_whoever_started_a_plan_may_not_agree_to_it_and_may_refuse(
    worker: Worker, bob: Person, alice: Person, adam: Person, llm: LlmServer, ledger: Path
) -> None:
    listed(adam)
    planning(adam, llm, "MEDIUM")
    run, of_plan = waiting_of(start(bob, make_workflow(bob, plan("not_starter")), {"wait": 20}))
    refused = answer(bob, of_plan)
    assert (refused.status, refused.data["code"]) == (403, "APPROVAL_NEEDS_OTHERS")
    assert answer(alice, of_plan).data["state"] == "answered"
    question = next_question(bob, run, of_plan)
    assert answer(bob, question["id"]).status == 403
    assert answer(bob, question["id"], "decline", reason="Paid already.").status == 200
    until(lambda: state(run) == "SUCCESS")
    steps = bob.api.get(f"/api/runs/{run}").data["outputs"]["steps"]
    assert [(step["state"], step["result"]) for step in steps][1:] == [("SKIPPED", "Paid already.")]
    assert ledger.read_text().splitlines() == ["read invoice-4711"]


def test_a_plan_that_one_of_two_refuses_begins_nothing(
    worker: Worker, bob: Person, alice: Person, adam: Person, llm: LlmServer, ledger: Path
) -> None:
    listed(adam)
    planning(adam, llm, "HIGH")
    run, of_plan = waiting_of(start(bob, make_workflow(bob, plan("two_others")), {"wait": 20}))
    assert answer(bob, of_plan).status == 403
    assert answer(alice, of_plan).data["state"] == "open"
    assert answer(adam, of_plan, "decline", reason="Not now.").status == 200
    until(lambda: state(run) == "ERROR")
    error = bob.api.get(f"/api/runs/{run}").data["error"]
    assert (error["code"], "Not now." in error["message"]) == ("MCP_POLICY_DENIED", True)
    assert not ledger.exists()
