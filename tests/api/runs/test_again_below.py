"""A workflow that failed below another one goes on where it stood when that one is retried: what it has finished is
taken over, and its writes are not repeated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from backend.runs.models import Run, RunState
from backend.runs.worker import Worker
from backend.workflows.models import Version, Workflow
from tests.api.runs.again import again, ended
from tests.api.runs.children import published
from tests.api.runs.conftest import graph, node
from tests.api.runs.ledger import call, calls
from tests.cast import Person

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
    told = [one["arguments"]["name"] for one in preview["writes"]]
    assert told == ["first 1", "a", "b", "c"], "all that may happen again: what it is given is known only then"
    run = again(bob, first["id"], "retry")
    assert run["state"] == "ERROR" and calls(ledger) == ONCE | {"write c": 2}
    [old, new] = Run.objects.exclude(parent_run=None).order_by("queued_at")
    assert (new.origin_run_id, new.origin_node, new.parent_run_id) == (old.pk, "each", run["id"])
    assert new.copied_seq > 1 and new.state == RunState.ERROR
    again(bob, run["id"], "retry")
    assert calls(ledger) == ONCE | {"write c": 3}, "and so does a retry of the retry"


def test_a_mended_workflow_below_goes_on_as_far_as_it_is_the_same(ledger: Path, worker: Worker, bob: Person) -> None:
    workflow = published(bob, below(), "below")
    first = ended(bob, above(workflow.slug))
    changed = below()
    changed["nodes"][-1]["config"] = {"outputs": {"all": "{{ first.result }}"}}
    changed["nodes"] = [one for one in changed["nodes"] if one["id"] != "breaks"]
    changed["edges"] = [one for one in changed["edges"] if "breaks" not in (one["source"], one["target"])]
    mend(bob, workflow, changed)
    run = again(bob, first["id"], "retry")
    assert run["state"] == "SUCCESS"
    twice = {"write a": 2, "write b": 2, "write c": 2, "write close": 1}
    assert calls(ledger) == ONCE | twice, "the iteration says something else now; what came before it stays"


def test_a_workflow_below_that_is_given_something_else_begins_anew(ledger: Path, worker: Worker, bob: Person) -> None:
    first = ended(bob, above(published(bob, below(), "below").slug, "{{ sys.run_id }}"))
    assert first["state"] == "ERROR" and calls(ledger)["write a"] == 1
    run = again(bob, first["id"], "retry")
    assert calls(ledger)["write a"] == 2 and calls(ledger)[f"write first {run['id']}"] == 1
    assert Run.objects.get(parent_run=run["id"]).origin_run is None
