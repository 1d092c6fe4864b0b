"""The worker: what it gives back, what it hands over, what it counts, how many run at once."""

from __future__ import annotations

import json
import threading
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from backend.database.clock import now_sql
from backend.files.models import Blob
from backend.project.operations import readiness
from backend.runs.models import LogLine, Run, RunState
from backend.runs.worker.worker import Worker
from backend.version import VERSION
from tests.api.runs.asking import events, start, state
from tests.api.runs.conftest import (
    break_inserts,
    graph,
    make_run,
    make_worker,
    make_workflow,
    mend_inserts,
    node,
    until,
)
from tests.api.runs.questions import APPROVAL, answer, waiting_run
from tests.api.runs.sweeping import swept
from tests.llm_server import Gate, LlmServer, Reply
from tests.people import Api, Person

pytestmark = pytest.mark.django_db(transaction=True)


def resting(seconds: float) -> dict[str, Any]:
    """Works (the segment stays alive) for so many seconds between two steps."""
    return graph(
        [
            node("start", "start", {"inputs": {"type": "object"}}),
            node("before", "template", {"template": "a"}),
            node("rest", "wait", {"seconds": seconds}),
            node("after", "template", {"template": "{{ before.text }}b"}),
            node("end", "end", {"outputs": {"text": "{{ after.text }}"}}),
        ],
        "start -> before",
        "before -> rest",
        "rest -> after",
        "after -> end",
    )


def whole(person: Person, run: str) -> None:
    """The log of a run has every number once and every step once."""
    log = events(person, run)
    assert [line["seq"] for line in log] == list(range(1, len(log) + 1))
    outputs = [line["node"] for line in log if line["type"] == "STEP_OUTPUT"]
    assert len(outputs) == len(set(outputs))


def test_a_poisoned_run_goes_on_from_what_is_durable(worker: Worker, bob: Person, mended: None) -> None:
    break_inserts("NEW.node = 'after'")
    run = start(bob, make_workflow(bob, resting(0.05))).data["id"]
    until(lambda: Run.objects.get(pk=run).losses > 0)
    mend_inserts()
    until(lambda: state(run) in {"SUCCESS", "ERROR"})
    assert bob.api.get(f"/api/runs/{run}").data["outputs"] == {"text": "ab"}
    whole(bob, run)


def test_a_run_given_back_five_times_for_what_it_did_is_left_to_a_person(transactional_db: None, bob: Person) -> None:
    run = start(bob, make_workflow(bob)).data["id"]
    Run.objects.filter(pk=run).update(losses=5)
    worker = make_worker()
    worker.start()
    try:
        until(lambda: state(run) == "PAUSED")
        shown = bob.api.get(f"/api/runs/{run}").data
        assert shown["error"]["code"] == "INTERNAL" and "5 times" in shown["error"]["message"]
        assert events(bob, run)[-1]["type"] == "FLOW_STOP"
        bob.api.post(f"/api/runs/{run}/resume")
        until(lambda: state(run) == "SUCCESS")
    finally:
        worker.stop(5)
    assert bob.api.get(f"/api/runs/{run}").data["error"] is None
    whole(bob, run)


THINKING = graph(
    [
        node("start", "start", {"inputs": {"type": "object"}}),
        node("ask", "agent", {"provider": "p", "model": "m", "query": "Think."}),
        node("end", "end", {"outputs": {"text": "{{ ask.text }}"}}),
    ],
    "start -> ask",
    "ask -> end",
)


def test_a_long_call_that_every_deployment_interrupts_is_repeated(
    transactional_db: None, bob: Person, adam: Person, llm: LlmServer
) -> None:
    fields = {"name": "P", "slug": "p", "base_url": llm.url, "api_key": "sk-1"}
    assert adam.api.post("/api/providers", fields).status == 201
    thinking = Gate()
    llm.otherwise = lambda asked: Reply(text="thought", gate=thinking)
    run = start(bob, make_workflow(bob, THINKING)).data["id"]
    for number in range(1, 8):
        worker = make_worker()
        worker.start()
        llm.wait_for_request(number)
        if number == 7:
            thinking.open()
            until(lambda: state(run) == "SUCCESS")
        worker.stop(0.05)
    whole(bob, run)


