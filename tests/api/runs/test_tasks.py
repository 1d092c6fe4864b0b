"""Calls that their server answers with a task: parked, asked for by whatever process comes, ended as any call is."""

from __future__ import annotations

import json
import resource
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from django.conf import settings

from backend.llm.types import ChatRequest
from backend.runs.models import Run, RunState
from backend.runs.worker.worker import Worker
from backend.tools.loop import LOOP
from tests.api.runs.asking import events, start
from tests.api.runs.conftest import graph, make_workflow, node, until
from tests.api.runs.models import agent
from tests.api.runs.remote_tasks import answer, begun, ended, working
from tests.live.servers.conftest import PROGRAMS, started
from tests.llm_server import Call, LlmServer, ModelRequest, Reply, has_result
from tests.looking import inside
from tests.people import Person
from tests.unit.agents.planner_run import Brain

pytestmark = pytest.mark.django_db(transaction=True)

DONE: dict[str, Any] = {"status": "completed", "result": {"content": [{"type": "text", "text": "42"}]}}
WORKS = {"status": "working"}


def asking(*keys: str) -> dict[str, Any]:
    """A state of a task that asks."""
    schema = {"type": "object", "properties": {"seats": {"type": "integer"}}}
    params = {"mode": "form", "message": "How many?", "requestedSchema": schema}
    return {
        "status": "input_required",
        "inputRequests": {k: {"method": "elicitation/create", "params": params} for k in keys},
    }


@pytest.fixture(scope="module")
def serving() -> Iterator[str]:
    for port in started(str(PROGRAMS / "task_server.py")):
        yield f"http://127.0.0.1:{port}"


class Far:
    """The server as its operator sees it."""

    def __init__(self, url: str) -> None:
        self.url = url

    def log(self, what: str) -> list[dict[str, Any]]:
        """What reached it of one kind."""
        entries: list[dict[str, Any]] = httpx2.get(f"{self.url}/log").json()
        return [entry for entry in entries if entry["what"] == what]

    def forget(self) -> None:
        """It loses its tasks."""
        httpx2.get(f"{self.url}/forget")


@pytest.fixture
def far(serving: str, adam: Person, monkeypatch: pytest.MonkeyPatch) -> Iterator[Far]:
    """The server in the registry of the team, with nothing on its books."""
    monkeypatch.setattr(settings.PATCHBAY, "outbound_allow", ["127.0.0.1"])
    monkeypatch.setattr(settings.PATCHBAY, "max_blob_mb", 1)
    httpx2.get(f"{serving}/reset")
    body = {"name": "Far", "transport": "http", "url": f"{serving}/mcp", "trust_annotations": True, "policy": "allow"}
    reply = adam.api.post("/api/mcp/servers", body)
    assert reply.status == 201, reply.text
    for tool in ("look", "pay", "count"):
        adam.api.get("/api/mcp/servers/far/tools?refresh=1")
        assert adam.api.patch(f"/api/mcp/servers/far/tools/{tool}", {"policy": "allow"}).status == 200
    yield Far(serving)
    LOOP.stop()


def calls(tool: str = "look", script: list[Any] | None = None, more: Any = None, **arguments: Any) -> dict[str, Any]:
    """start → one call → end with what it gave."""
    body = {"script": script, **arguments} if script is not None else arguments
    config = {"server": "far", "tool": tool, "arguments": body}
    outputs = {"said": "{{ far.result }}", "structured": "{{ far.structured }}"}
    return graph(
        [node("start", "start"), node("far", "tool", config, **(more or {})), node("end", "end", {"outputs": outputs})],
        "start -> far",
        "far -> end",
    )


def parked(run: str) -> Run:
    """The run once nobody has it: it waits for its timer, or for a person."""
    row: Run = until(lambda: Run.objects.filter(pk=run, state=RunState.WAITING, owner="").first())
    return row


