"""Pause, resume and cancel of a run that rests already: in the queue, before a person, across a restart."""

from __future__ import annotations

import pytest

from backend.runs.models import Run
from backend.runs.worker.worker import Worker
from tests.api.runs.asking import PATIENT, events, start, state
from tests.api.runs.conftest import make_worker, make_workflow, until
from tests.api.runs.questions import APPROVAL, answer, waiting_run
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)


def deed(person: Person, run: str, what: str) -> int:
    return person.api.post(f"/api/runs/{run}/{what}").status


def flow(person: Person, run: str) -> list[str]:
    return [event["type"] for event in events(person, run) if event["node"] is None]


def test_an_answer_given_while_it_is_paused_counts_once_it_goes_on(worker: Worker, bob: Person) -> None:
    run, question = waiting_run(bob, APPROVAL)
    assert deed(bob, run, "pause") == 202
    until(lambda: state(run) == "PAUSED")
    kinds = {item["kind"] for item in bob.api.get(f"/api/runs/{run}").data["waiting"]}
    assert kinds == {"pause", "person"}
    assert answer(bob, question, action="accept").status == 200
    assert deed(bob, run, "pause") == 409 and state(run) == "PAUSED"
    assert deed(bob, run, "resume") == 202
    until(lambda: state(run) == "SUCCESS")
    log = events(bob, run)
    assert [line["seq"] for line in log] == list(range(1, len(log) + 1))


def test_a_run_paused_in_the_queue_begins_when_it_is_resumed(transactional_db: None, bob: Person) -> None:
    run = start(bob, make_workflow(bob)).data["id"]
    assert (state(run), deed(bob, run, "pause")) == ("QUEUED", 202)
    worker = make_worker()
    worker.start()
    until(lambda: state(run) == "PAUSED")
    assert not [event for event in events(bob, run) if event["type"] == "STEP_INIT"]
    worker.stop(5)
    assert state(run) == "PAUSED" and deed(bob, run, "resume") == 202
    after = make_worker()
    after.start()
    until(lambda: state(run) == "SUCCESS")
    after.stop(5)
    assert flow(bob, run) == ["FLOW_QUEUED", "FLOW_START", "FLOW_STOP", "FLOW_RESUME", "FLOW_SUCCESS"]


@pytest.mark.parametrize("paused", [False, True])
def test_a_run_that_rests_is_cancelled(worker: Worker, bob: Person, paused: bool) -> None:
    run = start(bob, make_workflow(bob, PATIENT)).data["id"]
    until(lambda: state(run) == "WAITING")
    if paused:
        assert deed(bob, run, "pause") == 202
        until(lambda: state(run) == "PAUSED")
    assert deed(bob, run, "cancel") == 202
    until(lambda: state(run) == "CANCELLED")
    assert flow(bob, run)[-1] == "FLOW_CANCEL"
    assert [deed(bob, run, what) for what in ("cancel", "pause", "resume")] == [409] * 3
    assert Run.objects.get(pk=run).waiting == "[]"
