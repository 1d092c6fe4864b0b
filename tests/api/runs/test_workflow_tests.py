"""Runs saved as tests: played offline with a real log, with the world gone; what is told where something differs."""

from __future__ import annotations

import json
import socket
import subprocess
import threading
from copy import deepcopy
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from backend.accounts.models import AuditEntry
from backend.providers.models import Provider
from backend.registry.models import Server
from backend.runs.models import Interaction, Run, WorkflowTest
from backend.runs.worker.worker import Worker
from backend.workflows.models import Workflow
from tests.api.runs.asking import start, state
from tests.api.runs.children import published
from tests.api.runs.conftest import graph, make_workflow, node, until
from tests.api.runs.ledger import call, calls
from tests.llm_server import Call, LlmServer, has_result
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

ASK = {"provider": "llm", "model": "m", "query": "{{ start.q }}", "tools": {"local": ["calculate"]}}
EACH = {"items": ["a", "b"], "output": "{{ note.result }}"}


def everything(below: str) -> dict[str, Any]:
    """A tool, an agent with a tool, a person, a timer, calls in a loop, a run below."""
    return graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            call("pay", "pay", "once"),
            node("ask", "agent", ASK),
            node("ok", "approval", {"title": "Go on?", "proposal": {"n": 1}}),
            node("rest", "wait", {"seconds": 0.05}),
            node("each", "iteration", EACH),
            call("note", "look", "{{ item }}", parent="each"),
            node("below", "workflow", {"workflow": below, "inputs": {}}),
            node("say", "template", {"template": "{{ ask.text }} {{ ok.values.n }} {{ each.items }}"}, title="Say"),
            node("end", "end", {"outputs": {"text": "{{ say.text }}"}}),
        ],
        "start -> pay",
        "pay -> ask",
        "ask -> ok",
        "ok:approved -> rest",
        "rest -> each",
        "each -> below",
        "below -> say",
        "say -> end",
    )


def saved(person: Person, workflow: Workflow, run: str, name: str = "The test") -> dict[str, Any]:
    reply = person.api.post(f"/api/workflows/{workflow.pk}/tests", {"run": run, "name": name})
    assert reply.status == 201, reply.text
    return dict(reply.data)


def played(person: Person, workflow: Workflow, test: str, **body: Any) -> dict[str, Any]:
    reply = person.api.post(f"/api/workflows/{workflow.pk}/tests/{test}/run", body)
    assert reply.status == 200, reply.text
    return dict(reply.data)


def command(*args: str) -> tuple[int, str]:
    """(exit code, what was written)."""
    out = StringIO()
    try:
        call_command("test_workflow", *args, stdout=out)
    except SystemExit as ended:
        return int(str(ended.code)), out.getvalue()
    return 0, out.getvalue()


def rewritten(workflow: Workflow, document: dict[str, Any]) -> None:
    Workflow.objects.filter(pk=workflow.pk).update(draft=json.dumps(document))


