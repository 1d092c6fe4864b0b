"""Agents of others that a document declares, in its runs: as a tool node, and among the tools of models."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from backend.runs.models import Interaction
from backend.runs.worker.worker import Worker
from backend.tools.loop import LOOP
from tests.api.runs.asking import start
from tests.api.runs.conftest import graph, make_workflow, node, until
from tests.api.runs.models import agent
from tests.api.runs.remote_tasks import ended
from tests.llm_server import Call, LlmServer, has_result
from tests.people import Person
from tests.sample_agents import SampleAgents

pytestmark = pytest.mark.django_db(transaction=True)

DECLARATIONS = "/api/mcp/declarations"


@pytest.fixture(scope="module")
def process() -> Iterator[SampleAgents]:
    with SampleAgents() as agents:
        yield agents


@pytest.fixture
def far(process: SampleAgents) -> Iterator[SampleAgents]:
    """The agents, with nothing on their books."""
    process.do("reset")
    yield process
    LOOP.stop()


def calls(url: str, tool: str, inline: bool = False) -> dict[str, Any]:
    """start → one message to a declared agent → end with what came of it."""
    declared = {"transport": "a2a", "url": url}
    config = {"server": declared if inline else "far", "tool": tool, "arguments": {"message": "hi"}}
    more = {} if inline else {"mcp_servers": {"far": declared}}
    return graph(
        [
            node("start", "start"),
            node("far", "tool", config, retry={"max": 0}),
            node("end", "end", {"outputs": {"said": "{{ far.result }}", "structured": "{{ far.structured }}"}}),
        ],
        "start -> far",
        "far -> end",
        **more,
    )


def approved(adam: Person, bob: Person, document: dict[str, Any]) -> tuple[Any, str]:
    """A workflow of Bob's whose agent Adam approved, and where the declaration is."""
    workflow = make_workflow(bob, document)
    assert start(bob, workflow).data["code"] == "SERVER_NOT_APPROVED"
    at = bob.api.put(f"/api/workflows/{workflow.pk}/draft", {"revision": workflow.revision, "graph": document})
    assert at.status == 200, at.text
    [row] = adam.api.get(f"{DECLARATIONS}?state=waiting").data["results"]
    assert adam.api.post(f"{DECLARATIONS}/{row['hash']}/approve").status == 200
    return workflow, f"{DECLARATIONS}/{row['hash']}"


def agreed(person: Person, run: str) -> dict[str, Any]:
    """The run's call is approved; what was asked."""
    question = until(lambda: Interaction.objects.filter(run_id=run, state="open", kind="approval").first())
    [shown] = person.api.get(f"/api/interactions?run={run}&state=open").data["results"]
    reply = person.api.post(f"/api/interactions/{question.pk}/answer", {"action": "accept"})
    assert reply.status == 200, reply.text
    return dict(shown)


def begun(person: Person, workflow: Any) -> str:
    reply = start(person, workflow)
    assert reply.status == 202, reply.text
    return str(reply.data["id"])


@pytest.mark.parametrize("inline", [False, True])
def test_a_skill_is_a_node(worker: Worker, adam: Person, bob: Person, far: SampleAgents, inline: bool) -> None:
    workflow, _ = approved(adam, bob, calls(f"{far.url}/kit", "work", inline))
    run = begun(bob, workflow)
    until(lambda: far.log("get"))
    far.do("finish")
    result = ended(bob, run)
    assert (result["state"], result["outputs"]["said"]) == ("SUCCESS", "42"), result["error"]
    assert result["outputs"]["structured"]["state"] == "completed"
    assert len(far.log("send")) == 1 and len(far.log("card")) == 1, "the card of the approval does"


def test_its_question_is_one_of_the_run(worker: Worker, adam: Person, bob: Person, far: SampleAgents) -> None:
    workflow, _ = approved(adam, bob, calls(f"{far.url}/old", "ask"))
    run = begun(bob, workflow)
    question = until(lambda: Interaction.objects.filter(run_id=run, state="open", kind="elicitation").first())
    assert question.message == "How many?"
    reply = bob.api.post(f"/api/interactions/{question.pk}/answer", {"action": "accept", "values": {"answer": "3"}})
    assert reply.status == 200, reply.text
    assert ended(bob, run)["outputs"]["said"] == "You want 3."