def due(run: str) -> None:
    """Time passes up to the run's timer."""
    assert Run.objects.filter(pk=run, wake_at__isnull=False).update(wake_at=1.0)


def test_a_task_gives_what_a_call_gives(worker: Worker, bob: Person, far: Far) -> None:
    result = {"content": [{"type": "odd", "of": "ours"}, {"type": "text", "text": "42"}]}
    script = [{**WORKS, "statusMessage": "half of it"}, {"status": "completed", "result": result}]
    run = ended(bob, begun(bob, calls("pay", script)))
    assert (run["state"], run["outputs"]["said"]) == ("SUCCESS", "42"), run["error"]
    log = [event for event in events(bob, run["id"]) if event["node"] == "far"]
    assert [e["type"] for e in log if e["type"].startswith("TOOL_")] == ["TOOL_REQUEST", "TOOL_RESPONSE"]
    [response] = [event["data"] for event in log if event["type"] == "TOOL_RESPONSE"]
    assert (response["call"], response["content"]) == ("call", result["content"])
    texts = [event["data"]["message"] for event in log if event["type"] == "STEP_PROGRESS"]
    assert "half of it" in texts and any("as a task" in text for text in texts)
    assert (len(far.log("call")), len(far.log("get")), far.log("cancel")) == (1, 2, [])
    assert {(entry["header"], entry["takes"]) for entry in far.log("get")} == {(far.log("get")[0]["id"], True)}


def test_a_saved_test_knows_the_task(worker: Worker, bob: Person, far: Far) -> None:
    workflow = make_workflow(bob, calls("pay", [WORKS, DONE]))
    run = ended(bob, str(start(bob, workflow).data["id"]))
    at = f"/api/workflows/{workflow.pk}/tests"
    test = bob.api.post(at, {"run": run["id"], "name": "t"}).data["id"]
    count = len(far.log("get"))
    report = bob.api.post(f"{at}/{test}/run", {}).data
    assert report["ok"] is True, report
    assert (len(far.log("call")), len(far.log("get"))) == (1, count)
    preview = bob.api.post(f"/api/runs/{run['id']}/fork", {"step": "far", "dry_run": True}).data
    assert [(write["node"], write["outcome"]) for write in preview["writes"]] == [("far", "done")], preview


def test_it_is_parked_and_other_processes_ask_for_it(bob: Person, far: Far) -> None:
    with working():
        run = begun(bob, calls("pay", [WORKS, DONE], handle={"pollIntervalMs": 3_600_000}))
        assert parked(run).wake_at is not None and far.log("get") == []
    due(run)
    with working():
        until(lambda: len(far.log("get")) == 1)
        until(lambda: (parked(run).wake_at or 0) > 1)
    due(run)
    with working():
        assert ended(bob, run)["outputs"]["said"] == "42"
    assert len(far.log("call")) == 1


def test_what_it_asks_is_a_question_and_its_answer_an_update(worker: Worker, bob: Person, far: Far) -> None:
    run = begun(bob, calls("look", [asking("seats"), DONE]))
    question = answer(bob, run, values={"seats": 3})
    assert question.kind == "elicitation"
    assert ended(bob, run)["outputs"]["said"] == "42"
    responses = [entry["responses"] for entry in far.log("update")]
    assert responses == [{"seats": {"action": "accept", "content": {"seats": 3}}}]
    assert len(far.log("call")) == 1 and {entry["header"] for entry in far.log("update")} == {far.log("get")[0]["id"]}