@pytest.fixture
def no_world(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs and connections fail the test; threads of their own, as the hub's, may mend theirs."""
    connect = socket.socket.connect

    def refuse() -> None:
        assert threading.current_thread() is not threading.main_thread(), "a test reached for the world"

    def connecting(self: socket.socket, address: Any) -> None:
        refuse()
        connect(self, address)

    class Program(subprocess.Popen[bytes]):
        def __init__(self, *args: Any, **more: Any) -> None:
            refuse()
            super().__init__(*args, **more)

    monkeypatch.setattr(socket.socket, "connect", connecting)
    monkeypatch.setattr(subprocess, "Popen", Program)


def ended_run(bob: Person, llm: LlmServer) -> tuple[Workflow, str, dict[str, Any]]:
    """A run of everything, and its workflow."""
    llm.reply(text="I count.", calls=[Call("local__calculate", {"expression": "6*7"})])
    llm.say("It is 42.", when=has_result("42"))
    inner = graph(
        [node("start", "start", {"inputs": {"type": "object"}}), call("also", "pay", "below"), node("end", "end")],
        "start -> also",
        "also -> end",
    )
    document = everything(published(bob, inner, "below").slug)
    workflow = make_workflow(bob, document)
    run = start(bob, workflow, {"inputs": {"q": "six times seven"}}).data["id"]
    question = until(lambda: Interaction.objects.filter(run_id=run, state="open").first())
    answer = {"action": "accept", "values": {"n": 5}}
    assert bob.api.post(f"/api/interactions/{question.pk}/answer", answer).status == 200
    until(lambda: state(run) in {"SUCCESS", "ERROR"})
    assert state(run) == "SUCCESS", bob.api.get(f"/api/runs/{run}").data["error"]
    return workflow, run, document


def test_a_saved_run_is_played_without_the_world(
    ledger: Path, worker: Worker, bob: Person, llm: LlmServer, provider: None, request: pytest.FixtureRequest
) -> None:
    workflow, run, document = ended_run(bob, llm)
    test = saved(bob, workflow, run)
    assert (test["run"], test["inputs"], test["result"]) == (run, {"q": "six times seven"}, None)
    before, count, runs = calls(ledger), len(llm.requests), Run.objects.count()
    Server.objects.all().delete()
    Provider.objects.all().delete()
    worker.stop(5)
    request.getfixturevalue("no_world")

    result = played(bob, workflow, test["id"])
    assert result["ok"] and {node["status"] for node in result["nodes"]} == {"same"}, result
    assert len(result["nodes"]) == 9 and result["version"] is None
    assert command(workflow.slug) == (0, f"same     The test ({_ms(test['id'])} ms)\n1 of 1 tests give the same\n")

    other = deepcopy(document)
    other["nodes"][8]["config"]["template"] = "{{ ask.text }}!"
    rewritten(workflow, other)
    changed = {node["node"]: node for node in played(bob, workflow, test["id"])["nodes"]}
    assert [key for key, item in changed.items() if item["status"] != "same"] == ["say", "end"]
    assert changed["say"]["status"] == "differs" and changed["say"]["got"] == {"output": {"text": "It is 42.!"}}
    assert changed["say"]["expected"]["output"]["text"].startswith("It is 42. 5 ")

    other["nodes"][2]["config"]["query"] = "{{ start.q }}, please"
    rewritten(workflow, other)
    result = played(bob, workflow, test["id"])
    unknown = {node["node"]: node for node in result["nodes"]}
    assert (result["ok"], unknown["ask"]["status"], unknown["say"]["status"]) == (False, "missing", "unreached")
    assert unknown["ask"]["missing"][0]["target"] == "llm/llm/m"

    other["nodes"][1]["config"]["arguments"]["name"] = "twice"
    rewritten(workflow, other)
    code, text = command(workflow.slug)
    assert (
        code == 1
        and "pay: missing" in text
        and 'recorded was {"name": "once"}' in text
        and "0 of 1 tests give the same" in text
    )
    assert (calls(ledger), len(llm.requests), Run.objects.count()) == (before, count, runs)


def _ms(test: str) -> int:
    return int(json.loads(WorkflowTest.objects.get(pk=test).result)["ms"])


def test_a_failed_run_and_a_version_can_be_tests(worker: Worker, bob: Person) -> None:
    document = graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            node("breaks", "template", {"template": "{{ start.missing }}"}),
            node("end", "end", {"outputs": {"text": "{{ breaks.text }}"}}),
        ],
        "start -> breaks",
        "breaks -> end",
    )
    workflow = published(bob, document, "breaks")
    reply = start(bob, workflow, {"version": 1, "wait": 20})
    test = saved(bob, workflow, reply.data["id"])
    result = played(bob, workflow, test["id"], version=1)
    messages = [(node["node"], node["status"], node["got"]) for node in result["nodes"]]
    assert messages == [("start", "same", {"output": {"name": "x"}}), ("breaks", "same", {"error": "TEMPLATE_ERROR"})]
    document["nodes"][1]["config"]["template"] = "mended"
    rewritten(workflow, document)
    mended = {node["node"]: node["status"] for node in played(bob, workflow, test["id"])["nodes"]}
    assert mended == {"start": "same", "breaks": "differs", "end": "new"}
    assert command(workflow.slug, "--version", "1")[0] == 0 and command(workflow.slug)[0] == 1
    assert bob.api.post(f"/api/workflows/{workflow.pk}/tests/{test['id']}/run", {"version": 7}).status == 404


def test_whose_tests_they_are(worker: Worker, bob: Person, vera: Person, charlie: Person) -> None:
    workflow = make_workflow(bob)
    run = start(bob, workflow, {"wait": 20}).data["id"]
    at = f"/api/workflows/{workflow.pk}/tests"
    test = saved(bob, workflow, run)
    assert [result["id"] for result in vera.api.get(at).data["results"]] == [test["id"]]
    for person, status in ((vera, 403), (charlie, 404)):
        assert person.api.post(at, {"run": run, "name": "x"}).status == status
        assert person.api.post(f"{at}/{test['id']}/run", {}).status == status
        assert person.api.delete(f"{at}/{test['id']}").status == status
    twice = bob.api.post(at, {"run": run, "name": "The test"})
    assert twice.status == 400 and "name" in twice.data["fields"]
    foreign = bob.api.post(f"/api/workflows/{make_workflow(bob).pk}/tests", {"run": run, "name": "x"})
    assert foreign.status == 400 and "run" in foreign.data["fields"]
    Run.objects.filter(pk=run).update(state="CANCELLED")
    assert bob.api.post(at, {"run": run, "name": "y"}).status == 409
    Run.objects.filter(pk=run).delete()
    assert played(bob, workflow, test["id"])["ok"], "a test outlives its run"
    assert bob.api.delete(f"{at}/{test['id']}").status == 204
    assert bob.api.get(at).data["results"] == []
    kinds = AuditEntry.objects.filter(target_id=test["id"]).order_by("pk").values_list("action", flat=True)
    assert list(kinds) == ["workflow_test.created", "workflow_test.deleted"]
    with pytest.raises(CommandError, match="has no tests"):
        command(workflow.slug)
    with pytest.raises(CommandError, match="no workflow"):
        command("nobody")