def test_a_changed_skill_asks_with_what_changed(worker: Worker, adam: Person, bob: Person, far: SampleAgents) -> None:
    workflow, at = approved(adam, bob, calls(f"{far.url}/kit", "echo"))
    far.do("change")
    result = adam.api.post(f"{at}/card").data
    run = begun(bob, workflow)
    text = json.dumps(agreed(bob, run))
    assert "as of day 1" in text, text
    assert ended(bob, run)["outputs"]["said"].startswith("You said: hi")
    assert adam.api.post(f"{at}/card/accept", {"version": result["version"]}).data["changed"] == 0
    assert ended(bob, begun(bob, workflow))["state"] == "SUCCESS", "nobody is asked any more"


def test_an_approval_taken_back_ends_its_use(worker: Worker, adam: Person, bob: Person, far: SampleAgents) -> None:
    workflow, at = approved(adam, bob, calls(f"{far.url}/kit", "echo"))
    far.do("change")
    adam.api.post(f"{at}/card")
    run = begun(bob, workflow)
    question = until(lambda: Interaction.objects.filter(run_id=run, state="open", kind="approval").first())
    assert adam.api.post(f"{at}/reject").status == 200
    bob.api.post(f"/api/interactions/{question.pk}/answer", {"action": "accept"})
    assert ended(bob, run)["error"]["code"] in ("SERVER_NOT_APPROVED", "MCP_POLICY_DENIED")
    assert start(bob, workflow).data["code"] == "SERVER_NOT_APPROVED" and far.log("send") == []


def test_another_teams_approval_is_not_ours(adam: Person, bob: Person, charlie: Person, far: SampleAgents) -> None:
    document = calls(f"{far.url}/kit", "echo")
    approved(adam, bob, document)
    assert start(charlie, make_workflow(charlie, document)).data["code"] == "SERVER_NOT_APPROVED"


def test_a_bad_card_fails_the_step(worker: Worker, adam: Person, bob: Person, far: SampleAgents) -> None:
    workflow, _ = approved(adam, bob, calls(f"{far.url}/odd/huge", "echo"))
    error = ended(bob, begun(bob, workflow))["error"]
    assert error["code"] == "MCP_PARSE_ERROR" and "larger than 1 MB" in error["message"]


def test_a_model_calls_it(
    worker: Worker, adam: Person, bob: Person, far: SampleAgents, llm: LlmServer, provider: None
) -> None:
    llm.reply(calls=[Call("far__echo", {"message": "How much is it?"})])
    llm.say("It said so.", when=has_result("You said"))
    document: Any = agent("How much?")
    document["nodes"][1]["config"]["tools"] = {"servers": [{"server": "far", "include": ["echo"]}]}
    document["mcp_servers"] = {"far": {"transport": "a2a", "url": f"{far.url}/kit"}}
    workflow, _ = approved(adam, bob, document)
    run = begun(bob, workflow)
    agreed(bob, run)
    result = ended(bob, run)
    assert result["outputs"] == {"text": "It said so."}, result["error"]
    [sent] = far.log("send")
    assert sent["message"]["parts"] == [{"text": "How much is it?"}] and sent["skill"] == "echo"


def test_it_goes_along_with_an_export(adam: Person, bob: Person, charlie: Person, far: SampleAgents) -> None:
    document = calls(f"{far.url}/kit", "echo")
    document["mcp_servers"]["far"]["document_url"] = f"{far.url}/kit/.well-known/agent-card.json"
    workflow, _ = approved(adam, bob, document)
    text = bob.api.get(f"/api/workflows/{workflow.pk}/export").text
    created = charlie.api.post("/api/workflows/import", {"text": text, "name": "theirs"})
    assert created.status == 201, created.text
    [row] = charlie.api.get(f"{DECLARATIONS}?state=waiting").data["results"]
    assert row["config"]["document_url"].endswith("agent-card.json") and row["name"] == "far"