@pytest.mark.parametrize(("tried", "ends_as"), [(0, "SUCCESS"), (4, "ERROR")])
def test_a_run_that_cannot_be_loaded_is_tried_five_times_and_then_ended(
    worker: Worker, bob: Person, tried: int, ends_as: str
) -> None:
    run, question = waiting_run(bob, APPROVAL)
    request = LogLine.objects.filter(run_id=run, record="ask")
    stored = request.values_list("value", flat=True).get()
    request.update(value=stored[:-1])
    Run.objects.filter(pk=run).update(losses=tried)
    answer(bob, question, action="accept")
    until(lambda: Run.objects.get(pk=run).losses > tried or state(run) == "ERROR")
    request.update(value=stored)
    until(lambda: state(run) == ends_as)
    whole(bob, run)
    if ends_as == "ERROR":
        shown = bob.api.get(f"/api/runs/{run}", **{"Accept-Language": "zh"}).data
        assert shown["error"]["code"] == "INTERNAL" and "JSONDecodeError" in shown["error"]["message"]
        assert not shown["error"]["hint"].isascii() and shown["finished_at"] and shown["waiting"] == []
        assert events(bob, run)[-1]["data"]["params"]["reason"] == "unreadable"


def test_a_durable_record_sets_the_losses_back(transactional_db: None, bob: Person) -> None:
    run = start(bob, make_workflow(bob)).data["id"]
    Run.objects.filter(pk=run).update(state=RunState.RUNNING, owner="dead", losses=3)
    worker = make_worker()
    worker.start()
    try:
        until(lambda: state(run) == "SUCCESS")
    finally:
        worker.stop(5)
    assert Run.objects.get(pk=run).losses == 0


