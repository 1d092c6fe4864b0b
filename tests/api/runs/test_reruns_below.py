"""A workflow that failed below another one goes on where it stood when that one is retried: what it has finished is
taken over, and its writes are not repeated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from backend.runs.models import Run, RunState
from backend.runs.worker.worker import Worker
from backend.workflows.models import Version, Workflow
from tests.api.runs.asking import start, state
from tests.api.runs.children import published
from tests.api.runs.conftest import graph, make_workflow, node, until
from tests.api.runs.deciding import answer
from tests.api.runs.ledger import call, calls
from tests.api.runs.reruns import ENDED, ended, rerun
from tests.llm_server import Call, LlmServer
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)


def below(broken: str = "{{ start.missing }}") -> dict[str, Any]:
    """A write, an iteration of writes the last of which follows a failure, and a last write."""
    over = {"items": ["a", "b", "c"], "output": "{{ item }}"}
    last = [{"left": "{{ item }}", "op": "eq", "right": "c"}]
    return graph(
        [
            node("start", "start", {"inputs": {"type": "object", "properties": {"n": {}}}}),
            call("first", "pay", "first {{ start.n }}"),
            node("each", "iteration", over),
            call("write", "pay", "{{ item }}", parent="each"),
            node("last", "if", {"conditions": last}, parent="each"),
            node("breaks", "template", {"template": broken}, parent="each"),
            call("close", "pay", "close"),
            node("end", "end", {"outputs": {"all": "{{ each.items }}"}}),
        ],
        "start -> first",
        "first -> each",
        "write -> last",
        "last:true -> breaks",
        "each -> close",
        "close -> end",
    )


def above(slug: str, n: str = "1") -> dict[str, Any]:
    return graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            call("top", "pay", "top"),
            node("sub", "workflow", {"workflow": slug, "inputs": {"n": n}}),
            node("end", "end", {"outputs": {"all": "{{ sub.all }}"}}),
        ],
        "start -> top",
        "top -> sub",
        "sub -> end",
    )


def mend(person: Person, workflow: Workflow, document: dict[str, Any]) -> None:
    """Publish another version."""
    text = json.dumps(document)
    Version.objects.create(workflow=workflow, number=2, graph=text, published_by=person.user)
    Workflow.objects.filter(pk=workflow.pk).update(published_version=2, draft=text)


ONCE = {"write top": 1, "write first 1": 1, "write a": 1, "write b": 1, "write c": 1}


def test_a_retry_takes_over_what_the_workflow_below_has_finished(ledger: Path, worker: Worker, bob: Person) -> None:
    first = ended(bob, above(published(bob, below(), "below").slug))
    assert first["state"] == "ERROR" and calls(ledger) == ONCE
    preview = bob.api.post(f"/api/runs/{first['id']}/retry", {"dry_run": True}).data
    messages = [write["arguments"]["name"] for write in preview["writes"]]
    assert messages == ["first 1", "a", "b", "c"], "all that may happen again: what it is given is known only then"
    run = rerun(bob, first["id"], "retry")
    assert run["state"] == "ERROR" and calls(ledger) == ONCE | {"write c": 2}
    [old, new] = Run.objects.exclude(parent_run=None).order_by("queued_at")
    assert (new.origin_run_id, new.origin_node, new.parent_run_id) == (old.pk, "each", run["id"])
    assert new.copied_seq > 1 and new.state == RunState.ERROR
    rerun(bob, run["id"], "retry")
    assert calls(ledger) == ONCE | {"write c": 3}, "and so does a retry of the retry"


def test_a_mended_workflow_below_goes_on_as_far_as_it_is_the_same(ledger: Path, worker: Worker, bob: Person) -> None:
    workflow = published(bob, below(), "below")
    first = ended(bob, above(workflow.slug))
    changed = below()
    changed["nodes"][-1]["config"] = {"outputs": {"all": "{{ first.result }}"}}
    changed["nodes"] = [node for node in changed["nodes"] if node["id"] != "breaks"]
    changed["edges"] = [edge for edge in changed["edges"] if "breaks" not in (edge["source"], edge["target"])]
    mend(bob, workflow, changed)
    run = rerun(bob, first["id"], "retry")
    assert run["state"] == "SUCCESS"
    twice = {"write a": 2, "write b": 2, "write c": 2, "write close": 1}
    assert calls(ledger) == ONCE | twice, "the iteration says something else now; what came before it stays"


def test_a_workflow_below_that_is_given_something_else_begins_anew(ledger: Path, worker: Worker, bob: Person) -> None:
    first = ended(bob, above(published(bob, below(), "below").slug, "{{ sys.run_id }}"))
    assert first["state"] == "ERROR" and calls(ledger)["write a"] == 1
    run = rerun(bob, first["id"], "retry")
    assert calls(ledger)["write a"] == 2 and calls(ledger)[f"write first {run['id']}"] == 1
    assert Run.objects.get(parent_run=run["id"]).origin_run is None


def asks(slug: str) -> dict[str, Any]:
    """A write, then an agent whose model may call the workflow."""
    tools = {"servers": [], "workflows": [slug], "local": []}
    config = {"provider": "llm", "model": "m", "query": "Do it.", "tools": tools}
    return graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            call("top", "pay", "top"),
            node("ask", "agent", config),
            node("end", "end", {"outputs": {"text": "{{ ask.text }}"}}),
        ],
        "start -> top",
        "top -> ask",
        "ask -> end",
    )


def allow(person: Person, run: str) -> None:
    """Agree to every call that waits, until the run has ended."""

    def over() -> bool:
        for question in waiting(person, run):
            assert answer(person, question, remember="run").status == 200
        return state(run) in ENDED

    until(over, 60)


def waiting(person: Person, run: str) -> list[str]:
    return [result["id"] for result in person.api.get(f"/api/interactions?state=open&run={run}").data["results"]]


def test_a_workflow_that_an_agent_calls_goes_on_where_it_stood(
    ledger: Path, worker: Worker, bob: Person, llm: LlmServer, provider: None
) -> None:
    """Two equal calls go on with one earlier run each, a third finds none left; with other inputs one begins anew."""
    slug = published(bob, below(), "below").slug
    once = Call(f"workflow__{slug}", {"n": "1"})
    llm.reply(calls=[once])
    llm.reply(calls=[once])
    llm.reply(status=401)
    first = start(bob, make_workflow(bob, asks(slug)), {"inputs": {}}).data["id"]
    allow(bob, first)
    assert state(first) == "ERROR"
    created = calls(ledger)
    assert created == {"write top": 1, "write first 1": 2, "write a": 2, "write b": 2, "write c": 2}
    old = list(Run.objects.filter(parent_run=first).order_by("queued_at").values_list("pk", flat=True))
    preview = bob.api.post(f"/api/runs/{first}/retry", {"dry_run": True}).data
    messages = [(item["node"], item["run"], item["steps_kept"], item["rounds_kept"]) for item in preview["below"]]
    assert messages == [("ask", run, 2, 2) for run in old], "two steps and two items of each"

    llm.reply(calls=[once, once])
    llm.reply(calls=[once])
    llm.reply(calls=[Call(f"workflow__{slug}", {"n": "2"})])
    llm.say("It does not work.")
    run = bob.api.post(f"/api/runs/{first}/retry").data["id"]
    allow(bob, run)
    assert state(run) == "SUCCESS"
    new = list(Run.objects.filter(parent_run=run).order_by("queued_at").values_list("origin_run", flat=True))
    assert len(new) == 4 and set(new[:2]) == set(old) and new[2:] == [None, None]
    more = calls(ledger) - created
    assert more == {"write first 1": 1, "write first 2": 1, "write a": 2, "write b": 2, "write c": 4}


def beside() -> dict[str, Any]:
    """An iteration that fails at its last item, a workflow that fails likewise, and a step that waits for neither."""
    document = below()
    document["nodes"].append(node("aside", "template", {"template": "aside"}))
    document["edges"].append({"id": "aside", "source": "start", "target": "aside"})
    return document


def test_a_fork_goes_on_with_what_had_not_ended_beside_its_step(ledger: Path, worker: Worker, bob: Person) -> None:
    first = ended(bob, beside(), n="1")
    assert first["state"] == "ERROR" and calls(ledger)["write c"] == 1
    preview = bob.api.post(f"/api/runs/{first['id']}/fork", {"step": "aside", "dry_run": True}).data
    kept = {run["node"]: (run["why"], run["rounds_kept"]) for run in preview["runs"]}
    assert kept["each"] == ("unfinished", 2) and kept["aside"] == ("point", 0)
    assert [write["arguments"]["name"] for write in preview["writes"]] == ["c"]
    rerun(bob, first["id"], "fork", {"step": "aside"})
    created = {"write first 1": 1, "write a": 1, "write b": 1, "write c": 2}
    assert calls(ledger) == created, "what nobody asked to run anew is written once"
    rerun(bob, first["id"], "fork", {"step": "each"})
    assert calls(ledger) == {"write first 1": 1, "write a": 2, "write b": 2, "write c": 3}, "the chosen one begins anew"


def test_a_workflow_below_goes_on_in_a_fork_where_its_step_was_not_chosen(
    ledger: Path, worker: Worker, bob: Person
) -> None:
    document = above(published(bob, below(), "below").slug)
    document["nodes"].append(node("aside", "template", {"template": "aside"}))
    document["edges"].append({"id": "aside", "source": "start", "target": "aside"})
    first = ended(bob, document)
    assert calls(ledger) == ONCE
    preview = bob.api.post(f"/api/runs/{first['id']}/fork", {"step": "aside", "dry_run": True}).data
    assert [(item["node"], item["steps_kept"], item["rounds_kept"]) for item in preview["below"]] == [("sub", 2, 2)]
    fork = rerun(bob, first["id"], "fork", {"step": "aside"})
    assert calls(ledger) == ONCE | {"write c": 2}
    rerun(bob, fork["id"], "retry")
    assert calls(ledger) == ONCE | {"write c": 3}, "and so does a retry of the fork"
    rerun(bob, first["id"], "fork", {"step": "sub"})
    assert calls(ledger) == ONCE | {"write first 1": 2, "write a": 2, "write b": 2, "write c": 4}