@pytest.mark.parametrize(
    ("tool", "last", "code"),
    [
        ("look", {"status": "failed", "error": {"code": -32000, "message": "No room"}}, "MCP_EXECUTION_ERROR"),
        ("look", {"status": "cancelled"}, "MCP_EXECUTION_ERROR"),
        ("look", {**DONE, "result": {**DONE["result"], "isError": True}}, "MCP_EXECUTION_ERROR"),
        (
            "count",
            {**DONE, "result": {"content": [], "structuredContent": {"result": {"a": "b"}}}},
            "MCP_PROTOCOL_ERROR",
        ),
        ("look", {**DONE, "result": {"content": [{"type": "text", "text": "<large>"}]}}, "RESULT_TOO_LARGE"),
        ("look", {**WORKS, "taskId": "another"}, "MCP_PROTOCOL_ERROR"),
        ("look", {"status": "dreaming"}, "MCP_PROTOCOL_ERROR"),
        ("look", asking(*map(str, range(1000))), "MCP_PROTOCOL_ERROR"),
    ],
    ids=["failed", "cancelled", "error", "schema", "large", "id", "status", "questions"],
)
def test_a_task_fails_as_a_call_does(
    worker: Worker, bob: Person, far: Far, tool: str, last: dict[str, Any], code: str
) -> None:
    run = ended(bob, begun(bob, calls(tool, [last], {"retry": {"max": 0}})))
    assert (run["state"], run["error"]["code"]) == ("ERROR", code)
    over = last["status"] in ("failed", "cancelled", "completed") and "<large>" not in json.dumps(last)
    assert over or len(far.log("cancel")) == 1
    if "<large>" in json.dumps(last):
        direct = ended(bob, begun(bob, calls("look", None, {"retry": {"max": 0}}, direct="<large>")))
        assert direct["error"]["code"] == code, "a direct answer is refused alike"


def test_a_task_that_never_ends(worker: Worker, bob: Person, far: Far) -> None:
    run = ended(bob, begun(bob, calls("pay", [WORKS], {"timeout_s": 0.4, "retry": {"max": 0}})))
    assert run["error"]["code"] == "NODE_TIMEOUT"
    assert len(far.log("cancel")) == 1 and len(far.log("call")) == 1
    preview = bob.api.post(f"/api/runs/{run['id']}/retry", {"dry_run": True}).data
    assert [(write["node"], write["outcome"]) for write in preview["writes"]] == [("far", "unknown")]


@pytest.mark.parametrize("parks", [True, False])
def test_cancelling_the_run_tells_the_server(worker: Worker, bob: Person, far: Far, parks: bool) -> None:
    run = begun(bob, calls("pay", [WORKS], handle={"pollIntervalMs": 3_600_000 if parks else 20}))
    if parks:
        parked(run)
    else:
        until(lambda: far.log("get"))
    assert bob.api.post(f"/api/runs/{run}/cancel").status in (200, 202)
    assert ended(bob, run)["state"] == "CANCELLED"
    assert len(until(lambda: far.log("cancel"))) == 1


@pytest.mark.parametrize(("tool", "handle"), [("pay", {}), ("pay", {"ttlMs": 1}), ("look", {"ttlMs": 1})])
def test_a_task_that_is_lost(worker: Worker, bob: Person, far: Far, tool: str, handle: dict[str, Any]) -> None:
    run = begun(bob, calls(tool, [WORKS], {"retry": {"max": 1, "delay_s": 0.1}}, handle=handle))
    if not handle:
        until(lambda: far.log("get"))
        far.forget()
    if tool == "pay":
        question = answer(bob, run, "skip", values={"result": "paid already"})
        assert (question.kind, question.cause) == ("recovery", "outcome")
        assert ended(bob, run)["outputs"]["said"] == "paid already"
        assert len(far.log("call")) == 1
    else:
        error = ended(bob, run)["error"]
        assert error["code"] == "MCP_UNREACHABLE" and "does not know the task" in error["message"]
        assert len(far.log("call")) == 2, "a read is tried again as the node says"


def test_an_agents_call_is_a_task(bob: Person, far: Far, llm: LlmServer, provider: None) -> None:
    script = {"script": [DONE], "handle": {"pollIntervalMs": 3_600_000}}
    llm.reply(calls=[Call("far__look", script)])
    llm.say("It is 42.", when=has_result("42"))
    document: Any = agent("How much?")
    document["nodes"][1]["config"]["tools"] = {"servers": [{"server": "far"}]}
    with working():
        run = begun(bob, document)
        parked(run)
        assert len(far.log("call")) == 1 and far.log("get") == []
    due(run)
    with working():
        assert ended(bob, run)["outputs"] == {"text": "It is 42."}
    assert len(far.log("call")) == 1