def test_a_lease_that_runs_out_is_noticed_then(
    transactional_db: None, bob: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not when the reaper looks anyhow, which a third of a lease may lie behind it."""
    run = start(bob, make_workflow(bob)).data["id"]
    monkeypatch.setattr(settings.PATCHBAY, "lease_s", 3600)
    worker = Worker(embedded=False)
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE runs_run SET state = 'RUNNING', owner = 'dead', lease_until = {now_sql()} + 2 WHERE id = %s", [run]
        )
    worker.start()
    try:
        until(lambda: state(run) == "SUCCESS")
    finally:
        worker.stop(5)
    whole(bob, run)


def test_stopping_hands_runs_over_without_a_loss(transactional_db: None, bob: Person) -> None:
    worker = make_worker()
    worker.start()
    run = start(bob, make_workflow(bob, resting(3))).data["id"]
    worker.take(run)
    until(lambda: LogLine.objects.filter(run_id=run, node="rest").exists())
    worker.stop(5)
    until(lambda: Run.objects.get(pk=run).state == "QUEUED")  # by whoever claimed it, once the lock is free
    row = Run.objects.get(pk=run)
    assert (row.state, row.owner, row.losses) == ("QUEUED", "", 0)
    again = make_worker()
    again.start()
    try:
        until(lambda: state(run) == "SUCCESS")
    finally:
        again.stop(5)
    whole(bob, run)


def test_a_run_that_is_claimed_while_its_worker_stops_is_given_back(transactional_db: None, bob: Person) -> None:
    """The first run of a process: nothing else waits for its claim, which a lock of the database holds up."""
    run = start(bob, make_workflow(bob)).data["id"]
    worker = make_worker()

    def alive(name: str) -> bool:
        return any(item.name.startswith(name) for item in threading.enumerate())

    with transaction.atomic():
        Run.objects.filter(pk=run).update(losses=0)
        worker.start()
        worker.take(run)
        stopping = threading.Thread(target=worker.stop, args=(0.05,))
        stopping.start()
        until(lambda: not alive("journal"))  # all that it waits for is over
    stopping.join()
    until(lambda: not alive("reaper"))
    until(lambda: Run.objects.get(pk=run).state == "QUEUED")  # by whoever claimed it, once the lock is free
    row = Run.objects.get(pk=run)
    assert (row.state, row.owner, row.losses) == ("QUEUED", "", 0)
    again = make_worker()
    again.start()
    try:
        until(lambda: state(run) == "SUCCESS")
    finally:
        again.stop(5)
    whole(bob, run)


def test_no_more_runs_at_once_than_the_installation_allows(
    transactional_db: None, bob: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "max_concurrent_runs", 2)
    workflow = make_workflow(bob, resting(0.1))
    runs = [start(bob, workflow).data["id"] for _ in range(7)]
    most = 0
    done = threading.Event()

    def watch() -> None:
        nonlocal most
        while not done.wait(0.005):
            most = max(most, Run.objects.filter(state=RunState.RUNNING).count())
        connection.close()

    watcher = threading.Thread(target=watch)
    watcher.start()
    worker = make_worker()
    worker.start()
    try:
        until(lambda: Run.objects.filter(state=RunState.SUCCESS).count() == len(runs))
    finally:
        done.set()
        watcher.join()
        worker.stop(5)
    assert most == 2


def test_runs_that_wait_take_no_place(worker: Worker, bob: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    workflow = make_workflow(bob, resting(3600))
    runs = [start(bob, workflow).data["id"] for _ in range(40)]
    until(lambda: Run.objects.filter(state=RunState.WAITING).count() == len(runs))


def test_a_graph_whose_node_types_are_gone_ends_with_its_problems(worker: Worker, bob: Person) -> None:
    broken = json.dumps(resting(1)).replace('"template", "v"', '"teleport", "v"')
    workflow = make_workflow(bob, json.loads(broken))
    run = make_run(bob, workflow, state=RunState.QUEUED, fence=0)
    worker.take(run.pk)
    until(lambda: state(run.pk) == "ERROR")
    shown = bob.api.get(f"/api/runs/{run.pk}").data["error"]
    assert shown["code"] == "GRAPH_INVALID" and shown["detail"]["problems"]


def test_health_says_whether_work_is_taken(transactional_db: None, nobody: Api) -> None:
    def fetch(path: str) -> tuple[int, Any]:
        readiness.forget()
        answer = nobody.get(path)
        return answer.status, answer.data

    assert fetch("/api/health") == (503, {"status": "starting", "version": VERSION, "mode": settings.PATCHBAY.mode})
    worker = make_worker()
    worker.start()
    try:
        assert fetch("/api/health")[0] == 200
        status, reply = fetch("/api/ready")
        assert (status, reply["status"], set(reply["checks"].values())) == (200, "ok", {True})
        assert ("redis" in reply["checks"]) == (settings.PATCHBAY.mode == "scaled")
    finally:
        worker.stop(5)
    status, reply = fetch("/api/ready")
    assert (status, reply["checks"]["workers"], reply["checks"]["database"]) == (503, False, True)


def test_a_long_queue_is_told_and_makes_nobody_unready(
    worker: Worker, bob: Person, nobody: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "max_concurrent_runs", 0)
    workflow = make_workflow(bob, resting(0.1))
    for _ in range(20):
        make_run(bob, workflow, state=RunState.QUEUED, fence=0)
    Run.objects.update(queued_at=timezone.now() - timedelta(hours=1))
    readiness.forget()
    answer = nobody.get("/api/ready")
    assert (answer.status, answer.data["status"]) == (200, "ok")
    assert 3600 <= answer.data["queue_lag_s"] < 7200
    assert nobody.get("/api/health").status == 200


def test_retention_deletes_ended_runs_and_what_only_they_used(worker: Worker, bob: Person) -> None:
    workflow = make_workflow(bob)
    old, new = (start(bob, workflow, {"inputs": {"name": n * 20_000}, "wait": 20}).data["id"] for n in "ab")
    waiting = start(bob, make_workflow(bob, resting(3600))).data["id"]
    until(lambda: state(waiting) == "WAITING")
    long_ago = timezone.now() - timedelta(days=31)
    Run.objects.filter(pk=old).update(finished_at=long_ago)
    Run.objects.filter(pk=waiting).update(queued_at=long_ago)
    Blob.objects.update(created_at=long_ago)
    assert swept(0) == 0
    assert swept(30) == 1
    assert set(Run.objects.values_list("pk", flat=True)) == {new, waiting}
    assert not LogLine.objects.filter(run_id=old).exists()
    kept = bob.api.get(f"/api/runs/{new}").data
    assert kept["inputs"] == {"name": "b" * 20_000} and kept["graph"]
    assert not any(b"aaaaaaaaaa" in bytes(blob.data) for blob in Blob.objects.all())
