"""A concurrency key of a workflow: runs of one key queue or are refused, say why, and go on when a place is free."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from django.conf import settings

from backend.engine.document.concurrency import Concurrency
from backend.runs.models import Run, RunState
from backend.runs.queue import inbox, leases
from backend.runs.queue.concurrency import give_key
from backend.runs.queue.leases import Terms
from backend.runs.worker.worker import Worker
from backend.workflows.models import Workflow
from tests.api.runs.children import published
from tests.api.runs.claimed import ids
from tests.api.runs.conftest import graph, make_workflow, node, until
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)
BY_NAME = {"key": "{{ inputs.name }}"}


def terms(limit: int = 30) -> Terms:
    return Terms("me", limit, None if settings.PATCHBAY.mode == "embedded" else 15.0)


def document(concurrency: Any, *between: dict[str, Any]) -> dict[str, Any]:
    start = node("start", "start", {"inputs": {"type": "object", "properties": {"name": {"type": "string"}}}})
    nodes = [start, *between, node("end", "end", {"outputs": {"name": "{{ start.name }}"}})]
    port = {"approval": ":approved"}
    edges = [f"{item['id']}{port.get(item['type'], '')} -> {other['id']}" for item, other in pairwise(nodes)]
    return graph(nodes, *edges, concurrency=concurrency)


KEY: dict[str, Any] = {"Idempotency-Key": "k"}


def start(person: Person, flow: Workflow, name: str = "a", status: int = 202, **headers: str) -> Any:
    body = {"version": "draft", "inputs": {"name": name}}
    reply = person.api.post(f"/api/workflows/{flow.pk}/runs", body, **headers)
    assert reply.status == status, reply.text
    return reply.data if status != 202 else reply.data["id"]


def test_runs_of_one_key_go_on_one_after_the_other(bob: Person) -> None:
    flow = make_workflow(bob, document(BY_NAME))
    first, second, third, other = (start(bob, flow, name) for name in ("a", "a", "a", "b"))
    assert leases.claim(terms(), second).taken == []  # not its turn, whatever its hint says
    assert ids(leases.claim_batch(terms(), 10)) == [first, other] or settings.PATCHBAY.mode == "scaled"
    for run in (first, other):
        leases.claim(terms(), run)  # scaled, what was queued just now is left to its hint
    assert set(Run.objects.filter(state="RUNNING").values_list("pk", flat=True)) == {first, other}
    Run.objects.filter(pk=first).update(state=RunState.WAITING)  # for a person: it goes on all the same
    claims = leases.claim(terms(), second)
    assert claims.taken == [] and claims.held
    queue = {run["run"]: run for run in bob.api.get("/api/queue").data["runs"]}
    assert queue[second] == {"run": second, "position": None, "server": None, "busy": first}
    Run.objects.filter(pk=first).update(state=RunState.SUCCESS)
    assert ids(leases.claim(terms(), third)) == [] and ids(leases.claim(terms(), second)) == [second]


def test_so_many_of_a_key_as_the_limit_says(bob: Person) -> None:
    flow = make_workflow(bob, document({"limit": 2}))
    runs = [start(bob, flow, name) for name in "abcd"]
    assert [len(leases.claim(terms(), run).taken) for run in runs] == [1, 1, 0, 0]


def test_a_run_that_waits_for_its_key_can_be_cancelled(bob: Person) -> None:
    flow = make_workflow(bob, document({"key": ""}))
    first, second = start(bob, flow), start(bob, flow)
    assert ids(leases.claim(terms(), first)) == [first]
    inbox.enqueue_message(second, "cancel", {"by": bob.user.id})
    assert ids(leases.claim(terms(), second)) == [second]


def test_a_refused_start_names_the_run_that_is_going_on(bob: Person) -> None:
    flow = make_workflow(bob, document({**BY_NAME, "when_busy": "refuse"}))
    first = start(bob, flow, "a", **KEY)
    data = start(bob, flow, "a", 409)
    assert (data["code"], data["detail"]) == ("WORKFLOW_BUSY", {"run": first, "limit": 1}) and first in data["message"]
    assert start(bob, flow, "a", **KEY) == first  # the same start is none more
    start(bob, flow, "b")
    assert Run.objects.count() == 2
    Run.objects.filter(pk=first).update(state=RunState.ERROR)
    start(bob, flow, "a")


def test_inputs_that_give_no_key_are_refused(bob: Person) -> None:
    flow = make_workflow(bob, document({"key": "{{ inputs.name.first }}"}))
    data = start(bob, flow, "a", 400)
    assert data["code"] == "VALIDATION_ERROR" and "concurrency key" in data["fields"]["inputs"][0]


def test_what_is_wrong_with_the_setting_is_said(bob: Person) -> None:
    wrong = {"key": "{{ other.name }}", "limit": 0, "when_busy": "wait", "x": 1}
    flow = make_workflow(bob, document(wrong))
    reply = bob.api.post(f"/api/workflows/{flow.pk}/validate")
    matches = {problem["path"]: (problem["code"], problem["severity"]) for problem in reply.data["problems"]}
    assert matches == {
        "/concurrency/x": ("config_unknown", "warning"),
        "/concurrency/limit": ("config_wrong", "error"),
        "/concurrency/when_busy": ("config_choice", "error"),
        "/concurrency/key": ("reference_unknown", "error"),
    }


def test_the_next_one_begins_when_the_one_before_ended(bob: Person, worker: Worker) -> None:
    asks = node("ask", "approval", {"title": "Go on?", "proposal": {"n": 1}})
    flow = make_workflow(bob, document(BY_NAME, asks))
    first = start(bob, flow)
    worker.take(first)
    until(lambda: Run.objects.get(pk=first).state == "WAITING")
    second = start(bob, flow)
    worker.take(second)
    until(lambda: not worker.live)
    assert Run.objects.get(pk=second).state == "QUEUED"
    assert bob.api.post(f"/api/runs/{first}/cancel").status == 202
    worker.take(first)
    until(lambda: Run.objects.get(pk=second).state == "WAITING")  # nobody told it: the end of the first did


def test_a_run_started_by_one_of_its_own_key_does_not_wait_for_it(bob: Person, worker: Worker) -> None:
    inner = published(bob, document({"limit": 1}), "inner")
    calls = node("sub", "workflow", {"workflow": "inner", "inputs": {"name": "x"}})
    outer = published(bob, document({"limit": 1}, calls), "outer")
    run = start(bob, outer)
    worker.take(run)
    until(lambda: Run.objects.get(pk=run).state == "SUCCESS")
    row = Run.objects.get(pk=run)
    [child] = Run.objects.filter(parent_run=row)
    assert child.workflow_id == inner.pk and child.concurrency == inner.pk
    deeper = Run(team=row.team, workflow=outer, parent_run=child)
    give_key(deeper, Concurrency("", 1, "queue"), {})
    assert deeper.concurrency == ""  # above its parent is one of its own key