def test_the_only_call_of_an_llm_node_is_a_task(bob: Person, far: Far, llm: LlmServer, provider: None) -> None:
    script = {"script": [asking("seats"), DONE], "handle": {"pollIntervalMs": 3_600_000}}
    llm.reply(calls=[Call("far__look", script)])
    config = {
        "provider": "llm",
        "model": "m",
        "messages": [{"role": "user", "content": "How much?"}],
        "tools": {"servers": [{"server": "far"}]},
    }
    outputs = {"calls": "{{ ask.tool_calls }}"}
    nodes = [node("start", "start"), node("ask", "llm", config), node("end", "end", {"outputs": outputs})]
    with working():
        run = begun(bob, graph(nodes, "start -> ask", "ask -> end"))
        parked(run)
        assert (len(far.log("call")), far.log("get")) == (1, [])
    due(run)
    with working():
        answer(bob, run, values={"seats": 3})
        until(lambda: far.log("update"))
        until(lambda: (parked(run).wake_at or 0) > 1)
    due(run)
    with working():
        [call] = ended(bob, run)["outputs"]["calls"]
    assert "42" in json.dumps(call)
    assert len(far.log("call")) == 1 and len(llm.requests) == 1


def test_a_planners_call_is_a_task(bob: Person, adam: Person, far: Far, llm: LlmServer) -> None:
    assert adam.api.post("/api/providers", {"name": "Plans", "slug": "plans", "base_url": llm.url}).status == 201
    body = {"script": [DONE], "handle": {"pollIntervalMs": 3_600_000}}
    brain = Brain([("far__look", "Look it up.")], {1: body}, summary="It is 42.")

    def reply(request: ModelRequest) -> Reply:
        expected = (request.body.get("response_format") or {}).get("json_schema", {}).get("schema")
        return Reply(text=brain(ChatRequest(inside(request.messages), output_schema=expected)))

    llm.otherwise = reply
    config = {"provider": "plans", "model": "m", "goal": "Find out.", "tools": {"servers": [{"server": "far"}]}}
    outputs = {"text": "{{ plan.text }}", "steps": "{{ plan.steps }}"}
    nodes = [node("start", "start"), node("plan", "planner", config), node("end", "end", {"outputs": outputs})]
    with working():
        run = begun(bob, graph(nodes, "start -> plan", "plan -> end"))
        parked(run)
        assert (len(far.log("call")), far.log("get")) == (1, [])
    due(run)
    with working():
        result = ended(bob, run)
    assert result["state"] == "SUCCESS", result["error"]
    [step] = result["outputs"]["steps"]
    assert result["outputs"]["text"] == "It is 42." and "42" in json.dumps(step)
    assert len(far.log("call")) == 1


@pytest.mark.wide
def test_a_result_of_fifty_megabytes_is_refused_while_it_comes(worker: Worker, bob: Person, far: Far) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    huge = {**DONE, "result": {"content": [{"type": "text", "text": "<huge>"}]}}
    run = ended(bob, begun(bob, calls("look", [huge], {"retry": {"max": 0}})))
    assert (run["state"], run["error"]["code"]) == ("ERROR", "RESULT_TOO_LARGE")
    assert len(far.log("call")) == 1 and len(far.log("cancel")) == 1
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert grown < 100, f"{grown:.0f} MB were held for a result of 50"


def test_a_call_by_hand_waits(bob: Person, far: Far) -> None:
    body = {"server": "far", "tool": "look", "arguments": {"script": [WORKS, DONE]}}
    reply = bob.api.post("/api/mcp/tools/call", body)
    assert (reply.status, reply.data["text"]) == (200, "42")
