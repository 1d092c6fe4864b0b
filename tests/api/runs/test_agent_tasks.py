"""Messages that an external agent answers with a task: followed by whatever process comes, ended as any call is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from backend.runs.models import Interaction
from backend.runs.worker.worker import Worker
from backend.tools.loop import LOOP
from tests.api.runs.asking import events, start, state
from tests.api.runs.conftest import graph, make_workflow, node, until
from tests.api.runs.models import agent
from tests.api.runs.remote_tasks import ENDED, answer, begun, ended, working
from tests.llm_server import Call, LlmServer, has_result
from tests.people import Person
from tests.sample_agents import SampleAgents

pytestmark = pytest.mark.django_db(transaction=True)

FAR = "/api/mcp/servers/far"


@pytest.fixture(scope="module")
def process() -> Iterator[SampleAgents]:
    with SampleAgents() as agents:
        yield agents


def entered(adam: Person, url: str) -> None:
    """An agent is in the registry, and each of its skills may be used."""
    reply = adam.api.post("/api/mcp/servers", {"name": "Far", "transport": "a2a", "url": url})
    assert reply.status == 201, reply.text
    for tool in adam.api.get(f"{FAR}/tools?refresh=1").data["results"]:
        assert adam.api.patch(f"{FAR}/tools/{tool['name']}", {"policy": "allow"}).status == 200


@pytest.fixture
def far(process: SampleAgents, adam: Person) -> Iterator[SampleAgents]:
    """The agent in the registry of the team, with nothing on its books."""
    process.do("reset")
    entered(adam, f"{process.url}/kit")
    yield process
    LOOP.stop()


@pytest.fixture
def agents(process: SampleAgents) -> Iterator[SampleAgents]:
    """The agents, none of them in the registry yet."""
    process.do("reset")
    yield process
    LOOP.stop()


def calls(tool: str, message: str = "hi", more: Any = None, **arguments: Any) -> dict[str, Any]:
    """start → one message → end with what came of it."""
    config = {"server": "far", "tool": tool, "arguments": {"message": message, **arguments}}
    outputs = {"said": "{{ far.result }}", "structured": "{{ far.structured }}", "content": "{{ far.content }}"}
    return graph(
        [node("start", "start"), node("far", "tool", config, **(more or {})), node("end", "end", {"outputs": outputs})],
        "start -> far",
        "far -> end",
    )


def test_a_task_gives_what_a_call_gives(worker: Worker, bob: Person, far: SampleAgents) -> None:
    run = begun(bob, calls("work"))
    until(lambda: far.log("get"))
    far.do("finish")
    result = ended(bob, run)
    assert (result["state"], result["outputs"]["said"]) == ("SUCCESS", "42"), result["error"]
    assert result["outputs"]["structured"]["state"] == "completed"
    log = [event for event in events(bob, run) if event["node"] == "far"]
    assert [e["type"] for e in log if e["type"].startswith("TOOL_")] == ["TOOL_REQUEST", "TOOL_RESPONSE"]
    texts = [event["data"]["message"] for event in log if event["type"] == "STEP_PROGRESS"]
    assert "half of it" in texts
    assert len(far.log("send")) == 1 and {entry["version"] for entry in far.log("get")} == {"1.0"}
    assert far.log("cancel") == []


def test_another_process_follows_it(bob: Person, far: SampleAgents) -> None:
    with working():
        run = begun(bob, calls("work"))
        until(lambda: far.log("get"))
    count = len(far.log("get"))
    far.do("finish")
    with working():
        assert ended(bob, run)["outputs"]["said"] == "42"
    assert len(far.log("send")) == 1 and len(far.log("get")) > count


@pytest.mark.parametrize("which", ["kit", "old"])
def test_what_it_asks_is_a_question_and_the_answer_the_next_message(
    worker: Worker, adam: Person, bob: Person, agents: SampleAgents, which: str
) -> None:
    entered(adam, f"{agents.url}/{which}")
    run = begun(bob, calls("ask"))
    question = answer(bob, run, values={"answer": "more"})
    assert (question.kind, question.message) == ("elicitation", "How many?")
    until(lambda: Interaction.objects.filter(run_id=run, state="open", message="How many more?").first())
    answer(bob, run, values={"answer": "3"})
    result = ended(bob, run)
    assert result["outputs"]["said"] == "You want 3.", result["error"]
    assert [entry["text"] for entry in agents.log("answer")] == ["more", "3"]
    assert len({entry["id"] for entry in agents.log("answer")}) == 2 and len(agents.log("send")) == 1
    assert agents.log("cancel") == []


def test_a_saved_test_knows_what_was_asked(worker: Worker, bob: Person, far: SampleAgents) -> None:
    workflow = make_workflow(bob, calls("ask"))
    run = str(start(bob, workflow).data["id"])
    answer(bob, run, values={"answer": "3"})
    assert ended(bob, run)["state"] == "SUCCESS"
    at = f"/api/workflows/{workflow.pk}/tests"
    test = bob.api.post(at, {"run": run, "name": "t"}).data["id"]
    count = len(far.log("get"))
    report = bob.api.post(f"{at}/{test}/run", {}).data
    assert report["ok"] is True, json.dumps(report)
    assert (len(far.log("send")), len(far.log("answer")), len(far.log("get"))) == (1, 1, count)


def test_an_answer_without_words_is_refused(worker: Worker, bob: Person, far: SampleAgents) -> None:
    run = begun(bob, calls("ask"))
    question = until(lambda: Interaction.objects.filter(run_id=run, state="open").first())
    for values in ({}, {"answer": ""}, {"answer": 3}):
        reply = bob.api.post(f"/api/interactions/{question.pk}/answer", {"action": "accept", "values": values})
        assert reply.status == 400, reply.text
    answer(bob, run, values={"answer": "3"})
    assert ended(bob, run)["outputs"]["said"] == "You want 3."


def test_a_person_who_declines_ends_the_task(worker: Worker, bob: Person, far: SampleAgents) -> None:
    run = begun(bob, calls("ask", more={"retry": {"max": 0}}))
    answer(bob, run, "decline", reason="not today")
    error = ended(bob, run)["error"]
    assert error["code"] == "MCP_POLICY_DENIED" and "not today" in error["message"]
    assert len(until(lambda: far.log("cancel"))) == 1 and far.log("answer") == []


def test_a_sign_in_is_told_in_the_agents_words(worker: Worker, bob: Person, far: SampleAgents) -> None:
    run = begun(bob, calls("sign"))
    question = answer(bob, run, values={})
    assert question.message == "Sign in at https://login.example.org first."
    far.do("finish")
    assert ended(bob, run)["outputs"]["said"] == "42"
    assert far.log("answer") == [], "it sees by itself that somebody signed in"


def test_a_task_that_failed_fails_as_a_call_does(worker: Worker, bob: Person, far: SampleAgents) -> None:
    error = ended(bob, begun(bob, calls("fail", more={"retry": {"max": 0}})))["error"]
    assert error["code"] == "MCP_EXECUTION_ERROR" and "No room left." in json.dumps(error)


def test_files_become_the_runs_and_are_sent(worker: Worker, bob: Person, far: SampleAgents) -> None:
    content = ended(bob, begun(bob, calls("things")))["outputs"]["content"]
    picture = next(block for block in content if block["type"] == "image")
    assert picture["file"]["mime"] == "image/png" and "data" not in picture
    run = ended(bob, begun(bob, calls("echo", files=[{"$file": picture["file"]["$file"]}])))
    back = next(block for block in run["outputs"]["content"] if block["type"] == "image")
    assert back["file"]["size"] == picture["file"]["size"], run["error"]
    none = ended(bob, begun(bob, calls("echo", files=[{"$file": "nothing"}], more={"retry": {"max": 0}})))
    assert none["error"]["code"] == "NOT_FOUND"


@pytest.mark.parametrize("which", ["kit", "old"])
def test_cancelling_the_run_tells_the_agent(
    worker: Worker, adam: Person, bob: Person, agents: SampleAgents, which: str
) -> None:
    entered(adam, f"{agents.url}/{which}")
    run = begun(bob, calls("work"))
    until(lambda: agents.log("get"))
    assert bob.api.post(f"/api/runs/{run}/cancel").status in (200, 202)
    assert ended(bob, run)["state"] == "CANCELLED"
    assert len(until(lambda: agents.log("cancel"))) == 1


def test_a_task_that_never_ends(worker: Worker, bob: Person, far: SampleAgents) -> None:
    run = ended(bob, begun(bob, calls("work", more={"timeout_s": 1, "retry": {"max": 0}})))
    assert run["error"]["code"] == "NODE_TIMEOUT"
    assert len(until(lambda: far.log("cancel"))) == 1 and len(far.log("send")) == 1


def test_a_task_that_is_lost_is_an_unknown_outcome(worker: Worker, bob: Person, far: SampleAgents) -> None:
    run = begun(bob, calls("work"))
    until(lambda: far.log("get"))
    far.do("forget")
    question = answer(bob, run, "skip", values={"result": "done already"})
    assert (question.kind, question.cause) == ("recovery", "outcome")
    assert ended(bob, run)["outputs"]["said"] == "done already"
    assert len(far.log("send")) == 1


def test_an_agent_that_goes_away_and_comes_back(
    worker: Worker, adam: Person, bob: Person, agents: SampleAgents
) -> None:
    entered(adam, f"{agents.url}/odd/comes")
    run = begun(bob, calls("echo"))
    assert ended(bob, run)["outputs"]["said"] == "came back"
    log = [event["data"]["message"] for event in events(bob, run) if event["type"] == "STEP_PROGRESS"]
    assert any("503" in text for text in log)


@pytest.mark.parametrize("mode", ["otherid", "stateless"])
def test_a_task_that_becomes_another(
    worker: Worker, adam: Person, bob: Person, agents: SampleAgents, mode: str
) -> None:
    entered(adam, f"{agents.url}/odd/{mode}")
    run = ended(bob, begun(bob, calls("echo", more={"retry": {"max": 0}})))
    assert run["error"]["code"] == "MCP_PROTOCOL_ERROR"
    assert len(agents.log("CancelTask")) == 1


def test_a_task_that_its_agent_cancels_fails_the_step(
    worker: Worker, adam: Person, bob: Person, agents: SampleAgents
) -> None:
    entered(adam, f"{agents.url}/odd/stopped")
    error = ended(bob, begun(bob, calls("echo", more={"retry": {"max": 0}})))["error"]
    assert error["code"] == "MCP_EXECUTION_ERROR" and "cancelled" in error["message"]
    assert agents.log("CancelTask") == []


def test_a_task_id_of_another_team_gives_nothing_of_its_run(
    worker: Worker, bob: Person, far: SampleAgents, charlie: Person
) -> None:
    """An agent answers one team with the task of another: that one's run goes on, and the first learns nothing."""
    run = begun(bob, calls("work"))
    mine = until(lambda: far.log("get"))[0]["task"]
    entered(charlie, f"{far.url}/odd/steals")
    theirs = begun(charlie, calls("echo", more={"retry": {"max": 0}}))
    question = answer(charlie, theirs, "fail")
    assert (question.kind, question.cause) == ("recovery", "outcome")
    assert ended(charlie, theirs)["state"] == "ERROR"
    assert state(run) not in ENDED and far.log("cancel") == []
    far.do("finish")
    assert ended(bob, run)["outputs"]["said"].startswith("42")
    assert {entry["task"] for entry in far.log("get") if "task" in entry} == {mine}
    assert charlie.api.get(f"/api/runs/{run}").status == 404


def test_a_large_answer_is_refused(
    worker: Worker, bob: Person, far: SampleAgents, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "max_blob_mb", 1)
    run = ended(bob, begun(bob, calls("big", more={"retry": {"max": 0}})))
    assert run["error"]["code"] == "RESULT_TOO_LARGE"


def test_an_agent_node_calls_an_agent(bob: Person, far: SampleAgents, llm: LlmServer, provider: None) -> None:
    llm.reply(calls=[Call("far__work", {"message": "How much is it?"})])
    llm.say("It is 42.", when=has_result("42"))
    document: Any = agent("How much?")
    document["nodes"][1]["config"]["tools"] = {"servers": [{"server": "far"}]}
    with working():
        run = begun(bob, document)
        until(lambda: far.log("get"))
    far.do("finish")
    with working():
        assert ended(bob, run)["outputs"] == {"text": "It is 42."}
    [sent] = far.log("send")
    assert sent["message"]["parts"] == [{"text": "How much is it?"}] and sent["skill"] == "work"
    shown = json.dumps(llm.requests[-1].body)
    assert "context_id: " in shown, "the model can go on with the conversation"
