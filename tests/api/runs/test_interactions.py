"""Questions to people: asked, listed, answered once, expired, closed; the run waits without a worker and goes on."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from backend.accounts.audit.batches import write_notes
from backend.accounts.models import AuditEntry
from backend.runs.interactions import questions
from backend.runs.models import InboxMessage, Interaction, Run
from backend.runs.worker.worker import Worker
from tests.api.runs.asking import events, start, state
from tests.api.runs.conftest import graph, make_run, make_worker, make_workflow, node, until
from tests.api.runs.questions import APPROVAL, answer, waiting_run
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

FORM_SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string", "minLength": 2}, "days": {"type": "integer"}},
    "required": ["city"],
}
FORM = graph(
    [
        node("start", "start", {"inputs": {"type": "object"}}),
        node("ask", "form", {"title": "Where?", "message": "", "schema": FORM_SCHEMA}),
        node("end", "end", {"outputs": {"city": "{{ ask.city }}"}}),
    ],
    "start -> ask",
    "ask -> end",
)


def test_wait_returns_when_a_person_is_asked_and_the_answer_lets_it_go_on(worker: Worker, bob: Person) -> None:
    run, question = waiting_run(bob, APPROVAL)
    [listed] = bob.api.get("/api/interactions?state=open").data["results"]
    assert (listed["id"], listed["kind"], listed["title"], listed["run"]) == (
        question.pk,
        "approval",
        "Send it?",
        run,
    )
    assert (listed["proposal"], listed["node"], listed["state"]) == ({"to": "team"}, "ok", "open")
    reply = answer(bob, question, action="accept", values={"to": "all"})
    assert reply.status == 200 and reply.data["state"] == "answered"
    assert reply.data["answered_by"] == "bob@example.org"
    until(lambda: state(run) == "SUCCESS")
    assert bob.api.get(f"/api/runs/{run}").data["outputs"]["text"] == "sent to all"
    assert bob.api.get("/api/interactions?state=open").data["results"] == []
    [linked] = bob.api.get(f"/api/interactions?id={question.pk}").data["results"]
    assert (linked["id"], linked["state"]) == (question.pk, "answered")
    for gone in ("int_long_gone", "%00"):
        assert bob.api.get(f"/api/interactions?id={gone}").data["results"] == []
    types = [event["type"] for event in events(bob, run) if event["type"].startswith("FLOW")]
    assert types == ["FLOW_QUEUED", "FLOW_START", "FLOW_STOP", "FLOW_RESUME", "FLOW_SUCCESS"]


def test_a_question_says_who_started_its_run(worker: Worker, bob: Person, alice: Person) -> None:
    waiting_run(bob, APPROVAL)
    [listed] = alice.api.get("/api/interactions?state=open").data["results"]
    assert (listed["started"]["by"], listed["started"]["trigger"]) == ("bob@example.org", "api")
    assert listed["started"]["at"] and listed["evidence"] == {"definition": None, "read": []}


def test_a_waiting_run_holds_no_worker(worker: Worker, bob: Person) -> None:
    waiting_run(bob, APPROVAL)
    until(lambda: worker.live == 0)
    assert Run.objects.get().owner == ""


def test_declining_goes_the_other_way_with_its_reason(worker: Worker, bob: Person) -> None:
    run, question = waiting_run(bob, APPROVAL)
    assert answer(bob, question, action="decline", reason="Not on a Friday.").status == 200
    until(lambda: state(run) == "SUCCESS")
    assert bob.api.get(f"/api/runs/{run}").data["outputs"] == {"text": None, "reason": "Not on a Friday."}


def test_cancel_as_an_answer_ends_the_run(worker: Worker, bob: Person) -> None:
    run, question = waiting_run(bob, APPROVAL)
    assert answer(bob, question, action="cancel").status == 200
    until(lambda: state(run) == "CANCELLED")


def test_a_second_answer_is_409(worker: Worker, bob: Person, alice: Person) -> None:
    _, question = waiting_run(bob, APPROVAL)
    assert answer(bob, question, action="accept").status == 200
    second = answer(alice, question, action="decline")
    assert (second.status, second.data["code"]) == (409, "ALREADY_ANSWERED")


def test_of_two_people_at_once_one_is_heard(bob: Person, alice: Person) -> None:
    run = make_run(bob, state="WAITING")
    row = {"team": bob.team, "run": run, "root_run": run, "kind": "approval", "title": "?", "created_at": run.queued_at}
    open_questions = [Interaction.objects.create(pk=f"int_{n}", **row) for n in range(8)]

    def attempt(person: Person, question: Interaction) -> int:
        try:
            return int(answer(person, question, action="accept").status)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        for question in open_questions:
            both = [threads.submit(attempt, person, question) for person in (bob, alice)]
            assert sorted(item.result() for item in both) == [200, 409]
    assert InboxMessage.objects.filter(kind="answer").count() == 8


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({}, "values.city"),
        ({"city": "x"}, "values.city"),
        ({"city": "Oslo", "days": "two"}, "values.days"),
        ("", "values"),
    ],
)
def test_values_that_do_not_fit_leave_the_question_open(worker: Worker, bob: Person, values: Any, field: str) -> None:
    run, question = waiting_run(bob, FORM)
    refused = answer(bob, question, action="accept", values=values)
    assert (refused.status, list(refused.data["fields"])) == (400, [field]), refused.text
    assert answer(bob, question, action="accept", values={"city": "Oslo"}).status == 200
    until(lambda: state(run) == "SUCCESS")
    assert bob.api.get(f"/api/runs/{run}").data["outputs"] == {"city": "Oslo"}


def test_an_action_that_fits_another_kind_is_400(worker: Worker, bob: Person) -> None:
    _, question = waiting_run(bob, APPROVAL)
    for action in ("retry", "skip", "fail"):
        assert answer(bob, question, action=action).status == 400
    assert answer(bob, question, action="shrug").status == 400


def test_who_may_answer(worker: Worker, bob: Person, vera: Person, charlie: Person) -> None:
    _, question = waiting_run(bob, APPROVAL)
    assert answer(vera, question, action="accept").status == 403
    assert answer(charlie, question, action="accept").status == 404
    assert charlie.api.get("/api/interactions").data["results"] == []
    assert answer(bob, question, action="accept", remember="tool").status == 403


def test_assignees_are_asked_and_admins_may_step_in(bob: Person, alice: Person) -> None:
    run = make_run(bob, state="WAITING")
    row = {"team": bob.team, "run": run, "root_run": run, "kind": "approval", "title": "?", "created_at": run.queued_at}
    question = Interaction.objects.create(pk="int_1", assignees='["someone@example.org"]', **row)
    assert answer(bob, question, action="accept").status == 403
    assert answer(alice, question, action="accept").status == 200


def test_a_question_of_an_ended_run_is_409(worker: Worker, bob: Person) -> None:
    run, question = waiting_run(bob, APPROVAL)
    bob.api.post(f"/api/runs/{run}/cancel")
    until(lambda: state(run) == "CANCELLED")
    late = answer(bob, question, action="accept")
    assert (late.status, late.data["code"]) == (409, "CONFLICT")
    question.refresh_from_db()
    assert question.state == "cancelled"


def test_an_expired_question_is_answered_as_it_says(bob: Person) -> None:
    run = make_run(bob, state="WAITING")
    row = {"team": bob.team, "run": run, "root_run": run, "kind": "approval", "title": "?", "created_at": run.queued_at}
    Interaction.objects.create(pk="int_1", expires_at=time.time() - 1, on_expire="fail", **row)
    Interaction.objects.create(pk="int_2", expires_at=time.time() + 60, on_expire="fail", **row)
    assert questions.expire() == 1
    message = InboxMessage.objects.get()
    assert (message.interaction, '"action":"fail"' in message.value) == ("int_1", True)
    assert dict(Interaction.objects.values_list("pk", "state")) == {"int_1": "expired", "int_2": "open"}


def test_a_waiting_run_survives_a_restart_of_everything(transactional_db: None, bob: Person) -> None:
    run = start(bob, make_workflow(bob, APPROVAL)).data["id"]
    for deed in ("ask", "answer"):
        worker = make_worker()
        worker.start()
        try:
            if deed == "ask":
                until(lambda: state(run) == "WAITING")
        finally:
            worker.stop(5)
        if deed == "ask":
            assert answer(bob, Interaction.objects.get(), action="accept").status == 200
            assert state(run) == "WAITING"
    worker = make_worker()
    worker.start()
    try:
        until(lambda: state(run) == "SUCCESS")
    finally:
        worker.stop(5)
    log = events(bob, run)
    assert [line["seq"] for line in log] == list(range(1, len(log) + 1))
    assert [line["type"] for line in log].count("STEP_INPUT") == len({line["node"] for line in log if line["node"]})


def test_deeds_leave_audit_rows(worker: Worker, bob: Person) -> None:
    run, question = waiting_run(bob, APPROVAL)
    answer(bob, question, action="accept")
    until(lambda: state(run) == "SUCCESS")
    write_notes()
    actions = set(AuditEntry.objects.values_list("action", flat=True))
    assert {"run.started", "interaction.answered"} <= actions
    row = AuditEntry.objects.get(action="interaction.answered")
    assert (row.actor, row.data["answer"], row.data["run"]) == (bob.user, "accept", run)
    assert row.content == {"title": "Send it?", "values": {"to": "team"}}
