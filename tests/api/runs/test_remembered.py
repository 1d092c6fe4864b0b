"""Approvals that people gave for good: listed with who gave them, taken back, and gone with the run they were for."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from backend.accounts.models import AuditEntry
from backend.registry.models import Grant, RunGrant, Server
from backend.runs.models import Run
from backend.runs.worker.worker import Worker
from tests.api.registry.conftest import programs as programs
from tests.api.runs.asking import start, state
from tests.api.runs.conftest import graph, make_workflow, node, until
from tests.api.runs.deciding import answer, waiting_of
from tests.api.runs.sweeping import swept
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

AT = "/api/mcp/servers/demo/grants"
CALLING = graph(
    [
        node("start", "start"),
        node("del", "tool", {"server": "demo", "tool": "delete_record", "arguments": {"record": "A-1"}}),
        node("end", "end"),
    ],
    "start -> del",
    "del -> end",
)


def listed(person: Person) -> list[dict[str, Any]]:
    return list(person.api.get(AT).data["results"])


def allowed(adam: Person, bob: Person, how: str) -> tuple[Any, str]:
    """(workflow, run): the run's question was answered with a yes that is remembered so."""
    assert adam.api.get("/api/mcp/servers/demo/tools?refresh=1").status == 200
    flow = make_workflow(bob, CALLING)
    run, question = waiting_of(start(bob, flow, {"wait": 60}))
    assert answer(adam, question, remember=how).status == 200
    until(lambda: state(run) == "SUCCESS", 60)
    return flow, run


@pytest.mark.parametrize("how", ["tool", "arguments"])
def test_it_is_listed_and_once_taken_back_the_next_call_asks(
    programs: dict[str, Server], worker: Worker, adam: Person, bob: Person, vera: Person, how: str
) -> None:
    flow, _ = allowed(adam, bob, how)
    assert start(bob, flow, {"wait": 60}).data["state"] == "SUCCESS"
    (result,) = listed(vera)
    assert (result["tool"], result["workflow"], result["of"]) == ("delete_record", flow.pk, how)
    assert (result["by"], result["valid"]) == (["adam@example.org"], True)
    file = vera.api.get(f"{AT}/export")
    assert file.headers["Content-Disposition"] == 'attachment; filename="approvals-demo.jsonl"', file.text
    (line,) = [json.loads(text) for text in file.text.splitlines()]
    assert datetime.fromisoformat(line.pop("created_at")) == datetime.fromisoformat(result["created_at"])
    assert line == {key: result[key] for key in result if key != "created_at"} | {"server": programs["demo"].pk}
    for person in (bob, vera):
        assert person.api.delete(f"{AT}/{result['id']}").status == 403
    assert adam.api.delete(f"{AT}/{result['id']}").status == 204
    assert listed(vera) == [] and adam.api.delete(f"{AT}/{result['id']}").status == 404
    assert AuditEntry.objects.get(action="grant.deleted").data["tool"] == "delete_record"
    assert start(bob, flow, {"wait": 60}).data["state"] == "WAITING"


def test_one_that_covers_nothing_any_more_says_so(
    programs: dict[str, Server], worker: Worker, adam: Person, bob: Person
) -> None:
    allowed(adam, bob, "tool")
    assert adam.api.patch("/api/mcp/servers/demo", {"timeout_ms": 5000}).status == 200
    assert [result["valid"] for result in listed(adam)] == [False]


@pytest.mark.parametrize("key", ["0", "x", "-1", "9" * 30, "%00", "²"])
def test_what_is_none_is_not_found(programs: dict[str, Server], adam: Person, key: str) -> None:
    assert adam.api.delete(f"{AT}/{key}").status == 404


def test_one_for_a_run_is_not_listed_and_goes_with_the_run(
    programs: dict[str, Server], worker: Worker, adam: Person, bob: Person
) -> None:
    _, run = allowed(adam, bob, "run")
    RunGrant.objects.create(run=run, source="http", tool="GET", definition_hash="", server_hash="example.org")
    assert listed(adam) == [] and Grant.objects.filter(workflow=run).exists()
    Run.objects.update(finished_at=timezone.now() - timedelta(days=40))
    swept(30)
    assert not Run.objects.exists()
    assert not Grant.objects.exists() and not RunGrant.objects.exists()
